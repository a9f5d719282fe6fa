/* Adding rows to places that an index names. Two rows may go to the same place: a thread takes a range of columns, and
   adds all rows in order, so that sums are the same with any number of threads. */
#include "real.h"

struct adding {
    real *out;
    const real *source;
    const int64_t *index;
    int64_t outer, places, count, inner, step;
    real scale;
};

APART void add_scaled(real *restrict out, const real *restrict x, real c, int64_t n) {
    for (int64_t i = 0; i < n; i++) out[i] += c * x[i];
}

static int index_add_piece(void *p, int64_t piece) {
    struct adding *w = p;
    int64_t cuts = pieces_of(w->inner, w->step), o = piece / cuts, at = piece % cuts * w->step;
    int64_t n = smaller(w->step, w->inner - at);
    real *out = w->out + o * w->places * w->inner + at;
    const real *source = w->source + o * w->count * w->inner + at;
    for (int64_t i = 0; i < w->count; i++) {
        int64_t k = w->index[i];
        add_scaled(out + (k < 0 ? k + w->places : k) * w->inner, source + i * w->inner, w->scale, n);
    }
    return DONE;
}

static int all_fit(const int64_t *index, int64_t count, int64_t places, int64_t lowest) {
    int64_t least = 0, most = -1;
    for (int64_t i = 0; i < count; i++) {
        least = smaller(least, index[i]);
        most = larger(most, index[i]);
    }
    return least >= lowest && most < places;
}

/* index_add: out, index, source | outer, places, count, inner, the lowest index allowed | scale.
   out[o, index[i], :] += scale * source[o, i, :]. */
KERNEL(index_add) {
    struct adding w = {a[0], a[2], a[1], n[0], n[1], n[2], n[3], 0, (real)s[0]};
    if (!all_fit(w.index, w.count, w.places, n[4])) return NOT_HANDLED; /* nothing has been written yet */
    w.step = larger(64, pieces_of(w.inner, 8));
    if (w.inner == 0) return DONE;
    return in_pieces(index_add_piece, &w, w.outer * pieces_of(w.inner, w.step),
                     0.3 * (double)(w.outer * w.count * w.inner));
}

static int scatter_add_piece(void *p, int64_t o) {
    struct adding *w = p;
    real *out = w->out + o * w->places * w->inner;
    const real *source = w->source + o * w->count * w->inner;
    const int64_t *index = w->index + o * w->count * w->inner;
    for (int64_t i = 0; i < w->count; i++)
        for (int64_t j = 0; j < w->inner; j++) out[index[i * w->inner + j] * w->inner + j] += source[i * w->inner + j];
    return DONE;
}

/* scatter_add: out, index, source | outer, places, count, inner. out[o, index[o, i, j], j] += source[o, i, j]. */
KERNEL(scatter_add) {
    UNUSED(s);
    struct adding w = {a[0], a[2], a[1], n[0], n[1], n[2], n[3], 0, 1};
    if (!all_fit(w.index, w.outer * w.count * w.inner, w.places, 0)) return NOT_HANDLED;
    return in_pieces(scatter_add_piece, &w, w.outer, 1.0 * (double)(w.outer * w.count * w.inner));
}
