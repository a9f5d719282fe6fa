"""Convolutions in which each channel has weights of its own: sums of products, without columns.

NOTE [wide rows]: without stride, an offset in the kernel is an offset in the flattened image, if results keep the width
of the padded input: those at the end of each row mix two rows and are thrown away. Loops are then as long as the image
instead of one row.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ._patches import Sizes, spots

_CACHED = 1 << 16
"""Bytes of results that are summed at a time."""


def _blocks(n: int, c: int, bytes_each: int) -> tuple[int, int, list[tuple[Any, Any]]]:
    """How many samples and channels to take at a time, and the slices of them."""
    channels = max(min(c, _CACHED // max(bytes_each, 1)), 1)
    samples = max(min(n, _CACHED // max(bytes_each * c, 1)), 1)
    places = [(i, j) for i in range(0, n, samples) for j in range(0, c, channels)]
    return samples, channels, [(slice(i, i + samples), slice(j, j + channels)) for i, j in places]


def _offsets(kernel: Sizes, sizes: Sizes, dilation: Sizes) -> list[int]:
    """For each place in the kernel its distance, in elements, from the first in an image of these sizes."""
    found = [0]
    for at, (k, d) in enumerate(zip(kernel, dilation)):
        step = d * prod(sizes[at + 1 :])
        found = [offset + i * step for offset in found for i in range(k)]
    return found


def _inside(out: Sizes) -> Any:
    return (..., *[slice(0, n) for n in out])


def depthwise(x: Any, w: Any, out: Sizes, dilation: Sizes) -> Any:
    """By wide rows. Channel c of ``x`` makes as many channels of the result as there are weights for each."""
    n, c = x.shape[:2]
    kernel, sizes = w.shape[2:], x.shape[2:]
    each = w.shape[0] // c
    offsets = _offsets(kernel, sizes, dilation)
    wide = (out[0], *sizes[1:])
    size = prod(wide)
    valid = min(prod(sizes) - offsets[-1], size)
    weights = w.reshape(c, each, -1, 1)
    x = x.reshape(n, c, 1, -1)
    y = np.empty((n, c, each, *out), x.dtype)
    samples, channels, blocks = _blocks(n, c, each * size * x.itemsize)
    sums = np.empty((samples, channels, each, size), x.dtype)
    more = np.empty((samples, channels, each, valid), x.dtype)
    for block in blocks:
        source = x[block]
        weight = weights[block[1]]
        a, b = source.shape[:2]
        total, part = sums[:a, :b, :, :valid], more[:a, :b]
        for k, offset in enumerate(offsets):
            seen = source[..., offset : offset + valid]
            if k == 0:
                np.multiply(seen, weight[:, :, k], out=total)
            else:
                np.multiply(seen, weight[:, :, k], out=part)
                total += part
        y[block] = sums[:a, :b].reshape(a, b, each, *wide)[_inside(out)]
    return y.reshape(n, c * each, *out)


def depthwise_strided(x: Any, w: Any, out: Sizes, stride: Sizes, dilation: Sizes) -> Any:
    n, c = x.shape[:2]
    kernel = w.shape[2:]
    each = w.shape[0] // max(c, 1)
    weights = w.reshape(c, each, *kernel)
    ones = (1,) * len(out)
    y = np.zeros((n, c, each, *out), x.dtype)
    samples, channels, blocks = _blocks(n, c, each * prod(out) * x.itemsize)
    more = np.empty((samples, channels, *y.shape[2:]), x.dtype)
    for block in blocks:
        target = y[block]
        part = more[: target.shape[0], : target.shape[1]]
        source = x[block][:, :, None]
        weight = weights[block[1]]
        for place, seen in spots(kernel, out, stride, dilation):
            np.multiply(source[(..., *seen)], weight[(..., *place)].reshape(-1, each, *ones), out=part)
            target += part
    return y.reshape(n, c * each, *out)


def depthwise_weight(y: Any, x: Any, kernel: Sizes, dilation: Sizes) -> Any:
    """By wide rows: ``y`` is spread to the width of ``x``, with zeros between its rows."""
    n, c = x.shape[:2]
    out, sizes = y.shape[2:], x.shape[2:]
    each = y.shape[1] // c
    offsets = _offsets(kernel, sizes, dilation)
    wide = (out[0], *sizes[1:])
    valid = min(prod(sizes) - offsets[-1], prod(wide))
    x = x.reshape(n, c, 1, -1)
    y = y.reshape(n, c, each, *out)
    w = np.zeros((c, each, len(offsets)), y.dtype)
    samples, channels, blocks = _blocks(n, c, each * prod(wide) * x.itemsize)
    spread = np.zeros((samples, channels, each, *wide), y.dtype)
    flat = spread.reshape(samples, channels, each, -1)[..., :valid]
    for block in blocks:
        given, source = y[block], x[block]
        a, b = given.shape[:2]
        spread[:a, :b][_inside(out)] = given
        target = w[block[1]]
        for k, offset in enumerate(offsets):
            dots = np.vecdot(source[..., offset : offset + valid], flat[:a, :b])
            target[..., k] += dots[0] if a == 1 else np.add.reduce(dots, 0)
    return w.reshape(c * each, 1, *kernel)
