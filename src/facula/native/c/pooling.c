/* Max and average pooling of planes of up to three dimensions; a plane of fewer has sizes 1 in front. */
#include "real.h"

struct pool {
    const real *x;
    real *out;
    int64_t *index;
    int64_t planes, size[3], out_size[3], kernel[3], stride[3], pad[3], dilation[3];
    int64_t counts_pad, divisor;
};

static struct pool pool_of(const void *x, void *out, void *index, const int64_t *n) {
    struct pool w = {x, out, index, n[0], {0}, {0}, {0}, {0}, {0}, {0}, 0, 0};
    for (int d = 0; d < 3; d++) {
        w.size[d] = n[1 + d], w.out_size[d] = n[4 + d], w.kernel[d] = n[7 + d];
        w.stride[d] = n[10 + d], w.pad[d] = n[13 + d], w.dilation[d] = n[16 + d];
    }
    return w;
}

#define VOLUME(size) ((size)[0] * (size)[1] * (size)[2])

/* Windows of 2 x 2 side by side, without padding: the most common ones, as a loop of vectors. NaN counts as the
   largest, and of equal ones the first is taken. */
APART void pairs_of_rows(const real *restrict above, const real *restrict below, int64_t n, int64_t at, int64_t width,
                         real *restrict out, int64_t *restrict index) {
    for (int64_t i = 0; i < n; i++) {
        real p = above[2 * i], q = above[2 * i + 1], r = below[2 * i], t = below[2 * i + 1];
        real m = p;
        int64_t k = 0;
        k = (q > m) | (q != q) ? 1 : k;
        m = (q > m) | (q != q) ? q : m;
        k = (r > m) | (r != r) ? width : k;
        m = (r > m) | (r != r) ? r : m;
        k = (t > m) | (t != t) ? width + 1 : k;
        m = (t > m) | (t != t) ? t : m;
        out[i] = m;
        index[i] = at + 2 * i + k;
    }
}

static void largest_of_window(const struct pool *w, const real *x, int64_t o[3], real *out, int64_t *index) {
    int64_t first[3], last[3];
    for (int d = 0; d < 3; d++) {
        first[d] = o[d] * w->stride[d] - w->pad[d];
        last[d] = smaller(w->size[d], first[d] + (w->kernel[d] - 1) * w->dilation[d] + 1);
        if (first[d] < 0) first[d] += pieces_of(-first[d], w->dilation[d]) * w->dilation[d];
    }
    real m = -(real)__builtin_inf();
    int64_t k = (first[0] * w->size[1] + first[1]) * w->size[2] + first[2];
    for (int64_t z = first[0]; z < last[0]; z += w->dilation[0])
        for (int64_t y = first[1]; y < last[1]; y += w->dilation[1])
            for (int64_t i = first[2]; i < last[2]; i += w->dilation[2]) {
                int64_t at = (z * w->size[1] + y) * w->size[2] + i;
                real v = x[at];
                if (v > m || v != v) m = v, k = at;
            }
    *out = m;
    *index = k;
}

static int max_pool_piece(void *p, int64_t plane) {
    struct pool *w = p;
    const real *x = w->x + plane * VOLUME(w->size);
    real *out = w->out + plane * VOLUME(w->out_size);
    int64_t *index = w->index + plane * VOLUME(w->out_size);
    int in_pairs = w->kernel[0] == 1 && w->stride[0] == 1 && !w->pad[0] && !w->pad[1] && !w->pad[2];
    for (int d = 1; d < 3; d++)
        in_pairs = in_pairs && w->kernel[d] == 2 && w->stride[d] == 2 && w->dilation[d] == 1
                   && 2 * w->out_size[d] <= w->size[d];
    for (int64_t z = 0; z < w->out_size[0]; z++)
        for (int64_t y = 0; y < w->out_size[1]; y++) {
            int64_t to = (z * w->out_size[1] + y) * w->out_size[2];
            if (in_pairs) {
                int64_t at = (z * w->size[1] + 2 * y) * w->size[2];
                pairs_of_rows(x + at, x + at + w->size[2], w->out_size[2], at, w->size[2], out + to, index + to);
            } else
                for (int64_t i = 0; i < w->out_size[2]; i++)
                    largest_of_window(w, x, (int64_t[3]){z, y, i}, out + to + i, index + to + i);
        }
    return DONE;
}

/* max_pool: x, out, index (in its plane) | planes; sizes, output sizes, kernel, stride, padding, dilation: three of
 * each. */
KERNEL(max_pool) {
    UNUSED(s);
    struct pool w = pool_of(a[0], a[1], a[2], n);
    return in_pieces(max_pool_piece, &w, w.planes, 0.5 * (double)(w.planes * VOLUME(w.out_size) * VOLUME(w.kernel)));
}

static int max_pool_backward_piece(void *p, int64_t plane) {
    struct pool *w = p;
    real *out = w->out + plane * w->size[0];
    const real *g = w->x + plane * w->size[1];
    const int64_t *index = w->index + plane * w->size[1];
    memset(out, 0, sizeof(real) * (size_t)w->size[0]);
    for (int64_t i = 0; i < w->size[1]; i++) out[index[i]] += g[i];
    return DONE;
}

