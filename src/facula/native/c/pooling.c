/* Max and average pooling of planes of up to three dimensions; a plane of fewer has sizes 1 in front. */
#include "real.h"

struct pool {
    const real *x;
    real *out;
    uint8_t *number;
    int64_t planes, size[3], out_size[3], kernel[3], stride[3], pad[3], dilation[3];
    int64_t counts_pad, divisor;
};

static struct pool pool_of(const void *x, void *out, void *number, const int64_t *n) {
    struct pool w = {x, out, number, n[0], {0}, {0}, {0}, {0}, {0}, {0}, 0, 0};
    for (int d = 0; d < 3; d++) {
        w.size[d] = n[1 + d], w.out_size[d] = n[4 + d], w.kernel[d] = n[7 + d];
        w.stride[d] = n[10 + d], w.pad[d] = n[13 + d], w.dilation[d] = n[16 + d];
    }
    return w;
}

#define VOLUME(size) ((size)[0] * (size)[1] * (size)[2])

/* Whether windows are 2 x 2, side by side, without padding: the most common ones, for which there are loops of vectors.
 */
static int in_pairs(const struct pool *w) {
    int are = w->kernel[0] == 1 && w->stride[0] == 1 && !w->pad[0] && !w->pad[1] && !w->pad[2];
    for (int d = 1; d < 3; d++)
        are = are && w->kernel[d] == 2 && w->stride[d] == 2 && w->dilation[d] == 1 && 2 * w->out_size[d] <= w->size[d];
    return are;
}

/* Rows may be short, and a loop over one of them too short for vectors. So first the larger of each column of two rows is
   found, for all rows of a plane, and then the larger of two columns, in one loop over all of it. The largest is
   NaN, the last of several; of equal ones the first is taken. Numbers are as wide as a float until the end: lanes need
   not change their places. */
APART void larger_of_rows(const real *restrict above, const real *restrict below, int64_t n, real *restrict m,
                          int32_t *restrict k) {
    for (int64_t i = 0; i < n; i++) {
        real p = above[i], q = below[i];
        int is = (q > p) | (q != q);
        m[i] = is ? q : p;
        k[i] = is ? 2 : 0;
    }
}

APART void larger_of_columns(const real *restrict m, const int32_t *restrict k, int64_t n, real *restrict out,
                             int32_t *restrict number) {
    for (int64_t i = 0; i < n; i++) {
        real p = m[2 * i], q = m[2 * i + 1];
        int32_t left = k[2 * i], right = k[2 * i + 1] + 1;
        int is = (q > p) | ((q != q) & ((p == p) | (right > left))) | ((q == p) & (right < left));
        out[i] = is ? q : p;
        number[i] = is ? right : left;
    }
}

APART void in_bytes(const int32_t *restrict k, int64_t n, uint8_t *restrict number) {
    for (int64_t i = 0; i < n; i++) number[i] = (uint8_t)k[i];
}

APART void to_columns(const real *restrict g, const uint8_t *restrict number, int64_t n, int row,
                      real *restrict out) {
    for (int64_t i = 0; i < n; i++) {
        int32_t k = number[i];
        out[2 * i] = k == row ? g[i] : 0;
        out[2 * i + 1] = k == row + 1 ? g[i] : 0;
    }
}

static int max_of_pairs(const struct pool *w, const real *x, real *out, uint8_t *number) {
    int64_t rows = w->out_size[0] * w->out_size[1], width = w->out_size[2], n = rows * width;
    real *m = scratch(KERNEL_SLOT, (size_t)n * (2 * sizeof(real) + 3 * sizeof(int32_t)));
    if (!m) return NO_MEMORY;
    int32_t *k = (int32_t *)(m + 2 * n);
    for (int64_t i = 0; i < rows; i++) {
        const real *above = x + (i / w->out_size[1] * w->size[1] + i % w->out_size[1] * 2) * w->size[2];
        larger_of_rows(above, above + w->size[2], 2 * width, m + 2 * i * width, k + 2 * i * width);
    }
    larger_of_columns(m, k, n, out, k + 2 * n);
    in_bytes(k + 2 * n, n, number);
    return DONE;
}

static int max_of_pairs_backward(const struct pool *w, const real *g, const uint8_t *number, real *out) {
    int64_t rows = w->out_size[0] * w->out_size[1], width = 2 * w->out_size[2], n = rows * w->out_size[2];
    real *two = scratch(KERNEL_SLOT, sizeof(real) * 4 * (size_t)n);
    if (!two) return NO_MEMORY;
    to_columns(g, number, n, 0, two);
    to_columns(g, number, n, 2, two + 2 * n);
    for (int64_t i = 0; i < rows; i++) {
        real *above = out + (i / w->out_size[1] * w->size[1] + i % w->out_size[1] * 2) * w->size[2];
        memcpy(above, two + i * width, sizeof(real) * (size_t)width);
        memcpy(above + w->size[2], two + 2 * n + i * width, sizeof(real) * (size_t)width);
    }
    return DONE;
}

