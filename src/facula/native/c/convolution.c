/* Convolution of one to three dimensions with strides, dilation, padding and groups, and its gradients, without the
   large matrix of windows (im2col).

   The input of a sample is copied once into planes with a border of zeros. In such planes a window's element at offset
   t of all outputs of a row of outputs, and of all rows, lies at `position + offset[t]`: neighbouring outputs are
   neighbours in memory, and a vector of outputs is multiplied by one weight. Positions that fall between two rows are
   computed too, and dropped. With a stride s, each plane is kept as s planes, of every s-th element: then outputs are
   neighbours again.

   So three things are the same few loops, over a list of (channel, offset):
   - outputs: the sum over the list of weight times a vector of positions;
   - the gradient of the input: outputs of a convolution of the gradient by the flipped weights; with strides, one for
   each of the sets of inputs that see the same weights;
   - the gradient of a weight: the sum over all positions of the gradient times the input at the offset. */
#include "convolution.h"

#define ROWS (REGISTERS == 32 ? 8 : 4) /* output channels of a tile */
#define COLUMNS 3                      /* vectors of positions of a tile */
#define SPAN (COLUMNS * LANES)
enum { GRAINS = 8 }; /* parts of a batch that have sums of their own in the gradient of weights */

/* All of the input in planes that are not cut into phases: zeros are written only where nothing else is. */
static void fill_whole_planes(const struct planes *p, const real *x, int64_t channels, real *to) {
    real *end = to; /* of what is written already */
    for (int64_t c = 0; c < channels; c++, to += p->plane)
        for (int64_t z = 0; z < p->size[0]; z++, x += p->size[1] * p->size[2]) {
            real *slice = to + place_in(p, z + p->low[0], p->low[1], p->low[2]);
            memset(end, 0, sizeof(real) * (size_t)(slice - end));
            copy_rows(x, p->size[2], p->size[1], p->size[2], slice, p->inner[2]);
            end = slice + (p->size[1] - 1) * p->inner[2] + p->size[2];
        }
    memset(end, 0, sizeof(real) * (size_t)(to + SLACK - end));
}

APART void fill_planes(const struct planes *p, const real *restrict x, int64_t channels, real *restrict to) {
    if (holds_all(p)) {
        fill_whole_planes(p, x, channels, to);
        return;
    }
    memset(to, 0, sizeof(real) * (size_t)(channels * channel_size(p) + SLACK));
    for (int64_t c = 0; c < channels; c++, to += channel_size(p))
        for (int64_t z = 0; z < p->size[0]; z++)
            for (int64_t y = 0; y < p->size[1]; y++, x += p->size[2]) {
                int64_t zz = z + p->low[0], yy = y + p->low[1];
                /* What lies beyond the last window, or (with negative borders) before the first, is seen by no output.
                 */
                if (zz < 0 || yy < 0 || zz >= p->inner[0] * p->step[0] || yy >= p->inner[1] * p->step[1]) continue;
                int64_t first = larger(0, -p->low[2]), last = smaller(p->size[2], p->inner[2] * p->step[2] - p->low[2]);
                if (last <= first) continue;
                if (p->step[2] == 1) {
                    memcpy(to + place_in(p, zz, yy, first + p->low[2]), x + first,
                           sizeof(real) * (size_t)(last - first));
                    continue;
                }
                for (int64_t f = 0; f < p->step[2] && first + f < last; f++) {
                    real *restrict q = to + place_in(p, zz, yy, first + f + p->low[2]);
                    for (int64_t i = first + f; i < last; i += p->step[2]) *q++ = x[i];
                }
            }
}

/* ---- outputs */

/* out[i][position] = sum over the list of weight[t][i] * in[offset[t] + position] for M channels and a span of
 * positions. */
