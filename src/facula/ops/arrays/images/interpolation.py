"""Where resampling looks: for each mode the places and weights of each output along one dimension, as PyTorch has them.

Positions are computed in float32 unless the tensor is float64: which neighbour is the nearest depends on it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ..sparse_maps import Array, SparseMap, from_table

# ---- positions


def _scale(real: Any, inputs: int, outputs: int, align_corners: bool, scale: float | None) -> Any:
    """How far apart in the input neighbouring outputs are."""
    if align_corners:
        return real(inputs - 1) / real(outputs - 1) if outputs > 1 else real(0)
    if scale is not None and scale > 0:
        return real(1.0 / scale)
    return real(inputs) / real(outputs)


def _positions(
    real: Any, inputs: int, outputs: int, align_corners: bool, scale: float | None, below_zero: bool
) -> tuple[Array, Array]:
    """The place at or before each output's position, and how far beyond it the position is."""
    at = np.arange(outputs, dtype=real)
    step = _scale(real, inputs, outputs, align_corners, scale)
    if align_corners:
        position = at * step
    else:
        position = step * (at + real(0.5)) - real(0.5)
        if not below_zero:
            position = np.maximum(position, real(0))
    place = np.minimum(np.floor(position).astype(np.int64), inputs - 1)
    return place, np.clip(position - place.astype(real), real(0), real(1))


def _nearest(real: Any, inputs: int, outputs: int, scale: float | None, shift: float) -> SparseMap:
    step = _scale(real, inputs, outputs, False, scale)
    place = np.floor((np.arange(outputs, dtype=real) + real(shift)) * step).astype(np.int64)
    return from_table(inputs, np.minimum(place, inputs - 1)[:, None], None)


def _linear(real: Any, inputs: int, outputs: int, align_corners: bool, scale: float | None) -> SparseMap:
    if inputs == outputs:
        return from_table(inputs, np.arange(inputs)[:, None], None)
    place, beyond = _positions(real, inputs, outputs, align_corners, scale, False)
    places = np.stack([place, np.minimum(place + 1, inputs - 1)], 1)
    return from_table(inputs, places, np.stack([1 - beyond, beyond], 1))


def cubic_weights(t: Any, a: float) -> list[Any]:
    """The weights of four neighbours, for a position t beyond the second, by cubic convolution."""

    def near(x: Any) -> Any:
        return ((a + 2) * x - (a + 3)) * x * x + 1

    def far(x: Any) -> Any:
        return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a

    return [far(t + 1), near(t), near(1 - t), far(2 - t)]


def _cubic(real: Any, inputs: int, outputs: int, align_corners: bool, scale: float | None) -> SparseMap:
    place, beyond = _positions(real, inputs, outputs, align_corners, scale, True)
    places = np.clip(place[:, None] + np.arange(-1, 3), 0, inputs - 1)
    return from_table(inputs, places, np.stack(cubic_weights(beyond, -0.75), 1))


# ---- with a filter as wide as outputs are apart


def _triangle(x: Array) -> Array:
    return np.maximum(1 - np.abs(x), 0)


def _cubic_filter(x: Array) -> Array:
    x = np.abs(x)
    a = -0.5
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((x - 5) * x + 8) * x * a - 4 * a
    return np.where(x < 1, near, np.where(x < 2, far, 0))


def _lanczos_filter(x: Array) -> Array:
    return np.where(np.abs(x) < 3, np.sinc(x) * np.sinc(x / 3), 0)


_FILTERS = {"bilinear": (_triangle, 2), "bicubic": (_cubic_filter, 4), "lanczos": (_lanczos_filter, 6)}


def _filtered(real: Any, mode: str, inputs: int, outputs: int, align_corners: bool, scale: float | None) -> SparseMap:
    if inputs == outputs:
        return from_table(inputs, np.arange(inputs)[:, None], None)
    function, width = _FILTERS[mode]
    step = _scale(real, inputs, outputs, align_corners, scale)
    support = real(width * 0.5) * max(step, real(1))
    squeeze = 1 / step if step >= 1 else real(1)
    centre = step * (np.arange(outputs, dtype=real) + real(0.5))
    begin = np.maximum((centre - support + real(0.5)).astype(np.int64), 0)
    end = np.minimum((centre + support + real(0.5)).astype(np.int64), inputs)
    places = begin[:, None] + np.arange(int((end - begin).max(initial=1)))
    valid = places < end[:, None]
    weights = np.where(valid, function((places - centre[:, None] + real(0.5)) * squeeze), 0).astype(real)
    total = weights.sum(1, keepdims=True)
    weights = np.where(total == 0, weights, weights / np.where(total == 0, 1, total))
    return from_table(inputs, np.minimum(places, inputs - 1), weights, valid)


@lru_cache(256)
def taps_of(
    mode: str, antialias: bool, inputs: int, outputs: int, align_corners: bool, scale: float | None, wide: bool
) -> SparseMap:
    """The map of one dimension. ``wide``: positions in float64."""
    real: Any = np.float64 if wide else np.float32
    if antialias:
        return _filtered(real, mode, inputs, outputs, align_corners, scale)
    if mode == "nearest-of-few":  # what PyTorch does for small images, whatever the scale
        whole = outputs in (inputs, 2 * inputs)
        return _nearest(real, inputs, outputs, None if whole else scale, 0.0)
    if mode == "nearest":
        return _nearest(real, inputs, outputs, scale, 0.0)
    if mode == "nearest-exact":
        return _nearest(real, inputs, outputs, scale, 0.5)
    if mode == "bicubic":
        return _cubic(real, inputs, outputs, align_corners, scale)
    return _linear(real, inputs, outputs, align_corners, scale)
