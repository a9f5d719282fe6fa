"""softmax and log_softmax over the last dimension; sums."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..library import kernel

_softmax = kernel("softmax", "fwnn", 1.0)
_log_softmax = kernel("log_softmax", "fwnn", 1.0)
_softmax_backward = kernel("softmax_backward", "ffwnn", 0.6)
_log_softmax_backward = kernel("log_softmax_backward", "ffwnn", 1.0)
_sum = kernel("sum", "fwn", 0.1)
_sum_rows = kernel("sum_rows", "fwnn", 0.1)
_sum_columns = kernel("sum_columns", "fwnn", 0.1)


def _width(x: Any) -> int:
    return x.shape[-1] if x.ndim else 1


def softmax(x: Any) -> Any:
    width, out = _width(x), np.empty(x.shape, x.dtype)
    return out if width and _softmax(x, out, x.size // width, width) else None


def log_softmax(x: Any) -> Any:
    width, out = _width(x), np.empty(x.shape, x.dtype)
    return out if width and _log_softmax(x, out, x.size // width, width) else None


def softmax_backward(g: Any, y: Any) -> Any:
    """Of the gradient and of what softmax gave."""
    width, out = _width(y), np.empty(y.shape, y.dtype)
    fits = width and g.shape == y.shape
    return out if fits and _softmax_backward(g, y, out, y.size // width, width) else None


def log_softmax_backward(g: Any, y: Any) -> Any:
    """Of the gradient and of what log_softmax gave."""
    width, out = _width(y), np.empty(y.shape, y.dtype)
    fits = width and g.shape == y.shape
    return out if fits and _log_softmax_backward(g, y, out, y.size // width, width) else None


def sum_all(x: Any) -> Any:
    out = np.empty((), x.dtype)
    return out if _sum(x, out, x.size) else None


def sum_rows(x: Any) -> Any:
    """Of a matrix: the sum of each row."""
    if x.ndim != 2:
        return None
    out = np.empty(x.shape[:1], x.dtype)
    return out if _sum_rows(x, out, *x.shape) else None


def sum_columns(x: Any) -> Any:
    """Of a matrix: the sum of each column."""
    if x.ndim != 2:
        return None
    out = np.empty(x.shape[1:], x.dtype)
    return out if _sum_columns(x, out, *x.shape) else None
