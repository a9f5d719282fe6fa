/* Functions of each element and their gradients: one pass over memory, whatever the formula. */
#include "elementary.h"

struct flat {
    const real *x, *y;
    real *out, *more;
    const uint8_t *mask;
    int64_t n;
    real c;
};

/* A kernel of one array (x, out | n), or of two (x, y, out | n). */
#define EACH(name, arrays, expression) \
    APART void name##_of(const real *restrict x, const real *restrict y, real *restrict out, int64_t n) { \
        UNUSED(y); \
        for (int64_t i = 0; i < n; i++) { expression; } \
    } \
    static int name##_piece(void *p, int64_t piece) { \
        struct flat *w = p; \
        int64_t at = piece * PIECE; \
        name##_of(w->x + at, w->y ? w->y + at : 0, w->out + at, smaller(PIECE, w->n - at)); \
        return DONE; \
    } \
    KERNEL(name) { \
        UNUSED(s); \
        struct flat w = {a[0], (arrays) == 2 ? a[1] : 0, a[arrays], 0, 0, n[0], 0}; \
        return in_pieces(name##_piece, &w, pieces_of(w.n, PIECE), 0.5 * (double)w.n); \
    }
#define FUNCTION(name, expression) EACH(name, 1, real v = x[i]; out[i] = (expression))
#define GRADIENT(name, expression) EACH(name, 2, real g = x[i]; real v = y[i]; out[i] = (expression))

#define SQRT_HALF ((real)0.70710678118654752440)
#define ROOT_2_PI ((real)0.79788456080286535588) /* sqrt(2 / pi) */
#define DENSITY ((real)0.39894228040143267794)   /* 1 / sqrt(2 pi) */
#define CUBIC ((real)0.044715)

FUNCTION(exp, exponential(v))
FUNCTION(log, logarithm(v))
FUNCTION(tanh, hyperbolic_tangent(v))
FUNCTION(sigmoid, sigmoid(v))
FUNCTION(erf, error_function(v))
FUNCTION(relu, v < 0 ? 0 : v)
FUNCTION(silu, (v * sigmoid(v)))
FUNCTION(gelu, (real)0.5 * v * (1 + error_function(v * SQRT_HALF)))
FUNCTION(gelu_tanh, (real)0.5 * v * (1 + hyperbolic_tangent(ROOT_2_PI * (v + CUBIC * v * v * v))))

/* g: the gradient that arrives; v: what the function was given, or (of tanh, sigmoid, relu) what it gave. */
GRADIENT(tanh_backward, (g * (1 - v * v)))
GRADIENT(sigmoid_backward, (g * ((1 - v) * v)))
GRADIENT(relu_backward, v <= 0 ? 0 : g)
GRADIENT(erf_backward, (g * ((real)1.12837916709551257390 * exponential(-v * v))))

INLINE real silu_slope(real v) {
    real p = sigmoid(v);
    return p * (1 + v * (1 - p));
}

INLINE real gelu_slope(real v) {
    real e = exponential((real)-0.5 * v * v);
    return (real)0.5 * (1 + error_function_with(v * SQRT_HALF, e)) + v * (DENSITY * e);
}

INLINE real gelu_tanh_slope(real v) {
    real t = hyperbolic_tangent(ROOT_2_PI * (v + CUBIC * v * v * v));
    return (real)0.5 * (1 + t) + (real)0.5 * v * (1 - t * t) * ROOT_2_PI * (1 + 3 * CUBIC * v * v);
}

GRADIENT(silu_backward, (g * silu_slope(v)))
GRADIENT(gelu_backward, (g * gelu_slope(v)))
GRADIENT(gelu_tanh_backward, (g * gelu_tanh_slope(v)))

/* gelu and its derivative, which the backward pass multiplies by: most of the work for the two is the same. */
APART void gelu_kept(const real *restrict x, real *restrict out, real *restrict slope, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        real v = x[i], e = exponential((real)-0.5 * v * v);
        real below = (real)0.5 * (1 + error_function_with(v * SQRT_HALF, e));
        out[i] = v * below;
        slope[i] = below + v * (DENSITY * e);
    }
}

static int gelu_kept_piece(void *p, int64_t piece) {
    struct flat *w = p;
    int64_t at = piece * PIECE;
    gelu_kept(w->x + at, w->out + at, w->more + at, smaller(PIECE, w->n - at));
    return DONE;
}

/* gelu_and_derivative: x, out, derivative | n. */
KERNEL(gelu_and_derivative) {
    UNUSED(s);
    struct flat w = {a[0], 0, a[1], a[2], 0, n[0], 0};
    return in_pieces(gelu_kept_piece, &w, pieces_of(w.n, PIECE), 0.8 * (double)w.n);
}

/* ---- dropout */

APART void masked(const real *restrict x, const uint8_t *restrict mask, real c, real *restrict out, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        out[i] = x[i] * ((real)(mask[i] != 0) * c); /* a product: NaN stays where it is hidden */
}

static int masked_piece(void *p, int64_t piece) {
    struct flat *w = p;
    int64_t at = piece * PIECE;
    masked(w->x + at, w->mask + at, w->c, w->out + at, smaller(PIECE, w->n - at));
    return DONE;
}

/* scale_masked: x, mask, out | n | scale. Dropout with a mask that is drawn already, and its gradient. */
KERNEL(scale_masked) {
    struct flat w = {a[0], 0, a[2], 0, a[1], n[0], (real)s[0]};
    return in_pieces(masked_piece, &w, pieces_of(w.n, PIECE), 0.3 * (double)w.n);
}
