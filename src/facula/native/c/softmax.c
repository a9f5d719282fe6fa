/* softmax and log_softmax of rows, their gradients, and cross entropy with its gradient in one pass. */
#include "rows.h"

struct rows {
    const real *x, *y;
    real *out;
    int64_t rows, width, step;
};

INLINE struct rows rows_of(const void *x, const void *y, void *out, const int64_t *n) {
    struct rows w = {x, y, out, n[0], n[1], larger(1, PIECE / larger(1, n[1]))};
    return w;
}

/* Some rows at a time, of which each step is taken for all before the next: what one row has to wait for, the sum of its
   lanes before all else, others do meanwhile. */
enum { TOGETHER = 8, SHORT = 256 };
typedef void some_rows(const real *restrict x, const real *restrict y, real *restrict out, int64_t rows, int64_t n);

/* Short rows are filled up to whole vectors, with what changes neither the largest nor a sum of exponentials. */
static void in_whole_vectors(some_rows *job, const real *x, real *out, int64_t rows, int64_t n) {
    real from[TOGETHER * SHORT] __attribute__((aligned(64))), to[TOGETHER * SHORT] __attribute__((aligned(64)));
    int64_t whole = rounded_up(n, LANES);
    for (int64_t r = 0; r < rows; r++) {
        for (int i = 0; i < LANES; i++) from[(r + 1) * whole - LANES + i] = -(real)__builtin_inf();
        memcpy(from + r * whole, x + r * n, sizeof(real) * (size_t)n);
    }
    job(from, 0, to, rows, whole);
    for (int64_t r = 0; r < rows; r++) memcpy(out + r * n, to + r * whole, sizeof(real) * (size_t)n);
}

