"""Convolutions in which each channel has weights of its own, without stride.

NOTE [wide rows]: without stride, an offset in the kernel is an offset in the flattened image, if results keep the width
of the padded input: those at the end of each row mix two rows and are thrown away. Loops are then as long as the image
instead of one row.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ..strides import strided
from .patches import Sizes

_CACHED = 1 << 20
"""Bytes of columns that are made at a time."""


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
    """Channel c of ``x`` makes as many channels of the result as there are weights for each."""
    x = np.ascontiguousarray(x)
    n, c = x.shape[:2]
    kernel, sizes = w.shape[2:], x.shape[2:]
    each = w.shape[0] // c
    offsets = _offsets(kernel, sizes, dilation)
    wide = (out[0], *sizes[1:])
    size = prod(wide)
    valid = min(prod(sizes) - offsets[-1], size)
    weights = w.reshape(c, each, -1)
    item = x.itemsize
    steps = [item * d * prod(sizes[i + 1 :]) for i, d in enumerate(dilation)]
    seen = strided(x, (n, c, *kernel, valid), (item * c * prod(sizes), item * prod(sizes), *steps, item))
    y = np.empty((n, c, each, *out), x.dtype)
    samples, channels, blocks = _blocks(n, c, len(offsets) * size * item)
    columns = np.empty((samples, channels, *kernel, valid), x.dtype)
    sums = np.empty((samples, channels, each, size), x.dtype)
    for block in blocks:
        patches = seen[block]
        a, b = patches.shape[:2]
        part = columns[:a, :b]
        np.copyto(part, patches)
        np.matmul(weights[block[1]], part.reshape(a, b, -1, valid), out=sums[:a, :b, :, :valid])
        y[block] = sums[:a, :b].reshape(a, b, each, *wide)[_inside(out)]
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
