/* Steps of optimizers: one pass over the parameter, its gradient and its state. All arrays but the gradient are
 * changed. */
#include "real.h"

struct step {
    real *p, *m, *v, *top;
    const real *g;
    int64_t n;
    const double *s;
    int64_t kind;
};

INLINE real square_root(real x) {
    return sizeof(real) == 4 ? (real)__builtin_sqrtf((float)x) : (real)__builtin_sqrt((double)x);
}

/* s: 1 - beta1, beta2, eps (times the root of the bias correction), size, shrink, decay, sign. */
#define ADAM(name, LARGEST) \
    APART void name(real *restrict p, const real *restrict g, real *restrict m, real *restrict v, real *restrict top, \
                    int64_t n, const double *s) { \
        const real share = (real)s[0], beta2 = (real)s[1], rest = (real)(1 - s[1]), eps = (real)s[2], \
                   size = (real)s[3], shrink = (real)s[4], decay = (real)s[5], sign = (real)s[6]; \
        UNUSED(top); \
        for (int64_t i = 0; i < n; i++) { \
            real q = p[i] * shrink, d = sign * g[i]; \
            if (decay != 0) d += decay * q; /* 0 times inf is no change */ \
            real mean = m[i] + share * (d - m[i]), square = beta2 * v[i] + rest * d * d; \
            m[i] = mean; \
            v[i] = square; \
            LARGEST; \
            p[i] = q + size * mean / (square_root(square) + eps); \
        } \
    }
ADAM(adam_of, (void)0)
ADAM(amsgrad_of, square = top[i] >= square || top[i] != top[i] ? top[i] : square; top[i] = square)

static int adam_piece(void *argument, int64_t piece) {
    struct step *w = argument;
    int64_t at = piece * PIECE, n = smaller(PIECE, w->n - at);
    if (w->top) amsgrad_of(w->p + at, w->g + at, w->m + at, w->v + at, w->top + at, n, w->s);
    else adam_of(w->p + at, w->g + at, w->m + at, w->v + at, 0, n, w->s);
    return DONE;
}

/* adam: parameter, gradient, running mean, running square, largest square or none | n | 1 - beta1, beta2, eps, size,
   shrink, decay, sign: the parameter is multiplied by shrink, and decay times it added to sign times the gradient. */
KERNEL(adam) {
    struct step w = {a[0], a[2], a[3], a[4], a[1], n[0], s, 0};
    return in_pieces(adam_piece, &w, pieces_of(w.n, PIECE), 0.8 * (double)w.n);
}

/* s: step, momentum, 1 - dampening, decay, sign. */
#define SGD(name, body) \
    APART void name(real *restrict p, const real *restrict g, real *restrict m, int64_t n, const double *s) { \
        const real step = (real)s[0], momentum = (real)s[1], share = (real)s[2], decay = (real)s[3], \
                   sign = (real)s[4]; \
        UNUSED(momentum), UNUSED(share), UNUSED(m); \
        for (int64_t i = 0; i < n; i++) { \
            real d = sign * g[i]; \
            if (decay != 0) d += decay * p[i]; \
            body; \
            p[i] = p[i] - step * d; \
        } \
    }
SGD(plain_sgd, (void)0)
SGD(momentum_sgd, d = m[i] = momentum * m[i] + share * d)
SGD(nesterov_sgd, real u = m[i] = momentum * m[i] + share * d; d = d + momentum * u)
SGD(first_sgd, m[i] = d)
SGD(first_nesterov_sgd, m[i] = d; d = d + momentum * d)

static int sgd_piece(void *argument, int64_t piece) {
    struct step *w = argument;
    static void (*const KINDS[])(real *restrict, const real *restrict, real *restrict, int64_t, const double *) = {
        plain_sgd, momentum_sgd, nesterov_sgd, first_sgd, first_nesterov_sgd};
    int64_t at = piece * PIECE;
    KINDS[w->kind](w->p + at, w->g + at, w->m ? w->m + at : 0, smaller(PIECE, w->n - at), w->s);
    return DONE;
}

/* sgd: parameter, gradient, momentum or none | n, kind (plain, momentum, Nesterov's, or the first step of these two) |
   step, momentum, 1 - dampening, decay, sign. */
KERNEL(sgd) {
    struct step w = {a[0], a[2], 0, 0, a[1], n[0], s, n[1]};
    return in_pieces(sgd_piece, &w, pieces_of(w.n, PIECE), 0.4 * (double)w.n);
}
