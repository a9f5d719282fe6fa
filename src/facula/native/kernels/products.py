"""Products of matrices and batches of them; attention."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..library import kernel

_matmul = kernel("matmul", "mmFwnnknnnnnnnnnnn", 0.02)
_attention = kernel("attention", "mmmwwnnnknn" + "n" * 10 + "s", 0.1)
_attention_backward = kernel("attention_backward", "fmmmffwwwnnnknn" + "n" * 10 + "s", 0.3)


def _strides(x: Any) -> list[int] | None:
    """In elements; None if some are not whole."""
    size = x.itemsize
    if any([stride % size for stride in x.strides]):
        return None
    return [stride // size for stride in x.strides]



def matmul(a: Any, b: Any, bias: Any = None) -> Any:
    """``a @ b``, plus a bias for each column; up to two batch dimensions, which broadcast."""
    if not 2 <= a.ndim <= 4 or not 2 <= b.ndim <= 4 or a.shape[-1] != b.shape[-2]:
        return None
    m, k, n = a.shape[-2], a.shape[-1], b.shape[-1]
    if bias is not None and bias.shape != (n,):
        return None
    sa, sb = _strides(a), _strides(b)
    if sa is None or sb is None:
        return None
    if m > 1 and k > 1 and sa[-1] != 1 and sa[-2] != 1:
        return None
    # A dimension of one element may have any stride: what the kernel steps by is then 1.
    a_row, a_column = sa[-2:]
    if k == 1:
        a_column = 1
    elif m == 1 and a_column != 1:
        a_row = 1
    sizes, steps_a, steps_b = [], [], []
    for d in (-4, -3):
        size_a, size_b = (x.shape[d] if x.ndim >= -d else 1 for x in (a, b))
        if size_a != size_b and size_a != 1 and size_b != 1:
            return None
        sizes.append(size_b if size_a == 1 else size_a)
        steps_a.append(0 if size_a == 1 else sa[d])
        steps_b.append(0 if size_b == 1 else sb[d])
    out = np.empty((*sizes[4 - max(a.ndim, b.ndim) :], m, n), a.dtype)
    strides = (a_row, a_column, sb[-2], sb[-1])
    batch = (*sizes, *steps_a, *steps_b)
    return out if _matmul(a, b, bias, out, m, n, k, *strides, 0, *batch) else None


def _attention_sizes(q: Any, k: Any, v: Any) -> tuple[Any, ...] | None:
    if q.ndim != 4 or k.ndim != 4 or v.ndim != 4 or q.shape[:2] != k.shape[:2] or k.shape[:3] != v.shape[:3]:
        return None
    if q.shape[3] != k.shape[3] or not q.size or not k.size or not v.size:
        return None
    strides = [_strides(x) for x in (q, k, v)]
    if any([s is None or (s[3] != 1 and x.shape[3] != 1) for s, x in zip(strides, (q, k, v))]):
        return None
    flat = [step for s in strides for step in s[:3]]  # type: ignore[index]
    return (*q.shape[:3], k.shape[2], q.shape[3], v.shape[3]), flat


def attention(
    q: Any, k: Any, v: Any, is_causal: bool = False, scale: float | None = None
) -> tuple[Any, Any] | None:
    """(attention, logarithms of the sums of exponentials); all of shape (batch, heads, length, width)."""
    sizes = _attention_sizes(q, k, v)
    if sizes is None:
        return None
    if scale is None:
        scale = 1 / math.sqrt(q.shape[3])
    out, logs = np.empty((*q.shape[:3], v.shape[3]), q.dtype), np.empty(q.shape[:3], q.dtype)
    return (out, logs) if _attention(q, k, v, out, logs, *sizes[0], int(is_causal), *sizes[1], scale) else None


def attention_backward(
    g: Any, q: Any, k: Any, v: Any, out: Any, logs: Any, is_causal: bool = False, scale: float | None = None
) -> tuple[Any, Any, Any] | None:
    sizes = _attention_sizes(q, k, v)
    if sizes is None or g.shape != out.shape or out.shape != (*q.shape[:3], v.shape[3]) or logs.shape != q.shape[:3]:
        return None
    if scale is None:
        scale = 1 / math.sqrt(q.shape[3])
    found = np.empty(q.shape, q.dtype), np.empty(k.shape, k.dtype), np.empty(v.shape, v.dtype)
    done = _attention_backward(g, q, k, v, out, logs, *found, *sizes[0], int(is_causal), *sizes[1], scale)
    return found if done else None
