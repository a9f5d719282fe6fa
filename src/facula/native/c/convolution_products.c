/* Convolution of many channels, as products of matrices without the large matrix of windows.

   The input of a sample is laid out with the channels of a position side by side, in planes with a border of zeros.
   What a row of a window holds of all channels then lies in one piece, and the windows of neighbouring outputs begin a
   stride apart: they are the rows of a matrix that was never copied, and a row of outputs, with its channels side by
   side, is the sum over the window's rows of such matrices times the weights. */
#include "convolution.h"

enum { RUN = 256, ROOM = 1 << 22 }; /* positions at a time; reals for the samples that are laid out at once */

/* A few channels at a time, since so many streams are read. */
void NAME(lay_out_whole)(const struct planes *p, const real *x, int64_t channels, real *to, real *last) {
    int64_t slice = p->size[1] * p->size[2];
    real *end = to; /* of what is written, or will be */
    for (int64_t z = 0; z < p->size[0]; z++)
        for (int64_t y = 0; y < p->size[1]; y++) {
            real *row = to + place_in(p, z + p->low[0], y + p->low[1], p->low[2]) * channels;
            memset(end, 0, sizeof(real) * (size_t)(row - end));
            end = row + p->size[2] * channels;
        }
    memset(end, 0, sizeof(real) * (size_t)(last - end));
    for (int64_t next = 0; next < channels; next += LANES) {
        int64_t c = smaller(next, channels - LANES);
        for (int64_t z = 0; z < p->size[0]; z++)
            for (int64_t y = 0; y < p->size[1]; y++)
                transpose(x + (c * p->size[0] + z) * slice + y * p->size[2], p->size[0] * slice, LANES, p->size[2],
                          to + place_in(p, z + p->low[0], y + p->low[1], p->low[2]) * channels + c, channels);
    }
}

/* ---- outputs, and the gradient of the input */

int NAME(has_many_channels)(const struct conv *w) {
    return w->in >= LANES && w->outs >= 2 * LANES && w->out_size[2] > 1 && w->taps > 1;
}

/* The taps along a dimension that see more than the border, of the windows that begin at a place of the plane. */
INLINE int64_t first_tap(const struct sweep *q, int d, int64_t at) {
    return at >= q->planes.low[d] ? 0 : smaller(q->kernel[d], pieces_of(q->planes.low[d] - at, q->dilation[d]));
}
INLINE int64_t last_tap(const struct sweep *q, int d, int64_t at) {
    int64_t rest = q->planes.low[d] + q->planes.size[d] - at;
    return rest <= 0 ? 0 : smaller(q->kernel[d], pieces_of(rest, q->dilation[d]));
}

/* A row of outputs, its channels side by side, from windows that begin in a row of a plane. Taps beside each other are
   one run along k; if they are, so are those below each other but for what lies between. */
static void sweep_row(const struct sweep *q, const real *panels, const real *in, int64_t slice, int64_t row,
                      const real *bias, real *to) {
    const int64_t *kernel = q->kernel, *inner = q->planes.inner, length = inner[2] * q->in;
    int64_t top = first_tap(q, 1, row), bottom = larger(top, last_tap(q, 1, row)), step = bottom - top, adds = 0;
    struct runs runs = {kernel[2] * q->in, step, q->dilation[1] * length - kernel[2] * q->in, 0};
    if (q->dilation[2] > 1) runs = (struct runs){q->in, kernel[2], (q->dilation[2] - 1) * q->in, 0}, step = 1;
    for (int64_t z = first_tap(q, 0, slice), behind = last_tap(q, 0, slice); z < behind; z++)
        for (int64_t y = top; y < bottom; y += step, adds = 1)
            NAME(add_panels)(in + ((slice + z * q->dilation[0]) * inner[1] + row + y * q->dilation[1]) * length,
                             q->stride[2] * q->in, q->size[2], runs, panels, kernel[0] * kernel[1] * kernel[2] * q->in,
                             (z * kernel[1] + y) * kernel[2] * q->in, q->outs, to, q->padded, adds, bias);
    for (int64_t i = 0; i < q->size[2] * q->padded && !adds; i++) to[i] = bias ? bias[i % q->padded] : 0;
}

