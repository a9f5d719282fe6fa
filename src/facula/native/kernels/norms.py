"""Layer norm of rows; batch and group norm of arrays of shape (n, channels, rest)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..library import kernel

_layer_norm = kernel("layer_norm", "fFFwwwnns", 1.0)
_layer_norm_backward = kernel("layer_norm_backward", "ffffFWWWnn", 2.0)
_batch_moments = kernel("batch_moments", "fwwnnn", 0.3)
_batch_norm = kernel("batch_norm", "fffFFwnnn", 0.3)
_batch_norm_backward = kernel("batch_norm_backward", "ffffFWWWnnnn", 0.6)
_group_norm = kernel("group_norm", "fFFwwwnnnns", 0.6)
_group_norm_backward = kernel("group_norm_backward", "ffffFWWWnnnn", 0.6)

_ALL = (True, True, True)


def _are(shape: tuple[int, ...], *arrays: Any) -> bool:
    return all(x is None or x.shape == shape for x in arrays)


def layer_norm(x: Any, weight: Any, bias: Any, eps: float) -> tuple[Any, Any, Any] | None:
    """(normalized rows, means, inverse deviations) of a matrix."""
    if x.ndim != 2 or not x.shape[1] or not _are(x.shape[1:], weight, bias):
        return None
    out, mean, inverse = np.empty(x.shape, x.dtype), np.empty(x.shape[:1], x.dtype), np.empty(x.shape[:1], x.dtype)
    return (out, mean, inverse) if _layer_norm(x, weight, bias, out, mean, inverse, *x.shape, eps) else None


def layer_norm_backward(
    g: Any, x: Any, mean: Any, inverse: Any, weight: Any, needs: tuple[bool, bool, bool] = _ALL
) -> tuple[Any, Any, Any] | None:
    """The gradients of x, of the weight and of the bias, None for those that are not needed."""
    if x.ndim != 2 or not x.shape[1] or g.shape != x.shape or mean.size != len(x) or inverse.size != len(x):
        return None
    if not _are(x.shape[1:], weight):
        return None
    shapes = (x.shape, x.shape[1:], x.shape[1:])
    found = tuple([np.empty(shape, x.dtype) if need else None for shape, need in zip(shapes, needs)])
    return found if _layer_norm_backward(g, x, mean, inverse, weight, *found, *x.shape) else None  # type: ignore[return-value]


def batch_moments(x: Any) -> tuple[Any, Any] | None:
    """(means, variances) of the channels."""
    if x.ndim != 3 or not x.size:
        return None
    mean, variance = np.empty(x.shape[1:2], x.dtype), np.empty(x.shape[1:2], x.dtype)
    return (mean, variance) if _batch_moments(x, mean, variance, *x.shape) else None


def batch_norm(x: Any, mean: Any, inverse: Any, weight: Any, bias: Any) -> Any:
    if x.ndim != 3 or not _are(x.shape[1:2], mean, inverse, weight, bias):
        return None
    out = np.empty(x.shape, x.dtype)
    return out if _batch_norm(x, mean, inverse, weight, bias, out, *x.shape) else None


def batch_norm_backward(
    g: Any, x: Any, mean: Any, inverse: Any, weight: Any, train: bool, needs: tuple[bool, bool, bool] = _ALL
) -> tuple[Any, Any, Any] | None:
    """The gradients of x, weight and bias. ``train``: the statistics are the batch's own."""
    if x.ndim != 3 or not x.size or g.shape != x.shape or not _are(x.shape[1:2], mean, inverse, weight):
        return None
    shapes = (x.shape, x.shape[1:2], x.shape[1:2])
    found = tuple([np.empty(shape, x.dtype) if need else None for shape, need in zip(shapes, needs)])
    done = _batch_norm_backward(g, x, mean, inverse, weight, *found, *x.shape, int(train))
    return found if done else None  # type: ignore[return-value]


def group_norm(x: Any, groups: int, weight: Any, bias: Any, eps: float) -> tuple[Any, Any, Any] | None:
    """(normalized values, means, inverse deviations: of shape (n, groups))."""
    if x.ndim != 3 or not x.size or groups < 1 or x.shape[1] % groups or not _are(x.shape[1:2], weight, bias):
        return None
    out, mean, inverse = (np.empty(shape, x.dtype) for shape in (x.shape, (len(x), groups), (len(x), groups)))
    done = _group_norm(x, weight, bias, out, mean, inverse, *x.shape, groups, eps)
    return (out, mean, inverse) if done else None


def group_norm_backward(
    g: Any, x: Any, mean: Any, inverse: Any, groups: int, weight: Any, needs: tuple[bool, bool, bool] = _ALL
) -> tuple[Any, Any, Any] | None:
    if x.ndim != 3 or not x.size or g.shape != x.shape or groups < 1 or x.shape[1] % groups:
        return None
    if not _are((len(x), groups), mean, inverse) or not _are(x.shape[1:2], weight):
        return None
    shapes = (x.shape, x.shape[1:2], x.shape[1:2])
    found = tuple([np.empty(shape, x.dtype) if need else None for shape, need in zip(shapes, needs)])
    return found if _group_norm_backward(g, x, mean, inverse, weight, *found, *x.shape, groups) else None  # type: ignore[return-value]
