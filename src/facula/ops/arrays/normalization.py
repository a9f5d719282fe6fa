"""Kernels of layer, batch and group norm: subtract the mean, divide by the deviation.

They come as matrices whose rows are normalized, or as (n, channels, rest).
"""

from __future__ import annotations

from operator import itemgetter
from typing import Any

import numpy as np

from ..._core.dtypes import F32, F64, widened
from ..._core.numbers import scalar
from .sums import add_up, ones
from .tiles import TILE, each_rows

ndarray = np.ndarray


def deviation_inverse(variance: Any, eps: float) -> Any:
    """``1 / sqrt(variance + eps)``, in the dtype of the variance."""
    one = variance.dtype.type(1)
    return one / np.sqrt(variance + variance.dtype.type(eps))


_SMALL = 1 << 17
"""Up to so many numbers the fewest calls are quickest: between large products each costs some 10 µs at first."""
_WIDE = 4096
"""Sums of longer rows are taken of centred values, which round less."""


def _tile(width: int) -> int:
    """Up to four times the usual, as calls count more than the cache; but no column's sum is longer than 1024."""
    return max(TILE, min(4 * TILE, 1024 * width))


def row_products(x: Any, y: Any) -> Any:
    """Sums of products along the last dimension; by blocks where it is long, as one chain of sums would round much."""
    width = x.shape[-1]
    if width <= _WIDE:
        return np.vecdot(x, y)
    whole = width - width % _WIDE
    blocks = (*x.shape[:-1], whole // _WIDE, _WIDE)
    total = add_up(np.vecdot(x[..., :whole].reshape(blocks), y[..., :whole].reshape(blocks)), (x.ndim - 1,))
    return total + np.vecdot(x[..., whole:], y[..., whole:])


# ---- rows
#
# NOTE [moments]: the variance is the mean of the squares less the square of the mean, as long as the latter is nowhere
# the greater part of the former: then no more than a bit is lost, and a pass over the rows is saved. Else rows are
# centred first. What is left is linear, with coefficients that are outer products, which BLAS writes as quickly as
# NumPy broadcasts.


def normalize_rows(rows: Any, eps: float, weight: Any = None, bias: Any = None) -> tuple[Any, Any, Any]:
    """(normalized rows, times weight plus bias; means; inverse deviations): the last two as columns."""
    count, width = rows.shape
    if 0 < rows.size <= _SMALL and width <= _WIDE and (rows.dtype is F32 or rows.dtype is F64):
        return _normalize_few(rows, eps, weight, bias)
    n = rows.dtype.type(width or 1)
    if rows.size <= _SMALL or width > _WIDE:
        mean = add_up(rows, (1,), True) / n
        out = np.subtract(rows, mean)
        inverse = _finish(out, eps, weight, bias)
        return out, mean, inverse
    mean = rows.dot(ones(width, rows.dtype))[:, None]
    mean /= n
    squares = mean * mean
    variance = np.vecdot(rows, rows)[:, None]
    variance /= n
    variance -= squares
    out = np.empty(rows.shape, rows.dtype)
    if not (squares <= variance).all():
        inverse = np.empty_like(mean)

        def centre(tile: slice) -> None:
            found = np.subtract(rows[tile], mean[tile], out=out[tile])
            inverse[tile] = _finish(found, eps, weight, bias)

        each_rows(count, width, centre, _tile(width))
        return out, mean, inverse
    inverse = deviation_inverse(variance, eps)
    line = ones(width, rows.dtype)
    lines = np.stack([line if weight is None else weight, line if bias is None else bias])
    shifts = np.empty((count, 2), rows.dtype)
    np.multiply(mean, inverse, shifts[:, :1])
    np.negative(shifts[:, :1], shifts[:, :1])
    shifts[:, 1] = bias is not None

    def scale(tile: slice) -> None:
        scaled = inverse[tile].dot(lines[:1])
        np.multiply(scaled, rows[tile], scaled)
        found = shifts[tile].dot(lines, out[tile])
        np.add(found, scaled, found)

    each_rows(count, width, scale, _tile(width))
    return out, mean, inverse


def _normalize_few(rows: Any, eps: float, weight: Any, bias: Any) -> tuple[Any, Any, Any]:
    """The same in the fewest calls; numbers are 0-d arrays, which are quicker for NumPy."""
    width = rows.shape[1]
    d = rows.dtype
    n, line = scalar(width, d), ones(width, d)
    mean = rows.dot(line)
    np.true_divide(mean, n, mean)
    mean = mean.reshape(-1, 1)
    out = np.subtract(rows, mean)
    inverse = np.vecdot(out, out)
    np.true_divide(inverse, n, inverse)
    np.add(inverse, scalar(eps, d), inverse)
    np.sqrt(inverse, inverse)
    np.true_divide(scalar(1, d), inverse, inverse)
    inverse = inverse.reshape(-1, 1)
    np.multiply(out, inverse, out)
    if weight is not None:
        np.multiply(out, weight, out)
    if bias is not None:
        np.add(out, bias, out)
    return out, mean, inverse


def _finish(found: Any, eps: float, weight: Any, bias: Any) -> Any:
    """Divide centred rows by their deviation, in place; returns its inverse."""
    variance = row_products(found, found)[:, None]
    variance /= found.dtype.type(found.shape[1] or 1)
    scale = deviation_inverse(variance, eps)
    found *= scale
    if weight is not None:
        found *= weight
    if bias is not None:
        found += bias
    return scale


def row_gradients(
    g: Any, rows: Any, mean: Any, inverse: Any, weight: Any, to_rows: bool, to_weight: bool
) -> tuple[Any, Any]:
    """The gradients of rows and of the weight, from that of the normalized and weighted rows."""
    count, width = rows.shape
    d = rows.dtype
    out = np.empty(rows.shape, d) if to_rows else None
    away = mean * inverse
    if rows.size <= _SMALL or width > _WIDE or not (np.absolute(away) <= 1).all():
        return out, _centred_gradients(g, rows, mean, inverse, weight, out, to_weight)
    n = d.type(width)
    line = ones(width, d)
    lines = np.stack([line if weight is None else weight, line])
    sums: list[Any] = []

    def job(tile: slice) -> None:
        up, part = g[tile], rows[tile]
        products = np.multiply(up, part)
        if to_weight:
            sums.append((tile.start, inverse[tile, 0].dot(products) - away[tile, 0].dot(up)))
        if out is None:
            return
        # With h = (x - m) s: the gradient is s (g w - mean(g w) - h mean(g w h)), linear in g, x and 1.
        middle, scale = mean[tile], inverse[tile]
        along = up.dot(lines[0])[:, None]
        both = products.dot(lines[0])[:, None]
        both -= middle * along
        both *= scale * scale * scale / n
        middle = both * middle - along * scale / n
        np.multiply(part, both, out=products)
        found = middle.dot(lines[1:], out[tile])
        found -= products
        found += np.multiply(scale.dot(lines[:1], products), up, out=products)

    each_rows(count, width, job, _tile(width))
    if not to_weight:
        return out, None
    sums.sort(key=itemgetter(0))
    return out, add_up(np.stack([total for _, total in sums]), (0,))


def _centred_gradients(
    g: Any, rows: Any, mean: Any, inverse: Any, weight: Any, out: Any, to_weight: bool
) -> Any:
    """Writes the gradient of rows to ``out``, if there is one, and returns that of the weight, if wanted."""
    n = g.dtype.type(g.shape[1] or 1)
    away = rows - mean
    total = inverse[:, 0].dot(g * away) if to_weight else None
    if out is None:
        return total
    if weight is None:
        np.multiply(g, inverse, out)
    else:
        np.multiply(inverse.dot(weight[None], out), g, out)
    along = row_products(out, away)[:, None]
    along *= inverse * inverse / n
    away *= along
    middle = add_up(out, (1,), True) / n
    out -= away
    out -= middle
    return total


# ---- channels of an array of shape (n, channels, rest)


def channel_sums(x: Any) -> Any:
    """Sums over everything but the middle dimension."""
    if x.shape[2] == 1:
        return add_up(x[:, :, 0], (0,))
    return add_up(add_up(x, (2,)), (0,))


def channel_products(x: Any, y: Any) -> Any:
    """Sums of products over everything but the middle dimension."""
    if x.shape[2] == 1:
        return add_up(x[:, :, 0] * y[:, :, 0], (0,))
    return add_up(row_products(x, y), (0,))


def channels(x: Any) -> Any:
    """(n, channels, *rest) as (n, channels, rest), in float32 at least and dense."""
    shape = x.shape
    x = widened(x)
    if not x.size:
        return np.zeros((*(*shape, 0)[:2], 0), x.dtype)
    return np.ascontiguousarray(x).reshape(*shape[:2], -1)