static int sweep_piece(void *p, int64_t piece) {
    const struct sweep *q = p;
    const int64_t *size = q->size, *from = q->planes.size;
    int64_t cut = piece % q->cuts, group = piece / q->cuts % q->groups, sample = piece / q->cuts / q->groups;
    int64_t taps = q->kernel[0] * q->kernel[1] * q->kernel[2], rows = size[0] * size[1], outputs = rows * size[2];
    int64_t room = rounded_up(q->planes.plane * q->in, LANES), volume = from[0] * from[1] * from[2];
    int64_t at_once = larger(1, RUN / size[2]), each = pieces_of(rows, q->cuts), last = smaller(rows, (cut + 1) * each);
    real *in = scratch(KERNEL_SLOT, sizeof(real) * (size_t)(room + (1 + at_once * size[2]) * q->padded));
    if (!in) return NO_MEMORY;
    real *bias = in + room, *found = bias + q->padded, *out = q->out + (sample * q->groups + group) * q->outs * outputs;
    for (int64_t i = 0; i < q->padded; i++) bias[i] = q->bias && i < q->outs ? q->bias[group * q->outs + i] : 0;
    NAME(lay_out_whole)(&q->planes, q->x + (sample * q->groups + group) * q->in * volume, q->in, in, in + room);
    for (int64_t first = cut * each, count; first < last; first += count) {
        count = smaller(at_once, last - first);
        for (int64_t r = first; r < first + count; r++)
            sweep_row(q, q->panels + group * taps * q->in * q->padded, in, r / size[1] * q->stride[0],
                      r % size[1] * q->stride[1], q->bias ? bias : NULL, found + (r - first) * size[2] * q->padded);
        transpose(found, q->padded, count * size[2], q->outs, out + first * size[2], outputs);
    }
    return DONE;
}

static int sweep(struct sweep *q, struct weights w) {
    int status = NAME(winograd_outputs)(q, w);
    if (status != NOT_HANDLED) return status;
    int64_t taps = q->kernel[0] * q->kernel[1] * q->kernel[2], depth = taps * q->in;
    int64_t whole = q->outs / WIDTH * WIDTH, rest = q->outs - whole;
    q->padded = whole + (rest ? panel_width(width_class(rest)) : 0);
    real *panels = aligned_alloc(64, sizeof(real) * (size_t)rounded_up(q->groups * depth * q->padded, 64));
    if (!panels) return NO_MEMORY;
    real *to = panels;
    for (int64_t g = 0; g < q->groups; g++, w.first += depth * q->outs)
        for (int64_t o = 0; o < q->outs; o += WIDTH) {
            int64_t width = panel_width(width_class(smaller(WIDTH, q->outs - o)));
            for (int64_t t = 0; t < taps; t++)
                for (int64_t i = 0; i < q->in; i++, to += width)
                    for (int64_t k = 0; k < width; k++)
                        to[k] = o + k < q->outs ? w.first[(o + k) * w.of_o + i * w.of_i + t * w.of_t] : 0;
        }
    q->panels = panels;
    q->cuts = q->samples * q->groups >= 4 ? 1 : smaller(4, q->size[0] * q->size[1]);
    double outputs = (double)(q->size[0] * q->size[1] * q->size[2]), work = 0.02 * outputs * (double)depth;
    work *= (double)(q->samples * q->groups * q->outs);
    status = in_pieces(sweep_piece, q, q->samples * q->groups * q->cuts, work);
    free(panels);
    return status;
}

static const int64_t ONES[3] = {1, 1, 1};

int NAME(convolution_of_many)(const struct conv *w) {
    struct sweep q = {.x = w->x, .bias = w->bias, .out = w->out, .samples = w->samples, .groups = w->groups,
                      .in = w->in, .outs = w->outs};
    int64_t needed[3];
    for (int d = 0; d < 3; d++) {
        q.size[d] = w->out_size[d], q.kernel[d] = w->kernel[d];
        q.stride[d] = w->stride[d], q.dilation[d] = w->dilation[d];
        needed[d] = larger(w->pad[d] + w->size[d],
                           (w->out_size[d] - 1) * w->stride[d] + (w->kernel[d] - 1) * w->dilation[d] + 1);
    }
    plan_planes(&q.planes, w->size, w->pad, ONES, needed);
    return sweep(&q, (struct weights){w->weight, w->in * w->taps, w->taps, 1});
}

/* Of strides 1, and where the border of the gradient is not a negative one. */
int NAME(input_gradient_of_many)(const struct conv *w) {
    struct sweep q = {.x = w->g, .out = w->out, .samples = w->samples, .groups = w->groups, .in = w->outs,
                      .outs = w->in};
    int64_t low[3], needed[3];
    for (int d = 0; d < 3; d++) {
        low[d] = (w->kernel[d] - 1) * w->dilation[d] - w->pad[d];
        if (low[d] < 0 || w->stride[d] != 1) return NOT_HANDLED;
        q.size[d] = w->size[d], q.kernel[d] = w->kernel[d], q.stride[d] = 1, q.dilation[d] = w->dilation[d];
        needed[d] = w->size[d] + (w->kernel[d] - 1) * w->dilation[d];
    }
    plan_planes(&q.planes, w->out_size, low, ONES, needed);
    return sweep(&q, (struct weights){w->weight + w->taps - 1, w->taps, w->in * w->taps, -1});
}

/* ---- the gradient of the weights

   What a tap needs of all positions is a matrix of B's kind, which begins at the tap's offset: the gradient of its
   weights is a product of matrices. Taps that are neighbours in a row see neighbouring positions: they are columns of
   one product. */

struct products {
    struct conv *w;
    real *x, *sums; /* (samples, positions, across), (taps / along, outs, along, across) */
    int64_t first, samples, group, across, along, room, block; /* along: taps of a product */
};

