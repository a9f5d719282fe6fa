/* Convolution of many channels with kernels of 3 by 3, by Winograd's algorithm: 16 products for each 2 by 2 outputs,
   not 36.

   With the transforms B, G and A below, y = A' [(G w G') (B' x B)] A for each tile of 4 by 4 of x, where the product is
   one of matrices over channels for each of the 16 points of a tile; all factors are 1, -1 or 1/2, so that float32
   loses next to nothing. The gradient of w is the same read backwards.

         B' = 1  0 -1  0      G = 1   0   0      A' = 1  1  1  0
              0  1  1  0          .5  .5  .5          0  1 -1 -1
              0 -1  1  0          .5 -.5  .5
              0  1  0 -1          0   0   1

   An infinity or NaN spreads over its tile, further than it should: then nothing was handled. */
#include "convolution.h"

#if REAL_BITS == 32
enum { POINTS = 16, FEWEST_TILES = 48, REALS = 3 << 15 }; /* reals of both sides of a block, which stay in the cache */

/* Some rows of tiles, or a part of one. */
struct block {
    int64_t row, rows, column, columns;
};

/* How outputs are cut into tiles, and these into blocks. */
struct tiles {
    int64_t rows, columns, across, down; /* of the image; of a block at most */
};

INLINE struct tiles cut_in_tiles(const int64_t *size, int64_t in, int64_t outs) {
    struct tiles t = {.rows = pieces_of(size[1], 2), .columns = pieces_of(size[2], 2)};
    int64_t most = larger(FEWEST_TILES, REALS / (POINTS * (in + outs)));
    t.across = pieces_of(t.columns, pieces_of(t.columns, larger(most, 1)));
    t.down = t.across < t.columns ? 1 : smaller(t.rows, larger(1, most / t.columns));
    return t;
}

#define EACH_BLOCK(t, b, first, last) \
    for (struct block b = {.row = (first)}; b.row < (last); b.row += (t).down) \
        for (b.rows = smaller((t).down, (last)-b.row), b.column = 0; \
             b.columns = smaller((t).across, (t).columns - b.column), b.column < (t).columns; b.column += (t).across)

/* Enough to do, channels in whole vectors, and one group of two dimensions. */
static int suits(int64_t groups, int64_t samples, int64_t in, int64_t outs, const int64_t *size, const int64_t *kernel,
                 const int64_t *stride, const int64_t *dilation) {
    int plain = groups == 1 && size[0] == 1 && kernel[0] == 1 && kernel[1] == 3 && kernel[2] == 3;
    for (int d = 0; d < 3; d++) plain = plain && stride[d] == 1 && dilation[d] == 1;
    return plain && in >= 16 && outs >= 16 && in % LANES == 0 && outs % LANES == 0 && size[1] >= 4 && size[2] >= 4
           && samples * size[1] * size[2] >= 256;
}

/* Planes with room for whole tiles, and `beyond` elements more along each side. */
INLINE void plan_tiles(struct planes *p, const struct tiles *t, const int64_t *size, const int64_t *low,
                       int64_t beyond) {
    int64_t ones[3] = {1, 1, 1}, needed[3] = {1, 2 * t->rows + beyond, 2 * t->columns + beyond};
    plan_planes(p, size, low, ones, needed);
}

/* ---- transforms, a vector of channels at a time; points lie `apart` */

#define FOUR(i) _Pragma("GCC unroll 4") for (int i = 0; i < 4; i++)

/* B' x B of the tiles of a block. */
APART void transform_input(const struct planes *p, struct block b, const real *restrict x, int64_t channels,
                           real *restrict to, int64_t apart) {
    int64_t line = p->inner[2] * channels;
    for (int64_t r = 0; r < b.rows; r++)
        for (int64_t c = 0; c < b.columns; c++, to += channels) {
            const real *tile = x + 2 * ((b.row + r) * line + (b.column + c) * channels);
            for (int64_t k = 0; k < channels; k += LANES) {
                vector d[4][4], e[4][4];
                FOUR(i) FOUR(j) d[i][j] = *(const loose *)(tile + i * line + j * channels + k);
                FOUR(j) {
                    e[0][j] = d[0][j] - d[2][j];
                    e[1][j] = d[1][j] + d[2][j];
                    e[2][j] = d[2][j] - d[1][j];
                    e[3][j] = d[1][j] - d[3][j];
                }
                FOUR(i) {
                    real *o = to + 4 * i * apart + k;
                    *(loose *)o = e[i][0] - e[i][2];
                    *(loose *)(o + apart) = e[i][1] + e[i][2];
                    *(loose *)(o + 2 * apart) = e[i][2] - e[i][1];
                    *(loose *)(o + 3 * apart) = e[i][1] - e[i][3];
                }
            }
        }
}

