"""Activations of pieces: hardtanh, relu6, hardsigmoid, hardswish, and those that shrink."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core import dtypes
from ..._tensor import Tensor
from ..arrays.masks import drop, keep, select
from ..arrays.rounded_once import rounded_once
from ..arrays.types import Array
from ..machine.elementwise import elementwise
from ..machine.operands import checked_number
from ..machine.primitive import primitive
from ..machine.public import public
from ..machine.refusals import only
from ..machine.rule import Gradient
from ..machine.rules import no_gradient
from ..machine.write import inplace_form
from ..pointwise.arithmetic import number_like
from ..pointwise.selection import clip
from .forms import OF_ACTIVATION, apply, in_functional, in_place_in_functional


def _hardtanh(input: Array, min_val: float, max_val: float) -> Any:
    return clip(input, min_val, max_val)


def _hardtanh_check(array: Any) -> None:
    if array.dtype == np.bool_:
        raise RuntimeError("Bool inputs not supported for hardtanh")
    if array.dtype.kind == "c":
        raise NotImplementedError("clamp is not supported for complex types")


@primitive(
    "HardtanhBackwardBackward0", kind="elementwise", saved_names={"other": "self", "low": "min_val", "high": "max_val"},
    lowering="where((other <= low) | (other >= high), 0, input)",
)  # fmt: skip
def hardtanh_backward_op(input: Array, other: Array, low: float, high: float) -> Any:
    return keep(input, np.logical_not(np.less_equal(other, low) | np.greater_equal(other, high)))


hardtanh_backward_op.vjp(input=Gradient(hardtanh_backward_op), other=no_gradient)


hardtanh_op = elementwise(
    "hardtanh", _hardtanh, "HardtanhBackward0", check=_hardtanh_check,
    lowering="minimum(maximum(input, min_val), max_val)",
    input=Gradient(hardtanh_backward_op, other="input", low="min_val", high="max_val"),
)  # fmt: skip
_hardtanh_in_place = inplace_form(hardtanh_op)


@public()
def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """``x`` clamped to [min_val, max_val]."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    if min_val < 0 and input.dtype is dtypes.uint8:
        raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
    return apply(hardtanh_op, _hardtanh_in_place, inplace, input, min_val, max_val)


@public()
def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """``min(max(0, x), 6)``."""
    return apply(hardtanh_op, _hardtanh_in_place, inplace, input, 0, 6)


def _hardsigmoid(input: Array) -> Any:
    return clip(input + number_like(3, input), 0, 6) / number_like(6, input)


@primitive(
    "HardsigmoidBackwardBackward0", kind="elementwise", saved_names=OF_ACTIVATION,
    lowering="where((other > -3) & (other < 3), input / 6, 0)",
)  # fmt: skip
def hardsigmoid_backward_op(input: Array, other: Array) -> Any:
    return keep(np.asanyarray(input / number_like(6, other)), np.asanyarray((other > -3) & (other < 3)))


hardsigmoid_backward_op.vjp(input=Gradient(hardsigmoid_backward_op), other=no_gradient)


hardsigmoid_op = elementwise(
    "hardsigmoid", _hardsigmoid, "HardsigmoidBackward0", check=only("hardsigmoid_cpu", "f"),
    lowering="minimum(maximum(input + 3, 0), 6) / 6",
    input=Gradient(hardsigmoid_backward_op, other="input"),
)  # fmt: skip
_hardsigmoid_in_place = inplace_form(hardsigmoid_op)


@public()
def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """``min(max(0, x + 3), 6) / 6``."""
    return apply(hardsigmoid_op, _hardsigmoid_in_place, inplace, input)


def _hardswish(input: Array) -> Any:
    return input * _hardsigmoid(input)


