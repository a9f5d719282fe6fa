/* Random numbers: what PyTorch makes of the words of its generator, in the order in which it takes them.

   Words are taken one after the other; what is made of them afterwards may be shared among threads. */
#include "elementary.h"
#include "twister.h"
#include <math.h>

enum { CHUNK = 512 };

APART void take(struct stream *stream, uint32_t *restrict out, int64_t n) {
    while (n) {
        if (stream->at == WORDS) twist(stream->key), stream->at = 0;
        int64_t count = smaller(n, WORDS - stream->at);
        const uint32_t *restrict from = stream->key + stream->at;
        for (int64_t i = 0; i < count; i++) out[i] = tempered(from[i]);
        out += count, n -= count, stream->at += count;
    }
}

APART void doubles(struct stream *stream, double *restrict out, int64_t n) {
    uint32_t words[2 * CHUNK];
    for (int64_t i = 0; i < n; i += CHUNK) {
        int64_t count = smaller(n - i, CHUNK);
        take(stream, words, 2 * count);
        for (int64_t j = 0; j < count; j++) out[i + j] = one_double(words[2 * j], words[2 * j + 1]);
    }
}
#if REAL_BITS == 32
APART void uniforms(struct stream *stream, real *restrict out, int64_t n) {
    uint32_t words[CHUNK];
    for (int64_t i = 0; i < n; i += CHUNK) {
        int64_t count = smaller(n - i, CHUNK);
        take(stream, words, count);
        for (int64_t j = 0; j < count; j++) out[i + j] = (real)(int32_t)(words[j] & 0xffffff) * 0x1p-24f;
    }
}
#define FUSED __builtin_fmaf
#define SQUARE_ROOT __builtin_sqrtf
#define LOGARITHM logarithm
#define SINE_AND_COSINE sine_and_cosine
#else
#define uniforms doubles
#define FUSED __builtin_fma
#define SQUARE_ROOT __builtin_sqrt
#define LOGARITHM log
INLINE void SINE_AND_COSINE(double x, double *sine, double *cosine) { *sine = sin(x), *cosine = cos(x); }
#endif

/* state, out; size; low, high - low, high. What rounding takes up to high becomes low. */
KERNEL(uniform) {
    struct stream stream = opened(a[0]);
    real *restrict out = a[1], low = (real)s[0], span = (real)s[1], high = (real)s[2];
    for (int64_t i = 0; i < n[0]; i += PIECE) {
        real *restrict part = out + i;
        int64_t count = smaller(n[0] - i, PIECE);
        uniforms(&stream, part, count);
        if (low == 0 && span == 1) continue;
        for (int64_t j = 0; j < count; j++) {
            real v = low == 0 ? part[j] * span : FUSED(part[j], span, low);
            part[j] = v == high ? low : v;
        }
    }
    return closed(&stream);
}

/* ---- normal numbers */

struct blocks {
    real *values;
    int64_t n;
    real mean, deviation;
};

/* Uniform numbers become normal ones, 16 by 16: radii from the first eight, angles from the others (Box and Muller).
   In float64 PyTorch takes the functions of the C library, and so do we. */
APART int normal_piece(void *argument, int64_t piece) {
    const struct blocks *b = argument;
    int64_t n = smaller(b->n - piece * PIECE, PIECE);
    real radius[CHUNK], angle[CHUNK], *restrict values = b->values + piece * PIECE;
    const real mean = b->mean, deviation = b->deviation;
    for (int64_t i = 0; i < n; i += 2 * CHUNK) {
        int64_t half = smaller(n - i, 2 * CHUNK) / 2;
        real *restrict part = values + i;
        for (int64_t j = 0; j < half; j += 8) {
            memcpy(radius + j, part + 2 * j, 8 * sizeof(real));
            memcpy(angle + j, part + 2 * j + 8, 8 * sizeof(real));
        }
        for (int64_t j = 0; j < half; j++) angle[j] *= (real)6.283185307179586; /* rounded, before more is done */
        for (int64_t j = 0; j < half; j++) {
            real sine, cosine, r = SQUARE_ROOT(-2 * LOGARITHM(1 - radius[j]));
            SINE_AND_COSINE(angle[j], &sine, &cosine);
            radius[j] = r * cosine, angle[j] = r * sine;
        }
        if (mean != 0)
            for (int64_t j = 0; j < half; j++) {
                radius[j] = FUSED(radius[j], deviation, mean);
                angle[j] = FUSED(angle[j], deviation, mean);
            }
        else if (deviation != 1)
            for (int64_t j = 0; j < half; j++) radius[j] *= deviation, angle[j] *= deviation;
        for (int64_t j = 0; j < half; j += 8) {
            memcpy(part + 2 * j, radius + j, 8 * sizeof(real));
            memcpy(part + 2 * j + 8, angle + j, 8 * sizeof(real));
        }
    }
    return DONE;
}

/* state, out; size, a multiple of 16, or another one, and then the last 16 numbers are drawn anew; mean, deviation */
KERNEL(normal) {
    if (n[0] < 16) return NOT_HANDLED;
    struct stream stream = opened(a[0]);
    real *values = a[1];
    struct blocks all = {values, n[0] / 16 * 16, (real)s[0], (real)s[1]};
    uniforms(&stream, values, n[0]);
    in_pieces(normal_piece, &all, pieces_of(all.n, PIECE), 4.0 * (double)n[0]);
    if (n[0] % 16) {
        struct blocks last = {values + n[0] - 16, 16, all.mean, all.deviation};
        uniforms(&stream, last.values, 16);
        normal_piece(&last, 0);
    }
    return closed(&stream);
}

