/* Layer norm (of rows), and batch and group norm (of channels and groups of them): less the mean, over the deviation.
 */
#include "sums.h"

struct norm {
    const real *g, *x, *weight, *bias, *mean, *inverse;
    real *out, *means, *inverses, *g_weight, *g_bias, *parts;
    int64_t rows, width, step, channels, groups;
    real eps;
};

INLINE real inverse_deviation(wide squares, int64_t n, real eps) {
    return 1 / (real)__builtin_sqrt((double)((real)(squares / (wide)n) + eps));
}

/* Two passes, which lose nothing where the mean is large; the row is in the cache for the second. */
APART void moments(const real *restrict x, int64_t n, real eps, real *mean, real *inverse) {
    wide sum, squares;
    LONG_SUM_OF(sum, n, OF(x));
    real m = (real)(sum / (wide)n);
    LONG_SUM_OF(squares, n, (OF(x) - m) * (OF(x) - m));
    *mean = m;
    *inverse = inverse_deviation(squares, n, eps);
}

/* ---- layer norm */

APART void normalized_row(const real *restrict x, real m, real c, const real *restrict weight,
                          const real *restrict bias, real *restrict out, int64_t n) {
    if (weight && bias)
        for (int64_t i = 0; i < n; i++) out[i] = (x[i] - m) * c * weight[i] + bias[i];
    else if (weight)
        for (int64_t i = 0; i < n; i++) out[i] = (x[i] - m) * c * weight[i];
    else if (bias)
        for (int64_t i = 0; i < n; i++) out[i] = (x[i] - m) * c + bias[i];
    else
        for (int64_t i = 0; i < n; i++) out[i] = (x[i] - m) * c;
}

static int layer_norm_piece(void *p, int64_t piece) {
    struct norm *w = p;
    int64_t end = smaller(w->rows, (piece + 1) * w->step);
    for (int64_t r = piece * w->step; r < end; r++) {
        int64_t at = r * w->width;
        moments(w->x + at, w->width, w->eps, w->means + r, w->inverses + r);
        normalized_row(w->x + at, w->means[r], w->inverses[r], w->weight, w->bias, w->out + at, w->width);
    }
    return DONE;
}

/* layer_norm: x, weight or none, bias or none, out, means, inverse deviations | rows, width | eps. */
KERNEL(layer_norm) {
    struct norm w = {.x = a[0],
                     .weight = a[1],
                     .bias = a[2],
                     .out = a[3],
                     .means = a[4],
                     .inverses = a[5],
                     .rows = n[0],
                     .width = n[1],
                     .step = larger(1, PIECE / larger(1, n[1])),
                     .eps = (real)s[0]};
    return in_pieces(layer_norm_piece, &w, pieces_of(w.rows, w.step), 0.8 * (double)(w.rows * w.width));
}

/* With h the normalized row and t = g weight: inverse (t - mean(t) - h mean(t h)). */
APART void gradient_of_row(const real *restrict g, const real *restrict x, real m, real c, const real *restrict weight,
                           real *restrict out, int64_t n) {
    wide first, second;
    if (weight) {
        TWO_SUMS_OF(first, second, n, OF(g) * OF(weight), OF(g) * OF(weight) * ((OF(x) - m) * c));
    } else {
        TWO_SUMS_OF(first, second, n, OF(g), OF(g) * ((OF(x) - m) * c));
    }
    real middle = (real)(first / (wide)n), along = (real)(second / (wide)n);
    if (weight)
        for (int64_t i = 0; i < n; i++) out[i] = c * (g[i] * weight[i] - middle - (x[i] - m) * c * along);
    else
        for (int64_t i = 0; i < n; i++) out[i] = c * (g[i] - middle - (x[i] - m) * c * along);
}

APART void add_parameter_gradients(const real *restrict g, const real *restrict x, real m, real c,
                                   real *restrict g_weight, real *restrict g_bias, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        g_weight[i] += g[i] * ((x[i] - m) * c);
        g_bias[i] += g[i];
    }
}

