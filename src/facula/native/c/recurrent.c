/* LSTM and GRU: one layer and direction, all steps, and back. What the weights of inputs give to the gates of all steps
   has been computed before, in one product; here is what follows step by step.

   The forward pass keeps not the gates but the factors by which the backward pass multiplies (the same as NumPy's
   kernels keep), each in a plane of its own: (factors, rows, width). A step back is then a few products of numbers and
   one of matrices.

   Sequences do not see each other: some of them at a time go through all steps, by one thread. The recurrent weights
   are packed once for all. Rows of a step lie at its start, one for each sequence that is that long. */
#include "elementary.h"
#include "product.h"
#include <stdlib.h>

struct recurrent {
    const real *gates, *weight, *bias, *g_out; /* gates: what the inputs give */
    real *out, *kept, *h, *c, *g_gates;        /* h, c: the states, or their gradients, which are changed */
    const int64_t *start, *size;
    int64_t sequences; /* of a piece: whole tiles; more of them alone, which read the weights less often */
    int64_t steps, batch, width, rows, count; /* rows of all steps; count: gates that the hidden state gives to */
    real *packed;
    /* What a step does to a row: `at` among all rows, `b` among the sequences. */
    void (*row)(const struct recurrent *w, int64_t at, int64_t b, const real *from_h);
};

/* A row of one of the factors. Each is a parameter of its own to the loops: only so are they known to be apart. */
#define PLANE(k) (w->kept + ((k)*w->rows + at) * w->width)

#define STEP_ROWS \
    int64_t last = smaller(w->size[t], (piece + 1) * w->sequences), rows = last - first; \
    if (rows <= 0) continue; \
    int64_t at = w->start[t] + first;

static int forward_piece(void *p, int64_t piece) {
    struct recurrent *w = p;
    int64_t n = w->width, m = w->count * n, first = piece * w->sequences;
    real *from_h = scratch(KERNEL_SLOT, sizeof(real) * (size_t)(w->sequences * m));
    if (!from_h) return NO_MEMORY;
    for (int64_t t = 0; t < w->steps; t++) {
        STEP_ROWS
        NAME(packed_product)(w->h + first * n, n, rows, w->packed, m, n, from_h, m, 0);
        for (int64_t r = 0; r < rows; r++) {
            w->row(w, at + r, first + r, from_h + r * m);
            memcpy(w->out + (at + r) * n, w->h + (first + r) * n, sizeof(real) * (size_t)n);
        }
    }
    return DONE;
}

APART void add(real *restrict to, const real *restrict x, int64_t n) {
    for (int64_t i = 0; i < n; i++) to[i] += x[i];
}

/* A row's gradients of gates are 4 * width; those that the hidden state gave to are the first. */
static int backward_piece(void *p, int64_t piece) {
    struct recurrent *w = p;
    int64_t n = w->width, first = piece * w->sequences;
    for (int64_t t = w->steps - 1; t >= 0; t--) {
        STEP_ROWS
        for (int64_t r = 0; r < rows; r++) {
            if (w->g_out) add(w->h + (first + r) * n, w->g_out + (at + r) * n, n);
            w->row(w, at + r, first + r, NULL);
        }
        NAME(packed_product)(w->g_gates + at * 4 * n, 4 * n, rows, w->packed, n, w->count * n, w->h + first * n, n, 1);
    }
    return DONE;
}

static int in_sequences(struct recurrent *w, job_t *job, const int64_t *n) {
    w->steps = n[0], w->batch = n[1], w->width = n[2], w->rows = n[3];
    w->sequences = thread_count() == 1 ? 36 : 12;
    int64_t width = w->width, m = w->count * width;
    int forward = job == forward_piece;
    int64_t size = forward ? packed_size(m, width) : packed_size(width, m);
    w->packed = aligned_alloc(64, sizeof(real) * (size_t)rounded_up(size + 64, 64));
    if (!w->packed) return NO_MEMORY;
    if (forward) NAME(pack_all)(w->weight, 1, width, m, width, w->packed);
    else NAME(pack_all)(w->weight, width, 1, width, m, w->packed);
    double work = 0.02 * (double)(w->steps * w->batch * w->count) * (double)(width * width);
    int status = in_pieces(job, w, pieces_of(w->batch, w->sequences), work);
    free(w->packed);
    return status;
}

