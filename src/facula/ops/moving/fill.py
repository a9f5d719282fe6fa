"""One value in every place: written into a tensor, or in a new one like it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import dtypes
from ..._lazy import set_methods
from ..._tensor import Tensor
from ...overrides import call_override, overridden
from ..arrays.types import Array
from ..machine import batching
from ..machine.arguments import is_number
from ..machine.errors import type_of
from ..machine.operands import checked_number
from ..machine.overridable import overridable
from ..machine.primitive import primitive
from ..machine.public import FUNCTIONS, public
from ..machine.rules import fit, no_gradient
from ..machine.signatures import mistake
from ..machine.write import change, is_simple_write, refused_first
from .copy import assign


@primitive("FillBackward2", lowering="value", name="fill_number", batch=batching.as_it_is)
def fill_number_op(input: Array, value: object) -> Any:
    return np.full_like(input, value)


fill_number_op.vjp(input=no_gradient)


@primitive("FillBackward3", lowering="value", name="fill_tensor", kind="linear")
def fill_tensor_op(input: Array, value: Array) -> Any:
    return np.full_like(input, value)


fill_tensor_op.vjp(input=no_gradient, value=lambda g, xp, value_dtype: fit(g, (), value_dtype, xp))


@fill_tensor_op.batch
def fill_batched(call: batching.Call) -> Any:
    target, value = call.full(0), call.values[1]
    if not call.flags[1]:
        return call.run([target, value])
    return batching.padded(value, call.ndim(0)).to(target.dtype).expand(target.shape).clone()


@primitive("ZeroBackward0", lowering="0", name="zero", batch=batching.as_it_is)
def zero_op(input: Array) -> Any:
    return np.zeros_like(input)


zero_op.vjp(input=no_gradient)


@fill_number_op.tangent
@zero_op.tangent
def fill_tangent(op: Any, primals: Any, tangents: Any, attributes: Any, outs: Any) -> Any:
    return outs[0].new_zeros(outs[0].shape)


def fill_(self: Any, value: Any) -> Any:
    """Set every element."""
    if isinstance(value, Tensor):
        if value._array.ndim:
            error = RuntimeError(
                f"fill_ only supports 0-dimension value tensor but got tensor with {value._array.ndim} dimensions."
            )
            raise refused_first(error, self, value)
        return change(fill_tensor_op, self, (value,), assign)
    if not isinstance(value, (int, float, complex)):
        if overridden((value,)):
            return call_override(fill_, fill_, (self, value), {})
        wrong = mistake("fill_", (self, value), {}, True)
        if wrong is not None:
            raise wrong
    number = value

    def write(target: np.ndarray[Any, Any]) -> None:
        target[...] = checked_number(number, dtypes.of_array(target))

    return change(fill_number_op, self, (), write, (number,), overlap=True)


def number_tensor(self: Tensor, value: Any) -> Tensor:
    """A number that is assigned to elements of a tensor, as one without dimensions."""
    if isinstance(value, np.integer):
        value = int(value)
    if not is_number(value):
        raise TypeError(f"can't assign a {type_of(value)} to a {self._type_name()}")
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise ValueError("Overflow when unpacking long long")
    d = self.dtype
    number = checked_number(value, dtypes.float64 if d in (dtypes.float16, dtypes.bfloat16) else d)
    with np.errstate(over="ignore"):
        return Tensor._wrap(np.array(number).astype(d.numpy))


def zero_(self: Any) -> Any:
    """Set every element to 0."""
    if is_simple_write(self):
        self._array.fill(0)
        self._bump_version()
        return self
    return change(zero_op, self, (), lambda target: target.fill(0), overlap=True)


set_methods(fill_=fill_, zero_=zero_)
FUNCTIONS["fill_"] = fill_
FUNCTIONS["zero_"] = zero_
overridable(fill_, zero_)


# ---- a tensor like another, filled

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
