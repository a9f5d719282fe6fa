"""Products of matrices and batches of them; attention."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..library import kernel

_matmul = kernel("matmul", "mmFw", 0.02)
_attention = kernel("attention", "mmmMvwns", 10.0)
_attention_backward = kernel("attention_backward", "mmmMmmvvvfns", 20.0)


def matmul(a: Any, b: Any, bias: Any = None) -> Any:
    """``a @ b``, plus a bias for each column; up to two batch dimensions, which broadcast."""
    if a.ndim == b.ndim == 2:
        out = np.empty((a.shape[0], b.shape[1]), a.dtype)
    elif not 2 <= a.ndim <= 4 or not 2 <= b.ndim <= 4:
        return None
    else:
        out = np.empty((*_broadcast(a.shape[:-2], b.shape[:-2]), a.shape[-2], b.shape[-1]), a.dtype)
    if bias is not None and bias.shape != b.shape[-1:]:
        return None
    return out if _matmul(a, b, bias, out) else None


def _broadcast(a: tuple[int, ...], b: tuple[int, ...]) -> list[int]:
    """Of two shapes that are known to fit, or else the kernel declines."""
    n = max(len(a), len(b))
    return [y if x == 1 else x for x, y in zip((1,) * (n - len(a)) + a, (1,) * (n - len(b)) + b)]


def _are_heads(q: Any, k: Any, v: Any) -> bool:
    return q.ndim == k.ndim == v.ndim == 4 and bool(q.size and k.size and v.size)


def attention(
    q: Any, k: Any, v: Any, mask: Any = None, is_causal: bool = False, scale: float | None = None
) -> tuple[Any, Any] | None:
    """(attention, logarithms of the sums of exponentials); all of shape (batch, heads, length, width).

    The first lies in memory as ``q`` does.
    """
    if not _are_heads(q, k, v):
        return None
    if scale is None:
        scale = 1 / math.sqrt(q.shape[3])
    out = np.empty_like(q, shape=(*q.shape[:3], v.shape[3]))
    logs = np.empty(q.shape[:3], q.dtype)
    return (out, logs) if _attention(q, k, v, mask, out, logs, is_causal, scale) else None


def attention_backward(
    g: Any, q: Any, k: Any, v: Any, out: Any, logs: Any, mask: Any = None, is_causal: bool = False,
    scale: float | None = None,
) -> tuple[Any, Any, Any] | None:  # fmt: skip
    """The gradients, each of which lies in memory as what it belongs to."""
    if not _are_heads(q, k, v) or logs.shape != q.shape[:3]:
        return None
    if scale is None:
        scale = 1 / math.sqrt(q.shape[3])
    found = np.empty_like(q), np.empty_like(k), np.empty_like(v)
    return found if _attention_backward(q, k, v, mask, out, g, *found, logs, is_causal, scale) else None
