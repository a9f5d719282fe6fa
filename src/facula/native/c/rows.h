/* What softmax of a row is made of. */
#ifndef FACULA_ROWS_H
#define FACULA_ROWS_H
#include "elementary.h"
#include "sums.h"

/* NaN is never the largest, but goes through exp into the sum: then the whole row is NaN. */
INLINE real largest(const real *restrict x, int64_t n) {
    real m = -(real)__builtin_inf();
#pragma omp simd reduction(max : m)
    for (int64_t i = 0; i < n; i++) m = x[i] > m ? x[i] : m;
    return m;
}

/* out = exp(x - m), where out may be x; returns the sum. */
INLINE wide exponentials(const real *x, real m, real *out, int64_t n) {
    total t = {0, 0};
    for (int64_t first = 0; first < n; first += BLOCK) {
        int64_t last = smaller(n, first + BLOCK);
        real part = 0;
#pragma omp simd reduction(+ : part)
        for (int64_t i = first; i < last; i++) {
            real e = exponential(x[i] - m);
            out[i] = e;
            part += e;
        }
        if (n <= BLOCK) return part;
        add_to(&t, part);
    }
    return value_of(t);
}

INLINE void scaled(real *restrict x, real c, int64_t n) {
    for (int64_t i = 0; i < n; i++) x[i] *= c;
}
#endif