/* A g A' of the tiles of a block. */
APART void transform_gradient(const struct planes *p, struct block b, const real *restrict g, int64_t channels,
                              real *restrict to, int64_t apart) {
    int64_t line = p->inner[2] * channels;
    for (int64_t r = 0; r < b.rows; r++)
        for (int64_t c = 0; c < b.columns; c++, to += channels) {
            const real *tile = g + 2 * ((b.row + r) * line + (b.column + c) * channels);
            for (int64_t k = 0; k < channels; k += LANES) {
                vector e[4][2];
                _Pragma("GCC unroll 2") for (int j = 0; j < 2; j++) {
                    vector up = *(const loose *)(tile + j * channels + k);
                    vector down = *(const loose *)(tile + line + j * channels + k);
                    e[0][j] = up, e[1][j] = up + down, e[2][j] = up - down, e[3][j] = -down;
                }
                FOUR(i) {
                    real *o = to + 4 * i * apart + k;
                    *(loose *)o = e[i][0];
                    *(loose *)(o + apart) = e[i][0] + e[i][1];
                    *(loose *)(o + 2 * apart) = e[i][0] - e[i][1];
                    *(loose *)(o + 3 * apart) = -e[i][1];
                }
            }
        }
}

/* A' m A + bias of the tiles of a block, as `rows` by `columns` positions with their channels side by side. Returns 0,
   or NaN if one of them is not finite. */
APART real transform_output(struct block b, const real *restrict m, int64_t apart, int64_t channels,
                            const real *restrict bias, int64_t rows, int64_t columns, real *restrict to) {
    vector strange = {0};
    for (int64_t r = 0; r < b.rows; r++)
        for (int64_t c = 0; c < b.columns; c++, m += channels) {
            real *tile = to + (2 * r * columns + 2 * c) * channels;
            int below = 2 * r + 1 < rows, right = 2 * c + 1 < columns;
            for (int64_t k = 0; k < channels; k += LANES) {
                vector e[2][4], f, shift = *(const loose *)(bias + k);
                FOUR(j) {
                    vector s[4];
                    FOUR(i) s[i] = *(const loose *)(m + (4 * i + j) * apart + k);
                    e[0][j] = s[0] + s[1] + s[2];
                    e[1][j] = s[1] - s[2] - s[3];
                }
                _Pragma("GCC unroll 2") for (int i = 0; i <= 1; i++) {
                    if (i && !below) break;
                    real *o = tile + i * columns * channels + k;
                    *(loose *)o = f = e[i][0] + e[i][1] + e[i][2] + shift;
                    strange += f * 0;
                    if (!right) continue;
                    *(loose *)(o + channels) = f = e[i][1] - e[i][2] - e[i][3] + shift;
                    strange += f * 0;
                }
            }
        }
    return lanes_sum(strange);
}

/* G w G' for a vector of output channels. */
INLINE void transform_weight(const vector w[9], real *restrict to, int64_t apart) {
    vector e[4][3];
    _Pragma("GCC unroll 3") for (int j = 0; j < 3; j++) {
        vector middle = w[3 + j] / 2, half = (w[j] + w[6 + j]) / 2;
        e[0][j] = w[j], e[1][j] = half + middle, e[2][j] = half - middle, e[3][j] = w[6 + j];
    }
    FOUR(i) {
        vector middle = e[i][1] / 2, half = (e[i][0] + e[i][2]) / 2;
        real *o = to + 4 * i * apart;
        *(loose *)o = e[i][0];
        *(loose *)(o + apart) = half + middle;
        *(loose *)(o + 2 * apart) = half - middle;
        *(loose *)(o + 3 * apart) = e[i][2];
    }
}

/* ---- outputs */

struct outputs {
    struct sweep sweep;
    struct tiles tiles;
    int64_t panel; /* reals of a point's panels */
};

