/* Attention: softmax(scale Q K^T) V for each head, in blocks of queries whose scores stay in the cache; with a causal
   mask a query sees the keys up to its own place, and what no query of a block sees is not computed. The backward pass
   computes the shares again, from the logarithms of their sums. */
#include "elementary.h"
#include "product.h"
#include "sums.h"

enum { QUERIES = 64 };

struct attention {
    const real *q, *k, *v, *g, *y, *sums;
    real *out, *logs, *g_q, *g_k, *g_v;
    int64_t batch, heads, length, keys, width, v_width, causal;
    int64_t strides[9]; /* batch, head, row: of q, k, v */
    real scale;
};

INLINE int64_t start_of(const struct attention *w, int which, int64_t head) {
    const int64_t *t = w->strides + 3 * which;
    return head / w->heads * t[0] + head % w->heads * t[1];
}

/* The scores of some queries, scaled, up to `seen` keys; those that a query does not see are -inf. */
static int block_of_scores(const struct attention *w, int64_t head, int64_t i, int64_t rows, int64_t seen, real *to) {
    struct product p = {rows,
                        seen,
                        w->width,
                        w->q + start_of(w, 0, head) + i * w->strides[2],
                        w->strides[2],
                        1,
                        w->k + start_of(w, 1, head),
                        1,
                        w->strides[5],
                        to,
                        seen,
                        0,
                        NULL};
    int status = NAME(product_part)(&p, 0, rows, 0, seen);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t j = 0; j < seen; j++) to[r * seen + j] *= w->scale;
    if (w->causal)
        for (int64_t r = 0; r < rows; r++)
            for (int64_t j = i + r + 1; j < seen; j++) to[r * seen + j] = -(real)__builtin_inf();
    return status;
}

/* In place: softmax; returns the logarithm of the sum of exponentials. */
APART real shares_of(real *x, int64_t n) {
    real m = -(real)__builtin_inf();
#pragma omp simd reduction(max : m)
    for (int64_t i = 0; i < n; i++) m = x[i] > m ? x[i] : m;
    if (m == -(real)__builtin_inf()) m = 0; /* all keys are far away: 0 / 0 */
    total t = {0, 0};
    for (int64_t first = 0; first < n; first += BLOCK) {
        int64_t last = smaller(n, first + BLOCK);
        real part = 0;
#pragma omp simd reduction(+ : part)
        for (int64_t i = first; i < last; i++) {
            real e = exponential(x[i] - m);
            x[i] = e;
            part += e;
        }
        add_to(&t, part);
    }
    real sum = (real)value_of(t), c = 1 / sum;
    for (int64_t i = 0; i < n; i++) x[i] *= c;
    return m + logarithm(sum);
}

static int attention_piece(void *p, int64_t piece) {
    struct attention *w = p;
    int64_t blocks = pieces_of(w->length, QUERIES), head = piece / blocks, i = piece % blocks * QUERIES;
    int64_t rows = smaller(QUERIES, w->length - i), seen = w->causal ? smaller(w->keys, i + rows) : w->keys;
    real *scores = scratch(KERNEL_SLOT, sizeof(real) * (size_t)(rows * seen + 16));
    if (!scores || block_of_scores(w, head, i, rows, seen, scores) != DONE) return NO_MEMORY;
    for (int64_t r = 0; r < rows; r++) w->logs[head * w->length + i + r] = shares_of(scores + r * seen, seen);
    struct product product = {rows,
                              w->v_width,
                              seen,
                              scores,
                              seen,
                              1,
                              w->v + start_of(w, 2, head),
                              w->strides[8],
                              1,
                              w->out + (head * w->length + i) * w->v_width,
                              w->v_width,
                              0,
                              NULL};
    return NAME(product_part)(&product, 0, rows, 0, w->v_width);
}

/* Sizes and strides of q, k, v, as the call gives them. */
static int read_sizes(struct attention *w, const int64_t *n) {
    const int64_t *q = n, *k = n + 8, *v = n + 16;
    w->batch = q[0], w->heads = q[1], w->length = q[2], w->width = q[3], w->keys = k[2], w->v_width = v[3],
    w->causal = n[24];
    for (int i = 0; i < 3; i++)
        for (int d = 0; d < 3; d++) w->strides[3 * i + d] = n[8 * i + 4 + d];
    for (int d = 0; d < 3; d++)
        if ((d < 2 && k[d] != q[d]) || v[d] != k[d]) return NOT_HANDLED;
    if (k[3] != q[3] || (q[7] != 1 && q[3] != 1) || (k[7] != 1 && k[3] != 1) || (v[7] != 1 && v[3] != 1))
        return NOT_HANDLED;
    return DONE;
}

