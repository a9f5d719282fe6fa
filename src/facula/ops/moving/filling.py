"""``fill``: a tensor of the shape and dtype of another, with one value everywhere."""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from ..machine.public import public
from .basic import checked_number, fill_number, fill_tensor

_number = fill_number.under("filled_with_number", "FillBackward0")
_tensor = fill_tensor.under("filled_with_tensor", "FillBackward1")


@public("fill")
def fill(input: Tensor, value: Any) -> Tensor:
    """The same value in every place."""
    if not isinstance(value, Tensor):
        return _number(input, checked_number(value, input.dtype))
    if value._array.ndim:
        raise RuntimeError(
            f"fill_ only supports 0-dimension value tensor but got tensor with {value._array.ndim} dimensions."
        )
    return _tensor(input, value)