@primitive(
    "HardswishBackwardBackward0", kind="elementwise", saved_names=OF_ACTIVATION,
    lowering="where(other <= -3, 0, where(other >= 3, input, input * (other / 3 + 0.5)))",
)  # fmt: skip
@rounded_once
def hardswish_backward_op(input: Array, other: Array) -> Any:
    inside = np.asarray(input * (other / number_like(3, other) + number_like(0.5, other)))
    found = select(np.asarray(other >= 3), np.asarray(input), inside)  # NaN stays
    return drop(found, np.asarray(other <= -3))


@hardswish_backward_op.vjp("other")
def hardswish_backward_gradient_of_other(g: Any, input: Any, other: Any, xp: Any) -> Any:
    return xp.keep(g * input / 3, (other > -3) & (other < 3))


hardswish_backward_op.vjp(input=Gradient(hardswish_backward_op))


hardswish_op = elementwise(
    "hardswish", _hardswish, "HardswishBackward0", check=only("hardswish_cpu", "f"),
    lowering="input * (minimum(maximum(input + 3, 0), 6) / 6)",
    input=Gradient(hardswish_backward_op, other="input"),
)  # fmt: skip
_hardswish_in_place = inplace_form(hardswish_op)


@public()
def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """``x * hardsigmoid(x)``."""
    return apply(hardswish_op, _hardswish_in_place, inplace, input)


def _hardshrink(input: Array, lambd: float) -> Any:
    return keep(input, ~((input >= -lambd) & (input <= lambd)))


@primitive(
    "HardshrinkBackwardBackward0", kind="elementwise", saved_names={"other": "self"},
    lowering="where((other >= -lambd) & (other <= lambd), 0, input)",
)  # fmt: skip
def shrink_backward_op(input: Array, other: Array, lambd: float) -> Any:
    return keep(input, np.logical_not(np.greater_equal(other, -lambd) & np.less_equal(other, lambd)))


shrink_backward_op.vjp(input=Gradient(shrink_backward_op), other=no_gradient)


hardshrink_op = elementwise(
    "hardshrink", _hardshrink, "HardshrinkBackward0", check=only("hardshrink_cpu", "f"),
    lowering="where((input >= -lambd) & (input <= lambd), 0, input)",
    input=Gradient(shrink_backward_op, other="input"),
)  # fmt: skip
hardshrink_op.rounded_numbers = (0,)


@public("hardshrink", "hardshrink", out=True)
def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """``x``, or 0 within [-lambd, lambd]."""
    return hardshrink_op(input, checked_number(lambd, input.dtype) if isinstance(lambd, complex) else lambd)


def _softshrink(input: Array, lambd: float) -> Any:
    bound = number_like(lambd, input)
    return np.where(input > bound, input - bound, np.where(input < -bound, input + bound, input * 0))


softshrink_backward_op = primitive(
    "SoftshrinkBackwardBackward0", name="softshrink_backward", kind="elementwise", saved_names={"other": "self"},
    lowering="where((other >= -lambd) & (other <= lambd), 0, input)",
)(shrink_backward_op.kernel)  # fmt: skip
softshrink_backward_op.vjp(input=Gradient(softshrink_backward_op), other=no_gradient)
softshrink_op = elementwise(
    "softshrink", _softshrink, "SoftshrinkBackward0", check=only("softshrink_check", "f"),
    lowering="where(input > lambd, input - lambd, where(input < -lambd, input + lambd, input * 0))",
    input=Gradient(softshrink_backward_op, other="input"),
)  # fmt: skip


@public(out=True)
def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """``x`` moved towards 0 by ``lambd``, and 0 nearer than that."""
    if not 0 <= lambd < math.inf:
        most = dtypes.finfo(input.dtype).max if input.dtype.is_floating_point else math.inf
        kind = dtypes.SCALAR_TYPE_NAMES[input.dtype]
        raise RuntimeError(f"lambda must be in range [0, {most:g}] for input dtype {kind}, but found {lambd:g}")
    return softshrink_op(input, lambd)


in_functional(hardshrink, hardsigmoid, hardswish, relu6, softshrink)
in_place_in_functional(hardtanh)
