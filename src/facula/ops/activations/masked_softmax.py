"""Softmax of what a mask leaves."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import dtypes
from ..._core.dtypes import cast, widened
from ..._tensor import Tensor
from ..arrays.types import Array
from ..machine import batching
from ..machine.primitive import primitive
from ..machine.public import public
from ..reductions.reducing import check_dim


@primitive("MaskedSoftmaxBackward0", name="masked_softmax", batch=batching.item_by_item)
def masked_softmax_op(input: Array, mask: Array, dim: int) -> Any:
    """Where all is masked there is nothing to scale: NaN."""
    x = np.where(mask, -np.inf, widened(input))
    with np.errstate(invalid="ignore"):
        x = np.exp(x - x.max(dim, keepdims=True, initial=-np.inf))
        return cast(x / x.sum(dim, keepdims=True), input.dtype)


@masked_softmax_op.vjp("input")
def masked_softmax_gradient(g: Any, out: Any, mask: Any, dim: int, xp: Any) -> Any:
    return xp.drop(xp.softmax_backward_data(g, out, dim), mask)


@public("_masked_softmax")
def masked_softmax(input: Tensor, mask: Tensor, dim: int | None = None, mask_type: int | None = None) -> Tensor:
    """Softmax without what is masked; ``mask_type`` says whose mask it is: 0 of sources, 1 of keys, 2 of all."""
    if mask.dtype is not dtypes.bool_:
        raise RuntimeError("Mask should be a boolean tensor")
    if mask_type is None:
        raise RuntimeError("Mask Type should be defined")
    if mask_type not in (0, 1, 2):
        raise RuntimeError("Mask Type should be 0 (src_mask), 1 (src_key_padding_mask), or 2 (default_mask)")
    shape, of_mask = input._array.shape, mask._array.shape
    if of_mask != shape:
        is_square = len(shape) == 4 and shape[2] == shape[3]
        if mask_type == 0 and not (is_square and of_mask == shape[2:]):
            raise RuntimeError("For mask_type == 0 mask shape should be (L, L)")
        if mask_type == 1 and not (is_square and of_mask == (shape[0], shape[3])):
            raise RuntimeError("For mask_type == 1 mask shape should be (B, L)")
        if mask_type == 2:
            raise RuntimeError("For mask_type == 2 mask shape should match input shape")
        mask = (mask if mask_type == 0 else mask[:, None, None]).expand(shape)
    ndim = len(shape)
    found: Tensor = masked_softmax_op(input, mask, ndim - 1 if dim is None else check_dim(dim, ndim))
    return found