/* ---- 1 or 0 */

#define BERNOULLI(type) \
    struct stream stream = opened(a[0]); \
    type *restrict out = a[1]; \
    const uint64_t limit = (uint64_t)n[1]; \
    uint32_t words[2 * CHUNK]; \
    for (int64_t i = 0; i < n[0]; i += CHUNK) { \
        int64_t count = smaller(n[0] - i, CHUNK); \
        take(&stream, words, 2 * count); \
        for (int64_t j = 0; j < count; j++) \
            out[i + j] = ((uint64_t)(words[2 * j] & 0x1fffff) << 32 | words[2 * j + 1]) < limit; \
    } \
    return closed(&stream);

/* state, out; size, and the probability in units of 2^-53 */
KERNEL(bernoulli) {
    UNUSED(s);
    BERNOULLI(real)
}

/* ---- by logarithms of doubles */

void logarithms_of_doubles(double *x, int64_t n);
#if REAL_BITS == 64
void logarithms_of_doubles(double *restrict x, int64_t n) {
    for (int64_t i = 0; i < n; i++) x[i] = logarithm(x[i]);
}
#endif

/* state, out; size; minus one over the rate. 1 - u is exact. */
KERNEL(exponential) {
    struct stream stream = opened(a[0]);
    real *restrict out = a[1];
    double u[CHUNK], factor = s[0];
    for (int64_t i = 0; i < n[0]; i += CHUNK) {
        int64_t count = smaller(n[0] - i, CHUNK);
        doubles(&stream, u, count);
        for (int64_t j = 0; j < count; j++) u[j] = 1 - u[j];
        logarithms_of_doubles(u, count);
        for (int64_t j = 0; j < count; j++) out[i + j] = (real)(u[j] * factor);
    }
    return closed(&stream);
}

/* state, out; size; the logarithm of the probability of failure */
KERNEL(geometric) {
    struct stream stream = opened(a[0]);
    real *restrict out = a[1];
    double u[CHUNK], failure = s[0];
    for (int64_t i = 0; i < n[0]; i += CHUNK) {
        int64_t count = smaller(n[0] - i, CHUNK);
        doubles(&stream, u, count);
        logarithms_of_doubles(u, count);
        for (int64_t j = 0; j < count; j++) out[i + j] = (real)__builtin_ceil(u[j] / failure);
    }
    return closed(&stream);
}

#if REAL_BITS == 64
/* ---- bytes and integers, which know no real numbers */

/* state, out; size, and the probability in units of 2^-53 */
KERNEL(bernoulli_mask) {
    UNUSED(s);
    BERNOULLI(uint8_t)
}

/* state, out; size, low, high - low (0: 2^64). Ranges below 2^28 take one word each, others two. */
KERNEL(integers) {
    UNUSED(s);
    struct stream stream = opened(a[0]);
    int64_t *restrict out = a[1], low = n[1];
    const uint64_t span = (uint64_t)n[2];
    uint32_t words[2 * CHUNK];
    for (int64_t i = 0; i < n[0]; i += CHUNK) {
        int64_t count = smaller(n[0] - i, CHUNK);
        if (span && span < 1 << 28) {
            const uint32_t small = (uint32_t)span;
            const double inverse = 1 / (double)small; /* the quotient is right, or one too small */
            take(&stream, words, count);
            for (int64_t j = 0; j < count; j++) {
                uint32_t rest = words[j] - (uint32_t)((double)words[j] * inverse) * small;
                rest = rest >= small ? rest - small : rest;
                out[i + j] = (int64_t)rest + low;
            }
            continue;
        }
        take(&stream, words, 2 * count);
        for (int64_t j = 0; j < count; j++) {
            uint64_t both = (uint64_t)words[2 * j] << 32 | words[2 * j + 1];
            out[i + j] = (int64_t)(span ? both % span + (uint64_t)low : both);
        }
    }
    return closed(&stream);
}

/* state, out; size: 0 ... n - 1, each place from the first on changed with one that is not before it */
KERNEL(permutation) {
    UNUSED(s);
    if (n[0] > UINT32_MAX / 20) return NOT_HANDLED;
    struct stream stream = opened(a[0]);
    int64_t *restrict out = a[1];
    uint32_t words[CHUNK], partner[CHUNK];
    for (int64_t i = 0; i < n[0]; i++) out[i] = i;
    for (int64_t i = 0; i < n[0] - 1; i += CHUNK) {
        int64_t count = smaller(n[0] - 1 - i, CHUNK);
        take(&stream, words, count);
        for (int64_t j = 0; j < count; j++) {
            uint32_t left = (uint32_t)(n[0] - i - j);
            partner[j] = words[j] - (uint32_t)((double)words[j] / (double)left) * left;
        }
        for (int64_t j = 0; j < count; j++) __builtin_prefetch(out + i + j + partner[j], 1);
        for (int64_t j = 0; j < count; j++) {
            int64_t *here = out + i + j, *there = here + partner[j], kept = *here;
            *here = *there, *there = kept;
        }
    }
    return closed(&stream);
}
#endif