enum {
    SPANS = 16
}; /* rows are cut into at most so many spans, each with sums of its own: then several threads can add */

static int layer_norm_backward_piece(void *p, int64_t piece) {
    struct norm *w = p;
    int64_t end = smaller(w->rows, (piece + 1) * w->step);
    real *g_weight = w->parts ? w->parts + 2 * piece * w->width : 0, *g_bias = g_weight + w->width;
    if (g_weight) memset(g_weight, 0, sizeof(real) * 2 * (size_t)w->width);
    for (int64_t r = piece * w->step; r < end; r++) {
        int64_t at = r * w->width;
        if (w->out) gradient_of_row(w->g + at, w->x + at, w->mean[r], w->inverse[r], w->weight, w->out + at, w->width);
        if (g_weight)
            add_parameter_gradients(w->g + at, w->x + at, w->mean[r], w->inverse[r], g_weight, g_bias, w->width);
    }
    return DONE;
}

/* layer_norm_backward: g, x, means, inverse deviations, weight or none, gradients of x, weight and bias, each or none |
   rows, width. */
KERNEL(layer_norm_backward) {
    UNUSED(s);
    struct norm w = {.g = a[0],
                     .x = a[1],
                     .mean = a[2],
                     .inverse = a[3],
                     .weight = a[4],
                     .out = a[5],
                     .g_weight = a[6],
                     .g_bias = a[7],
                     .rows = n[0],
                     .width = n[1]};
    w.step = larger(larger(1, PIECE / larger(1, w.width)), pieces_of(w.rows, SPANS));
    int64_t pieces = pieces_of(w.rows, w.step);
    if (w.g_weight || w.g_bias) {
        w.parts = scratch(KERNEL_SLOT, sizeof(real) * 2 * (size_t)(w.width * pieces + 1));
        if (!w.parts) return NO_MEMORY;
    }
    int status = in_pieces(layer_norm_backward_piece, &w, pieces, 1.6 * (double)(w.rows * w.width));
    for (int which = 0; which < 2; which++) {
        real *to = which ? w.g_bias : w.g_weight;
        if (!to) continue;
        memset(to, 0, sizeof(real) * (size_t)w.width);
        for (int64_t piece = 0; piece < pieces; piece++)
            for (int64_t i = 0; i < w.width; i++) to[i] += w.parts[(2 * piece + which) * w.width + i];
    }
    return status;
}

/* ---- batch norm: of each channel of (rows, channels, width) */

#define EACH_ROW(r) for (int64_t r = 0; r < w->rows; r++)
#define AT(r) (((r)*w->channels + c) * w->width)

static int batch_moments_piece(void *p, int64_t c) {
    struct norm *w = p;
    total t = {0, 0}, q = {0, 0};
    wide part;
    EACH_ROW (r) {
        const real *x = w->x + AT(r);
        LONG_SUM_OF(part, w->width, OF(x));
        add_to(&t, part);
    }
    int64_t count = w->rows * w->width;
    real m = (real)(value_of(t) / (wide)count);
    EACH_ROW (r) {
        const real *x = w->x + AT(r);
        LONG_SUM_OF(part, w->width, (OF(x) - m) * (OF(x) - m));
        add_to(&q, part);
    }
    w->means[c] = m;
    w->inverses[c] = (real)(value_of(q) / (wide)count);
    return DONE;
}

/* batch_moments: x, means, variances | rows, channels, width. */
KERNEL(batch_moments) {
    UNUSED(s);
    struct norm w = {.x = a[0], .means = a[1], .inverses = a[2], .rows = n[0], .channels = n[1], .width = n[2]};
    return in_pieces(batch_moments_piece, &w, w.channels, 0.3 * (double)(w.rows * w.channels * w.width));
}

