/* The type that a file is compiled for, once for each (REAL_BITS), and vectors of it: one text for float32 and float64.

   Vectors are the compilers' own extension, as wide as the registers that the target has; there is no intrinsic
   function of any machine in this library. */
#ifndef FACULA_REAL_H
#define FACULA_REAL_H
#include "kernel.h"
#if REAL_BITS == 32
#include "float32.h"
#else
#include "float64.h"
#endif

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#define REGISTERS 32
#elif defined(__AVX__)
#define VECTOR_BYTES 32
#define REGISTERS 16
#elif defined(__aarch64__)
#define VECTOR_BYTES 16
#define REGISTERS 32
#else
#define VECTOR_BYTES 16
#define REGISTERS 16
#endif
#define LANES ((int)(VECTOR_BYTES / sizeof(real)))
/* may_alias: they are laid over arrays of numbers; `loose` may begin at any number. */
typedef real vector __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef real loose __attribute__((vector_size(VECTOR_BYTES), aligned(REAL_BITS / 8), may_alias));

typedef real short_vector __attribute__((vector_size(16)));

INLINE real lanes_sum(vector v) { /* halves onto halves: an order that no flag changes */
    short_vector t[VECTOR_BYTES / 16];
    memcpy(t, &v, sizeof t);
    _Pragma("GCC unroll 2") for (int w = VECTOR_BYTES / 32; w; w /= 2)
        _Pragma("GCC unroll 2") for (int i = 0; i < w; i++) t[i] += t[i + w];
#if REAL_BITS == 32
    return (t[0][0] + t[0][2]) + (t[0][1] + t[0][3]);
#else
    return t[0][0] + t[0][1];
#endif
}

#define KERNEL(name) \
    EXPORT int NAME(name)(void *const *a, const int64_t *n, const double *s); \
    EXPORT int NAME(name)(void *const *a, const int64_t *n, const double *s)
#define UNUSED(x) (void)(x)

/* How many elements a piece of work has, so that it is worth a hand-over and stays in the cache. */
enum { PIECE = 16384 };
#endif