/* Which group of which sample: of those that are laid out. */
INLINE int64_t sample_of(const struct products *q, int64_t i) { return (q->first + i) * q->w->groups + q->group; }

/* The input of a sample with its channels side by side, in bordered planes. */
static int lay_out_piece(void *p, int64_t piece) {
    struct products *q = p;
    const struct conv *w = q->w;
    const struct planes *f = &w->planes;
    int64_t volume = w->size[0] * w->size[1] * w->size[2], across = q->across;
    const real *x = w->x + sample_of(q, piece) * w->in * volume;
    real *to = q->x + piece * q->room;
    if (holds_all(f) && w->in == across && across >= LANES) NAME(lay_out_whole)(f, x, w->in, to, to + q->room);
    else {
        memset(to, 0, sizeof(real) * (size_t)q->room);
        for (int64_t z = 0; z < w->size[0]; z++)
            for (int64_t y = 0; y < w->size[1]; y++, x += w->size[2]) {
                int64_t zz = z + f->low[0], yy = y + f->low[1];
                if (zz >= f->inner[0] * f->step[0] || yy >= f->inner[1] * f->step[1]) continue;
                for (int64_t i = 0; i < smaller(w->size[2], f->inner[2] * f->step[2] - f->low[2]); i++) {
                    const real *restrict from = x + i;
                    real *restrict o = to + place_in(f, zz, yy, i + f->low[2]) * across;
                    for (int64_t c = 0; c < w->in; c++) o[c] = from[c * volume];
                }
            }
    }
    return DONE;
}

/* The gradients of some output channels' weights, of all samples that are laid out: several rows of outputs at a time,
   or a part of one. */
static int products_piece(void *p, int64_t piece) {
    struct products *q = p;
    const struct conv *w = q->w;
    const int64_t *inner = w->planes.inner, height = w->out_size[1], length = w->out_size[2];
    int64_t first = piece * q->block, rows = smaller(q->block, w->outs - first), columns = q->along * q->across;
    int64_t run = smaller(length, RUN), most = RUN / run, outputs = w->out_size[0] * height * length, count;
    for (int64_t sample = 0; sample < q->samples; sample++)
        for (int64_t y = 0; y < w->out_size[0] * height; y += count) {
            count = run < length ? 1 : smaller(most, height - y % height);
            const real *g = w->g + (sample_of(q, sample) * w->outs + first) * outputs + y * length;
            const real *x = q->x + sample * q->room + (y / height * inner[1] + y % height) * inner[2] * q->across;
            for (int64_t at = 0; at < length; at += run)
                for (int64_t t = 0; t < w->taps; t += q->along)
                    NAME(add_product)(g + at, outputs, rows, x + (w->offset[t] + at) * q->across, q->across, columns,
                                      smaller(run, length - at), count, (inner[2] - length) * q->across,
                                      q->sums + t * w->outs * q->across + first * columns, columns);
        }
    return DONE;
}

int NAME(weight_gradient_of_many)(struct conv *w) {
    int status = NAME(winograd_weights)(w);
    if (status != NOT_HANDLED) return status;
    struct products q = {.w = w, .across = rounded_up(w->in, LANES)};
    q.along = w->stride[2] == 1 && w->dilation[2] == 1 ? w->kernel[2] : 1;
    q.room = channel_size(&w->planes) * q.across;
    int64_t sums = w->taps * w->outs * q.across, most = larger(1, smaller(w->samples, ROOM / q.room));
    real *memory = scratch(KERNEL_SLOT, sizeof(real) * (size_t)(most * q.room + sums));
    if (!memory) return NO_MEMORY;
    q.x = memory, q.sums = memory + most * q.room;
    q.block = thread_count() == 1 ? w->outs : rounded_up(pieces_of(w->outs, 2 * thread_count()), 6);
    for (q.group = 0; q.group < w->groups; q.group++) {
        memset(q.sums, 0, sizeof(real) * (size_t)sums);
        for (q.first = 0; q.first < w->samples; q.first += most) {
            q.samples = smaller(most, w->samples - q.first);
            double size = (double)(q.samples * w->reach) * (double)q.across;
            in_pieces(lay_out_piece, &q, q.samples, size);
            in_pieces(products_piece, &q, pieces_of(w->outs, q.block), 0.02 * size * (double)(w->outs * w->taps));
        }
        real *restrict out = w->out + q.group * w->outs * w->in * w->taps;
        for (int64_t o = 0; o < w->outs; o++)
            for (int64_t c = 0; c < w->in; c++)
                for (int64_t t = 0; t < w->taps; t += q.along)
                    for (int64_t k = 0; k < q.along; k++)
                        *out++ = q.sums[((t / q.along * w->outs + o) * q.along + k) * q.across + c];
    }
    return all_finite(w->out, w->groups * w->outs * w->in * w->taps) ? DONE : NOT_HANDLED;
}

