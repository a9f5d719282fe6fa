"""Choosing by a mask without branches.

NumPy's ``where`` and masked assignment branch on each element: on random masks they take 10 times as long as a product.
A product with the mask would turn a masked infinity into NaN; a product of the bits does not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_AS_INTEGERS: dict[int, Any] = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64}
_SMALL = 4096


def keep(input: Any, mask: Any) -> Any:
    """``input`` where ``mask``, 0 elsewhere."""
    bits = _AS_INTEGERS.get(input.itemsize)
    if bits is None:
        return np.where(mask, input, np.zeros((), input.dtype))
    if not input.ndim or mask.shape != input.shape:
        return np.multiply(input.view(bits), mask).view(input.dtype)
    kept = mask.astype(bits)  # a product of two dtypes takes longer
    return np.multiply(input.view(bits), kept, kept).view(input.dtype)


def select(mask: Any, a: Any, b: Any) -> Any:
    """``a`` where ``mask``, else ``b``, of one dtype."""
    bits = _AS_INTEGERS.get(a.itemsize)
    if mask.size < _SMALL or bits is None or mask.__class__ is not np.ndarray:
        return np.where(mask, a, b)
    x, y = a.view(bits), b.view(bits)
    chosen = np.multiply(np.bitwise_xor(x, y), mask)
    if chosen.shape == np.broadcast_shapes(chosen.shape, y.shape):
        return np.bitwise_xor(chosen, y, out=chosen).view(a.dtype)
    return np.bitwise_xor(chosen, y).view(a.dtype)


def drop(input: Any, mask: Any) -> Any:
    """``input`` where not ``mask``, 0 elsewhere."""
    return keep(input, np.logical_not(mask))


def either(mask: Any, a: Any, b: Any) -> Any:
    """``select`` of two of which one may be a number."""
    like = a if isinstance(a, (np.ndarray, np.generic)) else b
    return select(np.asanyarray(mask), np.asanyarray(a, like.dtype), np.asanyarray(b, like.dtype))


def cleared(input: Any, mask: Any) -> Any:
    """``drop`` with a mask that may be broadcast."""
    input, mask = np.asanyarray(input), np.asanyarray(mask)
    if mask.shape == input.shape:
        return drop(input, mask)
    return select(mask, np.zeros((), input.dtype), input)
