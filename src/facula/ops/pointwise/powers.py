"""Powers, of tensors and of numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core import dtypes
from ..._core.strides import by_rows, copied, filled_as
from ..._lazy import set_methods
from ..._tensor import Tensor
from ..arrays.types import Array
from ..machine.arguments import is_number
from ..machine.elementwise import elementwise
from ..machine.errors import NoOverload
from ..machine.namespaces import TENSORS
from ..machine.operands import checked_number
from ..machine.overridable import overridable
from ..machine.public import FUNCTIONS, public
from ..machine.refusals import only
from ..machine.rules import in_both_namespaces, in_dtype, no_gradient, raw
from ..machine.write import explaining, inplace_form
from ..moving.copy import cast_op
from .arithmetic import not_two_numbers, number_like, reciprocal_array
from .complex import conj_array


def power(x: Any, exponent: Any) -> Any:
    """``x ** exponent`` for a number, by products and roots where it can be: NumPy's own power is 50 times slower."""
    if exponent == 2:
        return np.multiply(x, x)
    if exponent == 1:
        return copied(x)
    if exponent == 0:
        return filled_as(x, 1)
    if x.dtype.kind in "biu":
        return np.power(x, number_like(exponent, x))
    if exponent == 0.5:
        return np.sqrt(x)
    if exponent == -0.5:
        return reciprocal_array(np.sqrt(x))
    if -_PRODUCTS <= exponent.real <= _PRODUCTS and exponent == int(exponent.real):
        result = _by_products(x, abs(int(exponent.real)))
        return reciprocal_array(result) if exponent.real < 0 else result
    if x.dtype.kind == "c":
        return _complex_power(x, number_like(exponent, x))
    return np.power(x, number_like(exponent, x) if x.dtype.kind == "f" else exponent)


_PRODUCTS = 16


def _by_products(x: Any, n: int) -> Any:
    result = None
    while n:
        if n & 1:
            result = x if result is None else np.multiply(result, x)
        n >>= 1
        if n:
            x = np.multiply(x, x)
    return result


def _power_by_number(input: Array, exponent: object) -> Any:
    if input.dtype.kind in "iu" and exponent < 0:  # type: ignore[operator]
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    if input.dtype.kind in "iu":
        exponent = checked_number(exponent, dtypes.of_array(input))
    if isinstance(exponent, complex) and input.dtype.kind != "c":
        input = input.astype(np.complex128 if input.dtype == np.float64 else np.complex64)
    return power(input, exponent)


def _array_power_gradient(g: Any, x: Any, exponent: Any) -> Any:
    """Powers that are 1, or the base itself, are not computed."""
    if exponent == 1:
        return g
    return g * conj_array((x if exponent == 2 else _power_by_number(x, exponent - 1)) * exponent)


def _power_gradient(g: Any, x: Any, exponent: Any) -> Any:
    return g * TENSORS.conj(TENSORS.times(pow_number_op(x, exponent - 1), exponent))


in_both_namespaces("power_gradient", _array_power_gradient, _power_gradient)


def _pow_rule(g: Any, input: Any, exponent: Any, xp: Any) -> Any:
    return no_gradient(g, xp) if exponent == 0 else xp.power_gradient(g, input, exponent)


def _written_power(exponent: Any) -> str | None:
    if isinstance(exponent, complex):
        return None
    if exponent in (0, 0.5, -0.5):
        return {0: "1", 0.5: "sqrt(input)", -0.5: "reciprocal(sqrt(input))"}[exponent]
    if not float(exponent).is_integer() or abs(exponent) > _PRODUCTS:
        return "pow(input, exponent)"
    text, square, n = "", "input", abs(int(exponent))
    while n:
        if n & 1:
            text = f"({text} * {square})" if text else square
        square, n = f"({square} * {square})", n >> 1
    return text if exponent > 0 else f"reciprocal({text})"


pow_number_op = elementwise(
    "pow_number", _power_by_number, "PowBackward0", lowering=_written_power, scalars=("exponent",), input=_pow_rule
)


def _power(input: Array, exponent: Array) -> Any:
    if input.dtype.kind in "iu":
        return _integer_power(input, exponent)
    return _complex_power(input, exponent) if input.dtype.kind == "c" else np.power(input, exponent)


def _complex_power(base: Any, exponent: Any) -> Any:
    """As exp(exponent * log(base)), also of 0."""
    result = np.asarray(np.power(base, exponent))
    at_zero = np.equal(base, 0)
    if at_zero.any():
        falls = np.broadcast_to(at_zero & np.less(exponent.real, 0), result.shape)
        undefined = np.broadcast_to(at_zero & np.equal(exponent.real, 0), result.shape)
        result[falls] = complex(math.inf, math.nan)
        result[undefined] = complex(math.nan, math.nan)
    return result


def _integer_power(base: Any, exponent: Any) -> Any:
    """Negative powers of integers are cut to whole numbers: 0 unless the base is 1 or -1."""
    negative = np.less(exponent, 0)
    result = np.power(base, np.where(negative, np.zeros_like(exponent), exponent))
    if negative.any():
        signs = np.where(exponent % 2 == 0, np.ones_like(base), base)
        small = np.where(np.absolute(base) == 1, signs, np.zeros_like(signs)).astype(result.dtype)
        result = np.where(negative, small, result)
    return result


def _pow_base_rule(g: Any, input: Any, exponent: Any, xp: Any) -> Any:
    return xp.either(exponent == 0, 0, g * xp.conj(exponent * xp.pow_tensor(input, xp.minus(exponent, 1))))


