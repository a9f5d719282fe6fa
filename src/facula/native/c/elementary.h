/* exp, log, tanh, sigmoid, erf, sin and cos: plain C without branches, which compilers turn into vectors.

   inf, NaN, -0 and denormals come out right. It must not be compiled with -ffast-math, which would undo the tricks with
   ROUNDER. */
#ifndef FACULA_ELEMENTARY_H
#define FACULA_ELEMENTARY_H
#include "real.h"

/* c0 + c1 x + c2 x^2 + ... */
#define Q1(x, c) (c)
#define Q2(x, c, ...) ((c) + (x)*Q1(x, __VA_ARGS__))
#define Q3(x, c, ...) ((c) + (x)*Q2(x, __VA_ARGS__))
#define Q4(x, c, ...) ((c) + (x)*Q3(x, __VA_ARGS__))
#define Q5(x, c, ...) ((c) + (x)*Q4(x, __VA_ARGS__))
#define Q6(x, c, ...) ((c) + (x)*Q5(x, __VA_ARGS__))
#define Q7(x, c, ...) ((c) + (x)*Q6(x, __VA_ARGS__))
#define Q8(x, c, ...) ((c) + (x)*Q7(x, __VA_ARGS__))
#define Q9(x, c, ...) ((c) + (x)*Q8(x, __VA_ARGS__))
#define Q10(x, c, ...) ((c) + (x)*Q9(x, __VA_ARGS__))
#define Q11(x, c, ...) ((c) + (x)*Q10(x, __VA_ARGS__))
#define Q12(x, c, ...) ((c) + (x)*Q11(x, __VA_ARGS__))
#define Q13(x, c, ...) ((c) + (x)*Q12(x, __VA_ARGS__))
#define Q14(x, c, ...) ((c) + (x)*Q13(x, __VA_ARGS__))
#define Q15(x, c, ...) ((c) + (x)*Q14(x, __VA_ARGS__))
#define Q16(x, c, ...) ((c) + (x)*Q15(x, __VA_ARGS__))
#define Q17(x, c, ...) ((c) + (x)*Q16(x, __VA_ARGS__))
#define Q18(x, c, ...) ((c) + (x)*Q17(x, __VA_ARGS__))
#define Q19(x, c, ...) ((c) + (x)*Q18(x, __VA_ARGS__))
#define Q20(x, c, ...) ((c) + (x)*Q19(x, __VA_ARGS__))

INLINE real from_bits(bits u) {
    real f;
    memcpy(&f, &u, sizeof f);
    return f;
}
INLINE bits to_bits(real f) {
    bits u;
    memcpy(&u, &f, sizeof u);
    return u;
}
INLINE real absolute(real x) { return from_bits(to_bits(x) & ~((bits)1 << (8 * sizeof(real) - 1))); }
INLINE real with_sign(real x, real sign) {
    const bits mask = (bits)1 << (8 * sizeof(real) - 1);
    return from_bits((to_bits(x) & ~mask) | (to_bits(sign) & mask));
}

/* exp(x) = 2^n exp(r) with |r| <= ln(2)/2. 2^n is multiplied, not added to the exponent's bits: that keeps NaN; and as
   two factors, because n may be one past the largest exponent, or give a denormal. */
INLINE real exponential(real x) {
    real y = x > EXP_HIGHEST ? EXP_HIGHEST : x;
    y = y < EXP_LOWEST ? EXP_LOWEST : y; /* NaN fails both comparisons, and stays */
    real t = y * (real)1.44269504088896341 + ROUNDER, n = t - ROUNDER;
    real r = y - n * LN2_HIGH;
    r = r - n * LN2_LOW;
    real p = EXP_TAIL(r) * (r * r) + r + 1;
    bits k = to_bits(t) - to_bits(ROUNDER) + 4096, h = k >> 1; /* k >= 0, so that a logical shift will do */
    return p * from_bits((h - 2048 + BIAS) << MANTISSA) * from_bits((k - h - 2048 + BIAS) << MANTISSA);
}

