/* Attention: softmax(scale Q K^T + mask) V for each head, in blocks of queries whose scores stay in the cache; with a
   causal mask a query sees the keys up to its own place, and what no query of a block sees is not computed. The
   backward pass computes the shares again, from the logarithms of their sums.

   Heads are read and written where they lie, which is mostly inside of what they were split from: rows are dense, and
   each array has strides of its own. */
#include "product.h"
#include "rows.h"

struct heads {
    real *data;
    int64_t size[4], step[4]; /* batch, head, row, and 1 */
};

struct attention {
    struct heads q, k, v, out, mask, g, g_q, g_k, g_v;
    real *logs;
    int64_t causal;
    real scale;
};

/* Queries of a block: few where a causal mask hides much of a short sequence; where it hides little, more of them
   share what is packed. */
enum { QUERIES = 64 };
INLINE int64_t queries_of(const struct attention *w) { return w->causal && w->q.size[2] <= 256 ? 32 : QUERIES; }

INLINE real *head_of(const struct heads *x, const struct attention *w, int64_t head) {
    return x->data + head / w->q.size[1] * x->step[0] + head % w->q.size[1] * x->step[1];
}

APART void add_mask(real *restrict to, const real *restrict mask, int64_t step, int64_t n) {
    if (step == 1)
        for (int64_t j = 0; j < n; j++) to[j] += mask[j];
    else
        for (int64_t j = 0; j < n; j++) to[j] += mask[j * step];
}

/* The scores of some queries, up to `seen` keys; those that a query does not see are -inf. */
static int block_of_scores(const struct attention *w, int64_t head, int64_t i, int64_t rows, int64_t seen, real *to) {
    const int64_t q_row = w->q.step[2], k_row = w->k.step[2];
    struct product p = {rows, seen, w->q.size[3], head_of(&w->q, w, head) + i * q_row, q_row, 1,
                        head_of(&w->k, w, head), 1, k_row, to, seen, 0, NULL};
    int status = NAME(product_part)(&p, 0, rows, 0, seen);
    scaled(to, w->scale, rows * seen);
    if (w->mask.data)
        for (int64_t r = 0; r < rows; r++)
            add_mask(to + r * seen, head_of(&w->mask, w, head) + (i + r) * w->mask.step[2], w->mask.step[3], seen);
    if (w->causal)
        for (int64_t r = 0; r < rows; r++)
            for (int64_t j = i + r + 1; j < seen; j++) to[r * seen + j] = -(real)__builtin_inf();
    return status;
}

/* In place, of each row: softmax, or zeros if no key is seen; the logarithm of its sum of exponentials, or 0. Step by
   step for all rows: what a row waits for, the next ones are computed meanwhile. */
APART void shares_of(real *restrict x, int64_t rows, int64_t n, real *restrict logs) {
    real m[QUERIES], sums[QUERIES];
    for (int64_t r = 0; r < rows; r++) m[r] = largest(x + r * n, n);
    for (int64_t r = 0; r < rows; r++) m[r] = m[r] == -(real)__builtin_inf() ? 0 : m[r];
    for (int64_t r = 0; r < rows; r++) sums[r] = (real)exponentials(x + r * n, m[r], x + r * n, n);
    for (int64_t r = 0; r < rows; r++) scaled(x + r * n, sums[r] == 0 ? 1 : 1 / sums[r], n);
    for (int64_t r = 0; r < rows; r++) logs[r] = sums[r] == 0 ? 0 : m[r] + logarithm(sums[r]);
}

INLINE int64_t keys_seen(const struct attention *w, int64_t end) {
    return w->causal ? smaller(w->k.size[2], end) : w->k.size[2];
}

