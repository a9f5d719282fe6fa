/* Max and average pooling of planes of up to three dimensions; a plane of fewer has sizes 1 in front. */
#include "real.h"

struct pool {
    const real *x;
    real *out;
    int64_t *index;
    int64_t planes, size[3], out_size[3], kernel[3], stride[3], pad[3], dilation[3];
    int64_t counts_pad, divisor;
};

static struct pool pool_of(const void *x, void *out, void *index, const int64_t *n) {
    struct pool w = {x, out, index, n[0], {0}, {0}, {0}, {0}, {0}, {0}, 0, 0};
    for (int d = 0; d < 3; d++) {
        w.size[d] = n[1 + d], w.out_size[d] = n[4 + d], w.kernel[d] = n[7 + d];
        w.stride[d] = n[10 + d], w.pad[d] = n[13 + d], w.dilation[d] = n[16 + d];
    }
    return w;
}

#define VOLUME(size) ((size)[0] * (size)[1] * (size)[2])

/* Windows of 2 x 2 side by side, without padding: the most common ones, as a loop of vectors. NaN counts as the largest, and of
   equal ones the first is taken. */
APART void pairs_of_rows(const real *restrict above, const real *restrict below, int64_t n, int64_t at, int64_t width,
                         real *restrict out, int64_t *restrict index) {
    for (int64_t i = 0; i < n; i++) {
        real p = above[2 * i], q = above[2 * i + 1], r = below[2 * i], t = below[2 * i + 1];
        real m = p;
        int64_t k = 0;
        k = (q > m) | (q != q) ? 1 : k;
        m = (q > m) | (q != q) ? q : m;
        k = (r > m) | (r != r) ? width : k;
        m = (r > m) | (r != r) ? r : m;
        k = (t > m) | (t != t) ? width + 1 : k;
        m = (t > m) | (t != t) ? t : m;
        out[i] = m;
        index[i] = at + 2 * i + k;
    }
}

static void largest_of_window(const struct pool *w, const real *x, int64_t o[3], real *out, int64_t *index) {
    int64_t first[3], last[3];
    for (int d = 0; d < 3; d++) {
        first[d] = o[d] * w->stride[d] - w->pad[d];
        last[d] = smaller(w->size[d], first[d] + (w->kernel[d] - 1) * w->dilation[d] + 1);
        if (first[d] < 0) first[d] += pieces_of(-first[d], w->dilation[d]) * w->dilation[d];
    }
    real m = -(real)__builtin_inf();
    int64_t k = (first[0] * w->size[1] + first[1]) * w->size[2] + first[2];
    for (int64_t z = first[0]; z < last[0]; z += w->dilation[0])
        for (int64_t y = first[1]; y < last[1]; y += w->dilation[1])
            for (int64_t i = first[2]; i < last[2]; i += w->dilation[2]) {
                int64_t at = (z * w->size[1] + y) * w->size[2] + i;
                real v = x[at];
                if (v > m || v != v) m = v, k = at;
            }
    *out = m;
    *index = k;
}

static int max_pool_piece(void *p, int64_t plane) {
    struct pool *w = p;
    const real *x = w->x + plane * VOLUME(w->size);
    real *out = w->out + plane * VOLUME(w->out_size);
    int64_t *index = w->index + plane * VOLUME(w->out_size);
    int in_pairs = w->kernel[0] == 1 && w->stride[0] == 1 && !w->pad[0] && !w->pad[1] && !w->pad[2];
    for (int d = 1; d < 3; d++)
        in_pairs = in_pairs && w->kernel[d] == 2 && w->stride[d] == 2 && w->dilation[d] == 1 && 2 * w->out_size[d] <= w->size[d];
    for (int64_t z = 0; z < w->out_size[0]; z++)
        for (int64_t y = 0; y < w->out_size[1]; y++) {
            int64_t to = (z * w->out_size[1] + y) * w->out_size[2];
            if (in_pairs) {
                int64_t at = (z * w->size[1] + 2 * y) * w->size[2];
                pairs_of_rows(x + at, x + at + w->size[2], w->out_size[2], at, w->size[2], out + to, index + to);
            } else
                for (int64_t i = 0; i < w->out_size[2]; i++)
                    largest_of_window(w, x, (int64_t[3]){z, y, i}, out + to + i, index + to + i);
        }
    return DONE;
}

/* max_pool: x, out, index (in its plane) | planes; sizes, output sizes, kernel, stride, padding, dilation: three of each. */
KERNEL(max_pool) {
    UNUSED(s);
    struct pool w = pool_of(a[0], a[1], a[2], n);
    return in_pieces(max_pool_piece, &w, w.planes, 0.5 * (double)(w.planes * VOLUME(w.out_size) * VOLUME(w.kernel)));
}