#define TILE(M, N) \
    APART void tile_##M##_##N(const real *restrict in, const int64_t *restrict offset, int64_t count, \
                              const real *restrict weight, int64_t step, real *restrict out, int64_t apart) { \
        vector t[M][N]; \
        _Pragma("GCC unroll 8") for (int i = 0; i < M; i++) _Pragma("GCC unroll 4") for (int j = 0; j < N; j++) \
            t[i][j] = (vector){0}; \
        for (int64_t k = 0; k < count; k++) { \
            const real *x = in + offset[k]; \
            vector v[N]; \
            _Pragma("GCC unroll 4") for (int j = 0; j < N; j++) v[j] = *(const loose *)(x + j * LANES); \
            _Pragma("GCC unroll 8") for (int i = 0; i < M; i++) { \
                real s = weight[i]; \
                _Pragma("GCC unroll 4") for (int j = 0; j < N; j++) t[i][j] += s * v[j]; \
            } \
            weight += step; \
        } \
        _Pragma("GCC unroll 8") for (int i = 0; i < M; i++) _Pragma("GCC unroll 4") for (int j = 0; j < N; j++) \
            * (loose *)(out + i * apart + j * LANES) = t[i][j]; \
    }
TILE(8, 3)
TILE(4, 3)
TILE(2, 3)
TILE(1, 3)
TILE(8, 1)
TILE(4, 1)
TILE(2, 1)
TILE(1, 1)

#define ALL_ROWS(N) \
    for (; i + 8 <= rows; i += 8) tile_8_##N(in + at, g->offset, g->count, weight + i, ROWS, to + i * apart, apart); \
    for (; i + 4 <= rows; i += 4) tile_4_##N(in + at, g->offset, g->count, weight + i, ROWS, to + i * apart, apart); \
    for (; i + 2 <= rows; i += 2) tile_2_##N(in + at, g->offset, g->count, weight + i, ROWS, to + i * apart, apart); \
    for (; i < rows; i++) tile_1_##N(in + at, g->offset, g->count, weight + i, ROWS, to + i * apart, apart);

INLINE int64_t positions_of(const struct grid *g) {
    return ((g->size[0] - 1) * g->in->inner[1] + g->size[1] - 1) * g->in->inner[2] + g->size[2];
}

/* For output channels from `first`: `apart` reals from channel to channel. */
static void compute_grid(const struct grid *g, const real *in, int64_t first, int64_t last, real *out, int64_t apart) {
    int64_t positions = positions_of(g);
    for (int64_t at = 0, step; at < positions; at += step) {
        step = positions - at > 2 * LANES ? SPAN : LANES; /* a vector at a time for what is left */
        for (int64_t c = first; c < last; c += ROWS) {
            const real *weight = g->weight + c * g->count;
            real *to = out + (c - first) * apart + at;
            int64_t rows = smaller(ROWS, last - c), i = 0;
            if (step == SPAN) {
                ALL_ROWS(3)
            } else {
                ALL_ROWS(1)
            }
        }
    }
}

static void copy_grid(const struct grid *g, const real *from, real bias, real *restrict out) {
    for (int64_t z = 0; z < g->size[0]; z++)
        for (int64_t y = 0; y < g->size[1]; y++, out += g->size[2]) {
            const real *restrict row = from + (z * g->in->inner[1] + y) * g->in->inner[2];
            for (int64_t i = 0; i < g->size[2]; i++) out[i] = row[i] + bias;
        }
}

static int forward_piece(void *p, int64_t piece) {
    struct conv *w = p;
    int64_t cut = piece % w->cuts, group = piece / w->cuts % w->groups, sample = piece / w->cuts / w->groups;
    int64_t each = rounded_up(pieces_of(w->outs, w->cuts), ROWS), first = cut * each,
            last = smaller(w->outs, first + each);
    if (first >= last) return DONE;
    int64_t volume = w->size[0] * w->size[1] * w->size[2], outputs = w->out_size[0] * w->out_size[1] * w->out_size[2];
    int64_t room = w->in * channel_size(&w->planes) + SLACK;
    real *in = scratch(KERNEL_SLOT, sizeof(real) * (size_t)(room + (last - first) * w->reach));
    if (!in) return NO_MEMORY;
    fill_planes(&w->planes, w->x + (sample * w->groups + group) * w->in * volume, w->in, in);
    struct grid grid = w->grid;
    grid.weight += group * rounded_up(w->outs, ROWS) * grid.count;
    compute_grid(&grid, in, first, last, in + room, w->reach);
    for (int64_t i = first; i < last; i++) {
        int64_t channel = group * w->outs + i;
        copy_grid(&grid, in + room + (i - first) * w->reach, w->bias ? w->bias[channel] : 0,
                  w->out + (sample * w->groups * w->outs + channel) * outputs);
    }
    return DONE;
}

