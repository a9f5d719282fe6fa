/* LSTM and GRU: one layer and direction, all steps, and back. What the weights of inputs give to the gates of all steps
   has been computed before, in one product; here is what follows step by step.

   Sequences do not see each other: some of them at a time go through all steps, by one thread. The recurrent weights
   are packed once for all. Rows of a step lie at its start, one for each sequence that is that long. */
#include "elementary.h"
#include "product.h"
#include <stdlib.h>

enum { SEQUENCES = 16 };

struct recurrent {
    real *gates, *out, *cells, *curves, *h, *c, *inner; /* h, c: the states, changed; inner: a GRU's hidden part of n */
    const real *weight, *bias, *h0, *c0, *g_out;
    real *g_gates, *g_hidden;
    const int64_t *start, *size;
    int64_t steps, batch, width;
    real *packed;
};

#define STEP_ROWS \
    int64_t last = smaller(w->size[t], (piece + 1) * SEQUENCES), rows = last - first; \
    if (rows <= 0) continue; \
    int64_t at = w->start[t] + first;
/* Whether sequence b has had the step before. */
#define HAS_BEFORE(t, b) ((t) > 0 && (b) < w->size[(t)-1])

APART void lstm_row(real *restrict z, const real *restrict before, real *restrict c, real *restrict curve,
                    real *restrict h, int64_t n) {
    for (int64_t j = 0; j < n; j++) {
        real i = sigmoid(z[j]), f = sigmoid(z[n + j]), g = hyperbolic_tangent(z[2 * n + j]), o = sigmoid(z[3 * n + j]);
        real cell = f * before[j] + i * g, bent = hyperbolic_tangent(cell);
        z[j] = i, z[n + j] = f, z[2 * n + j] = g, z[3 * n + j] = o;
        c[j] = cell, curve[j] = bent, h[j] = o * bent;
    }
}

static int lstm_piece(void *p, int64_t piece) {
    struct recurrent *w = p;
    int64_t n = w->width, first = piece * SEQUENCES;
    for (int64_t t = 0; t < w->steps; t++) {
        STEP_ROWS
        real *z = w->gates + at * 4 * n;
        NAME(packed_product)(w->h + first * n, n, rows, w->packed, 4 * n, n, z, 4 * n, 1);
        for (int64_t r = 0; r < rows; r++) {
            real *c = w->c + (first + r) * n, *h = w->h + (first + r) * n, *cell = w->cells + (at + r) * n;
            lstm_row(z + r * 4 * n, c, cell, w->curves + (at + r) * n, h, n);
            memcpy(c, cell, sizeof(real) * (size_t)n);
            memcpy(w->out + (at + r) * n, h, sizeof(real) * (size_t)n);
        }
    }
    return DONE;
}

static int pack_weights(struct recurrent *w, int64_t gates, int transposed) {
    int64_t n = w->width, m = gates * n;
    int64_t size = transposed ? packed_size(m, n) : packed_size(n, m);
    w->packed = aligned_alloc(64, sizeof(real) * (size_t)rounded_up(size + 64, 64));
    if (!w->packed) return NO_MEMORY;
    if (transposed) NAME(pack_all)(w->weight, 1, n, m, n, w->packed);
    else NAME(pack_all)(w->weight, n, 1, n, m, w->packed);
    return DONE;
}

static int in_sequences(struct recurrent *w, job_t *job, int64_t gates, int transposed) {
    if (pack_weights(w, gates, transposed) != DONE) return NO_MEMORY;
    double work = 0.02 * (double)(w->steps * w->batch * gates) * (double)(w->width * w->width);
    int status = in_pieces(job, w, pieces_of(w->batch, SEQUENCES), work);
    free(w->packed);
    return status;
}

/* lstm: gates (rows, 4 width: what the inputs give; becomes i, f, g, o), recurrent weight (4 width, width), start and
   size of each step, out, cells, tanh of cells (each rows, width), h, c (batch, width: the first states; become the
   last) | steps, batch, width. */
