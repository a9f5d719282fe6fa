"""Choosing by a mask without branches.

NumPy's ``where`` and masked assignment branch on each element: on random masks they take 10 times as long as a product.
A product with the mask would turn a masked infinity into NaN; a product of the bits does not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..moving.basic import in_both_namespaces

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


def _keep_of_tensor(input: Any, mask: Any) -> Any:
    from ..pointwise.selection import where_op

    return where_op(mask, input, 0, input._array.dtype)


def _drop(input: Any, mask: Any) -> Any:
    return keep(input, np.logical_not(mask))


def _drop_of_tensor(input: Any, mask: Any) -> Any:
    from ..pointwise.selection import where_op

    return where_op(mask, 0, input, input._array.dtype)


def _either_tensor(mask: Any, a: Any, b: Any) -> Any:
    from ..pointwise.selection import where

    return where(mask, a, b)


def _either_array(mask: Any, a: Any, b: Any) -> Any:
    like = a if isinstance(a, (np.ndarray, np.generic)) else b
    return select(np.asanyarray(mask), np.asanyarray(a, like.dtype), np.asanyarray(b, like.dtype))


def _cleared_array(input: Any, mask: Any) -> Any:
    input, mask = np.asanyarray(input), np.asanyarray(mask)
    if mask.shape == input.shape:
        return keep(input, np.logical_not(mask))
    return select(mask, np.zeros((), input.dtype), input)


def _cleared_tensor(input: Any, mask: Any) -> Any:
    from ..indexing.masked import masked_fill

    return masked_fill(input, mask, 0)


in_both_namespaces("keep", keep, _keep_of_tensor)
in_both_namespaces("drop", _drop, _drop_of_tensor)
in_both_namespaces("either", _either_array, _either_tensor)
in_both_namespaces("cleared", _cleared_array, _cleared_tensor)
"""``xp.cleared(x, mask)``: 0 where the mask is True, by ``masked_fill`` as PyTorch's rules have it."""