/* (channels, count) as (blocks of ROWS channels, count, ROWS), so that a tile reads weights one after the other. */
static void pack_weights(const real *restrict weight, int64_t channels, int64_t count, real *restrict to) {
    for (int64_t c = 0; c < rounded_up(channels, ROWS); c++)
        for (int64_t t = 0; t < count; t++)
            to[c / ROWS * ROWS * count + t * ROWS + c % ROWS] = c < channels ? weight[c * count + t] : 0;
}

/* convolution: x, weight, bias or none, out | samples, channels in, channels out, groups; sizes, output sizes, kernel,
   stride, padding, dilation: three of each. */
KERNEL(convolution) {
    UNUSED(s);
    struct conv w = {.x = a[0], .weight = a[1], .bias = a[2], .out = a[3]};
    read_sizes(&w, n);
    int64_t count = w.in * w.taps, block = rounded_up(w.outs, ROWS) * count;
    if (!all_finite(w.weight, w.groups * w.outs * count)) return NOT_HANDLED;
    if (NAME(has_many_channels)(&w)) return NAME(convolution_of_many)(&w);
    if (plan_input(&w) != DONE) return NO_MEMORY;
    w.packed = aligned_alloc(64, sizeof(real) * (size_t)rounded_up(w.groups * block + 16, 64));
    int status = NO_MEMORY;
    if (w.packed) {
        for (int64_t g = 0; g < w.groups; g++)
            pack_weights(w.weight + g * w.outs * count, w.outs, count, w.packed + g * block);
        w.grid =
            (struct grid){&w.planes, w.offset, count, w.packed, w.outs, {w.out_size[0], w.out_size[1], w.out_size[2]}};
        w.reach = rounded_up(positions_of(&w.grid), SPAN);
        w.cuts = w.samples * w.groups >= 4 ? 1 : smaller(4, pieces_of(w.outs, ROWS));
        double work = 0.02 * (double)(w.samples * w.groups * w.outs * w.reach) * (double)count;
        status = in_pieces(forward_piece, &w, w.samples * w.groups * w.cuts, work);
    }
    free(w.packed);
    free(w.offset);
    return status;
}

/* ---- the gradient of the input

   Input i gets the gradient of output o by tap t where i + pad = o stride + t dilation. For inputs with the same
   remainder of (i + pad) by the stride these are the same taps, and o runs with i: a convolution of the gradient with
   stride 1. */

struct phase {
    struct grid grid;
    int64_t first[3];
}; /* its first input */

/* Rows of inputs that lie a stride apart. */
static void copy_apart(const real *restrict from, int64_t from_row, const int64_t *size, real *restrict to,
                       int64_t to_row, const int64_t *stride) {
    if (stride[1] == 1 && stride[2] == 1) copy_rows(from, from_row, size[1], size[2], to, to_row);
    else
        for (int64_t y = 0; y < size[1]; y++, from += from_row, to += to_row * stride[1])
            for (int64_t x = 0; x < size[2]; x++) to[x * stride[2]] = from[x];
}

static int input_gradient_piece(void *p, int64_t piece) {
    struct conv *w = ((void **)p)[0];
    struct phase *phases = ((void **)p)[1];
    int64_t phase_count = *(int64_t *)((void **)p)[2];
    int64_t group = piece % w->groups, sample = piece / w->groups;
    int64_t volume = w->size[0] * w->size[1] * w->size[2], outputs = w->out_size[0] * w->out_size[1] * w->out_size[2];
    int64_t room = w->outs * channel_size(&w->planes) + SLACK;
    real *in = scratch(KERNEL_SLOT, sizeof(real) * (size_t)(room + ROWS * w->reach));
    if (!in) return NO_MEMORY;
    fill_planes(&w->planes, w->g + (sample * w->groups + group) * w->outs * outputs, w->outs, in);
    real *out = w->out + (sample * w->groups + group) * w->in * volume;
    for (int64_t f = 0; f < phase_count; f++) {
        struct grid grid = phases[f].grid;
        if (!grid.size[0] || !grid.size[1] || !grid.size[2]) continue;
        grid.weight += group * rounded_up(w->in, ROWS) * grid.count;
        for (int64_t c = 0; c < w->in; c += ROWS) {
            int64_t end = smaller(w->in, c + ROWS);
            compute_grid(&grid, in, c, end, in + room, w->reach);
            for (int64_t i = c; i < end; i++)
                for (int64_t z = 0; z < grid.size[0]; z++) {
                    const real *rows = in + room + (i - c) * w->reach + z * w->planes.inner[1] * w->planes.inner[2];
                    real *to = out
                               + ((i * w->size[0] + phases[f].first[0] + z * w->stride[0]) * w->size[1]
                                  + phases[f].first[1])
                                     * w->size[2]
                               + phases[f].first[2];
                    copy_apart(rows, w->planes.inner[2], grid.size, to, w->size[2], w->stride);
                }
        }
    }
    return DONE;
}