KERNEL(lstm) {
    UNUSED(s);
    struct recurrent w = {.gates = a[0],
                          .weight = a[1],
                          .start = a[2],
                          .size = a[3],
                          .out = a[4],
                          .cells = a[5],
                          .curves = a[6],
                          .h = a[7],
                          .c = a[8],
                          .steps = n[0],
                          .batch = n[1],
                          .width = n[2]};
    return in_sequences(&w, lstm_piece, 4, 1);
}

APART void lstm_row_backward(const real *restrict z, const real *restrict before, const real *restrict curve,
                             const real *restrict gh, real *restrict gc, real *restrict d, int64_t n) {
    for (int64_t j = 0; j < n; j++) {
        real i = z[j], f = z[n + j], g = z[2 * n + j], o = z[3 * n + j], bent = curve[j];
        real c = gc[j] + gh[j] * o * (1 - bent * bent);
        d[j] = c * g * i * (1 - i);
        d[n + j] = c * before[j] * f * (1 - f);
        d[2 * n + j] = c * i * (1 - g * g);
        d[3 * n + j] = gh[j] * bent * o * (1 - o);
        gc[j] = c * f;
    }
}

APART void add(real *restrict to, const real *restrict x, int64_t n) {
    for (int64_t i = 0; i < n; i++) to[i] += x[i];
}

static int lstm_backward_piece(void *p, int64_t piece) {
    struct recurrent *w = p;
    int64_t n = w->width, first = piece * SEQUENCES;
    for (int64_t t = w->steps - 1; t >= 0; t--) {
        STEP_ROWS
        real *d = w->g_gates + at * 4 * n;
        for (int64_t r = 0; r < rows; r++) {
            int64_t b = first + r;
            if (w->g_out) add(w->h + b * n, w->g_out + (at + r) * n, n);
            const real *before = HAS_BEFORE(t, b) ? w->cells + (w->start[t - 1] + b) * n : w->c0 + b * n;
            lstm_row_backward(w->gates + (at + r) * 4 * n, before, w->curves + (at + r) * n, w->h + b * n, w->c + b * n,
                              d + r * 4 * n, n);
        }
        NAME(packed_product)(d, 4 * n, rows, w->packed, n, 4 * n, w->h + first * n, n, 0);
    }
    return DONE;
}

/* lstm_backward: gradient of out or none, gates (i, f, g, o), recurrent weight, start, size, cells, tanh of cells, c0,
   gradients of the gates (written), of h and c (of the last states; become those of the first) | steps, batch, width.
 */
KERNEL(lstm_backward) {
    UNUSED(s);
    struct recurrent w = {.g_out = a[0],
                          .gates = a[1],
                          .weight = a[2],
                          .start = a[3],
                          .size = a[4],
                          .cells = a[5],
                          .curves = a[6],
                          .c0 = a[7],
                          .g_gates = a[8],
                          .h = a[9],
                          .c = a[10],
                          .steps = n[0],
                          .batch = n[1],
                          .width = n[2]};
    return in_sequences(&w, lstm_backward_piece, 4, 0);
}

/* ---- GRU: r, z, n; h = (1 - z) n + z h, n = tanh(what the input gives + r (what h gives)) */

APART void gru_row(real *restrict x, const real *restrict from_h, const real *restrict bias, real *restrict inner,
                   real *restrict h, int64_t n) {
    for (int64_t j = 0; j < n; j++) {
        real r = sigmoid(x[j] + from_h[j]), z = sigmoid(x[n + j] + from_h[n + j]);
        real hidden = from_h[2 * n + j] + (bias ? bias[j] : 0);
        real new = hyperbolic_tangent(x[2 * n + j] + r * hidden);
        x[j] = r, x[n + j] = z, x[2 * n + j] = new, inner[j] = hidden;
        h[j] = new + z *(h[j] - new);
    }
}