static int outputs_piece(void *argument, int64_t piece) {
    const struct outputs *o = argument;
    const struct sweep *q = &o->sweep;
    int64_t cut = piece % q->cuts, sample = piece / q->cuts, each = pieces_of(o->tiles.rows, q->cuts);
    int64_t volume = q->planes.size[1] * q->planes.size[2], outputs = q->size[1] * q->size[2];
    int64_t room = q->planes.plane * q->in, most = o->tiles.across * o->tiles.down;
    int64_t needed = room + most * (POINTS * q->in + (POINTS + 4) * q->padded) + q->padded;
    real *in = scratch(KERNEL_SLOT, sizeof(real) * (size_t)needed), strange = 0;
    if (!in) return NO_MEMORY;
    real *points = in + room, *products = points + POINTS * most * q->in, *found = products + POINTS * most * q->padded;
    real *bias = found + 4 * most * q->padded, *out = q->out + sample * q->outs * outputs;
    for (int64_t i = 0; i < q->padded; i++) bias[i] = q->bias && i < q->outs ? q->bias[i] : 0;
    NAME(lay_out_whole)(&q->planes, q->x + sample * q->in * volume, q->in, in, in + room);
    EACH_BLOCK (o->tiles, b, cut * each, smaller(o->tiles.rows, (cut + 1) * each)) {
        int64_t count = b.rows * b.columns, row = 2 * b.row, column = 2 * b.column;
        int64_t rows = smaller(2 * b.rows, q->size[1] - row), columns = smaller(2 * b.columns, q->size[2] - column);
        transform_input(&q->planes, b, in, q->in, points, count * q->in);
        for (int t = 0; t < POINTS; t++)
            NAME(add_panels)(points + t * count * q->in, q->in, count, (struct runs){q->in, 1, 0, 0},
                             q->panels + t * o->panel, q->in, 0, q->outs, products + t * count * q->padded, q->padded,
                             0, NULL);
        strange += transform_output(b, products, count * q->padded, q->padded, bias, rows, columns, found);
        if (columns == q->size[2])
            transpose(found, q->padded, rows * columns, q->outs, out + row * columns, outputs);
        else
            for (int64_t r = 0; r < rows; r++)
                transpose(found + r * columns * q->padded, q->padded, columns, q->outs,
                          out + (row + r) * q->size[2] + column, outputs);
    }
    return strange == 0 ? DONE : NOT_HANDLED;
}

int NAME(winograd_outputs)(const struct sweep *q, struct weights w) {
    if (!suits(q->groups, q->samples, q->in, q->outs, q->size, q->kernel, q->stride, q->dilation)) return NOT_HANDLED;
    struct outputs o = {.sweep = *q, .tiles = cut_in_tiles(q->size, q->in, q->outs)};
    plan_tiles(&o.sweep.planes, &o.tiles, q->planes.size, q->planes.low, 2);
    int64_t whole = q->outs / WIDTH * WIDTH, rest = q->outs - whole;
    int64_t padded = whole + (rest ? panel_width(width_class(rest)) : 0);
    o.panel = padded * q->in;
    real *panels = aligned_alloc(64, sizeof(real) * (size_t)(POINTS * o.panel));
    if (!panels) return NO_MEMORY;
    for (int64_t first = 0; first < q->outs; first += WIDTH) {
        int64_t width = panel_width(width_class(smaller(WIDTH, q->outs - first)));
        for (int64_t i = 0; i < q->in; i++)
            for (int64_t k = 0; k < width; k += LANES) {
                vector taps[9] = {0};
                const real *from = w.first + (first + k) * w.of_o + i * w.of_i;
                for (int j = 0; j < LANES && first + k < q->outs; j++, from += w.of_o)
                    for (int t = 0; t < 9; t++) ((real *)taps)[t * LANES + j] = from[t * w.of_t];
                transform_weight(taps, panels + first * q->in + i * width + k, o.panel);
            }
    }
    o.sweep.panels = panels, o.sweep.padded = padded;
    o.sweep.cuts = q->samples >= 4 ? 1 : smaller(4, o.tiles.rows);
    double work = 0.08 * (double)(q->samples * q->size[1] * q->size[2]) * (double)(q->in * q->outs);
    int status = in_pieces(outputs_piece, &o, q->samples * o.sweep.cuts, work);
    free(panels);
    return status;
}

/* ---- the gradient of the weights: the sum over tiles of products of both sides' transforms */

enum { OUTS = 64, SUMS = 1 << 22 }; /* output channels of a piece; reals that all sums may take */

struct gradient {
    const struct conv *w;
    struct tiles tiles;
    struct planes x, g;
    int64_t parts, samples, cuts; /* of the samples; samples of a part; of the output channels */
    real *sums;                   /* (parts, points, outs, in) */
};