/* The phase with remainders r: its list of (output channel, tap), offsets and weights, and which inputs it has. */
static void plan_phase(const struct conv *w, const int64_t r[3], struct phase *f, int64_t *offset, real *packed) {
    int64_t start[3]; /* o of the first input at tap 0, plus the border */
    for (int d = 0; d < 3; d++) {
        f->first[d] = ((r[d] - w->pad[d]) % w->stride[d] + w->stride[d]) % w->stride[d];
        f->grid.size[d] = f->first[d] < w->size[d] ? pieces_of(w->size[d] - f->first[d], w->stride[d]) : 0;
        start[d] = (f->first[d] + w->pad[d] - r[d]) / w->stride[d] + w->planes.low[d];
    }
    int64_t count = 0;
    f->grid.in = &w->planes, f->grid.offset = offset, f->grid.channels = w->in;
    for (int64_t c = 0; c < w->outs; c++)
        EACH_TAP (w, z, y, x) {
            int64_t t[3] = {z, y, x}, back[3];
            int fits = 1;
            for (int d = 0; d < 3; d++) {
                int64_t along = t[d] * w->dilation[d];
                fits = fits && along % w->stride[d] == r[d];
                back[d] = start[d] - along / w->stride[d];
            }
            if (fits) offset[count++] = c * channel_size(&w->planes) + place_in(&w->planes, back[0], back[1], back[2]);
        }
    f->grid.count = count;
    f->grid.weight = packed;
    int64_t block = rounded_up(w->in, ROWS) * count, at = 0;
    memset(packed, 0, sizeof(real) * (size_t)(w->groups * block));
    for (int64_t c = 0; c < w->outs; c++)
        EACH_TAP (w, z, y, x) {
            int64_t t[3] = {z, y, x};
            int fits = 1;
            for (int d = 0; d < 3; d++) fits = fits && t[d] * w->dilation[d] % w->stride[d] == r[d];
            if (!fits) continue;
            int64_t tap = (z * w->kernel[1] + y) * w->kernel[2] + x;
            for (int64_t g = 0; g < w->groups; g++)
                for (int64_t i = 0; i < w->in; i++)
                    packed[g * block + i / ROWS * ROWS * count + at * ROWS + i % ROWS] =
                        w->weight[((g * w->outs + c) * w->in + i) * w->taps + tap];
            at++;
        }
}