static int gru_piece(void *p, int64_t piece) {
    struct recurrent *w = p;
    int64_t n = w->width, first = piece * SEQUENCES;
    real *from_h = scratch(KERNEL_SLOT, sizeof(real) * (size_t)(SEQUENCES * 3 * n));
    if (!from_h) return NO_MEMORY;
    for (int64_t t = 0; t < w->steps; t++) {
        STEP_ROWS
        NAME(packed_product)(w->h + first * n, n, rows, w->packed, 3 * n, n, from_h, 3 * n, 0);
        for (int64_t r = 0; r < rows; r++) {
            real *h = w->h + (first + r) * n;
            gru_row(w->gates + (at + r) * 3 * n, from_h + r * 3 * n, w->bias, w->inner + (at + r) * n, h, n);
            memcpy(w->out + (at + r) * n, h, sizeof(real) * (size_t)n);
        }
    }
    return DONE;
}

/* gru: gates (rows, 3 width; become r, z, n), recurrent weight (3 width, width), its bias of n or none, start, size,
   out, what h gives to n (each rows, width), h (batch, width; changed) | steps, batch, width. */
KERNEL(gru) {
    UNUSED(s);
    struct recurrent w = {.gates = a[0],
                          .weight = a[1],
                          .bias = a[2],
                          .start = a[3],
                          .size = a[4],
                          .out = a[5],
                          .inner = a[6],
                          .h = a[7],
                          .steps = n[0],
                          .batch = n[1],
                          .width = n[2]};
    return in_sequences(&w, gru_piece, 3, 1);
}

APART void gru_row_backward(const real *restrict x, const real *restrict inner, const real *restrict before,
                            real *restrict gh, real *restrict d, real *restrict e, int64_t n) {
    for (int64_t j = 0; j < n; j++) {
        real r = x[j], z = x[n + j], new = x[2 * n + j], g = gh[j];
        real by_new = g * (1 - z) * (1 - new *new), by_z = g * (before[j] - new) * z * (1 - z);
        real by_r = by_new * inner[j] * r * (1 - r);
        d[j] = e[j] = by_r;
        d[n + j] = e[n + j] = by_z;
        d[2 * n + j] = by_new;
        e[2 * n + j] = by_new * r;
        gh[j] = g * z;
    }
}

static int gru_backward_piece(void *p, int64_t piece) {
    struct recurrent *w = p;
    int64_t n = w->width, first = piece * SEQUENCES;
    for (int64_t t = w->steps - 1; t >= 0; t--) {
        STEP_ROWS
        for (int64_t r = 0; r < rows; r++) {
            int64_t b = first + r;
            if (w->g_out) add(w->h + b * n, w->g_out + (at + r) * n, n);
            const real *before = HAS_BEFORE(t, b) ? w->out + (w->start[t - 1] + b) * n : w->h0 + b * n;
            gru_row_backward(w->gates + (at + r) * 3 * n, w->inner + (at + r) * n, before, w->h + b * n,
                             w->g_gates + (at + r) * 3 * n, w->g_hidden + (at + r) * 3 * n, n);
        }
        NAME(packed_product)(w->g_hidden + at * 3 * n, 3 * n, rows, w->packed, n, 3 * n, w->h + first * n, n, 1);
    }
    return DONE;
}

/* gru_backward: gradient of out or none, gates (r, z, n), recurrent weight, start, size, out, what h gave to n, h0,
   gradients of the gates by inputs and by h (written), of h (of the last state; becomes that of the first) | steps,
   batch, width. */
KERNEL(gru_backward) {
    UNUSED(s);
    struct recurrent w = {.g_out = a[0],
                          .gates = a[1],
                          .weight = a[2],
                          .start = a[3],
                          .size = a[4],
                          .out = a[5],
                          .inner = a[6],
                          .h0 = a[7],
                          .g_gates = a[8],
                          .g_hidden = a[9],
                          .h = a[10],
                          .steps = n[0],
                          .batch = n[1],
                          .width = n[2]};
    return in_sequences(&w, gru_backward_piece, 3, 0);
}
