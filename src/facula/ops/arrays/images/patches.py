"""The patches of arrays (samples, channels, *spatial) that a kernel sees when it is moved over them."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from ..strides import strided

Sizes = tuple[int, ...]

_CACHED = 1 << 21
"""Bytes of columns that are made at a time."""


def out_sizes(sizes: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes) -> Sizes:
    """The spatial sizes of a convolution's result."""
    return tuple(
        [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in zip(sizes, kernel, stride, padding, dilation)]
    )


def extended(x: Any, before: Sizes, after: Sizes) -> Any:
    """``x`` with zeros at the ends of its spatial dimensions, or, by negative numbers, cut."""
    if not any(before) and not any(after):
        return x
    made = np.zeros((*x.shape[:2], *wider(x.shape[2:], before, after)), x.dtype)
    source, target = overlap(x.shape[2:], before, after)
    made[target] = x[source]
    return made


def wider(sizes: Sizes, before: Sizes, after: Sizes) -> Sizes:
    return tuple([n + b + a for n, b, a in zip(sizes, before, after)])


def overlap(sizes: Sizes, before: Sizes, after: Sizes) -> Any:
    """Where an array and its extension meet: the slices of both."""
    source = [slice(max(-b, 0), n - max(-a, 0)) for n, b, a in zip(sizes, before, after)]
    target = [slice(max(b, 0), n + b + min(a, 0)) for n, b, a in zip(sizes, before, after)]
    return (..., *source), (..., *target)


def channels_last(x: Any) -> Any:
    return np.ascontiguousarray(x.transpose(0, *range(2, x.ndim), 1))


def patches(x: Any, kernel: Sizes, out: Sizes, stride: Sizes, dilation: Sizes, last: bool = False) -> Any:
    """The view (samples, channels, *kernel, *out) of all patches; channels last, (samples, *out, *kernel, channels)."""
    n = len(kernel)
    ends: tuple[Sizes, Sizes]
    if last:
        steps = [x.itemsize] * (n + 2)  # those of an array with dimensions of size 1 may be anything
        for i in range(n, -1, -1):
            steps[i] = steps[i + 1] * x.shape[i + 1]
        spatial = steps[1 : n + 1]
        shape = (x.shape[0], *out, *kernel, x.shape[-1])
        ends = (steps[0],), (steps[-1],)
    else:
        spatial = x.strides[2:]
        shape = (*x.shape[:2], *kernel, *out)
        ends = x.strides[:2], ()
    between = [t * d for t, d in zip(spatial, dilation)]
    across = [t * s for t, s in zip(spatial, stride)]
    inner = (*across, *between) if last else (*between, *across)
    return strided(x, shape, (*ends[0], *inner, *ends[1]))


def spots(kernel: Sizes, out: Sizes, stride: Sizes, dilation: Sizes) -> Any:
    """For each place in the kernel: it, and the slices of x that meet it."""
    for place in product(*map(range, kernel)):
        yield place, tuple(
            [slice(k * d, k * d + s * (n - 1) + 1, s) for k, d, s, n in zip(place, dilation, stride, out)]
        )


def samples_at_a_time(bytes_each: int, n: int) -> int:
    return max(min(n, _CACHED // max(bytes_each, 1)), 1)
