"""``fill``: a tensor of the shape and dtype of another, with one value everywhere."""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from ..machine.public import public
from .basic import checked_number, fill_number_op, fill_tensor_op

_number_op = fill_number_op.under("filled_with_number", "FillBackward0")
_tensor_op = fill_tensor_op.under("filled_with_tensor", "FillBackward1")


@public("fill")
def fill(input: Tensor, value: Any) -> Tensor:
    """The same value in every place."""
    if not isinstance(value, Tensor):
        return _number_op(input, checked_number(value, input.dtype))
    if value._array.ndim:
        raise RuntimeError(
            f"fill_ only supports 0-dimension value tensor but got tensor with {value._array.ndim} dimensions."
        )
    return _tensor_op(input, value)