/* max_pool_backward: g, index, gradient of x | planes, elements of a plane of x, of g. */
KERNEL(max_pool_backward) {
    UNUSED(s);
    struct pool w = {.x = a[0], .index = a[1], .out = a[2], .planes = n[0], .size = {n[1], n[2], 0}};
    for (int64_t i = 0; i < w.planes * w.size[1]; i++)
        if (w.index[i] < 0 || w.index[i] >= w.size[0]) return NOT_HANDLED;
    return in_pieces(max_pool_backward_piece, &w, w.planes, 1.0 * (double)(w.planes * w.size[0]));
}

/* ---- average */

/* The ends of the window of output o along dimension d inside the plane; returns how long it is with padding. */
INLINE int64_t window(const struct pool *w, int d, int64_t o, int64_t *first, int64_t *last) {
    int64_t start = o * w->stride[d] - w->pad[d], end = smaller(start + w->kernel[d], w->size[d] + w->pad[d]);
    *first = larger(start, 0);
    *last = smaller(end, w->size[d]);
    return end - start;
}

/* The outputs of a row that have an element at place t of their window. */
INLINE void outputs_at(const struct pool *w, int64_t t, int64_t *first, int64_t *last) {
    *first = larger(0, pieces_of(w->pad[2] - t, w->stride[2]));
    if (w->pad[2] < t) *first = 0;
    int64_t room = w->size[2] - 1 + w->pad[2] - t;
    *last = room < 0 ? 0 : smaller(w->out_size[2], room / w->stride[2] + 1);
}

/* What a sum of a window is divided by; `rows`: its other two dimensions, with padding and without. */
INLINE real divisor_of(const struct pool *w, int64_t o, const int64_t rows[2]) {
    int64_t first, last, all = window(w, 2, o, &first, &last);
    return (real)(w->divisor ? w->divisor : w->counts_pad ? rows[0] * all : rows[1] * (last - first));
}

APART void add_every(real *restrict to, const real *restrict x, int64_t stride, int64_t n) {
    if (stride == 1)
        for (int64_t i = 0; i < n; i++) to[i] += x[i];
    else if (stride == 2)
        for (int64_t i = 0; i < n; i++) to[i] += x[2 * i];
    else
        for (int64_t i = 0; i < n; i++) to[i] += x[i * stride];
}

APART void add_to_every(real *restrict to, const real *restrict x, int64_t stride, int64_t n) {
    for (int64_t i = 0; i < n; i++) to[i * stride] += x[i];
}

/* Output rows, place by place of the window: loops over a row. */
static int average_pool_part(struct pool *w, const real *x, real *out, real *row, int backward) {
    for (int64_t z = 0; z < w->out_size[0]; z++)
        for (int64_t y = 0; y < w->out_size[1]; y++, out += w->out_size[2]) {
            int64_t z_first, z_last, y_first, y_last, first, last;
            int64_t all = window(w, 0, z, &z_first, &z_last) * window(w, 1, y, &y_first, &y_last);
            int64_t rows[2] = {all, (z_last - z_first) * (y_last - y_first)};
            if (backward)
                for (int64_t o = 0; o < w->out_size[2]; o++) row[o] = out[o] / divisor_of(w, o, rows);
            else memset(out, 0, sizeof(real) * (size_t)w->out_size[2]);
            for (int64_t zz = z_first; zz < z_last; zz++)
                for (int64_t yy = y_first; yy < y_last; yy++)
                    for (int64_t t = 0; t < w->kernel[2]; t++) {
                        outputs_at(w, t, &first, &last);
                        if (last <= first) continue;
                        const real *at = x + (zz * w->size[1] + yy) * w->size[2] + first * w->stride[2] - w->pad[2] + t;
                        if (backward) add_to_every((real *)at, row + first, w->stride[2], last - first);
                        else add_every(out + first, at, w->stride[2], last - first);
                    }
            if (!backward)
                for (int64_t o = 0; o < w->out_size[2]; o++) out[o] /= divisor_of(w, o, rows);
        }
    return DONE;
}

static int average_pool_piece(void *p, int64_t plane) {
    struct pool *w = p;
    return average_pool_part(w, w->x + plane * VOLUME(w->size), w->out + plane * VOLUME(w->out_size), 0, 0);
}

static int average_pool_backward_piece(void *p, int64_t plane) {
    struct pool *w = p;
    real *row = scratch(KERNEL_SLOT, sizeof(real) * (size_t)w->out_size[2]), *out = w->out + plane * VOLUME(w->size);
    if (!row) return NO_MEMORY;
    memset(out, 0, sizeof(real) * (size_t)VOLUME(w->size));
    return average_pool_part(w, out, (real *)w->x + plane * VOLUME(w->out_size), row, 1);
}

/* average_pool: x, out | as max_pool, then whether padding counts, the divisor or 0. Its gradient: g, gradient of x |
 * the same. */
KERNEL(average_pool) {
    UNUSED(s);
    struct pool w = pool_of(a[0], a[1], 0, n);
    w.counts_pad = n[19], w.divisor = n[20];
    return in_pieces(average_pool_piece, &w, w.planes,
                     0.5 * (double)(w.planes * VOLUME(w.out_size) * VOLUME(w.kernel)));
}

KERNEL(average_pool_backward) {
    UNUSED(s);
    struct pool w = pool_of(a[0], a[1], 0, n);
    w.counts_pad = n[19], w.divisor = n[20];
    return in_pieces(average_pool_backward_piece, &w, w.planes,
                     0.5 * (double)(w.planes * VOLUME(w.out_size) * VOLUME(w.kernel)));
}