def _is_real_and_not_negative(exponent: Any, xp: Any) -> Any:
    if raw(exponent).dtype.kind != "c":
        return exponent >= 0
    return (xp.imag(exponent) == 0) & (xp.real(exponent) >= 0)


def _pow_exponent_rule(g: Any, input: Any, exponent: Any, out: Any, xp: Any) -> Any:
    flat = (input == 0) & _is_real_and_not_negative(exponent, xp)
    return g * xp.either(flat, 0, xp.conj(out * xp.log(in_dtype(input, raw(out).dtype, xp))))


pow_tensor_op = elementwise(
    "pow_tensor", _power, "PowBackward1", check=only("pow", "ifc"), input=_pow_base_rule, exponent=_pow_exponent_rule,
    lowering="pow(input, exponent)",
)  # fmt: skip


def _power_of_number(exponent: Array, base: object) -> Any:
    """Row by row, as PyTorch has it."""
    if exponent.dtype.kind in "iu":
        found = _integer_power(np.broadcast_to(number_like(base, exponent), exponent.shape), exponent)
    elif base == 1:
        found = np.ones_like(exponent)
    elif exponent.dtype.kind == "c":
        found = _complex_power(number_like(base, exponent), exponent)
    else:
        found = np.power(number_like(base, exponent), exponent)
    return by_rows(found)


def log_of_number(base: Any) -> Any:
    if base == 0:
        return -math.inf
    if isinstance(base, complex):
        return complex(np.log(base))
    return math.log(base) if base > 0 else math.nan


def _pow_of_number_rule(g: Any, exponent: Any, base: Any, out: Any, xp: Any) -> Any:
    if raw(out).dtype.kind == "c":
        base = complex(base)
    slope = xp.conj(xp.times(out, log_of_number(base)))
    return g * (xp.either(_is_real_and_not_negative(exponent, xp), 0, slope) if base == 0 else slope)


pow_of_number_op = elementwise(
    "pow_of_number", _power_of_number, "PowBackward2", scalars=("base",), check=only("pow", "ifc"),
    lowering="pow(base, exponent)", exponent=_pow_of_number_rule, saved_names={"base": "self"},
)  # fmt: skip
pow_of_number_op.lays_out = True


def _pow(input: Any, exponent: Any) -> Any:
    not_two_numbers(input, exponent)
    if is_number(exponent):
        return pow_number_op(input, exponent)
    if is_number(input):
        return pow_of_number_op(exponent, input)
    return pow_tensor_op(input, exponent)


@public("pow", "pow", out=True, overloads=True)
def pow(input: Any, exponent: Any) -> Tensor:
    """``input`` to the power ``exponent``; either may be a number."""
    return _pow(input, exponent)


def _pow_operator(self: Any, exponent: Any) -> Any:
    kind = type(exponent)
    if kind is int or kind is float or is_number(exponent):
        return pow_number_op(self, exponent)
    return pow_tensor_op.operator(self, exponent)


def _reflected_pow(self: Any, base: Any) -> Any:
    return _pow(base, self) if is_number(base) or isinstance(base, Tensor) else NotImplemented


_by_number_in_place, _by_tensor_in_place = inplace_form(pow_number_op), inplace_form(pow_tensor_op, operator=True)


def _pow_in_place(self: Any, exponent: Any) -> Any:
    return (_by_number_in_place if is_number(exponent) else _by_tensor_in_place)(self, exponent)


def _pow_or_refuse(self: Any, exponent: Any) -> Any:
    changed = _pow_in_place(self, exponent)
    if changed is NotImplemented:
        raise NoOverload
    return changed


set_methods(
    __pow__=_pow_operator, __rpow__=_reflected_pow, pow_=explaining("pow_", _pow_or_refuse), __ipow__=_pow_in_place
)
overridable(_pow_operator, _reflected_pow)


@public("square", "square", out=True, name="pow")
def square(input: Tensor) -> Tensor:
    """``input ** 2``."""
    return pow_number_op(input, 2)


def _square_(self: Any) -> Any:
    return _by_number_in_place(self, 2)


set_methods(square_=_square_)
FUNCTIONS["square_"] = _square_
overridable(_square_)


@public(
    "float_power", "float_power", out="exact", overloads=True,
    out_error="the output given to float_power has dtype {1} but the operation's result requires dtype {0}",
)  # fmt: skip
def float_power(input: Any, exponent: Any) -> Tensor:
    """The power computed in float64 (complex128)."""
    wide = any(x.dtype.is_complex if isinstance(x, Tensor) else isinstance(x, complex) for x in (input, exponent))
    dt = (dtypes.complex128 if wide else dtypes.float64).numpy
    given = [cast_op(x, dt) if isinstance(x, Tensor) and x._array.dtype != dt else x for x in (input, exponent)]
    return _pow(*given)


@public("", "float_power_")
def float_power_(input: Tensor, exponent: Any) -> Tensor:
    """``float_power`` in place, for tensors that already have its dtype."""
    wide = input.dtype.is_complex or (exponent.dtype.is_complex if isinstance(exponent, Tensor) else isinstance(exponent, complex))  # noqa: E501
    wanted = dtypes.complex128 if wide else dtypes.float64
    if input.dtype is not wanted:
        here, there = (dtypes.SCALAR_TYPE_NAMES[d] for d in (input.dtype, wanted))
        raise RuntimeError(
            f"the base given to float_power_ has dtype {here} but the operation's result requires dtype {there}"
        )
    if isinstance(exponent, Tensor) and exponent._array.dtype != wanted.numpy:
        exponent = cast_op(exponent, wanted.numpy)
    changed: Tensor = _pow_in_place(input, exponent)
    return changed
