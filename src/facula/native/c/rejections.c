/* Random numbers that take as many words as they need: normal ones in pairs, and those that try until they succeed.

   They are computed as PyTorch does, one by one, by the functions of the C library and without fused multiply-add
   (which compiler.py sees to), so that they are the same to the last digit where the C library is. */
#include "real.h"
#include "twister.h"
#include <math.h>

/* ---- binomial numbers, of which the dtype decides some roundings */

INLINE double stirling_error(double k) { /* what Stirling's formula lacks of log(k!) */
    if (k <= 9) {
        int sign;
        return lgamma_r(k + 1, &sign) - (k + 0.5) * log(k + 1) + (k + 1) - 0.5 * log(2 * M_PI);
    }
    double square = (k + 1) * (k + 1);
    return (1 / 12. - (1 / 360. - 1 / 1260. / square) / square) / (k + 1);
}

/* Hormann, The generation of binomial random variates (1993): BTRS. */
APART double binomial_by_rejection(struct stream *stream, double n, double p) {
    double deviation = sqrt(n * p * (1 - p)), b = 1.15 + 2.53 * deviation, shift = -0.0873 + 0.0248 * b + 0.01 * p;
    double surely = 0.92 - 4.2 / b, odds = p / (1 - p), alpha = (2.83 + 5.1 / b) * deviation;
    double mode = floor((n + 1) * p);
    for (;;) {
        double u = uniform_double(stream) - 0.5, v = uniform_double(stream), distance = 0.5 - fabs(u);
        double k = floor((2 * shift / distance + b) * u + n * p + 0.5);
        if (distance >= 0.07 && v <= surely) return k;
        if (k < 0 || k > n) continue;
        double density = (mode + 0.5) * log((mode + 1) / (odds * (n - mode + 1)))
                         + (n + 1) * log((n - mode + 1) / (n - k + 1)) + (k + 0.5) * log(odds * (n - k + 1) / (k + 1))
                         + stirling_error(mode) + stirling_error(n - mode) - stirling_error(k) - stirling_error(n - k);
        if (log(v * alpha / (shift / (distance * distance) + b)) <= density) return k;
    }
}

INLINE double rare_successes(struct stream *stream, double n, double p) {
    if ((real)n * (real)p >= 10) return binomial_by_rejection(stream, n, p);
    double failure = log1p(-p), trials = 0, successes = 0;
    for (;; successes++) {
        trials += ceil(log(uniform_double(stream)) / failure);
        if (trials > n) return successes;
    }
}

/* state, counts, probabilities, out; size */
KERNEL(binomial) {
    UNUSED(s);
    const real *counts = a[1], *probabilities = a[2];
    real *out = a[3];
    for (int64_t i = 0; i < n[0]; i++)
        if (!isfinite(counts[i])) return NOT_HANDLED;
    struct stream stream = opened(a[0]);
    for (int64_t i = 0; i < n[0]; i++) {
        double count = counts[i], p = probabilities[i];
        out[i] = (real)(count <= 0 || p <= 0 ? 0
                        : p >= 1             ? count
                        : p != p             ? p
                        : p <= 0.5           ? rare_successes(&stream, count, p)
                                             : count - rare_successes(&stream, count, (double)(real)(1 - p)));
    }
    return closed(&stream);
}

#if REAL_BITS == 64
INLINE double normal_double(struct stream *stream, double *waiting) {
    if (waiting[1] != 0) {
        waiting[1] = 0;
        return waiting[0];
    }
    double angle = 2 * M_PI * uniform_double(stream), radius = sqrt(-2 * log1p(-uniform_double(stream)));
    waiting[0] = radius * sin(angle), waiting[1] = 1;
    return radius * cos(angle);
}

/* state, the normal number that waits and whether one does, out; size. Pairs: cosine and sine of one angle. */
KERNEL(normal_pairs) {
    UNUSED(s);
    struct stream stream = opened(a[0]);
    double *waiting = a[1], *out = a[2];
    for (int64_t i = 0; i < n[0]; i++) out[i] = normal_double(&stream, waiting);
    return closed(&stream);
}

/* state, the normal number that waits and whether one does, out; size; mean and deviation of the logarithm */
KERNEL(log_normal) {
    struct stream stream = opened(a[0]);
    double *waiting = a[1], *out = a[2];
    for (int64_t i = 0; i < n[0]; i++) out[i] = exp(fma(normal_double(&stream, waiting), s[1], s[0]));
    return closed(&stream);
}

/* Hormann, The transformed rejection method for generating Poisson random variables (1993): PTRS. */
APART double poisson_by_rejection(struct stream *stream, double rate) {
    double b = 0.931 + 2.53 * sqrt(rate), shift = -0.059 + 0.02483 * b, inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
    double surely = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
        double u = uniform_double(stream) - 0.5, v = uniform_double(stream), distance = 0.5 - fabs(u);
        double k = floor((2 * shift / distance + b) * u + rate + 0.43);
        if (distance >= 0.07 && v <= surely) return k;
        if (k < 0 || (distance < 0.013 && v > distance)) continue;
        int sign;
        double density = k * log(rate) - rate - lgamma_r(k + 1, &sign);
        if (log(v) + log(inverse_alpha) - log(shift / (distance * distance) + b) <= density) return k;
    }
}

/* state, rates, out; size */
KERNEL(poisson) {
    UNUSED(s);
    const double *rates = a[1];
    double *out = a[2];
    for (int64_t i = 0; i < n[0]; i++)
        if (!(rates[i] < INFINITY)) return NOT_HANDLED;
    struct stream stream = opened(a[0]);
    double known = -1, limit = 0;
    for (int64_t i = 0; i < n[0]; i++) {
        double rate = rates[i], count = 0;
        if (rate >= 10) count = poisson_by_rejection(&stream, rate);
        else if (rate > 0) {
            if (rate != known) known = rate, limit = exp(-rate);
            for (double product = uniform_double(&stream); product > limit; product *= uniform_double(&stream)) count++;
        }
        out[i] = count;
    }
    return closed(&stream);
}

/* Marsaglia and Tsang, A simple method for generating gamma variables (2000).
   state, the normal number that waits and whether one does, shapes less a third, powers (0: none), bases, factors; size
   A gamma number is base ^ power * factor. */
KERNEL(gamma) {
    UNUSED(s);
    const double *shapes = a[2], *powers = a[3];
    double *waiting = a[1], *bases = a[4], *factors = a[5];
    for (int64_t i = 0; i < n[0]; i++)
        if (!(shapes[i] > 0)) return NOT_HANDLED;
    struct stream stream = opened(a[0]);
    for (int64_t i = 0; i < n[0]; i++) {
        double d = shapes[i], c = 1 / sqrt(9 * d);
        bases[i] = factors[i] = 0;
        if (powers[i] == INFINITY) continue;
        bases[i] = powers[i] != 0 ? 1 - uniform_double(&stream) : 1;
        for (;;) {
            double x, y;
            do {
                x = normal_double(&stream, waiting);
                y = 1 + c * x;
            } while (y <= 0);
            double v = y * y * y, u = 1 - uniform_double(&stream), square = x * x;
            if (u < 1 - (double)0.0331f * square * square || log(u) < 0.5 * square + d * (1 - v + log(v))) {
                factors[i] = d * v;
                break;
            }
        }
    }
    return closed(&stream);
}
#endif