APART void scaled_and_shifted(const real *restrict x, real m, real c, real b, real *restrict out, int64_t n) {
    for (int64_t i = 0; i < n; i++) out[i] = (x[i] - m) * c + b;
}

static int batch_norm_piece(void *p, int64_t piece) {
    struct norm *w = p;
    int64_t end = smaller(w->rows * w->channels, (piece + 1) * w->step);
    for (int64_t row = piece * w->step; row < end; row++) {
        int64_t c = row % w->channels;
        scaled_and_shifted(w->x + row * w->width, w->mean[c], w->inverse[c] * (w->weight ? w->weight[c] : 1),
                           w->bias ? w->bias[c] : 0, w->out + row * w->width, w->width);
    }
    return DONE;
}

/* batch_norm: x, means, inverse deviations, weight or none, bias or none, out | rows, channels, width. */
KERNEL(batch_norm) {
    UNUSED(s);
    struct norm w = {.x = a[0],
                     .mean = a[1],
                     .inverse = a[2],
                     .weight = a[3],
                     .bias = a[4],
                     .out = a[5],
                     .rows = n[0],
                     .channels = n[1],
                     .width = n[2],
                     .step = larger(1, PIECE / larger(1, n[2]))};
    int64_t rows = w.rows * w.channels;
    return in_pieces(batch_norm_piece, &w, pieces_of(rows, w.step), 0.3 * (double)(rows * w.width));
}

APART void gradient_of_channel(const real *restrict g, const real *restrict x, real m, real scale, real middle,
                               real along, real *restrict out, int64_t n) {
    for (int64_t i = 0; i < n; i++) out[i] = scale * (g[i] - middle - (x[i] - m) * along);
}

static int batch_norm_backward_piece(void *p, int64_t c) {
    struct norm *w = p;
    total t = {0, 0}, q = {0, 0};
    wide part, product;
    real m = w->mean[c], inverse = w->inverse[c];
    EACH_ROW (r) {
        const real *g = w->g + AT(r), *x = w->x + AT(r);
        TWO_SUMS_OF(part, product, w->width, OF(g), OF(g) * (OF(x) - m));
        add_to(&t, part);
        add_to(&q, product);
    }
    wide count = (wide)(w->rows * w->width);
    real products = (real)value_of(q) * inverse;
    if (w->g_bias) w->g_bias[c] = (real)value_of(t);
    if (w->g_weight) w->g_weight[c] = products;
    if (!w->out) return DONE;
    real scale = inverse * (w->weight ? w->weight[c] : 1);
    /* With fixed statistics the mean and the deviation do not depend on x. */
    real middle = w->groups ? (real)(value_of(t) / count) : 0,
         along = w->groups ? (real)(products / count) * inverse : 0;
    EACH_ROW (r) gradient_of_channel(w->g + AT(r), w->x + AT(r), m, scale, middle, along, w->out + AT(r), w->width);
    return DONE;
}

/* batch_norm_backward: g, x, means, inverse deviations, weight or none, gradients of x, weight and bias, each or none |
   rows, channels, width, whether the statistics are the batch's own. */
KERNEL(batch_norm_backward) {
    UNUSED(s);
    struct norm w = {.g = a[0],
                     .x = a[1],
                     .mean = a[2],
                     .inverse = a[3],
                     .weight = a[4],
                     .out = a[5],
                     .g_weight = a[6],
                     .g_bias = a[7],
                     .rows = n[0],
                     .channels = n[1],
                     .width = n[2],
                     .groups = n[3]};
    return in_pieces(batch_norm_backward_piece, &w, w.channels, 0.6 * (double)(w.rows * w.channels * w.width));
}

/* ---- group norm: of groups of channels of (rows, channels, width) */

static int group_norm_piece(void *p, int64_t piece) {
    struct norm *w = p;
    int64_t each = w->channels / w->groups, n = each * w->width, first = piece % w->groups * each;
    moments(w->x + piece * n, n, w->eps, w->means + piece, w->inverses + piece);
    for (int64_t c = 0; c < each; c++)
        scaled_and_shifted(w->x + piece * n + c * w->width, w->means[piece],
                           w->inverses[piece] * (w->weight ? w->weight[first + c] : 1),
                           w->bias ? w->bias[first + c] : 0, w->out + piece * n + c * w->width, w->width);
    return DONE;
}