/* ---- LSTM: i, f, g, o; c = f c + i g, h = o tanh(c). Kept: the factors of o, i, f, g and of the cell, and f. */

APART void lstm_step(const real *restrict x, const real *restrict from_h, real *restrict c, real *restrict h,
                     real *restrict k0, real *restrict k1, real *restrict k2, real *restrict k3, real *restrict k4,
                     real *restrict k5, int64_t n) {
    for (int64_t j = 0; j < n; j++) {
        real i = sigmoid(x[j] + from_h[j]), f = sigmoid(x[n + j] + from_h[n + j]);
        real g = hyperbolic_tangent(x[2 * n + j] + from_h[2 * n + j]), o = sigmoid(x[3 * n + j] + from_h[3 * n + j]);
        real fresh = i * g, old = f * c[j], cell = old + fresh, bent = hyperbolic_tangent(cell), out = o * bent;
        c[j] = cell, h[j] = out;
        k0[j] = out - out * o, k1[j] = fresh - fresh * i, k2[j] = old - old * f, k3[j] = i - fresh * g;
        k4[j] = o - bent * out, k5[j] = f;
    }
}

APART void lstm_step_only(const real *restrict x, const real *restrict from_h, real *restrict c, real *restrict h,
                          int64_t n) {
    for (int64_t j = 0; j < n; j++) {
        real i = sigmoid(x[j] + from_h[j]), f = sigmoid(x[n + j] + from_h[n + j]);
        real g = hyperbolic_tangent(x[2 * n + j] + from_h[2 * n + j]), o = sigmoid(x[3 * n + j] + from_h[3 * n + j]);
        real cell = f * c[j] + i * g;
        c[j] = cell, h[j] = o * hyperbolic_tangent(cell);
    }
}

static void lstm_row(const struct recurrent *w, int64_t at, int64_t b, const real *from_h) {
    int64_t n = w->width;
    const real *x = w->gates + at * 4 * n;
    if (w->kept) lstm_step(x, from_h, w->c + b * n, w->h + b * n, PLANE(0), PLANE(1), PLANE(2), PLANE(3),
                           PLANE(4), PLANE(5), n);
    else lstm_step_only(x, from_h, w->c + b * n, w->h + b * n, n);
}

/* lstm: gates (rows, 4 width: what the inputs give), recurrent weight (4 width, width), start and size of each step,
   out (rows, width), h, c (batch, width: the first states; become the last), factors (6, rows, width) or none | steps,
   batch, width, rows. */
KERNEL(lstm) {
    UNUSED(s);
    struct recurrent w = {.gates = a[0], .weight = a[1], .start = a[2], .size = a[3], .out = a[4], .h = a[5],
                          .c = a[6], .kept = a[7], .count = 4, .row = lstm_row};
    return in_sequences(&w, forward_piece, n);
}

APART void lstm_step_back(real *restrict gh, real *restrict gc, const real *restrict k0, const real *restrict k1,
                          const real *restrict k2, const real *restrict k3, const real *restrict k4,
                          const real *restrict k5, real *restrict d, int64_t n) {
    for (int64_t j = 0; j < n; j++) {
        real g = gh[j], c = gc[j] + g * k4[j];
        d[j] = c * k1[j], d[n + j] = c * k2[j], d[2 * n + j] = c * k3[j], d[3 * n + j] = g * k0[j];
        gc[j] = c * k5[j];
        gh[j] = 0; /* the product is added to it */
    }
}

static void lstm_row_back(const struct recurrent *w, int64_t at, int64_t b, const real *from_h) {
    UNUSED(from_h);
    int64_t n = w->width;
    lstm_step_back(w->h + b * n, w->c + b * n, PLANE(0), PLANE(1), PLANE(2), PLANE(3), PLANE(4), PLANE(5),
                   w->g_gates + at * 4 * n, n);
}

/* lstm_backward: gradient of out or none, factors, recurrent weight, start, size, gradients of the gates (written), of
   h and c (of the last states; become those of the first) | steps, batch, width, rows. */
