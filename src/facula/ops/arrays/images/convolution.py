"""Convolution of arrays, and its two adjoints, in any number of spatial dimensions.

NOTE [three faces of convolution]: with y = conv(x, w) all derivatives of all orders are made of three bilinear maps:
``convolve(x, w)`` gives y, ``convolve_input(y, w)`` gives x, ``convolve_weight(y, x)`` gives w. Each is an adjoint of
the others. A transposed convolution is ``convolve_input`` used forwards.

Arrays are (samples, channels, *spatial); weights (out channels, in channels / groups, *kernel). All the work is done by
matrix products of the weights and of columns, copies of the patches of x that the kernel sees. How columns are laid out
decides the speed:

- kernels of 3 by 3, many channels, float32: transformed tiles in place of columns, see ``winograd``;
- small images with many channels: channels last, one product for many samples (``joined``);
- larger images: columns for all of the kernel but its first dimension, whose offsets are views of them (``by_rows``);
- few channels: plain columns of some samples at a time (``by_samples``).
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ..strides import strided
from . import winograd
from .depthwise import depthwise, depthwise_weight
from .patches import Sizes, channels_last, extended, out_sizes, overlap, patches, samples_at_a_time, spots, wider

_MANY_ROWS = 1 << 23
"""Bytes of columns of one sample from which on rows are taken in blocks."""


def _is_pointwise(kernel: Sizes) -> bool:
    return all(k == 1 for k in kernel)


def _is_joinable(samples: int, channels: int, positions: int) -> bool:
    return positions <= 256 and channels >= 8 and samples > 1


def _goes_by_rows(channels: int, kernel: Sizes, stride: Sizes) -> bool:
    return stride[0] == 1 and kernel[0] > 1 and channels * prod(kernel[1:]) >= 48


# ---- y = conv(x, w)


def convolve(x: Any, w: Any, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int) -> Any:
    return convolve_extended(x, w, padding, padding, stride, dilation, groups)


def convolve_extended(
    x: Any, w: Any, before: Sizes, after: Sizes, stride: Sizes, dilation: Sizes, groups: int
) -> Any:
    """``convolve`` with paddings of their own before and after."""
    kernel = w.shape[2:]
    zeros = (0,) * len(kernel)
    out = out_sizes(wider(x.shape[2:], before, after), kernel, stride, zeros, dilation)
    n, c = x.shape[:2]
    if groups == 1 and x.size:
        if _is_pointwise(kernel):
            x = thinned(extended(x, before, after), stride, out)
            return np.matmul(w.reshape(w.shape[:2]), x.reshape(n, c, -1)).reshape(n, w.shape[0], *out)
        if winograd.suits(x, kernel, out, stride, dilation, len(w)):
            found = winograd.convolve(x, w, before, out)
            if found is not None:
                return found
        if _is_joinable(n, c, prod(out)):
            return _joined(channels_last(extended(x, before, after)), w, out, stride, dilation)
        if _goes_by_rows(c, kernel, stride):
            return _by_rows(x, w, out, before, after, stride, dilation)
    x = extended(x, before, after)
    if groups == c > 1 and _is_pointwise(stride) and x.size:
        return depthwise(x, w, out, dilation)
    return _by_samples(x, w, out, stride, dilation, groups)


def thinned(x: Any, stride: Sizes, out: Sizes) -> Any:
    """Every stride-th element of the spatial dimensions, as many as ``out`` says."""
    if x.shape[2:] == tuple(out):
        return x
    return x[(..., *[slice(0, s * (n - 1) + 1, s) for s, n in zip(stride, out)])]


def _joined(x: Any, w: Any, out: Sizes, stride: Sizes, dilation: Sizes) -> Any:
    n, o, size = x.shape[0], w.shape[0], prod(out)
    kernel = w.shape[2:]
    across = w.transpose(*range(2, w.ndim), 1, 0).reshape(-1, o)
    seen = patches(x, kernel, out, stride, dilation, True)
    y = np.empty((n, o, size), x.dtype)
    step = samples_at_a_time(size * across.shape[0] * x.itemsize, n)
    for i in range(0, n, step):
        part = seen[i : i + step]
        m = part.shape[0]
        y[i : i + step] = np.matmul(part.reshape(m * size, -1), across).reshape(m, size, o).transpose(0, 2, 1)
    return y.reshape(n, o, *out)


class _Rows:
    """Columns of one sample for all dimensions of the kernel but the first, some rows at a time."""

    def __init__(
        self, x: Any, kernel: Sizes, out: Sizes, before: Sizes, after: Sizes, stride: Sizes, dilation: Sizes
    ) -> None:
        n, c = x.shape[:2]
        self.x = x
        self.room = x  # what patches are taken from: x itself, or a place where each sample gets its zeros around it
        if any(before) or any(after):
            self.room = np.zeros((1, c, *wider(x.shape[2:], before, after)), x.dtype)
            self.source, self.target = overlap(x.shape[2:], before, after)
        t = self.room.strides
        self.samples = n
        self.out = out
        self.width = prod(out[1:])
        self.depth = c * prod(kernel[1:])
        self.halo = dilation[0] * (kernel[0] - 1)
        self.offsets = [k * dilation[0] * self.width for k in range(kernel[0])]
        between = [s * d for s, d in zip(t[3:], dilation[1:])]
        across = [s * d for s, d in zip(t[3:], stride[1:])]
        shape = (self.room.shape[0], *kernel[1:], c, out[0] + self.halo, *out[1:])
        self.seen = strided(self.room, shape, (t[0], *between, t[1], t[2], *across))
        self.at = len(kernel)  # of the rows, in one sample's patches
        row = self.depth * self.width * x.itemsize
        self.step = out[0]
        if row * (out[0] + self.halo) > _MANY_ROWS:
            self.step = min(out[0], max(_MANY_ROWS // 2 // row, self.halo, 1))
        self.columns = np.empty((*kernel[1:], c, self.step + self.halo, *out[1:]), x.dtype)
        self.flat = self.columns.reshape(self.depth, -1)

    def blocks(self) -> Any:
        """(sample, first and last position of y, columns for each offset)."""
        before = (slice(None),) * self.at
        for i in range(self.samples):
            at = i
            if self.room is not self.x:
                self.room[self.target] = self.x[i][self.source]
                at = 0
            for start in range(0, self.out[0], self.step):
                rows = min(self.step, self.out[0] - start)
                seen = self.seen[at][(*before, slice(start, start + rows + self.halo))]
                np.copyto(self.columns[(*before, slice(0, rows + self.halo))], seen)
                size = rows * self.width
                first = start * self.width
                yield i, first, first + size, [self.flat[:, k : k + size] for k in self.offsets]


def _by_rows(
    x: Any, w: Any, out: Sizes, before: Sizes, after: Sizes, stride: Sizes, dilation: Sizes
) -> Any:
    n, o = x.shape[0], w.shape[0]
    rows = _Rows(x, w.shape[2:], out, before, after, stride, dilation)
    weights = w.transpose(2, 0, *range(3, w.ndim), 1).reshape(w.shape[2], o, rows.depth)
    y = np.empty((n, o, prod(out)), x.dtype)
    more = np.empty((o, rows.step * rows.width), x.dtype)
    for i, first, last, columns in rows.blocks():
        target = y[i, :, first:last]
        np.matmul(weights[0], columns[0], out=target)
        part = more[:, : last - first]
        for weight, column in zip(weights[1:], columns[1:]):
            np.matmul(weight, column, out=part)
            target += part
    return y.reshape(n, o, *out)


def _by_samples(x: Any, w: Any, out: Sizes, stride: Sizes, dilation: Sizes, groups: int) -> Any:
    n, c = x.shape[:2]
    o, depth, size = w.shape[0], c // groups * prod(w.shape[2:]), prod(out)
    weights = w.reshape(groups, o // groups, depth)
    seen = patches(x, w.shape[2:], out, stride, dilation)
    y = np.empty((n, groups, o // groups, size), x.dtype)
    step = samples_at_a_time(groups * depth * size * x.itemsize, n)
    for i in range(0, n, step):
        part = seen[i : i + step]
        np.matmul(weights, part.reshape(part.shape[0], groups, depth, size), out=y[i : i + step])
    return y.reshape(n, o, *out)


# ---- x from y and w


def convolve_input(
    y: Any, w: Any, sizes: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> Any:
    """The adjoint of ``convolve`` in x, whose spatial sizes are given."""
    kernel = w.shape[2:]
    n, o = y.shape[:2]
    each = w.shape[1]
    by_tiles = groups == 1 and winograd.suits(y, kernel, sizes, stride, dilation, each)
    worth = _is_pointwise(stride) and _is_worth_turning(o // groups, each, kernel) and y.size
    if (by_tiles or worth) and np.isfinite(w).all():  # turned, it also meets the zeros around y
        reach = [d * (k - 1) for d, k in zip(dilation, kernel)]
        before = tuple([r - p for r, p in zip(reach, padding)])
        after = tuple([a - b + p for a, b, p in zip(sizes, y.shape[2:], padding)])
        turned = w[(..., *[slice(None, None, -1)] * len(kernel))].reshape(groups, o // groups, each, *kernel)
        # Products with negative strides do not go through BLAS.
        turned = np.ascontiguousarray(turned.swapaxes(1, 2)).reshape(groups * each, o // groups, *kernel)
        return convolve_extended(y, turned, before, after, stride, dilation, groups)
    wide = [a + 2 * p for a, p in zip(sizes, padding)]
    x = np.zeros((n, groups * each, *wide), y.dtype)
    if y.size and w.size:
        _add_patches(x, y, w, stride, dilation, groups)
    if any(padding):
        inside: Any = (..., *[slice(p, p + a) for p, a in zip(padding, sizes)])
        x = np.ascontiguousarray(x[inside])
    return x


def _is_worth_turning(outs: int, ins: int, kernel: Sizes) -> bool:
    """Whether convolving y with the turned kernel, which copies, is quicker than adding patches up."""
    if _is_pointwise(kernel) or outs == ins == 1:
        return True
    copied = outs * prod(kernel[1:]) + (kernel[0] - 1) * ins
    return copied < 0.8 * ins * prod(kernel)


def _add_patches(x: Any, y: Any, w: Any, stride: Sizes, dilation: Sizes, groups: int) -> None:
    n, o = y.shape[:2]
    each, kernel, out = w.shape[1], w.shape[2:], y.shape[2:]
    places = prod(kernel)
    size = prod(out)
    x = x.reshape(n, groups, each, *x.shape[2:])
    y = y.reshape(n, groups, o // groups, size)
    weights = w.reshape(groups, o // groups, each, places).transpose(0, 3, 2, 1).reshape(groups, places * each, -1)
    step = samples_at_a_time(groups * places * each * size * y.itemsize, n)
    columns = np.empty((step, groups, places * each, size), y.dtype)
    for i in range(0, n, step):
        target = x[i : i + step]
        part = columns[: target.shape[0]]
        np.matmul(weights, y[i : i + step], out=part)
        part = part.reshape(-1, groups, places, each, *out)
        for k, (_, seen) in enumerate(spots(kernel, out, stride, dilation)):
            target[(..., *seen)] += part[:, :, k]


# ---- w from y and x


def convolve_weight(
    y: Any, x: Any, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> Any:
    """The adjoint of ``convolve`` in w, whose kernel's sizes are given."""
    n, c = x.shape[:2]
    o, out = y.shape[1], y.shape[2:]
    if not y.size or not c:
        return np.zeros((o, c // groups, *kernel), y.dtype)
    if groups == 1:
        if _is_pointwise(kernel):
            x = thinned(extended(x, padding, padding), stride, out)
            return _summed_products(y.reshape(n, o, -1), x.reshape(n, c, -1)).reshape(o, c, *kernel)
        if winograd.suits(x, kernel, out, stride, dilation, o):
            found = winograd.convolve_weight(y, x, padding)
            if found is not None:
                return found
        if _is_joinable(n, c, prod(out)):
            return _weight_joined(y, channels_last(extended(x, padding, padding)), kernel, stride, dilation)
        if _goes_by_rows(c, kernel, stride):
            return _weight_by_rows(y, x, kernel, padding, stride, dilation)
    x = extended(x, padding, padding)
    if groups == c > 1 and _is_pointwise(stride):
        return depthwise_weight(y, x, kernel, dilation)
    return _weight_by_samples(y, x, kernel, stride, dilation, groups)


def _summed_products(a: Any, b: Any) -> Any:
    """The sum over samples of ``a @ b.T``."""
    n, rows, size = a.shape
    columns = b.shape[1]
    if rows * columns > size * (rows + columns):
        return np.tensordot(a, b, ((0, 2), (0, 2)))
    step = samples_at_a_time(rows * columns * a.itemsize, n)
    parts = [
        np.add.reduce(np.matmul(a[i : i + step], b[i : i + step].transpose(0, 2, 1)), 0) for i in range(0, n, step)
    ]
    return parts[0] if len(parts) == 1 else np.add.reduce(parts, 0)


def _weight_joined(y: Any, x: Any, kernel: Sizes, stride: Sizes, dilation: Sizes) -> Any:
    n, o, c = y.shape[0], y.shape[1], x.shape[-1]
    out = y.shape[2:]
    size, depth = prod(out), c * prod(kernel)
    seen = patches(x, kernel, out, stride, dilation, True)
    w = np.zeros((o, depth), y.dtype)
    step = samples_at_a_time(size * depth * y.itemsize, n)
    for i in range(0, n, step):
        part = y[i : i + step]
        m = part.shape[0]
        rows = part.reshape(m, o, size).transpose(1, 0, 2).reshape(o, m * size)
        w += np.matmul(rows, seen[i : i + step].reshape(m * size, depth))
    w = w.reshape(o, *kernel, c)
    return np.ascontiguousarray(w.transpose(0, w.ndim - 1, *range(1, w.ndim - 1)))


def _weight_by_rows(y: Any, x: Any, kernel: Sizes, padding: Sizes, stride: Sizes, dilation: Sizes) -> Any:
    n, o = y.shape[:2]
    rows = _Rows(x, kernel, y.shape[2:], padding, padding, stride, dilation)
    y = y.reshape(n, o, -1)
    w = np.zeros((kernel[0], o, rows.depth), y.dtype)
    part = np.empty((o, rows.depth), y.dtype)
    for i, first, last, columns in rows.blocks():
        given = y[i, :, first:last]
        for target, column in zip(w, columns):
            np.matmul(given, column.T, out=part)
            target += part
    w = w.reshape(kernel[0], o, *kernel[1:], x.shape[1])
    return np.ascontiguousarray(w.transpose(1, w.ndim - 1, 0, *range(2, w.ndim - 1)))


def _weight_by_samples(y: Any, x: Any, kernel: Sizes, stride: Sizes, dilation: Sizes, groups: int) -> Any:
    n, c = x.shape[:2]
    o, out = y.shape[1], y.shape[2:]
    size, depth = prod(out), c // groups * prod(kernel)
    seen = patches(x, kernel, out, stride, dilation)
    y = y.reshape(n, groups, o // groups, size)
    w = np.zeros((groups, o // groups, depth), y.dtype)
    step = samples_at_a_time(groups * depth * size * y.itemsize, n)
    for i in range(0, n, step):
        columns = seen[i : i + step].reshape(-1, groups, depth, size)
        w += np.add.reduce(np.matmul(y[i : i + step], columns.transpose(0, 1, 3, 2)), 0)
    return w.reshape(o, c // groups, *kernel)