static int attention_piece(void *p, int64_t piece) {
    struct attention *w = p;
    int64_t length = w->q.size[2], width = w->v.size[3], queries = queries_of(w);
    int64_t blocks = pieces_of(length, queries), head = piece / blocks, i = piece % blocks * queries;
    int64_t rows = smaller(queries, length - i), seen = keys_seen(w, i + rows);
    real *scores = scratch(KERNEL_SLOT, sizeof(real) * (size_t)(rows * seen + 16));
    if (!scores || block_of_scores(w, head, i, rows, seen, scores) != DONE) return NO_MEMORY;
    shares_of(scores, rows, seen, w->logs + head * length + i);
    struct product product = {rows, width, seen, scores, seen, 1, head_of(&w->v, w, head), w->v.step[2], 1,
                              head_of(&w->out, w, head) + i * w->out.step[2], w->out.step[2], 0, NULL};
    return NAME(product_part)(&product, 0, rows, 0, width);
}

/* One array of those that the call tells of: four sizes and four strides each. */
static struct heads heads_of(void *data, const int64_t *n) {
    struct heads x = {data, {n[0], n[1], n[2], n[3]}, {n[4], n[5], n[6], n[7]}};
    return x;
}

static int fits(const struct heads *x, int64_t batch, int64_t heads, int64_t rows, int64_t width) {
    const int64_t size[4] = {batch, heads, rows, width};
    for (int d = 0; d < 4; d++)
        if (x->size[d] != size[d]) return 0;
    return width == 1 || x->step[3] == 1;
}

/* The mask broadcasts; q, k and v fit each other. */
static int all_fit(struct attention *w) {
    const int64_t *q = w->q.size, keys = w->k.size[2], size[4] = {q[0], q[1], q[2], keys};
    for (int d = 0; d < 4 && w->mask.data; d++) {
        if (w->mask.size[d] != size[d] && w->mask.size[d] != 1) return 0;
        if (w->mask.size[d] == 1) w->mask.step[d] = 0;
    }
    return fits(&w->q, q[0], q[1], q[2], q[3]) && fits(&w->k, q[0], q[1], keys, q[3])
           && fits(&w->v, q[0], q[1], keys, w->v.size[3]) && fits(&w->out, q[0], q[1], q[2], w->v.size[3]);
}

INLINE double work_of(const struct attention *w, double each) {
    double scores = (double)(w->q.size[0] * w->q.size[1] * w->q.size[2]) * (double)w->k.size[2];
    return scores * each * (1 + 0.04 * (double)(w->q.size[3] + w->v.size[3]));
}

/* attention: q, k, v, mask or none, out, logarithms of sums (batch, heads, queries) | causal | scale. */
KERNEL(attention) {
    struct attention w = {heads_of(a[0], n), heads_of(a[1], n + 8), heads_of(a[2], n + 16),
                          .mask = heads_of(a[3], n + 24), .out = heads_of(a[4], n + 32), .logs = a[5],
                          .causal = n[40], .scale = (real)s[0]};
    if (!all_fit(&w)) return NOT_HANDLED;
    return in_pieces(attention_piece, &w, w.q.size[0] * w.q.size[1] * pieces_of(w.q.size[2], queries_of(&w)),
                     work_of(&w, 0.5));
}

/* d = shares (d - delta) scale; then shares and d are what gradients are products of. */
APART void score_gradients(const real *restrict shares, real *restrict d, real delta, real scale, int64_t n) {
    for (int64_t i = 0; i < n; i++) d[i] = shares[i] * (d[i] - delta) * scale;
}

APART void shares_again(real *restrict x, real log, int64_t n) {
    for (int64_t i = 0; i < n; i++) x[i] = exponential(x[i] - log);
}

static void clear_rows(real *x, int64_t step, int64_t rows, int64_t width) {
    for (int64_t i = 0; i < rows; i++) memset(x + i * step, 0, sizeof(real) * (size_t)width);
}