#define ROWS(name, first, second, last) \
    static int name##_piece(void *p, int64_t piece) { \
        struct rows *w = p; \
        int64_t end = smaller(w->rows, (piece + 1) * w->step), n = w->width; \
        for (int64_t r = piece * w->step; r < end; r += TOGETHER) { \
            int64_t rows = smaller(TOGETHER, end - r); \
            if (!w->y && n < SHORT && n % LANES) \
                in_whole_vectors(name##_rows, w->x + r * n, w->out + r * n, rows, n); \
            else name##_rows(w->x + r * n, w->y ? w->y + r * n : 0, w->out + r * n, rows, n); \
        } \
        return DONE; \
    } \
    KERNEL(name) { \
        UNUSED(s); \
        struct rows w = rows_of(first, second, last, n); \
        return in_pieces(name##_piece, &w, pieces_of(w.rows, w.step), 0.8 * (double)(w.rows * w.width)); \
    }
#define EACH_ROW for (int64_t r = 0; r < rows; r++)

INLINE wide sum_of_exponentials(const real *restrict x, real m, int64_t n) {
    total t = {0, 0};
    for (int64_t first = 0; first < n; first += BLOCK) {
        int64_t last = smaller(n, first + BLOCK);
        real part = 0;
#pragma omp simd reduction(+ : part)
        for (int64_t i = first; i < last; i++) part += exponential(x[i] - m);
        if (n <= BLOCK) return part;
        add_to(&t, part);
    }
    return value_of(t);
}

APART void softmax_rows(const real *restrict x, const real *restrict y, real *restrict out, int64_t rows, int64_t n) {
    UNUSED(y);
    real m[TOGETHER], c[TOGETHER];
    EACH_ROW m[r] = largest(x + r * n, n);
    EACH_ROW c[r] = 1 / (real)exponentials(x + r * n, m[r], out + r * n, n);
    EACH_ROW scaled(out + r * n, c[r], n);
}

INLINE void lowered(const real *restrict x, real m, real l, real *restrict out, int64_t n) {
    for (int64_t i = 0; i < n; i++) out[i] = (x[i] - m) - l;
}

APART void log_softmax_rows(const real *restrict x, const real *restrict y, real *restrict out, int64_t rows,
                            int64_t n) {
    UNUSED(y);
    real m[TOGETHER], l[TOGETHER];
    EACH_ROW m[r] = largest(x + r * n, n);
    EACH_ROW l[r] = (real)sum_of_exponentials(x + r * n, m[r], n);
    EACH_ROW l[r] = logarithm(l[r]);
    EACH_ROW lowered(x + r * n, m[r], l[r], out + r * n, n);
}

INLINE void softmax_backward_row(const real *restrict g, const real *restrict y, real *restrict out, int64_t n) {
    wide along;
    LONG_SUM_OF(along, n, OF(g) * OF(y));
    real c = (real)along;
    for (int64_t i = 0; i < n; i++) out[i] = y[i] * (g[i] - c);
}

APART void softmax_backward_rows(const real *restrict g, const real *restrict y, real *restrict out, int64_t rows,
                                 int64_t n) {
    EACH_ROW softmax_backward_row(g + r * n, y + r * n, out + r * n, n);
}

INLINE void log_softmax_backward_row(const real *restrict g, const real *restrict y, real *restrict out, int64_t n) {
    wide along;
    LONG_SUM_OF(along, n, OF(g));
    real c = (real)along;
    for (int64_t i = 0; i < n; i++) out[i] = g[i] - exponential(y[i]) * c;
}

APART void log_softmax_backward_rows(const real *restrict g, const real *restrict y, real *restrict out, int64_t rows,
                                     int64_t n) {
    EACH_ROW log_softmax_backward_row(g + r * n, y + r * n, out + r * n, n);
}

/* softmax, log_softmax: x, out | rows, width. Their gradients: g, y (what they gave), out | rows, width. */
ROWS(softmax, a[0], 0, a[1])
ROWS(log_softmax, a[0], 0, a[1])
ROWS(softmax_backward, a[0], a[1], a[2])
ROWS(log_softmax_backward, a[0], a[1], a[2])

/* ---- cross entropy */

struct classes {
    const real *x, *weight;
    const int64_t *target;
    real *out, *shares;
    wide *parts; /* for each piece: the sum of losses, the sum of weights */
    int64_t rows, width, ignore, step;
    real scale;
};

/* The logarithm of the sum of exponentials; with it, softmax if it is wanted. */
APART real log_sum(const real *restrict x, real *restrict shares, int64_t n) {
    real m = largest(x, n);
    if (!shares) return m + logarithm((real)sum_of_exponentials(x, m, n));
    wide sum = exponentials(x, m, shares, n);
    scaled(shares, (real)(1 / sum), n);
    return m + logarithm((real)sum);
}

static int losses_piece(void *p, int64_t piece) {
    struct classes *w = p;
    int64_t end = smaller(w->rows, (piece + 1) * w->step);
    total loss = {0, 0}, weights = {0, 0};
    for (int64_t r = piece * w->step; r < end; r++) {
        int64_t t = w->target[r];
        const real *x = w->x + r * w->width;
        if (t == w->ignore && !w->shares) continue;
        real l = log_sum(x, w->shares ? w->shares + r * w->width : 0, w->width);
        if (t == w->ignore) continue;
        real c = w->weight ? w->weight[t] : 1;
        add_to(&loss, (wide)((l - x[t]) * c));
        add_to(&weights, (wide)c);
    }
    w->parts[2 * piece] = value_of(loss);
    w->parts[2 * piece + 1] = value_of(weights);
    return DONE;
}

static int targets_fit(const int64_t *target, int64_t rows, int64_t width, int64_t ignore) {
    for (int64_t r = 0; r < rows; r++)
        if ((target[r] < 0 || target[r] >= width) && target[r] != ignore) return 0;
    return 1;
}

/* cross_entropy: x, target, weight or none, out (2: the sum of losses, the sum of weights), softmax or none | rows,
   classes, ignored class. */
KERNEL(cross_entropy) {
    UNUSED(s);
    struct classes w = {a[0], a[2], a[1], a[3], a[4], 0, n[0], n[1], n[2], larger(1, PIECE / larger(1, n[1])), 0};
    if (!targets_fit(w.target, w.rows, w.width, w.ignore)) return NOT_HANDLED;
    int64_t pieces = pieces_of(w.rows, w.step);
    w.parts = scratch(KERNEL_SLOT, sizeof(wide) * 2 * (size_t)(pieces + 1));
    if (!w.parts) return NO_MEMORY;
    int status = in_pieces(losses_piece, &w, pieces, 0.8 * (double)(w.rows * w.width));
    total loss = {0, 0}, weights = {0, 0};
    for (int64_t i = 0; i < pieces; i++) {
        add_to(&loss, w.parts[2 * i]);
        add_to(&weights, w.parts[2 * i + 1]);
    }
    w.out[0] = (real)value_of(loss);
    w.out[1] = (real)value_of(weights);
    return status;
}

APART void scaled_copy(const real *restrict x, real c, real *restrict out, int64_t n) {
    for (int64_t i = 0; i < n; i++) out[i] = c * x[i];
}

static int losses_backward_piece(void *p, int64_t piece) {
    struct classes *w = p;
    int64_t end = smaller(w->rows, (piece + 1) * w->step);
    for (int64_t r = piece * w->step; r < end; r++) {
        int64_t t = w->target[r];
        real *out = w->out + r * w->width;
        if (t == w->ignore) {
            memset(out, 0, sizeof(real) * (size_t)w->width);
            continue;
        }
        real c = w->scale * (w->weight ? w->weight[t] : 1);
        scaled_copy(w->x + r * w->width, c, out, w->width);
        out[t] -= c;
    }
    return DONE;
}

/* cross_entropy_backward: softmax, target, weight or none, out | rows, classes, ignored class | what each row is
 * multiplied by. */
KERNEL(cross_entropy_backward) {
    struct classes w = {a[0], a[2], a[1], a[3], 0, 0, n[0], n[1], n[2], larger(1, PIECE / larger(1, n[1])), (real)s[0]};
    if (!targets_fit(w.target, w.rows, w.width, w.ignore)) return NOT_HANDLED;
    return in_pieces(losses_backward_piece, &w, pieces_of(w.rows, w.step), 0.2 * (double)(w.rows * w.width));
}

/* nll: log probabilities, target, weight or none, out (2, as of cross_entropy) | rows, classes, ignored class. */
KERNEL(nll) {
    UNUSED(s);
    const real *x = a[0], *weight = a[2];
    const int64_t *target = a[1];
    if (!targets_fit(target, n[0], n[1], n[2])) return NOT_HANDLED;
    total loss = {0, 0}, weights = {0, 0};
    for (int64_t r = 0; r < n[0]; r++) {
        if (target[r] == n[2]) continue;
        real c = weight ? weight[target[r]] : 1;
        add_to(&loss, (wide)(-x[r * n[1] + target[r]] * c));
        add_to(&weights, (wide)c);
    }
    ((real *)a[3])[0] = (real)value_of(loss);
    ((real *)a[3])[1] = (real)value_of(weights);
    return DONE;
}

/* nll_backward: target, weight or none, out | rows, classes, ignored class | what each row is multiplied by. */
KERNEL(nll_backward) {
    const int64_t *target = a[0];
    const real *weight = a[1];
    real *out = a[2];
    if (!targets_fit(target, n[0], n[1], n[2])) return NOT_HANDLED;
    memset(out, 0, sizeof(real) * (size_t)(n[0] * n[1]));
    for (int64_t r = 0; r < n[0]; r++)
        if (target[r] != n[2]) out[r * n[1] + target[r]] = (real)-s[0] * (weight ? weight[target[r]] : 1);
    return DONE;
}
