/* What the two ways of a convolution share: see convolution.c, and convolution_products.c for many channels. */
#ifndef FACULA_CONVOLUTION_H
#define FACULA_CONVOLUTION_H
#include "layout.h"
#include "product.h"
#include <stdlib.h>

/* A plane with its border, kept as one plane for each phase of the strides. */
struct planes {
    int64_t size[3], low[3], step[3], inner[3], count, plane;
}; /* low: the border before; inner: of a phase */

INLINE void plan_planes(struct planes *p, const int64_t *size, const int64_t *low, const int64_t *step,
                        const int64_t *needed) {
    p->count = p->plane = 1;
    for (int d = 0; d < 3; d++) {
        p->size[d] = size[d], p->low[d] = low[d], p->step[d] = step[d];
        p->inner[d] = pieces_of(needed[d], step[d]);
        p->count *= step[d];
        p->plane *= p->inner[d];
    }
}

/* Reals that a channel takes; behind the last one, slack for vectors that reach beyond. */
INLINE int64_t channel_size(const struct planes *p) { return p->count * p->plane; }
enum { SLACK = 256 };

/* Where the element at a place of the bordered plane lies. */
INLINE int64_t place_in(const struct planes *p, int64_t z, int64_t y, int64_t x) {
    int64_t phase = (z % p->step[0] * p->step[1] + y % p->step[1]) * p->step[2] + x % p->step[2];
    return phase * p->plane + (z / p->step[0] * p->inner[1] + y / p->step[1]) * p->inner[2] + x / p->step[2];
}

INLINE int holds_all(const struct planes *p) {
    int all = p->count == 1;
    for (int d = 0; d < 3; d++) all = all && p->low[d] >= 0 && p->low[d] + p->size[d] <= p->inner[d] && p->size[d] > 0;
    return all;
}

/* A sum over a list, for some output channels and a grid of positions. */
struct grid {
    const struct planes *in;
    const int64_t *offset; /* `count` places in the planes of the input's channels */
    int64_t count;
    const real *weight; /* (blocks of ROWS channels, count, ROWS) */
    int64_t channels;
    int64_t size[3]; /* the outputs; rows of positions are as long as those of the planes */
};

/* What a call is about. */
struct conv {
    const real *x, *weight, *bias, *g;
    real *out;
    int64_t samples, in, outs, groups; /* in and outs: channels of a group */
    int64_t size[3], out_size[3], kernel[3], stride[3], pad[3], dilation[3];
    int64_t taps;
    struct planes planes;
    int64_t *offset;
    real *packed, *parts;
    struct grid grid;
    int64_t cuts, reach; /* parts of a sample's channels; positions of a channel, with slack */
};

INLINE void read_sizes(struct conv *w, const int64_t *n) {
    w->samples = n[0], w->groups = n[3], w->in = n[1] / n[3], w->outs = n[2] / n[3], w->taps = 1;
    for (int d = 0; d < 3; d++) {
        w->size[d] = n[4 + d], w->out_size[d] = n[7 + d], w->kernel[d] = n[10 + d];
        w->stride[d] = n[13 + d], w->pad[d] = n[16 + d], w->dilation[d] = n[19 + d];
        w->taps *= w->kernel[d];
    }
}

#define EACH_TAP(w, z, y, x) \
    for (int64_t z = 0; z < (w)->kernel[0]; z++) \
        for (int64_t y = 0; y < (w)->kernel[1]; y++) \
            for (int64_t x = 0; x < (w)->kernel[2]; x++)

/* The planes of the input, and where each element of a window lies in them. */
INLINE int plan_input(struct conv *w) {
    int64_t needed[3];
    for (int d = 0; d < 3; d++)
        needed[d] = (w->out_size[d] - 1) * w->stride[d] + (w->kernel[d] - 1) * w->dilation[d] + 1;
    plan_planes(&w->planes, w->size, w->pad, w->stride, needed);
    w->offset = malloc(sizeof(int64_t) * (size_t)(w->in * w->taps + 8));
    if (!w->offset) return NO_MEMORY;
    memset(w->offset, 0,
           sizeof(int64_t) * (size_t)(w->in * w->taps + 8)); /* those behind the last are read, and dropped */
    int64_t *to = w->offset;
    for (int64_t c = 0; c < w->in; c++)
        EACH_TAP (w, z, y, x)
            *to++ = c * channel_size(&w->planes)
                    + place_in(&w->planes, z * w->dilation[0], y * w->dilation[1], x * w->dilation[2]);
    return DONE;
}

/* Zeros of borders and between rows are multiplied too, which changes nothing unless the other factor is inf or NaN. */
INLINE int all_finite(const real *x, int64_t n) {
    int64_t strange = 0;
    for (int64_t i = 0; i < n; i++) strange += x[i] - x[i] != 0;
    return !strange;
}

/* Outputs of many channels, or the gradient of the input, which is a convolution of the gradient by the flipped
   weights. */
struct sweep {
    const real *x, *panels, *bias; /* panels: (groups, panels of outputs, taps, channels in, width) */
    real *out;
    int64_t samples, groups, in, outs, padded, cuts; /* padded: outputs of a group in whole panels */
    int64_t size[3], kernel[3], stride[3], dilation[3];
    struct planes planes;
};
/* A sample with its channels side by side, in planes with a border that are not cut into phases. */
void NAME(lay_out_whole)(const struct planes *p, const real *x, int64_t channels, real *to, real *last);

/* Where the weight of output o, input i and tap t of a group lies, by its strides. */
struct weights {
    const real *first;
    int64_t of_o, of_i, of_t;
};

/* winograd.c: outputs and the gradient of weights; not handled where it does not pay, or numbers are not finite. */
int NAME(winograd_outputs)(const struct sweep *q, struct weights weights);
int NAME(winograd_weights)(const struct conv *w);

/* convolution_products.c: the same where it pays, which is said by the first. */
int NAME(has_many_channels)(const struct conv *w);
int NAME(convolution_of_many)(const struct conv *w);
int NAME(input_gradient_of_many)(const struct conv *w);
int NAME(weight_gradient_of_many)(struct conv *w);
#endif
