"""Indexing under a mask: what is masked is not looked at, so that its index may be anything."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._tensor import Tensor
from ..arrays.types import Array
from ..machine import batching
from ..machine.primitive import primitive
from ..machine.public import public
from ..machine.rules import constant, raw
from .advanced import checked, index_op, unindex_op

Places = tuple[Any, ...]


def _inside(indices: Any, shape: tuple[int, ...]) -> Places:
    """Integer indices, those outside of their dimension brought to its ends."""
    return tuple(np.clip(i._array, -n, n - 1) for i, n in zip(indices, shape))


@primitive("UnsafeMaskedIndexBackward0", name="masked_index", batch=batching.item_by_item)
def masked_index_op(input: Array, mask: Array, indices: Places, fill: Any) -> Any:
    return np.where(mask, index_op.kernel(input, indices), np.asarray(fill).astype(input.dtype))


@primitive("UnsafeMaskedIndexPutAccumulateBackward0", name="masked_unindex", kind="linear", batch=batching.item_by_item)
def masked_unindex_op(input: Array, values: Array, mask: Array, indices: Places) -> Any:
    """``input`` with unmasked values added at the places of an index."""
    kept = np.where(mask, values, np.zeros((), values.dtype))
    return input + unindex_op.kernel(kept, indices, input.shape)


@masked_index_op.vjp("input")
def masked_index_gradient_of_input(g: Any, mask: Any, indices: Any, input_shape: Any, xp: Any) -> Any:
    return xp.masked_unindex(constant(np.zeros(input_shape, raw(g).dtype), xp), g, mask, indices)


masked_unindex_op.vjp(input=lambda g: g, values=lambda g, mask, indices, xp: xp.masked_index(g, mask, indices, 0))

unsafe_index_op = index_op.under("unsafe_index", "UnsafeIndexBackward0")


@public("_unsafe_index")
def unsafe_index(input: Tensor, indices: Any) -> Tensor:
    """``input[indices]``."""
    return unsafe_index_op(input, checked(list(indices), input._array.shape))


@public("_unsafe_masked_index")
def unsafe_masked_index(input: Tensor, mask: Tensor, indices: Any, fill: Any) -> Tensor:
    """``input[indices]`` where the mask is True, a number elsewhere."""
    return masked_index_op(input, mask, _inside(indices, input._array.shape), fill)


@public("_unsafe_masked_index_put_accumulate")
def unsafe_masked_index_put_accumulate(input: Tensor, mask: Tensor, indices: Any, values: Tensor) -> Tensor:
    """A copy with values added at the places of an index where the mask is True."""
    return masked_unindex_op(input, values, mask, _inside(indices, input._array.shape))