static int max_pool_backward_piece(void *p, int64_t plane) {
    struct pool *w = p;
    real *out = w->out + plane * w->size[0];
    const real *g = w->x + plane * w->size[1];
    const int64_t *index = w->index + plane * w->size[1];
    memset(out, 0, sizeof(real) * (size_t)w->size[0]);
    for (int64_t i = 0; i < w->size[1]; i++) out[index[i]] += g[i];
    return DONE;
}

/* max_pool_backward: g, index, gradient of x | planes, elements of a plane of x, of g. */
KERNEL(max_pool_backward) {
    UNUSED(s);
    struct pool w = {.x = a[0], .index = a[1], .out = a[2], .planes = n[0], .size = {n[1], n[2], 0}};
    for (int64_t i = 0; i < w.planes * w.size[1]; i++)
        if (w.index[i] < 0 || w.index[i] >= w.size[0]) return NOT_HANDLED;
    return in_pieces(max_pool_backward_piece, &w, w.planes, 1.0 * (double)(w.planes * w.size[0]));
}

/* ---- average */

/* The window of output o: its ends inside the plane, and what its sum is divided by. */
static real window(const struct pool *w, const int64_t o[3], int64_t first[3], int64_t last[3]) {
    int64_t inside = 1, all = 1;
    for (int d = 0; d < 3; d++) {
        first[d] = o[d] * w->stride[d] - w->pad[d];
        last[d] = smaller(first[d] + w->kernel[d], w->size[d] + w->pad[d]);
        all *= last[d] - first[d];
        first[d] = larger(first[d], 0);
        last[d] = smaller(last[d], w->size[d]);
        inside *= larger(last[d] - first[d], 0);
    }
    return (real)(w->divisor ? w->divisor : w->counts_pad ? all : inside);
}

#define EACH_WINDOW(o) \
    for (int64_t o##z = 0; o##z < w->out_size[0]; o##z++) \
        for (int64_t o##y = 0; o##y < w->out_size[1]; o##y++) \
            for (int64_t o##x = 0; o##x < w->out_size[2]; o##x++)
#define EACH_ROW_OF_WINDOW \
    for (int64_t z = first[0]; z < last[0]; z++) \
        for (int64_t y = first[1]; y < last[1]; y++)

static int average_pool_piece(void *p, int64_t plane) {
    struct pool *w = p;
    const real *x = w->x + plane * VOLUME(w->size);
    real *out = w->out + plane * VOLUME(w->out_size);
    int64_t first[3], last[3];
    EACH_WINDOW(o) {
        real count = window(w, (int64_t[3]){oz, oy, ox}, first, last), sum = 0;
        EACH_ROW_OF_WINDOW
            for (int64_t i = first[2]; i < last[2]; i++) sum += x[(z * w->size[1] + y) * w->size[2] + i];
        *out++ = sum / count;
    }
    return DONE;
}

static int average_pool_backward_piece(void *p, int64_t plane) {
    struct pool *w = p;
    const real *g = w->x + plane * VOLUME(w->out_size);
    real *out = w->out + plane * VOLUME(w->size);
    int64_t first[3], last[3];
    memset(out, 0, sizeof(real) * (size_t)VOLUME(w->size));
    EACH_WINDOW(o) {
        real share = *g++ / window(w, (int64_t[3]){oz, oy, ox}, first, last);
        EACH_ROW_OF_WINDOW
            for (int64_t i = first[2]; i < last[2]; i++) out[(z * w->size[1] + y) * w->size[2] + i] += share;
    }
    return DONE;
}

/* average_pool: x, out | as max_pool, then whether padding counts, the divisor or 0. Its gradient: g, gradient of x | the same. */
KERNEL(average_pool) {
    UNUSED(s);
    struct pool w = pool_of(a[0], a[1], 0, n);
    w.counts_pad = n[19], w.divisor = n[20];
    return in_pieces(average_pool_piece, &w, w.planes, 0.5 * (double)(w.planes * VOLUME(w.out_size) * VOLUME(w.kernel)));
}

KERNEL(average_pool_backward) {
    UNUSED(s);
    struct pool w = pool_of(a[0], a[1], 0, n);
    w.counts_pad = n[19], w.divisor = n[20];
    return in_pieces(average_pool_backward_piece, &w, w.planes, 0.5 * (double)(w.planes * VOLUME(w.out_size) * VOLUME(w.kernel)));
}