/* group_norm: x, weight or none, bias or none, out, means, inverse deviations | rows, channels, width, groups | eps. */
KERNEL(group_norm) {
    struct norm w = {.x = a[0],
                     .weight = a[1],
                     .bias = a[2],
                     .out = a[3],
                     .means = a[4],
                     .inverses = a[5],
                     .rows = n[0],
                     .channels = n[1],
                     .width = n[2],
                     .groups = n[3],
                     .eps = (real)s[0]};
    return in_pieces(group_norm_piece, &w, w.rows * w.groups, 0.6 * (double)(w.rows * w.channels * w.width));
}

/* A group of channels of a row. First the sum of g and of g times the centred x for each channel; then the gradient, while
   the group is in the cache. */
static int group_norm_backward_piece(void *p, int64_t piece) {
    struct norm *w = p;
    int64_t each = w->channels / w->groups, first = piece % w->groups * each;
    real m = w->mean[piece], inverse = w->inverse[piece];
    wide sum = 0, products = 0, count = (wide)(each * w->width);
    for (int64_t c = 0; c < each; c++) {
        int64_t row = piece * each + c;
        const real *g = w->g + row * w->width, *x = w->x + row * w->width;
        wide of_g, of_both, v = w->weight ? w->weight[first + c] : 1;
        TWO_SUMS_OF(of_g, of_both, w->width, OF(g), OF(g) * (OF(x) - m));
        w->parts[2 * row] = (real)of_g;
        w->parts[2 * row + 1] = (real)of_both;
        sum += v * w->parts[2 * row];
        products += v * w->parts[2 * row + 1];
    }
    if (!w->out) return DONE;
    real middle = (real)(sum / count), along = (real)(products / count) * inverse * inverse;
    for (int64_t c = 0; c < each; c++) {
        int64_t at = (piece * each + c) * w->width;
        real v = w->weight ? w->weight[first + c] : 1;
        const real *restrict g = w->g + at, *restrict x = w->x + at;
        real *restrict out = w->out + at;
        for (int64_t i = 0; i < w->width; i++) out[i] = inverse * (g[i] * v - middle - (x[i] - m) * along);
    }
    return DONE;
}

/* group_norm_backward: g, x, means, inverse deviations, weight or none, gradients of x, weight and bias, each or none |
   rows, channels, width, groups. */
KERNEL(group_norm_backward) {
    UNUSED(s);
    struct norm w = {.g = a[0],
                     .x = a[1],
                     .mean = a[2],
                     .inverse = a[3],
                     .weight = a[4],
                     .out = a[5],
                     .g_weight = a[6],
                     .g_bias = a[7],
                     .rows = n[0],
                     .channels = n[1],
                     .width = n[2],
                     .groups = n[3]};
    int64_t rows = w.rows * w.channels, each = w.channels / w.groups;
    w.parts = scratch(KERNEL_SLOT, sizeof(real) * 2 * (size_t)(rows + 1));
    if (!w.parts) return NO_MEMORY;
    int status = in_pieces(group_norm_backward_piece, &w, w.rows * w.groups, 0.6 * (double)(rows * w.width));
    for (int64_t c = 0; c < w.channels; c++) {
        wide sum = 0, products = 0;
        for (int64_t r = 0; r < w.rows; r++) {
            sum += w.parts[2 * (r * w.channels + c)];
            products += (wide)w.parts[2 * (r * w.channels + c) + 1] * w.inverse[r * w.groups + c / each];
        }
        if (w.g_bias) w.g_bias[c] = (real)sum;
        if (w.g_weight) w.g_weight[c] = (real)products;
    }
    return status;
}