/* Other windows, a row of outputs at a time: each place of the window in its turn, for all outputs that have it in the
   plane. `k` is -1 before the first. */
#define COMPARE(at) \
    for (int64_t i = 0; i < n; i++) { \
        real v = x[at]; \
        int is = (v > m[i]) | (v != v) | (k[i] < 0); \
        m[i] = is ? v : m[i]; \
        k[i] = is ? number : k[i]; \
    }
APART void compare_every(const real *restrict x, int64_t stride, int64_t n, int32_t number, real *restrict m,
                         int32_t *restrict k) {
    if (stride == 1) COMPARE(i)
    else if (stride == 2) COMPARE(2 * i)
    else COMPARE(i * stride)
}

/* The outputs, from *first to before *last, whose window has place t of dimension d in the plane. */
INLINE void outputs_at(const struct pool *w, int d, int64_t t, int64_t *first, int64_t *last) {
    int64_t before = w->pad[d] - t * w->dilation[d], room = w->size[d] - 1 + before;
    *first = before > 0 ? pieces_of(before, w->stride[d]) : 0;
    *last = room < 0 ? 0 : smaller(w->out_size[d], room / w->stride[d] + 1);
}

static int max_pool_piece(void *p, int64_t plane) {
    struct pool *w = p;
    const real *x = w->x + plane * VOLUME(w->size);
    real *out = w->out + plane * VOLUME(w->out_size);
    uint8_t *number = w->number + plane * VOLUME(w->out_size);
    if (in_pairs(w)) return max_of_pairs(w, x, out, number);
    int64_t width = w->out_size[2], first, last;
    int32_t *k = scratch(KERNEL_SLOT, sizeof(int32_t) * (size_t)width);
    if (!k) return NO_MEMORY;
    for (int64_t z = 0; z < w->out_size[0]; z++)
        for (int64_t y = 0; y < w->out_size[1]; y++, out += width, number += width) {
            for (int64_t i = 0; i < width; i++) k[i] = -1;
            for (int32_t t = 0; t < VOLUME(w->kernel); t++) {
                int64_t along = t % w->kernel[2], row = t / w->kernel[2];
                int64_t from_z = z * w->stride[0] - w->pad[0] + row / w->kernel[1] * w->dilation[0];
                int64_t from_y = y * w->stride[1] - w->pad[1] + row % w->kernel[1] * w->dilation[1];
                outputs_at(w, 2, along, &first, &last);
                if (from_z < 0 || from_z >= w->size[0] || from_y < 0 || from_y >= w->size[1] || last <= first) continue;
                int64_t from = first * w->stride[2] - w->pad[2] + along * w->dilation[2];
                compare_every(x + (from_z * w->size[1] + from_y) * w->size[2] + from, w->stride[2], last - first, t,
                              out + first, k + first);
            }
            in_bytes(k, width, number);
        }
    return DONE;
}

/* max_pool: x, out, number (of the element in its window) | planes; sizes, output sizes, kernel, stride, padding,
 * dilation: three of each. */
KERNEL(max_pool) {
    UNUSED(s);
    struct pool w = pool_of(a[0], a[1], a[2], n);
    if (VOLUME(w.kernel) > 256) return NOT_HANDLED;
    return in_pieces(max_pool_piece, &w, w.planes, 0.5 * (double)(w.planes * VOLUME(w.out_size) * VOLUME(w.kernel)));
}

static int max_pool_backward_piece(void *p, int64_t plane) {
    struct pool *w = p;
    const real *g = w->x + plane * VOLUME(w->out_size);
    const uint8_t *number = w->number + plane * VOLUME(w->out_size);
    real *out = w->out + plane * VOLUME(w->size);
    int pairs = in_pairs(w);
    int covers = pairs && 2 * w->out_size[1] == w->size[1] && 2 * w->out_size[2] == w->size[2];
    if (!covers) memset(out, 0, sizeof(real) * (size_t)VOLUME(w->size));
    if (pairs) return max_of_pairs_backward(w, g, number, out);
    int64_t place[256]; /* of each element of a window in the plane, counted from the window's beginning */
    for (int64_t t = 0; t < 256; t++) {
        int64_t row = t / w->kernel[2], z = row / w->kernel[1], y = row % w->kernel[1];
        place[t] = (z * w->dilation[0] * w->size[1] + y * w->dilation[1]) * w->size[2]
                   + t % w->kernel[2] * w->dilation[2];
    }
    for (int64_t z = 0; z < w->out_size[0]; z++)
        for (int64_t y = 0; y < w->out_size[1]; y++) {
            int64_t begins = ((z * w->stride[0] - w->pad[0]) * w->size[1] + y * w->stride[1] - w->pad[1]) * w->size[2];
            for (int64_t i = 0; i < w->out_size[2]; i++, g++, number++) {
                int64_t at = begins + i * w->stride[2] - w->pad[2] + place[*number];
                if (at < 0 || at >= VOLUME(w->size)) return NOT_HANDLED;
                out[at] += *g;
            }
        }
    return DONE;
}

