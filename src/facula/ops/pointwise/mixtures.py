"""Sums of a tensor with weighted others: ``lerp``, ``addcmul``, ``addcdiv``."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import dtypes
from ..._lazy import set_methods
from ..._tensor import Tensor
from ..arrays.types import Array
from ..machine.arguments import is_number, unscaled
from ..machine.deprecated import numbers_moved
from ..machine.elementwise import elementwise
from ..machine.errors import NoOverload
from ..machine.public import public
from ..machine.refusals import only
from ..machine.write import explaining, inplace_form
from .arithmetic import number_held, number_like
from .selection import invalid


def _mixed(input: Array, end: Array, weight: Array) -> Any:
    """From the nearer end, so that both ends are met exactly."""
    difference = np.subtract(end, input)
    from_start = np.add(input, np.multiply(weight, difference))
    near = np.absolute(weight) < 0.5
    if np.ndim(near) == 0:
        return from_start if near else np.subtract(end, np.multiply(difference, 1 - weight))
    return np.where(near, from_start, np.subtract(end, np.multiply(difference, 1 - weight)))


def _mixed_by_number(input: Array, end: Array, weight: object) -> Any:
    return _mixed(input, end, number_like(weight, input))


def _written_mixture(weight: Any) -> str:
    return "input + weight * (end - input)" if abs(weight) < 0.5 else "end - (end - input) * (1 - weight)"


lerp_number_op = elementwise(
    "lerp_number", _mixed_by_number, "LerpBackward0", lowering=_written_mixture, check=only("lerp_kernel_scalar", "fc"),
    input=lambda g, weight, xp: xp.times(g, 1 - weight.conjugate()),
    end=lambda g, weight, xp: xp.times(g, weight.conjugate()),
)  # fmt: skip
lerp_tensor_op = elementwise(
    "lerp_tensor", _mixed, "LerpBackward1", check=only("lerp_kernel_tensor", "fc"),
    lowering="where(abs(weight) < 0.5, input + weight * (end - input), end - (end - input) * (1 - weight))",
    input=lambda g, weight, xp: g * xp.conj(xp.number_minus(1, weight)),
    end=lambda g, weight, xp: g * xp.conj(weight),
    weight=lambda g, input, end, xp: g * xp.conj(end - input),
)  # fmt: skip
lerp_number_op.guard = lambda input, end: _same_dtype(input, end)
lerp_tensor_op.guard = lambda input, end, weight: _same_dtype(input, end, weight)
lerp_number_, lerp_tensor_ = inplace_form(lerp_number_op), inplace_form(lerp_tensor_op)


def _same_dtype(input: Tensor, *others: Tensor) -> None:
    for name, t in zip(("end", "weight"), others, strict=False):
        if t.dtype is not input.dtype and (name == "end" or t._array.ndim):
            raise RuntimeError(f"expected dtype {_spelled(input)} for `{name}` but got dtype {_spelled(t)}")


def _spelled(t: Tensor) -> str:
    return dtypes.cpp_name(t.dtype)


@public("lerp", "lerp", out=True)
def lerp(input: Tensor, end: Tensor, weight: Any) -> Tensor:
    """``input + weight * (end - input)``."""
    if not isinstance(end, Tensor):
        raise invalid("lerp", input, end, weight)
    return lerp_tensor_op(input, end, weight) if isinstance(weight, Tensor) else lerp_number_op(input, end, weight)


def lerp_(self: Any, end: Any, weight: Any) -> Any:
    if isinstance(weight, np.generic):
        weight = unscaled(weight)
    if not isinstance(end, Tensor) or not (isinstance(weight, Tensor) or is_number(weight)):
        raise NoOverload
    return (lerp_tensor_ if isinstance(weight, Tensor) else lerp_number_)(self, end, weight)


def _add_product(input: Array, tensor1: Array, tensor2: Array, value: object) -> Any:
    product = np.multiply(tensor1, tensor2)
    if value.__class__ is not int or value != 1:
        product = np.multiply(product, number_held(value, product))
    return np.add(input, product)


def _add_quotient(input: Array, tensor1: Array, tensor2: Array, value: object) -> Any:
    quotient = np.true_divide(tensor1, tensor2)
    if value.__class__ is not int or value != 1:
        quotient = np.multiply(quotient, number_held(value, quotient))
    return np.add(input, quotient)


def _no_integers(input: Any, tensor1: Any, tensor2: Any) -> None:
    if not any(t.dtype.is_floating_point or t.dtype.is_complex for t in (tensor1, tensor2)):
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a "
            "true division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value "
            "* torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / "
            "tensor2) for float inputs. The future addcdiv behavior is just the latter implementation: (input + value "
            "* tensor1 / tensor2), for all dtypes."
        )


addcmul_op = elementwise(
    "addcmul", _add_product, "AddcmulBackward0", check=only("addcmul_cpu_out", "ifc"), numbers=False,
    lowering="input + tensor1 * tensor2 * value",
    input=lambda g: g,
    tensor1=lambda g, tensor2, value, xp: g * xp.conj(xp.times(tensor2, value)),
    tensor2=lambda g, tensor1, value, xp: g * xp.conj(xp.times(tensor1, value)),
)  # fmt: skip
addcdiv_op = elementwise(
    "addcdiv", _add_quotient, "AddcdivBackward0", lowering="input + tensor1 / tensor2 * value", numbers=False,
    input=lambda g: g,
    tensor1=lambda g, tensor2, value, xp: g * xp.conj(xp.number_over(value, tensor2)),
    tensor2=lambda g, tensor1, tensor2, value, xp: -g * xp.conj(xp.times(tensor1, value) / (tensor2 * tensor2)),
)  # fmt: skip


def _add_product_into(target: Any, tensor1: Any, tensor2: Any, value: Any) -> None:
    product = np.multiply(tensor1, tensor2)
    if value.__class__ is not int or value != 1:
        product = np.multiply(product, number_held(value, product))
    np.add(target, product, out=target)


def _add_quotient_into(target: Any, tensor1: Any, tensor2: Any, value: Any) -> None:
    quotient = np.true_divide(tensor1, tensor2)
    if value.__class__ is not int or value != 1:
        quotient = np.multiply(quotient, number_held(value, quotient))
    np.add(target, quotient, out=target)


addcdiv_op.guard = _no_integers
addcmul_op.write, addcdiv_op.write = _add_product_into, _add_quotient_into
_addcmul_in_place, _addcdiv_in_place = inplace_form(addcmul_op), inplace_form(addcdiv_op)


@public("addcmul", "addcmul", out=True, numbers_first="value")
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Tensor:
    """``input + value * tensor1 * tensor2``."""
    return addcmul_op(input, tensor1, tensor2, value)


@public("addcdiv", "addcdiv", out=True, numbers_first="value")
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Tensor:
    """``input + value * tensor1 / tensor2``."""
    return addcdiv_op(input, tensor1, tensor2, value)


def addcmul_(self: Any, tensor1: Any, tensor2: Any, *old: Any, value: Any = 1) -> Any:
    if old:
        tensor1, tensor2, value = _number_behind("addcmul_", self, tensor1, tensor2, *old)
    return _addcmul_in_place(self, tensor1, tensor2, value)


def addcdiv_(self: Any, tensor1: Any, tensor2: Any, *old: Any, value: Any = 1) -> Any:
    if old:
        tensor1, tensor2, value = _number_behind("addcdiv_", self, tensor1, tensor2, *old)
    return _addcdiv_in_place(self, tensor1, tensor2, value)


def _number_behind(name: str, *given: Any) -> tuple[Any, Any, Any]:
    moved = numbers_moved(name, ("input", "tensor1", "tensor2"), ("value",), given, True)
    if moved is None:
        raise TypeError(f"{name}() takes 2 positional arguments but {len(given) - 1} were given")
    return *moved[0][1:], moved[1]["value"]


set_methods(lerp_=explaining("lerp_", lerp_), addcmul_=addcmul_, addcdiv_=addcdiv_)