static int attention_backward_piece(void *p, int64_t head) {
    struct attention *w = p;
    int64_t length = w->q.size[2], keys = w->k.size[2], width = w->q.size[3], v_width = w->v.size[3];
    const real *q = head_of(&w->q, w, head), *k = head_of(&w->k, w, head), *v = head_of(&w->v, w, head);
    real *g_q = head_of(&w->g_q, w, head), *g_k = head_of(&w->g_k, w, head), *g_v = head_of(&w->g_v, w, head);
    int64_t q_row = w->q.step[2], k_row = w->k.step[2], v_row = w->v.step[2], g_row = w->g.step[2];
    int64_t g_k_row = w->g_k.step[2], g_v_row = w->g_v.step[2], g_q_row = w->g_q.step[2];
    int64_t queries = queries_of(w);
    real *shares = scratch(KERNEL_SLOT, sizeof(real) * (size_t)(2 * queries * keys + 16)), *d = shares + queries * keys;
    if (!shares) return NO_MEMORY;
    clear_rows(g_k, g_k_row, keys, width);
    clear_rows(g_v, g_v_row, keys, v_width);
    int status = DONE;
    for (int64_t i = 0; i < length; i += queries) {
        int64_t rows = smaller(queries, length - i), seen = keys_seen(w, i + rows);
        const real *g = head_of(&w->g, w, head) + i * g_row, *y = head_of(&w->out, w, head) + i * w->out.step[2];
        status |= block_of_scores(w, head, i, rows, seen, shares);
        struct product by_shares = {rows, seen, v_width, g, g_row, 1, v, 1, v_row, d, seen, 0, NULL};
        status |= NAME(product_part)(&by_shares, 0, rows, 0, seen);
        for (int64_t r = 0; r < rows; r++) {
            wide delta;
            const real *gr = g + r * g_row, *yr = y + r * w->out.step[2];
            LONG_SUM_OF(delta, v_width, OF(gr) * OF(yr));
            shares_again(shares + r * seen, w->logs[head * length + i + r], seen);
            score_gradients(shares + r * seen, d + r * seen, (real)delta, w->scale, seen);
        }
        struct product to_q = {rows, width, seen, d, seen, 1, k, k_row, 1, g_q + i * g_q_row, g_q_row, 0, NULL};
        struct product to_k = {seen, width, rows, d, 1, seen, q + i * q_row, q_row, 1, g_k, g_k_row, 1, NULL};
        struct product to_v = {seen, v_width, rows, shares, 1, seen, g, g_row, 1, g_v, g_v_row, 1, NULL};
        status |= NAME(product_part)(&to_q, 0, rows, 0, width);
        status |= NAME(product_part)(&to_k, 0, seen, 0, width);
        status |= NAME(product_part)(&to_v, 0, seen, 0, v_width);
    }
    return status ? NO_MEMORY : DONE;
}

/* attention_backward: q, k, v, mask or none, out, g, gradients of q, k, v, logarithms | causal | scale. */
KERNEL(attention_backward) {
    struct attention w = {heads_of(a[0], n), heads_of(a[1], n + 8), heads_of(a[2], n + 16),
                          .mask = heads_of(a[3], n + 24), .out = heads_of(a[4], n + 32), .g = heads_of(a[5], n + 40),
                          .g_q = heads_of(a[6], n + 48), .g_k = heads_of(a[7], n + 56), .g_v = heads_of(a[8], n + 64),
                          .logs = a[9], .causal = n[72], .scale = (real)s[0]};
    const int64_t *q = w.q.size, *v = w.v.size;
    if (!all_fit(&w) || !fits(&w.g, q[0], q[1], q[2], v[3]) || !fits(&w.g_q, q[0], q[1], q[2], q[3])
        || !fits(&w.g_k, q[0], q[1], v[2], q[3]) || !fits(&w.g_v, q[0], q[1], v[2], v[3]))
        return NOT_HANDLED;
    return in_pieces(attention_backward_piece, &w, q[0] * q[1], work_of(&w, 1));
}
