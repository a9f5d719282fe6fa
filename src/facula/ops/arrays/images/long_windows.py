"""Windows that are few and long: each is looked at by itself, where ``windows`` goes from element to element of all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .windows import Windows


def parts(w: Windows, x: Any, dim: int) -> list[Any]:
    """The elements of each window."""
    lead = (slice(None),) * dim
    found = []
    for start, low, high in zip(w.starts.tolist(), w.low.tolist(), w.high.tolist()):
        at = slice(start + low * w.step, start + (high - 1) * w.step + 1, w.step) if high > low else slice(0, 0)
        found.append(x[(*lead, at)])
    return found


def sums(x: Any, dim: int, w: Windows) -> Any:
    return np.stack([part.sum(dim, dtype=x.dtype) for part in parts(w, x, dim)], dim)


def sums_adjoint(g: Any, dim: int, w: Windows) -> Any:
    out = np.zeros((*g.shape[:dim], w.inputs, *g.shape[dim + 1 :]), g.dtype)
    for i, part in enumerate(parts(w, out, dim)):
        part += g.take([i], dim)
    return out


def greatest(x: Any, dim: int, w: Windows) -> tuple[Any, Any]:
    """The greatest element of each window, or the last NaN, and its number along the window."""
    values, numbers = [], []
    for part, low in zip(parts(w, x, dim), w.low.tolist()):
        at = part.argmax(dim, keepdims=True)
        found = np.take_along_axis(part, at, dim)
        if found.dtype.kind == "f" and np.isnan(found).any():  # NumPy has told the first
            last = part.shape[dim] - 1 - np.isnan(np.flip(part, dim)).argmax(dim, keepdims=True)
            at = np.where(np.isnan(found), last, at)
        values.append(found)
        numbers.append(at + low)
    return np.concatenate(values, dim), np.concatenate(numbers, dim)
