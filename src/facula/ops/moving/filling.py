"""``fill``: a tensor of the shape and dtype of another, with one value everywhere."""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from ..machine.primitive import Primitive
from ..machine.public import public
from .basic import checked_number, fill_number, fill_tensor

_number = Primitive("filled_with_number", fill_number.kernel, "FillBackward0")
_number.vjp(input=fill_number.rules["input"].fn)
_tensor = Primitive("filled_with_tensor", fill_tensor.kernel, "FillBackward1")
_tensor.vjp(**{name: rule.fn for name, rule in fill_tensor.rules.items()})


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