/* The same where neither x nor the result is extreme: -80 < x < 80, or NaN. */
INLINE real moderate_exponential(real x) {
    real t = x * (real)1.44269504088896341 + ROUNDER, n = t - ROUNDER;
    real r = x - n * LN2_HIGH;
    r = r - n * LN2_LOW;
    real p = EXP_TAIL(r) * (r * r) + r + 1;
    return p * from_bits((to_bits(t) - to_bits(ROUNDER) + BIAS) << MANTISSA);
}

INLINE real sigmoid(real x) {
    real z = exponential(-absolute(x)); /* never overflows */
    real n = x < 0 ? z : 1;
    return n / (1 + z);
}

/* A polynomial near 0, and 1 - 2 / (exp(2x) + 1) beyond, where the difference loses nothing. */
INLINE real hyperbolic_tangent(real x) {
    real a = absolute(x), s = x * x;
    real near = TANH_TAIL(s) * s * x + x;
    real c = a > TANH_END ? TANH_END : a;
    real far = 1 - 2 / (moderate_exponential(c + c) + 1);
    return with_sign(a < (real)0.55 ? near : far, x); /* also of -0, which `near` loses */
}

/* x = 2^e m with m in [sqrt(1/2), sqrt(2)); log(m) = 2 atanh(f / (2 + f)), f = m - 1. */
INLINE real logarithm(real x) {
    real y = x < SMALLEST ? x * LIFT : x;
    real low = x < SMALLEST ? LIFTED : 0;
    bits u = to_bits(y) - SQRT_HALF_BITS + ((bits)BIAS << MANTISSA);
    real e = from_bits((u >> MANTISSA) | INTEGERS_BITS) - (INTEGERS + BIAS) - low; /* an integer as a real number */
    real f = from_bits((u & (((bits)1 << MANTISSA) - 1)) + SQRT_HALF_BITS) - 1;
    real s = f / (2 + f), z = s * s, half = (real)0.5 * f * f;
    real tail =
        s * (half + 2 * z * LOG_TAIL(z)); /* log(1 + f) = f - half + tail, with the rounding of f - half postponed */
    real r = e * LN2_HIGH - ((half - (tail + e * LN2_LOW)) - f);
    r = x > (real)(sizeof(real) == 4 ? 3.40282347e38 : 1.7976931348623157e308) ? x : r;
    r = x == 0 ? -(real)__builtin_inf() : r;
    return x >= 0 ? r : (real)__builtin_nan("");
}

/* A polynomial up to 1; beyond, 1 - exp(-x^2) times a polynomial in (x - 2)/(x + 2) over 1 + 2x, both by one division.
   `e` is exp(-x^2), which whoever wants the density as well has already; it matters up to ERF_END only. */
INLINE real error_function_with(real x, real e) {
    real a = absolute(x), s = x * x;
    real near = ERF_TAIL(s) * x + x;
    real c = a > ERF_END ? ERF_END : a;
    real u = c + 2, v = 1 + 2 * c, q = 1 / (u * v);
    real t = (c - 2) * v * q;
    real far = 1 - e * ERFCX(t) * (u * q);
    far = a >= ERF_END ? 1 : far;
    return a < 1 ? near : a == a ? with_sign(far, x) : x;
}

INLINE real error_function(real x) {
    real a = absolute(x), c = a > ERF_END ? ERF_END : a;
    return error_function_with(x, moderate_exponential(-c * c));
}

/* Both, of angles from 0 to 2 pi: what is left of the nearest multiple of pi/2, in parts whose products are exact. */
INLINE void sine_and_cosine(real x, real *sine, real *cosine) {
    real t = x * (real)0.63661977236758134 + ROUNDER, n = t - ROUNDER;
    bits k = to_bits(t);
    real r = ((x - n * HALF_PI_HIGH) - n * HALF_PI_MIDDLE) - n * HALF_PI_LOW, z = r * r;
    real s = SIN_TAIL(z) * z * r + r, c = COS_TAIL(z) * z * z - (real)0.5 * z + 1;
    const bits sign = (bits)1 << (8 * sizeof(real) - 1), turned = (k & 2) << (8 * sizeof(real) - 2);
    *sine = from_bits(to_bits(k & 1 ? c : s) ^ turned);
    *cosine = from_bits(to_bits(k & 1 ? s : c) ^ turned ^ (k & 1 ? sign : 0));
}
#endif
