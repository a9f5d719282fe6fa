"""What a page shows of a tensor: its numbers if they are few, else statistics and a small picture."""

from __future__ import annotations

import base64
import math
from typing import Any

import numpy as np

FEW = 64
"""Tensors with no more elements are shown number by number."""
CELLS = 32
"""Rows and columns of a heat map, at most."""
PIXELS = 48
"""The same of a picture."""


def shown(array: Any, cells: int = CELLS) -> dict[str, Any]:
    """A tensor's array, as JSON can hold it."""
    array = np.asarray(array)
    result: dict[str, Any] = {"s": list(array.shape), "d": str(array.dtype)}
    if array.dtype.kind == "V":
        array = array.astype(np.float32)
    if array.dtype.kind == "c":
        result["c"] = 1
        array = np.abs(array)
    array = array.astype(np.float64) if array.dtype.kind != "f" or array.dtype.itemsize < 4 else array
    if array.size <= FEW:
        result["v"] = [number(value) for value in array.reshape(-1).tolist()]
        if array.size < 2:
            return result
    result["t"] = statistics(array)
    if array.size > FEW or array.ndim > 1:
        pixels = as_pixels(array)
        if pixels is not None:
            result["p"] = pixels
        elif array.size > FEW:
            result["h"] = heat_map(array, cells)
    return result


def number(value: float) -> float | str:
    """A number that JSON can hold, with as many digits as a float32 has."""
    if math.isfinite(value):
        return float(f"{value:.7g}")
    return "nan" if value != value else "inf" if value > 0 else "-inf"


def statistics(array: Any) -> list[Any]:
    """[least, greatest, mean, standard deviation, norm, zeros, NaNs, infinities] of the finite elements."""
    finite = np.isfinite(array)
    n = int(finite.sum())
    nans = int(np.isnan(array).sum())
    values = array if n == array.size else array[finite]
    if not n:
        return [0.0, 0.0, 0.0, 0.0, 0.0, 0, nans, array.size - nans]
    wide = values.astype(np.float64, copy=False).reshape(-1)
    mean = float(wide.mean())
    square = float(wide @ wide)
    spread = math.sqrt(max(square / n - mean * mean, 0.0))
    zeros = int(n - np.count_nonzero(wide))
    numbers = [float(values.min()), float(values.max()), mean, spread, math.sqrt(square)]
    return [*map(number, numbers), zeros, nans, int(array.size - n - nans)]


def heat_map(array: Any, cells: int) -> list[Any]:
    """[rows, columns, scale, bytes]: means over blocks; 128 is 0, 255 the scale, 1 its opposite, 0 not finite."""
    table = array.reshape(-1, array.shape[-1]) if array.ndim > 1 else array.reshape(1, -1)
    means = pooled(table, cells, cells)
    finite = np.isfinite(means)
    scale = float(np.abs(means[finite]).max()) if finite.any() else 0.0
    levels = np.zeros(means.shape, np.uint8)
    levels[finite] = np.round(128 + 127 * means[finite] / (scale or 1.0)).astype(np.uint8)
    return [*levels.shape, number(scale), base64.b64encode(levels.tobytes()).decode()]


def as_pixels(array: Any) -> list[Any] | None:
    """[rows, columns, channels, bytes] of what may be a picture: values from 0 to 1, one or three channels."""
    if array.ndim == 2:
        picture = array[None]
    elif array.ndim in (3, 4) and array.shape[-3] in (1, 3):
        picture = array if array.ndim == 3 else array[0] if array.shape[0] else None
    else:
        return None
    if picture is None or min(picture.shape[1:], default=0) < 6:
        return None
    low, high = picture.min(), picture.max()
    if not (low >= 0 and 0.25 <= high <= 1) or not np.isfinite(high):
        return None
    channels = np.stack([pooled(channel, PIXELS, PIXELS) for channel in picture], -1)
    levels = np.round(255 * channels).astype(np.uint8)
    return [*levels.shape, base64.b64encode(levels.tobytes()).decode()]


def pooled(table: Any, rows: int, columns: int) -> Any:
    """Means over blocks, so that no more rows and columns are left; where something is not finite, so is the mean."""
    with np.errstate(all="ignore"):
        for axis, most in ((0, rows), (1, columns)):
            n = table.shape[axis]
            if n > most:
                edges = np.linspace(0, n, most + 1).astype(int)[:-1]
                sizes = np.diff([*edges, n])
                table = np.add.reduceat(table, edges, axis) / np.expand_dims(sizes, 1 - axis)
    return table
