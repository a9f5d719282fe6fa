/* The Mersenne twister (Matsumoto and Nishimura 1998), PyTorch's generator: words, and doubles made of two.

   The state is that of NumPy's MT19937, where it lies: 624 words, and the place of the next one. */
#ifndef FACULA_TWISTER_H
#define FACULA_TWISTER_H
#include "kernel.h"

enum { WORDS = 624, MIDDLE = 397 };

struct stream {
    uint32_t *key;
    int64_t at;
};

INLINE struct stream opened(void *state) {
    uint32_t *key = state;
    return (struct stream){key, smaller(key[WORDS], WORDS)};
}
INLINE int closed(const struct stream *stream) {
    stream->key[WORDS] = (uint32_t)stream->at;
    return DONE;
}

INLINE uint32_t mixed(uint32_t high, uint32_t low) {
    return ((high & 0x80000000u) | (low & 0x7fffffffu)) >> 1 ^ (-(low & 1) & 0x9908b0dfu);
}

APART void twist(uint32_t *key) {
    for (int i = 0; i < WORDS - MIDDLE; i++) key[i] = key[i + MIDDLE] ^ mixed(key[i], key[i + 1]);
    for (int i = WORDS - MIDDLE; i < WORDS - 1; i++) key[i] = key[i + MIDDLE - WORDS] ^ mixed(key[i], key[i + 1]);
    key[WORDS - 1] = key[MIDDLE - 1] ^ mixed(key[WORDS - 1], key[0]);
}

INLINE uint32_t tempered(uint32_t y) {
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

INLINE uint32_t word(struct stream *stream) {
    if (stream->at == WORDS) twist(stream->key), stream->at = 0;
    return tempered(stream->key[stream->at++]);
}

/* Uniform from [0, 1): 53 bits of two words, the first one high. */
INLINE double one_double(uint32_t high, uint32_t low) {
    return ((double)(int32_t)(high & 0x1fffff) * 0x1p32 + (double)low) * 0x1p-53;
}
INLINE double uniform_double(struct stream *stream) {
    uint32_t high = word(stream);
    return one_double(high, word(stream));
}
#endif