/* max_pool_backward: g, number, gradient of x | as max_pool. */
KERNEL(max_pool_backward) {
    UNUSED(s);
    struct pool w = pool_of(a[0], a[2], a[1], n);
    return in_pieces(max_pool_backward_piece, &w, w.planes, 0.5 * (double)(w.planes * VOLUME(w.size)));
}

/* ---- average */

/* The ends of the window of output o along dimension d inside the plane; returns how long it is with padding. */
INLINE int64_t window(const struct pool *w, int d, int64_t o, int64_t *first, int64_t *last) {
    int64_t start = o * w->stride[d] - w->pad[d], end = smaller(start + w->kernel[d], w->size[d] + w->pad[d]);
    *first = larger(start, 0);
    *last = smaller(end, w->size[d]);
    return end - start;
}

/* What a sum of a window is divided by; `rows`: its other two dimensions, with padding and without. */
INLINE real divisor_of(const struct pool *w, int64_t o, const int64_t rows[2]) {
    int64_t first, last, all = window(w, 2, o, &first, &last);
    return (real)(w->divisor ? w->divisor : w->counts_pad ? rows[0] * all : rows[1] * (last - first));
}

APART void add_every(real *restrict to, const real *restrict x, int64_t stride, int64_t n) {
    if (stride == 1)
        for (int64_t i = 0; i < n; i++) to[i] += x[i];
    else if (stride == 2)
        for (int64_t i = 0; i < n; i++) to[i] += x[2 * i];
    else
        for (int64_t i = 0; i < n; i++) to[i] += x[i * stride];
}

APART void add_to_every(real *restrict to, const real *restrict x, int64_t stride, int64_t n) {
    for (int64_t i = 0; i < n; i++) to[i * stride] += x[i];
}

/* Output rows, place by place of the window: loops over a row. */
static int average_pool_part(struct pool *w, const real *x, real *out, real *row, int backward) {
    for (int64_t z = 0; z < w->out_size[0]; z++)
        for (int64_t y = 0; y < w->out_size[1]; y++, out += w->out_size[2]) {
            int64_t z_first, z_last, y_first, y_last, first, last;
            int64_t all = window(w, 0, z, &z_first, &z_last) * window(w, 1, y, &y_first, &y_last);
            int64_t rows[2] = {all, (z_last - z_first) * (y_last - y_first)};
            if (backward)
                for (int64_t o = 0; o < w->out_size[2]; o++) row[o] = out[o] / divisor_of(w, o, rows);
            else memset(out, 0, sizeof(real) * (size_t)w->out_size[2]);
            for (int64_t zz = z_first; zz < z_last; zz++)
                for (int64_t yy = y_first; yy < y_last; yy++)
                    for (int64_t t = 0; t < w->kernel[2]; t++) {
                        outputs_at(w, 2, t, &first, &last);
                        if (last <= first) continue;
                        const real *at = x + (zz * w->size[1] + yy) * w->size[2] + first * w->stride[2] - w->pad[2] + t;
                        if (backward) add_to_every((real *)at, row + first, w->stride[2], last - first);
                        else add_every(out + first, at, w->stride[2], last - first);
                    }
            if (!backward)
                for (int64_t o = 0; o < w->out_size[2]; o++) out[o] /= divisor_of(w, o, rows);
        }
    return DONE;
}

static int average_pool_piece(void *p, int64_t plane) {
    struct pool *w = p;
    return average_pool_part(w, w->x + plane * VOLUME(w->size), w->out + plane * VOLUME(w->out_size), 0, 0);
}

static int average_pool_backward_piece(void *p, int64_t plane) {
    struct pool *w = p;
    real *row = scratch(KERNEL_SLOT, sizeof(real) * (size_t)w->out_size[2]), *out = w->out + plane * VOLUME(w->size);
    if (!row) return NO_MEMORY;
    memset(out, 0, sizeof(real) * (size_t)VOLUME(w->size));
    return average_pool_part(w, out, (real *)w->x + plane * VOLUME(w->out_size), row, 1);
}

/* average_pool: x, out | as max_pool, then whether padding counts, the divisor or 0. Its gradient: g, gradient of x |
 * the same. */
KERNEL(average_pool) {
    UNUSED(s);
    struct pool w = pool_of(a[0], a[1], 0, n);
    w.counts_pad = n[19], w.divisor = n[20];
    return in_pieces(average_pool_piece, &w, w.planes,
                     0.5 * (double)(w.planes * VOLUME(w.out_size) * VOLUME(w.kernel)));
}

KERNEL(average_pool_backward) {
    UNUSED(s);
    struct pool w = pool_of(a[0], a[1], 0, n);
    w.counts_pad = n[19], w.divisor = n[20];
    return in_pieces(average_pool_backward_piece, &w, w.planes,
                     0.5 * (double)(w.planes * VOLUME(w.out_size) * VOLUME(w.kernel)));
}
