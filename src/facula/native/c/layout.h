/* Copies that change how numbers lie: a matrix transposed, rows with zeros between them or without. */
#ifndef FACULA_LAYOUT_H
#define FACULA_LAYOUT_H
#include "real.h"

#define MAYBE __attribute__((unused)) /* not every file needs both */

/* The lower and the upper halves of two vectors, one number of each in turn. */
#if defined(__clang__) || __GNUC__ >= 12
#define IN_TURN(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
typedef bits places __attribute__((vector_size(VECTOR_BYTES)));
#define IN_TURN(a, b, ...) __builtin_shuffle(a, b, (places){__VA_ARGS__})
#endif
#if 8 * VECTOR_BYTES / REAL_BITS == 16
#define LOWER(a, b) IN_TURN(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define UPPER(a, b) IN_TURN(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#elif 8 * VECTOR_BYTES / REAL_BITS == 8
#define LOWER(a, b) IN_TURN(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define UPPER(a, b) IN_TURN(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#elif 8 * VECTOR_BYTES / REAL_BITS == 4
#define LOWER(a, b) IN_TURN(a, b, 0, 4, 1, 5)
#define UPPER(a, b) IN_TURN(a, b, 2, 6, 3, 7)
#else
#define LOWER(a, b) IN_TURN(a, b, 0, 2)
#define UPPER(a, b) IN_TURN(a, b, 1, 3)
#endif

/* to[j][i] = from[i][j] for as many rows and columns as a vector has numbers: each round doubles how far a number of
   a vector is from the next one of its row. */
INLINE void transpose_block(const real *restrict from, int64_t from_row, real *restrict to, int64_t to_row) {
    vector t[LANES], u[LANES];
    _Pragma("GCC unroll 16") for (int i = 0; i < LANES; i++) t[i] = *(const loose *)(from + i * from_row);
    _Pragma("GCC unroll 4") for (int n = LANES; n > 1; n /= 2) {
        _Pragma("GCC unroll 8") for (int i = 0; i < LANES / 2; i++) {
            u[2 * i] = LOWER(t[i], t[i + LANES / 2]);
            u[2 * i + 1] = UPPER(t[i], t[i + LANES / 2]);
        }
        _Pragma("GCC unroll 16") for (int i = 0; i < LANES; i++) t[i] = u[i];
    }
    _Pragma("GCC unroll 16") for (int i = 0; i < LANES; i++) *(loose *)(to + i * to_row) = t[i];
}

/* to[j][i] = from[i][j]; the last blocks lie over those before. */
APART MAYBE void transpose(const real *restrict from, int64_t from_row, int64_t rows, int64_t columns,
                           real *restrict to, int64_t to_row) {
    if (rows < LANES || columns < LANES) {
        for (int64_t j = 0; j < columns; j++)
            for (int64_t i = 0; i < rows; i++) to[j * to_row + i] = from[i * from_row + j];
        return;
    }
    for (int64_t i = 0; i < rows; i += LANES)
        for (int64_t j = 0; j < columns; j += LANES) {
            int64_t y = smaller(i, rows - LANES), x = smaller(j, columns - LANES);
            transpose_block(from + y * from_row + x, from_row, to + x * to_row + y, to_row);
        }
}

/* Rows of `length` numbers; between them, where rows are to lie further apart, zeros. Vectors reach into what is
   written later, but not beyond the end of the last row. */
APART MAYBE void copy_rows(const real *restrict from, int64_t from_row, int64_t rows, int64_t length,
                           real *restrict to, int64_t to_row) {
    for (; rows > 0; rows--, from += from_row, to += to_row) {
        int64_t i = 0, end = rows > 1 ? to_row : length, reach = (rows - 1) * to_row + length - LANES;
        int64_t readable = smaller(reach, (rows - 1) * from_row + length - LANES);
        for (; i < length && i <= readable; i += LANES) *(loose *)(to + i) = *(const loose *)(from + i);
        for (; i < length; i++) to[i] = from[i];
        for (i = length; i < end && i <= reach; i += LANES) *(loose *)(to + i) = (vector){0};
        for (; i < end; i++) to[i] = 0;
    }
}
#endif
