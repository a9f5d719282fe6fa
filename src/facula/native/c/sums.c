/* Sums of arrays: of all elements, of rows, of columns. */
#include "sums.h"

/* A block in four vectors of lanes, which do not wait for each other. */
INLINE real block_sum(const real *x) {
    vector t[4] = {{0}};
    for (int i = 0; i < BLOCK; i += 4 * LANES)
        for (int j = 0; j < 4; j++) t[j] += *(const loose *)(x + i + j * LANES);
    return lanes_sum((t[0] + t[1]) + (t[2] + t[3]));
}

APART wide sum_of(const real *restrict x, int64_t n) {
    total t = {0, 0};
    int64_t at = 0;
    for (; at + BLOCK <= n; at += BLOCK) add_to(&t, block_sum(x + at));
    real rest;
    SUM_OF(rest, at, n, OF(x));
    add_to(&t, rest);
    return value_of(t);
}

struct whole {
    const real *x;
    int64_t n;
    wide *parts;
};

static int sum_piece(void *p, int64_t piece) {
    struct whole *w = p;
    int64_t start = piece * PIECE;
    w->parts[piece] = sum_of(w->x + start, smaller(PIECE, w->n - start));
    return DONE;
}

/* sum: x, out (1) | n. */
KERNEL(sum) {
    UNUSED(s);
    int64_t pieces = pieces_of(n[0], PIECE);
    struct whole w = {a[0], n[0], scratch(KERNEL_SLOT, sizeof(wide) * (size_t)(pieces + 1))};
    if (!w.parts) return NO_MEMORY;
    int status = in_pieces(sum_piece, &w, pieces, 0.1 * (double)w.n);
    total t = {0, 0};
    for (int64_t i = 0; i < pieces; i++) add_to(&t, w.parts[i]);
    *(real *)a[1] = (real)value_of(t);
    return status;
}

struct rows {
    const real *x;
    real *out;
    int64_t rows, width, step;
};

static int sum_rows_piece(void *p, int64_t piece) {
    struct rows *w = p;
    int64_t end = smaller(w->rows, (piece + 1) * w->step);
    for (int64_t r = piece * w->step; r < end; r++) w->out[r] = (real)sum_of(w->x + r * w->width, w->width);
    return DONE;
}

/* sum_rows: x, out | rows, width. */
KERNEL(sum_rows) {
    UNUSED(s);
    struct rows w = {a[0], a[1], n[0], n[1], larger(1, PIECE / larger(1, n[1]))};
    return in_pieces(sum_rows_piece, &w, pieces_of(w.rows, w.step), 0.1 * (double)(w.rows * w.width));
}

/* Columns, some vectors of them at a time: left to itself gcc turns these two loops round and reads with the stride of
 * rows. */
enum { COLUMNS = 64, ROWS = 256 };

APART void add_columns(const real *restrict x, int64_t rows, int64_t width, int64_t columns, real *restrict out) {
    for (int64_t first = 0; first < rows; first += ROWS) {
        real sums[COLUMNS] = {0};
        int64_t last = smaller(rows, first + ROWS);
        if (columns == COLUMNS)
            for (int64_t r = first; r < last; r++)
                for (int j = 0; j < COLUMNS; j++) sums[j] += x[r * width + j];
        else
            for (int64_t r = first; r < last; r++)
                for (int64_t j = 0; j < columns; j++) sums[j] += x[r * width + j];
        for (int64_t j = 0; j < columns; j++) out[j] += sums[j];
    }
}

static int sum_columns_piece(void *p, int64_t piece) {
    struct rows *w = p;
    int64_t first = piece * COLUMNS, columns = smaller(COLUMNS, w->width - first);
    for (int64_t j = 0; j < columns; j++) w->out[first + j] = 0;
    add_columns(w->x + first, w->rows, w->width, columns, w->out + first);
    return DONE;
}

/* sum_columns: x, out | rows, width. */
KERNEL(sum_columns) {
    UNUSED(s);
    struct rows w = {a[0], a[1], n[0], n[1], 0};
    return in_pieces(sum_columns_piece, &w, pieces_of(w.width, COLUMNS), 0.1 * (double)(w.rows * w.width));
}
