"""Kernels and derivatives that layer, batch and group norm share: subtract the mean, divide by the deviation.

Raw arrays come as matrices whose rows are normalized, or as (n, channels, rest). The pure rules are written in terms of
the normalized values, which they compute again: saved means and deviations are no functions of the input in the graph.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._dtype import widened
from ._reducing import add_squares, add_up

ndarray = np.ndarray


def deviation_inverse(variance: Any, eps: float) -> Any:
    """``1 / sqrt(variance + eps)``, in the dtype of the variance."""
    one = variance.dtype.type(1)
    return one / np.sqrt(variance + variance.dtype.type(eps))


def row_moments(rows: Any, eps: float) -> tuple[Any, Any, Any]:
    """(rows without their means, the means, the inverse deviations); means and deviations as columns."""
    n = rows.dtype.type(rows.shape[1] or 1)
    mean = add_up(rows, (1,), True) / n
    away = rows - mean
    variance = add_squares(away, (1,), True) / n
    return away, mean, deviation_inverse(variance, eps)


def row_gradient(g: Any, normal: Any, inverse: Any) -> Any:
    """The gradient of rows, from that of the normalized rows. ``normal`` is overwritten."""
    n = g.dtype.type(g.shape[1] or 1)
    along = np.einsum("ij,ij->i", g, normal) / n
    normal *= along[:, None]
    np.subtract(g, normal, out=normal)
    normal -= add_up(g, (1,), True) / n
    normal *= inverse
    return normal


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
    return add_up(np.einsum("ncl,ncl->nc", x, y), (0,))


def channels(x: Any) -> Any:
    """(n, channels, *rest) as (n, channels, rest), in float32 at least and dense."""
    shape = x.shape
    x = widened(x)
    return np.ascontiguousarray(x).reshape(*shape[:2], -1) if x.size else np.zeros((*shape[:2], 0), x.dtype)


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