KERNEL(lstm_backward) {
    UNUSED(s);
    struct recurrent w = {.g_out = a[0], .kept = a[1], .weight = a[2], .start = a[3], .size = a[4], .g_gates = a[5],
                          .h = a[6], .c = a[7], .count = 4, .row = lstm_row_back};
    return in_sequences(&w, backward_piece, n);
}

/* ---- GRU: r, z, n; h = (1 - z) n + z h, n = tanh(what the input gives + r (what h gives)). Kept: the factors of what
   h gives to n, of r, z, n; and z. */

APART void gru_step(const real *restrict x, const real *restrict from_h, const real *restrict bias, real *restrict h,
                    real *restrict k0, real *restrict k1, real *restrict k2, real *restrict k3, real *restrict k4,
                    int64_t n) {
    for (int64_t j = 0; j < n; j++) {
        real r = sigmoid(x[j] + from_h[j]), z = sigmoid(x[n + j] + from_h[n + j]);
        real inner = from_h[2 * n + j] + bias[j], fresh = hyperbolic_tangent(x[2 * n + j] + r * inner);
        real by_n = (1 - fresh * fresh) * (1 - z), away = h[j] - fresh;
        k0[j] = by_n * r, k1[j] = (1 - r) * (by_n * r) * inner, k2[j] = (z - z * z) * away, k3[j] = by_n, k4[j] = z;
        h[j] = away * z + fresh;
    }
}

APART void gru_step_only(const real *restrict x, const real *restrict from_h, const real *restrict bias,
                         real *restrict h, int64_t n) {
    for (int64_t j = 0; j < n; j++) {
        real r = sigmoid(x[j] + from_h[j]), z = sigmoid(x[n + j] + from_h[n + j]);
        real fresh = hyperbolic_tangent(x[2 * n + j] + r * (from_h[2 * n + j] + bias[j]));
        h[j] = (h[j] - fresh) * z + fresh;
    }
}

static void gru_row(const struct recurrent *w, int64_t at, int64_t b, const real *from_h) {
    int64_t n = w->width;
    const real *x = w->gates + at * 3 * n;
    if (w->kept) gru_step(x, from_h, w->bias, w->h + b * n, PLANE(0), PLANE(1), PLANE(2), PLANE(3), PLANE(4), n);
    else gru_step_only(x, from_h, w->bias, w->h + b * n, n);
}

/* gru: gates (rows, 3 width), recurrent weight (3 width, width), its bias of n, start, size, out, h (batch, width;
   changed), factors (5, rows, width) or none | steps, batch, width, rows. */
KERNEL(gru) {
    UNUSED(s);
    struct recurrent w = {.gates = a[0], .weight = a[1], .bias = a[2], .start = a[3], .size = a[4], .out = a[5],
                          .h = a[6], .kept = a[7], .count = 3, .row = gru_row};
    return in_sequences(&w, forward_piece, n);
}

APART void gru_step_back(real *restrict gh, const real *restrict k0, const real *restrict k1, const real *restrict k2,
                         const real *restrict k3, const real *restrict k4, real *restrict d, int64_t n) {
    for (int64_t j = 0; j < n; j++) {
        real g = gh[j];
        d[j] = g * k0[j], d[n + j] = g * k1[j], d[2 * n + j] = g * k2[j], d[3 * n + j] = g * k3[j];
        gh[j] = g * k4[j];
    }
}

static void gru_row_back(const struct recurrent *w, int64_t at, int64_t b, const real *from_h) {
    UNUSED(from_h);
    int64_t n = w->width;
    gru_step_back(w->h + b * n, PLANE(0), PLANE(1), PLANE(2), PLANE(3), PLANE(4), w->g_gates + at * 4 * n, n);
}

/* gru_backward: gradient of out or none, factors, recurrent weight (of n, r, z), start, size, gradients of what h gave
   to n, of r, z, n (written), of h (of the last state; becomes that of the first) | steps, batch, width, rows. */
KERNEL(gru_backward) {
    UNUSED(s);
    struct recurrent w = {.g_out = a[0], .kept = a[1], .weight = a[2], .start = a[3], .size = a[4], .g_gates = a[5],
                          .h = a[6], .count = 3, .row = gru_row_back};
    return in_sequences(&w, backward_piece, n);
}