static int gradient_piece(void *argument, int64_t piece) {
    const struct gradient *q = argument;
    const struct conv *w = q->w;
    int64_t part = piece / q->cuts, first = piece % q->cuts * OUTS, outs = smaller(OUTS, w->outs - first);
    int64_t x_room = q->x.plane * w->in, g_room = q->g.plane * outs, most = q->tiles.across * q->tiles.down;
    int64_t needed = x_room + g_room + POINTS * most * (w->in + outs);
    real *x = scratch(KERNEL_SLOT, sizeof(real) * (size_t)needed);
    if (!x) return NO_MEMORY;
    real *g = x + x_room, *of_x = g + g_room, *of_g = of_x + POINTS * most * w->in;
    real *sums = q->sums + (part * POINTS * w->outs + first) * w->in;
    int64_t volume = w->size[1] * w->size[2], outputs = w->out_size[1] * w->out_size[2];
    for (int t = 0; t < POINTS; t++) memset(sums + t * w->outs * w->in, 0, sizeof(real) * (size_t)(outs * w->in));
    for (int64_t s = part * q->samples; s < smaller(w->samples, (part + 1) * q->samples); s++) {
        NAME(lay_out_whole)(&q->x, w->x + s * w->in * volume, w->in, x, x + x_room);
        NAME(lay_out_whole)(&q->g, w->g + (s * w->outs + first) * outputs, outs, g, g + g_room);
        EACH_BLOCK (q->tiles, b, 0, q->tiles.rows) {
            int64_t count = b.rows * b.columns;
            transform_input(&q->x, b, x, w->in, of_x, count * w->in);
            transform_gradient(&q->g, b, g, outs, of_g, count * outs);
            for (int t = 0; t < POINTS; t++)
                NAME(add_crossed)(of_g + t * count * outs, outs, outs, of_x + t * count * w->in, w->in, w->in, count,
                                  sums + t * w->outs * w->in, w->in);
        }
    }
    return DONE;
}

/* G' u G. */
INLINE void transform_back(const real u[POINTS], real *restrict to) {
    real e[3][4];
    FOUR(j) {
        real half = (u[4 + j] + u[8 + j]) / 2;
        e[0][j] = u[j] + half, e[1][j] = (u[4 + j] - u[8 + j]) / 2, e[2][j] = half + u[12 + j];
    }
    for (int i = 0; i < 3; i++) {
        real half = (e[i][1] + e[i][2]) / 2;
        to[3 * i] = e[i][0] + half, to[3 * i + 1] = (e[i][1] - e[i][2]) / 2, to[3 * i + 2] = half + e[i][3];
    }
}

int NAME(winograd_weights)(const struct conv *w) {
    if (!suits(w->groups, w->samples, w->in, w->outs, w->out_size, w->kernel, w->stride, w->dilation))
        return NOT_HANDLED;
    struct gradient q = {.w = w, .tiles = cut_in_tiles(w->out_size, w->in, smaller(OUTS, w->outs))};
    int64_t none[3] = {0}, point = w->outs * w->in, all = POINTS * point;
    q.samples = pieces_of(w->samples, smaller(smaller(w->samples, 8), larger(1, SUMS / all)));
    q.parts = pieces_of(w->samples, q.samples), q.cuts = pieces_of(w->outs, OUTS);
    plan_tiles(&q.x, &q.tiles, w->size, w->pad, 2);
    plan_tiles(&q.g, &q.tiles, w->out_size, none, 0);
    q.sums = aligned_alloc(64, sizeof(real) * (size_t)(q.parts * all));
    if (!q.sums) return NO_MEMORY;
    double work = 0.08 * (double)(w->samples * w->out_size[1] * w->out_size[2]) * (double)point;
    int status = in_pieces(gradient_piece, &q, q.parts * q.cuts, work);
    for (int64_t part = 1; part < q.parts; part++)
        for (int64_t i = 0; i < all; i++) q.sums[i] += q.sums[part * all + i];
    for (int64_t i = 0; i < point; i++) {
        real u[POINTS];
        for (int t = 0; t < POINTS; t++) u[t] = q.sums[t * point + i];
        transform_back(u, w->out + 9 * i);
    }
    free(q.sums);
    return status == DONE && !all_finite(w->out, 9 * point) ? NOT_HANDLED : status;
}

#else
int NAME(winograd_outputs)(const struct sweep *q, struct weights w) {
    UNUSED(q), UNUSED(w);
    return NOT_HANDLED;
}
int NAME(winograd_weights)(const struct conv *w) {
    UNUSED(w);
    return NOT_HANDLED;
}
#endif
