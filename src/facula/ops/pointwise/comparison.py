"""Comparison, logic and bits: operators that answer in bool or work on integers, and have no derivative."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import dtypes, state
from ..._core.devices import MetaArray, no_meta_kernel
from ..._core.strides import copied_as, filled_as
from ..._lazy import set_methods
from ..._tensor import Tensor
from ..arrays.types import Array
from ..machine.arguments import is_number
from ..machine.elementwise import Elementwise, elementwise
from ..machine.errors import type_of
from ..machine.public import OTHER_THAN_FOUND, expose, public
from ..machine.refusals import only
from ..machine.rules import no_gradient
from ..machine.write import explaining
from .arithmetic import by_kind, number_like, tensor_first


def _comparison(name: str, ufunc: Any, alias: str, operator: str, sign: str, check: Any = None) -> Elementwise:
    lowering = f"input {sign} other"
    op = elementwise(name, ufunc, promote="compare", check=check, lowering=lowering)
    op.guard = lambda input, other: tensor_first(name, input, other)
    names = f"{name} {alias}".strip()
    expose(op, names, names, operators=operator)
    change = _comparison_in_place(name, ufunc, check, lowering)
    set_methods(**{f"{n}_": explaining(f"{n}_", change) for n in names.split()})
    return op


def _comparison_in_place(name: str, ufunc: Any, check: Any, lowering: str) -> Any:
    """Zeros and ones written into a float tensor: unlike the result in bool, that is part of the graph."""

    def with_number(input: Array, other: object) -> Any:
        return ufunc(input, number_like(other, input))

    number = elementwise(
        f"{name}_number", with_number, f"{name.title()}Backward0", promote="compare", check=check, scalars=("other",),
        lowering=lowering, input=no_gradient,
    )  # fmt: skip
    tensor = elementwise(
        f"{name}_tensor", ufunc, f"{name.title()}Backward1", promote="compare", check=check, lowering=lowering,
        input=no_gradient, other=no_gradient,
    )  # fmt: skip
    return by_kind(number, tensor)


eq_op = _comparison("eq", np.equal, "", "__eq__", "==")
ne_op = _comparison("ne", np.not_equal, "not_equal", "__ne__", "!=")
lt_op = _comparison("lt", np.less, "less", "__lt__", "<", only("lt_cpu", "bif"))
le_op = _comparison("le", np.less_equal, "less_equal", "__le__", "<=", only("le_cpu", "bif"))
gt_op = _comparison("gt", np.greater, "greater", "__gt__", ">", only("gt_cpu", "bif"))
ge_op = _comparison("ge", np.greater_equal, "greater_equal", "__ge__", ">=", only("ge_cpu", "bif"))


# ---- logic


for _name, _sign in (("logical_and", "&"), ("logical_or", "|"), ("logical_xor", "^")):
    _op = elementwise(_name, getattr(np, _name), promote="compare", numbers=False, lowering=f"input {_sign} other")
    expose(_op, _name, _name, f"{_name}_")
logical_not_op = elementwise("logical_not", np.logical_not, promote="compare", lowering="~input")
expose(logical_not_op, "logical_not", "logical_not", "logical_not_")


# ---- bits


def _a_tensor(name: str) -> Any:
    """A refusal of numbers only."""

    def guard(*given: Any) -> None:
        if not any(isinstance(v, Tensor) for v in given):
            kinds = ", ".join(type(v).__name__ for v in given)
            raise TypeError(
                f"{name}() received an invalid combination of arguments - got ({kinds}), but expected one of:"
            )

    return guard


def _bits(
    name: str, ufunc: Any, label: str, kinds: str = "bi", numbers: bool = True, lowering: str | None = None
) -> Elementwise:
    op = elementwise(name, ufunc, check=only(label, kinds), numbers=numbers, fast=False, lowering=lowering)
    op.guard = _a_tensor(name)
    return expose(op, name, name, f"{name}_")


bitwise_and_op = _bits("bitwise_and", np.bitwise_and, "bitwise_and_cpu", lowering="bit_and(input, other)")
bitwise_or_op = _bits("bitwise_or", np.bitwise_or, "bitwise_or_cpu", lowering="bit_or(input, other)")
bitwise_xor_op = _bits("bitwise_xor", np.bitwise_xor, "bitwise_xor_cpu", lowering="bit_xor(input, other)")
bitwise_left_shift_op = _bits("bitwise_left_shift", np.left_shift, "lshift_cpu", "i")
bitwise_right_shift_op = _bits("bitwise_right_shift", np.right_shift, "rshift_cpu", "i")
bitwise_not_op = _bits("bitwise_not", np.invert, "bitwise_not_cpu", lowering="bit_not(input)")
bitwise_not_op.out_error = OTHER_THAN_FOUND
expose(bitwise_and_op, operators="__and__ __rand__", inplace_operators="__iand__")
expose(bitwise_or_op, operators="__or__ __ror__", inplace_operators="__ior__")
expose(bitwise_xor_op, operators="__xor__ __rxor__", inplace_operators="__ixor__")
expose(bitwise_left_shift_op, operators="__lshift__", inplace_operators="__ilshift__")
expose(bitwise_right_shift_op, operators="__rshift__", inplace_operators="__irshift__")
gcd_op = _bits("gcd", np.gcd, "gcd_cpu", "i", numbers=False)
lcm_op = _bits("lcm", np.lcm, "lcm_cpu", "i", numbers=False)


def _invert(self: Any) -> Any:
    if self.dtype.category > dtypes.INT:
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return bitwise_not_op(self)


def _reflected_left_shift(self: Any, other: Any) -> Any:
    return bitwise_left_shift_op(other, self) if is_number(other) else NotImplemented


def _reflected_right_shift(self: Any, other: Any) -> Any:
    return bitwise_right_shift_op(other, self) if is_number(other) else NotImplemented


set_methods(__invert__=_invert, __rlshift__=_reflected_left_shift, __rrshift__=_reflected_right_shift)


# ---- what kind of number


_KINDS = {
    "isnan": "isnan(input)", "isinf": "isinf(input)", "isfinite": "isfinite(input)", "isposinf": "input == inf",
    "isneginf": "input == -inf",
}  # fmt: skip


def _kind(name: str, ufunc: Any, for_integers: bool, complex_error: Exception | None = None) -> Elementwise:
    def kernel(input: Array) -> Any:
        if input.dtype.kind not in "fcV":
            return filled_as(input, for_integers, bool)
        return ufunc(input)

    def check(array: Any) -> None:
        if complex_error is not None and array.dtype.kind == "c":
            raise complex_error

    refusal = f"{name} does not support non-boolean outputs." if complex_error is not None else None
    op = elementwise(name, kernel, promote="compare", check=check, lowering=_KINDS[name])
    expose(op, name, name, out_error=refusal)
    return op


def _show_to_hooks(input: Tensor) -> None:
    """Have hooks see what is saved: PyTorch takes a modulus, and compares that with infinity."""
    if state.special and state.modes.saved_hooks and input.requires_grad:
        for part in (input.real, input.imag) if input.is_complex() else (input,):
            part.abs()


_kind("isnan", np.isnan, False)
_kind("isinf", np.isinf, False)
_kind("isfinite", np.isfinite, True).guard = _show_to_hooks
_kind("isposinf", np.isposinf, False, RuntimeError("isposinf does not support complex inputs."))
_kind("isneginf", np.isneginf, False, RuntimeError("isneginf does not support complex inputs."))


def _is_real(input: Array) -> Any:
    return np.equal(input.imag, 0) if input.dtype.kind == "c" else copied_as(input, np.ones(input.shape, np.bool_))


def _sign_bit(input: Array) -> Any:
    return np.signbit(input) if input.dtype.kind == "f" else np.less(input, 0)


def _refuse_complex_sign_bit(array: Any) -> None:
    if array.dtype.kind == "c":
        raise NotImplementedError("signbit is not implemented for complex tensors.")


expose(elementwise("isreal", _is_real, promote="compare"), "isreal", "isreal")
signbit_op = elementwise("signbit", _sign_bit, promote="compare", check=_refuse_complex_sign_bit)
expose(signbit_op, "signbit", "signbit", out_error="signbit does not support non-boolean outputs.")


# ---- nearly and exactly equal


@public("isclose", "isclose")
def isclose(
    input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Tensor:
    """Elementwise ``|input - other| <= atol + rtol * |other|``."""
    if not isinstance(other, Tensor):
        raise TypeError(f"isclose(): argument 'other' (position 2) must be Tensor, not {type_of(other)}")
    if input.dtype is not other.dtype:
        names = dtypes.SCALAR_TYPE_NAMES
        raise RuntimeError(f"{names[input.dtype]} did not match {names[other.dtype]}")
    for name, value in (("rtol", rtol), ("atol", atol)):
        if not value >= 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {value:g}")
    a, b = input, other
    close: Any = a == b
    if equal_nan and a.dtype.category >= dtypes.FLOAT:
        close = close | (a.isnan() & b.isnan())
    if rtol == 0 and atol == 0:
        return close
    if a.dtype.category < dtypes.FLOAT:
        a, b = a.to(dtypes.float64), b.to(dtypes.float64)
    allowed = (rtol * b).abs() + atol
    difference = (a - b).abs()
    near: Tensor = close | (difference.isfinite() & (difference <= allowed))
    return near


@public("allclose", "allclose")
def allclose(
    input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    """Whether all elements are close."""
    if input._array is other._array and input is not other:
        _same_memory(input, other)
    return bool(isclose(input.detach(), other.detach(), rtol, atol, equal_nan).all())


@public("equal", "equal")
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether shapes and all elements are equal."""
    if not isinstance(other, Tensor):
        raise TypeError(f"equal(): argument 'other' (position 2) must be Tensor, not {type_of(other)}")
    a, b = input._array, other._array
    if a.__class__ is MetaArray:
        raise NotImplementedError(no_meta_kernel("equal"))
    if a is b and input is not other:
        _same_memory(input, other)
    return a.shape == b.shape and bool(np.equal(a, b).all())


def _same_memory(input: Tensor, other: Tensor) -> None:
    from ..._explain import unasked  # loaded when something is unusual

    unasked.compared(input, other)