/* convolution_input_gradient: g, weight, gradient of x | as convolution. */
KERNEL(convolution_input_gradient) {
    UNUSED(s);
    struct conv w = {.g = a[0], .weight = a[1], .out = a[2]};
    read_sizes(&w, n);
    if (!all_finite(w.weight, w.groups * w.outs * w.in * w.taps)) return NOT_HANDLED;
    if (NAME(has_many_channels)(&w)) {
        int status = NAME(input_gradient_of_many)(&w);
        if (status != NOT_HANDLED) return status;
    }
    int64_t low[3], ones[3] = {1, 1, 1}, needed[3], phase_count = 1;
    for (int d = 0; d < 3; d++) {
        /* A border wide enough that o = (i + pad - t dilation) / stride stays inside for every input and tap. */
        int64_t span = (w.kernel[d] - 1) * w.dilation[d];
        low[d] = pieces_of(larger(0, span - w.pad[d]), w.stride[d]);
        int64_t highest = (w.size[d] - 1 + w.pad[d]) / w.stride[d];
        needed[d] = low[d] + larger(w.out_size[d], highest + 1);
        phase_count *= w.stride[d];
    }
    plan_planes(&w.planes, w.out_size, low, ones, needed);
    int64_t list = w.outs * w.taps, block = w.groups * rounded_up(w.in, ROWS) * list;
    struct phase *phases = calloc((size_t)phase_count, sizeof *phases);
    w.offset = malloc(sizeof(int64_t) * (size_t)(phase_count * list + 8));
    w.packed = aligned_alloc(64, sizeof(real) * (size_t)rounded_up(block + 64, 64));
    int status = NO_MEMORY;
    if (phases && w.offset && w.packed) {
        int64_t f = 0, offsets = 0, weights = 0;
        for (int64_t z = 0; z < w.stride[0]; z++)
            for (int64_t y = 0; y < w.stride[1]; y++)
                for (int64_t x = 0; x < w.stride[2]; x++, f++) {
                    plan_phase(&w, (int64_t[3]){z, y, x}, phases + f, w.offset + offsets, w.packed + weights);
                    offsets += phases[f].grid.count;
                    weights += w.groups * rounded_up(w.in, ROWS) * phases[f].grid.count;
                    w.reach = larger(w.reach, rounded_up(larger(1, positions_of(&phases[f].grid)), SPAN));
                }
        double work =
            0.02 * (double)(w.samples * w.groups * w.in * w.out_size[0] * w.out_size[1] * w.out_size[2]) * (double)list;
        void *both[3] = {&w, phases, &phase_count};
        status = in_pieces(input_gradient_piece, both, w.samples * w.groups, work);
    }
    free(phases);
    free(w.offset);
    free(w.packed);
    return status;
}

/* ---- the gradient of the weights */

#define CHANNELS ROWS
enum {
    TAPS = 3,
    STRETCH = 896
}; /* a tile: few taps, as these are read from odd places; positions that stay in the cache */

/* sums[i][t] += g[i][position] * in[offset[t] + position], over positions lane by lane. */
APART void add_products(const real *restrict g, int64_t apart, const real *restrict in, const int64_t *restrict offset,
                        int64_t positions, vector *restrict sums) {
    vector t[CHANNELS][TAPS];
    const real *x[TAPS];
    _Pragma("GCC unroll 8") for (int k = 0; k < TAPS; k++) x[k] = in + offset[k];
    _Pragma("GCC unroll 8") for (int i = 0; i < CHANNELS; i++) _Pragma("GCC unroll 8") for (int k = 0; k < TAPS; k++)
        t[i][k] = sums[i * TAPS + k];
    for (int64_t at = 0; at < positions; at += LANES) {
        vector v[TAPS];
        _Pragma("GCC unroll 8") for (int k = 0; k < TAPS; k++) v[k] = *(const loose *)(x[k] + at);
        _Pragma("GCC unroll 8") for (int i = 0; i < CHANNELS; i++) {
            vector q = *(const loose *)(g + i * apart + at);
            _Pragma("GCC unroll 8") for (int k = 0; k < TAPS; k++) t[i][k] += q * v[k];
        }
    }
    _Pragma("GCC unroll 8") for (int i = 0; i < CHANNELS; i++) _Pragma("GCC unroll 8") for (int k = 0; k < TAPS; k++)
        sums[i * TAPS + k] = t[i][k];
}

INLINE real row_of_lanes(const real *x) {
    real t[4] = {0};
    for (int i = 0; i < LANES; i++) t[i % 4 % LANES] += x[i];
    return (t[0] + t[1]) + (t[2] + t[3]);
}

/* The gradient of a channel on the grid of positions: zeros between rows, where the input holds what no output sees. */
static void fill_grid(const struct conv *w, const real *g, real *to) {
    real *end = to;
    for (int64_t z = 0; z < w->out_size[0]; z++, g += w->out_size[1] * w->out_size[2]) {
        real *slice = to + z * w->planes.inner[1] * w->planes.inner[2];
        memset(end, 0, sizeof(real) * (size_t)(slice - end));
        copy_rows(g, w->out_size[2], w->out_size[1], w->out_size[2], slice, w->planes.inner[2]);
        end = slice + (w->out_size[1] - 1) * w->planes.inner[2] + w->out_size[2];
    }
    memset(end, 0, sizeof(real) * (size_t)(to + w->reach - end));
}