/* attention: q, k, v (of any strides, dense in the last dimension), out, logarithms of sums | causal | scale. */
KERNEL(attention) {
    struct attention w = {.q = a[0], .k = a[1], .v = a[2], .out = a[3], .logs = a[4], .scale = (real)s[0]};
    if (read_sizes(&w, n) != DONE) return NOT_HANDLED;
    double scores = (double)(w.batch * w.heads * w.length) * (double)w.keys;
    return in_pieces(attention_piece, &w, w.batch * w.heads * pieces_of(w.length, QUERIES),
                     scores * (0.5 + 0.02 * (double)(w.width + w.v_width)));
}

/* d = shares (d - delta) scale; then shares and d are what gradients are products of. */
APART void score_gradients(const real *restrict shares, real *restrict d, real delta, real scale, int64_t n) {
    for (int64_t i = 0; i < n; i++) d[i] = shares[i] * (d[i] - delta) * scale;
}

APART void shares_again(real *restrict x, real log, int64_t n) {
    for (int64_t i = 0; i < n; i++) x[i] = exponential(x[i] - log);
}

static int attention_backward_piece(void *p, int64_t head) {
    struct attention *w = p;
    const int64_t *t = w->strides;
    const real *q = w->q + start_of(w, 0, head), *k = w->k + start_of(w, 1, head), *v = w->v + start_of(w, 2, head);
    real *g_q = w->g_q + head * w->length * w->width, *g_k = w->g_k + head * w->keys * w->width,
         *g_v = w->g_v + head * w->keys * w->v_width;
    real *shares = scratch(KERNEL_SLOT, sizeof(real) * (size_t)(2 * QUERIES * w->keys + 16)),
         *d = shares + QUERIES * w->keys;
    if (!shares) return NO_MEMORY;
    memset(g_k, 0, sizeof(real) * (size_t)(w->keys * w->width));
    memset(g_v, 0, sizeof(real) * (size_t)(w->keys * w->v_width));
    int status = DONE;
    for (int64_t i = 0; i < w->length; i += QUERIES) {
        int64_t rows = smaller(QUERIES, w->length - i), seen = w->causal ? smaller(w->keys, i + rows) : w->keys;
        const real *g = w->g + (head * w->length + i) * w->v_width, *y = w->y + (head * w->length + i) * w->v_width;
        status |= block_of_scores(w, head, i, rows, seen, shares);
        struct product by_shares = {rows, seen, w->v_width, g, w->v_width, 1, v, 1, t[8], d, seen, 0, NULL};
        status |= NAME(product_part)(&by_shares, 0, rows, 0, seen);
        for (int64_t r = 0; r < rows; r++) {
            wide delta;
            const real *gr = g + r * w->v_width, *yr = y + r * w->v_width;
            LONG_SUM_OF(delta, w->v_width, gr[i] * yr[i]); /* this i is the macro's own */
            shares_again(shares + r * seen, w->sums[head * w->length + i + r], seen);
            score_gradients(shares + r * seen, d + r * seen, (real)delta, w->scale, seen);
        }
        struct product to_q = {rows, w->width, seen, d, seen, 1, k, t[5], 1, g_q + i * w->width, w->width, 0, NULL};
        struct product to_k = {seen, w->width, rows, d, 1, seen, q + i * t[2], t[2], 1, g_k, w->width, 1, NULL};
        struct product to_v = {seen, w->v_width, rows, shares, 1, seen, g, w->v_width, 1, g_v, w->v_width, 1, NULL};
        status |= NAME(product_part)(&to_q, 0, rows, 0, w->width);
        status |= NAME(product_part)(&to_k, 0, seen, 0, w->width);
        status |= NAME(product_part)(&to_v, 0, seen, 0, w->v_width);
    }
    return status ? NO_MEMORY : DONE;
}

/* attention_backward: g, q, k, v, out, logarithms, gradients of q, k, v (dense) | causal | scale. */
KERNEL(attention_backward) {
    struct attention w = {.g = a[0],
                          .q = a[1],
                          .k = a[2],
                          .v = a[3],
                          .y = a[4],
                          .sums = a[5],
                          .g_q = a[6],
                          .g_k = a[7],
                          .g_v = a[8],
                          .scale = (real)s[0]};
    if (read_sizes(&w, n) != DONE) return NOT_HANDLED;
    double scores = (double)(w.batch * w.heads * w.length) * (double)w.keys;
    return in_pieces(attention_backward_piece, &w, w.batch * w.heads,
                     scores * (1 + 0.05 * (double)(w.width + w.v_width)));
}
