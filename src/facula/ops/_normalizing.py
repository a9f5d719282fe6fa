"""Kernels and derivatives that layer, batch and group norm share: subtract the mean, divide by the deviation.

Raw arrays come as matrices whose rows are normalized, or as (n, channels, rest). The pure rules are written in terms of
the normalized values, which they compute again: saved means and deviations are no functions of the input in the graph.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._dtype import widened
from ._reducing import add_up

ndarray = np.ndarray


def deviation_inverse(variance: Any, eps: float) -> Any:
    """``1 / sqrt(variance + eps)``, in the dtype of the variance."""
    one = variance.dtype.type(1)
    return one / np.sqrt(variance + variance.dtype.type(eps))


_TILE = 1 << 16
"""How many elements of rows are worked on at once, so that they stay in the cache."""


def _tiles(rows: Any) -> list[slice]:
    count, width = rows.shape
    step = max(_TILE // (width or 1), 1)
    return [slice(i, i + step) for i in range(0, count, step)]


def normalize_rows(rows: Any, eps: float, weight: Any = None, bias: Any = None) -> tuple[Any, Any, Any]:
    """(normalized rows, times weight plus bias; means; inverse deviations): the last two as columns."""
    out = np.empty(rows.shape, rows.dtype)
    mean, inverse = (np.empty((rows.shape[0], 1), rows.dtype) for _ in range(2))
    n = rows.dtype.type(rows.shape[1] or 1)
    for tile in _tiles(rows):
        part, found = rows[tile], out[tile]
        middle = add_up(part, (1,), True) / n
        np.subtract(part, middle, out=found)
        scale = deviation_inverse(np.vecdot(found, found)[:, None] / n, eps)
        found *= scale
        if weight is not None:
            found *= weight
        if bias is not None:
            found += bias
        mean[tile], inverse[tile] = middle, scale
    return out, mean, inverse


def row_gradients(
    g: Any, rows: Any, mean: Any, inverse: Any, weight: Any, to_rows: bool, to_weight: bool
) -> tuple[Any, Any]:
    """The gradients of rows and of the weight, from that of the normalized and weighted rows."""
    n = g.dtype.type(g.shape[1] or 1)
    out = np.empty(rows.shape, rows.dtype) if to_rows else None
    total = np.zeros(rows.shape[1], rows.dtype) if to_weight else None
    for tile in _tiles(rows):
        up, scale = g[tile], inverse[tile]
        away = rows[tile] - mean[tile]
        if total is not None:
            total += scale[:, 0].dot(up * away)
        if out is None:
            continue
        found = np.multiply(up, weight, out=out[tile]) if weight is not None else out[tile]
        if weight is None:
            found[...] = up
        away *= np.vecdot(found, away)[:, None] * scale * scale / n
        middle = add_up(found, (1,), True) / n
        found -= away
        found -= middle
        found *= scale
    return out, total


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
    return add_up(np.vecdot(x, y), (0,))


def channels(x: Any) -> Any:
    """(n, channels, *rest) as (n, channels, rest), in float32 at least and dense."""
    shape = x.shape
    x = widened(x)
    if not x.size:
        return np.zeros((*(*shape, 0)[:2], 0), x.dtype)
    return np.ascontiguousarray(x).reshape(*shape[:2], -1)


# ---- pure rules


def normalized(x: Any, dims: tuple[int, ...], eps: float, xp: Any) -> tuple[Any, Any]:
    """(normalized values, inverse deviations), differentiably."""
    away = x - xp.mean_dim(x, dims, True)
    inverse = xp.rsqrt(xp.mean_dim(away * away, dims, True) + eps)
    return away * inverse, inverse


def gradient_of_normalized(g: Any, normal: Any, inverse: Any, dims: tuple[int, ...], xp: Any) -> Any:
    """The gradient of what was normalized, from that of the normalized values."""
    along = xp.mean_dim(g * normal, dims, True)
    return inverse * (g - xp.mean_dim(g, dims, True) - normal * along)