/* Some samples: first the planes of all of them, then for a few output channels at a time all samples and all taps, so
   that the sums stay in the cache in lanes, and are added up once. */
static int weight_gradient_piece(void *p, int64_t piece) {
    struct conv *w = p;
    int64_t count = w->in * w->taps, tap_groups = pieces_of(count, TAPS);
    int64_t volume = w->size[0] * w->size[1] * w->size[2], outputs = w->out_size[0] * w->out_size[1] * w->out_size[2];
    int64_t step = pieces_of(w->samples, GRAINS), first = piece * step, last = smaller(w->samples, first + step);
    int64_t room = rounded_up(w->in * channel_size(&w->planes) + SLACK, LANES),
            sum_count = tap_groups * CHANNELS * TAPS;
    vector *sums = scratch(KERNEL_SLOT, sizeof(vector) * (size_t)sum_count
                                            + sizeof(real) * (size_t)(CHANNELS * w->reach + (last - first) * room));
    if (!sums) return NO_MEMORY;
    real *grid = (real *)(sums + sum_count), *planes = grid + CHANNELS * w->reach;
    for (int64_t group = 0; group < w->groups; group++) {
        for (int64_t sample = first; sample < last; sample++)
            fill_planes(&w->planes, w->x + (sample * w->groups + group) * w->in * volume, w->in,
                        planes + (sample - first) * room);
        for (int64_t c = 0; c < w->outs; c += CHANNELS) {
            int64_t channels = smaller(CHANNELS, w->outs - c);
            memset(sums, 0, sizeof(vector) * (size_t)sum_count);
            if (channels < CHANNELS) memset(grid, 0, sizeof(real) * (size_t)(CHANNELS * w->reach));
            for (int64_t sample = first; sample < last; sample++) {
                const real *in = planes + (sample - first) * room;
                for (int64_t i = 0; i < channels; i++)
                    fill_grid(w, w->g + ((sample * w->groups + group) * w->outs + c + i) * outputs,
                              grid + i * w->reach);
                for (int64_t at = 0; at < w->reach; at += STRETCH)
                    for (int64_t t = 0; t < tap_groups; t++)
                        add_products(grid + at, w->reach, in + at, w->offset + t * TAPS,
                                     smaller(STRETCH, w->reach - at), sums + t * CHANNELS * TAPS);
            }
            for (int64_t i = 0; i < channels; i++)
                for (int64_t t = 0; t < count; t++)
                    w->parts[((piece * w->groups + group) * w->outs + c + i) * count + t] =
                        row_of_lanes((const real *)(sums + (t / TAPS * CHANNELS + i) * TAPS + t % TAPS));
        }
    }
    return DONE;
}

/* convolution_weight_gradient: g, x, gradient of the weight | as convolution. */
KERNEL(convolution_weight_gradient) {
    UNUSED(s);
    struct conv w = {.g = a[0], .x = a[1], .out = a[2]};
    read_sizes(&w, n);
    int64_t count = w.in * w.taps, all = w.groups * w.outs * count;
    int64_t pieces = w.samples ? pieces_of(w.samples, pieces_of(w.samples, GRAINS)) : 0;
    if (plan_input(&w) != DONE) return NO_MEMORY;
    struct grid grid = {&w.planes, w.offset, count, 0, w.outs, {w.out_size[0], w.out_size[1], w.out_size[2]}};
    w.reach = rounded_up(positions_of(&grid), LANES);
    if (2 * w.in > LANES) {
        int status = NAME(weight_gradient_of_many)(&w);
        free(w.offset);
        return status;
    }
    w.parts = malloc(sizeof(real) * (size_t)(pieces * all + 1));
    int status = NO_MEMORY;
    if (w.parts) {
        status = in_pieces(weight_gradient_piece, &w, pieces, 0.03 * (double)(w.samples * all) * (double)w.reach);
        memset(w.out, 0, sizeof(real) * (size_t)all);
        for (int64_t piece = 0; piece < pieces; piece++)
            for (int64_t i = 0; i < all; i++) w.out[i] += w.parts[piece * all + i];
        if (status == DONE && !all_finite(w.out, all)) status = NOT_HANDLED;
    }
    free(w.parts);
    free(w.offset);
    return status;
}
