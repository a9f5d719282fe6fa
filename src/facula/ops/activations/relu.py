"""relu and its kin: leaky relu, threshold, prelu."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import dtypes
from ..._core.dtypes import F32, F64
from ..._core.numbers import scalar
from ..._core.strides import laid_out
from ..._tensor import Tensor
from ..arrays.masks import keep, select
from ..arrays.rounded_once import rounded_once
from ..arrays.tiles import SHARED, shared_pair, shared_ufunc
from ..arrays.types import Array
from ..machine.elementwise import elementwise
from ..machine.operands import checked_number
from ..machine.primitive import primitive
from ..machine.public import FUNCTIONALS, FUNCTIONS, expose, public
from ..machine.refusals import only
from ..machine.rule import Gradient
from ..machine.rules import no_gradient
from ..machine.write import inplace_form
from ..pointwise.arithmetic import number_like
from .forms import apply, in_functional, in_place_in_functional, leaky_slope_is_lost

_SMALL = 2048
_clip: Any = getattr(np._core.umath, "clip", np.clip)
"""The ufunc itself, where NumPy has it: ``np.clip`` takes twice as long to begin."""


# ---- relu


def _relu(input: Array) -> Any:
    if input.size > _SMALL and input.dtype.kind == "f":
        low, high = number_like(0, input), number_like(np.inf, input)
        if input.size >= SHARED:
            return shared_ufunc(lambda x, out=None: _clip(x, low, high, out=out), input)
        return _clip(input, low, high)
    return np.maximum(input, number_like(0, input))


def _relu_check(array: Any) -> None:
    if array.dtype == np.bool_:
        raise RuntimeError("Boolean inputs not supported for relu")
    if array.dtype.kind == "c":
        raise NotImplementedError("clamp is not supported for complex types")


@primitive(
    "ThresholdBackwardBackward0", kind="elementwise", saved_names={"other": "self"},
    lowering="where(other <= threshold, 0, input)",
    native=("elementwise:threshold_backward", 64),
)  # fmt: skip
def threshold_backward_op(input: Array, other: Array, threshold: float) -> Any:
    low = number_like(threshold, other) if other.dtype.kind == "f" else threshold
    return shared_pair(lambda g, x: keep(g, np.logical_not(np.less_equal(x, low))), input, other)


threshold_backward_op.vjp(input=Gradient(threshold_backward_op), other=no_gradient)


relu_op = elementwise(
    "relu", _relu, "ReluBackward0", check=_relu_check, input=lambda g, out, xp: xp.threshold_backward(g, out, 0),
    lowering="maximum(input, 0)", native=("elementwise:relu", 1024),
)  # fmt: skip
expose(relu_op, "relu", "relu", "relu_")
_relu_in_place = inplace_form(relu_op)


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """``max(0, x)``."""
    return _relu_in_place(input) if inplace else relu_op(input)


# ---- leaky relu


def _leaky(input: Array, negative_slope: float) -> Any:
    if input.ndim and input.dtype.kind == "f" and 0 < negative_slope <= 1:
        below = np.multiply(input, number_like(negative_slope, input))
        return np.maximum(input, below, out=below)
    return np.multiply(input, _slope(input, negative_slope))


def _slope(input: Any, negative_slope: Any) -> Any:
    one = number_like(1, input)
    return select(input > 0, one, np.asarray(number_like(negative_slope, input)))


def _are_alike(a: Any, b: Any) -> bool:
    """Whether two arrays of real numbers have one dtype and shape."""
    return a.dtype is b.dtype and (a.dtype is F32 or a.dtype is F64) and a.shape == b.shape


@primitive(
    "LeakyReluBackwardBackward0", kind="elementwise", saved_names={"other": "self", "slope": "negative_slope"},
    lowering="where(other > 0, input, input * slope)",
)  # fmt: skip
@rounded_once
def leaky_relu_backward_op(input: Array, other: Array, slope: float) -> Any:
    if 0 <= slope <= 1 and input.ndim and _are_alike(input, other):
        dt = input.dtype
        slopes = np.greater(other, scalar(0, dt)).astype(dt)
        np.maximum(slopes, scalar(slope, dt), out=slopes)
        return np.multiply(input, slopes, slopes)
    return select(np.greater(other, 0), np.asarray(input), np.asarray(input * number_like(slope, input)))


leaky_relu_backward_op.vjp(input=Gradient(leaky_relu_backward_op), other=no_gradient)


leaky_relu_op = elementwise(
    "leaky_relu", _leaky, "LeakyReluBackward0", check=only("leaky_relu_cpu", "f"),
    lowering="where(input > 0, input, input * negative_slope)",
    input=Gradient(leaky_relu_backward_op, other="input", slope="negative_slope"),
)  # fmt: skip


def _leaky_of_result_rule(g: Any, out: Any, negative_slope: float, xp: Any) -> Any:
    if negative_slope < 0:
        raise leaky_slope_is_lost()
    return xp.leaky_relu_backward(g, out, negative_slope)


_leaky_in_place = inplace_form(
    elementwise(
        "leaky_relu_", _leaky, "LeakyReluBackward1", check=only("leaky_relu_cpu", "f"),
        lowering="where(input > 0, input, input * negative_slope)",
        input=_leaky_of_result_rule,
    )
)  # fmt: skip


@public()
def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """``x`` if positive, else ``negative_slope * x``."""
    return apply(leaky_relu_op, _leaky_in_place, inplace, input, negative_slope)


# ---- threshold


def _threshold(input: Array, threshold: float, value: float) -> Any:
    low = threshold if input.dtype.kind == "f" else int(threshold)
    return select(np.asanyarray(input <= low), np.asanyarray(number_like(value, input)), np.asanyarray(input))


threshold_op = elementwise(
    "threshold", _threshold, "ThresholdBackward0", check=only("threshold_cpu", "if"),
    lowering="where(input <= threshold, value, input)",
    input=Gradient(threshold_backward_op, other="input"),
)  # fmt: skip
_threshold_in_place = inplace_form(
    elementwise(
        "threshold_", _threshold, "ThresholdBackward1", check=only("threshold_cpu", "if"),
        lowering="where(input <= threshold, value, input)",
        input=Gradient(threshold_backward_op, other="input"),
    )
)  # fmt: skip


@public("threshold", "")
def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """``x`` where it is above ``threshold``, else ``value``."""
    threshold, value = (checked_number(v, input.dtype) for v in (threshold, value))
    return apply(threshold_op, _threshold_in_place, inplace, input, threshold, value)


# ---- prelu


@primitive("PreluKernelBackward0", lowering="where(input > 0, input, input * weight)", name="prelu", kind="elementwise")
def prelu_op(input: Array, weight: Array) -> Any:
    return laid_out(np.where(input > 0, input, input * weight), input, weight)


@primitive(
    "PreluKernelBackwardBackward0", kind="elementwise", saved_names={"input": "grad_output", "other": "self"},
    lowering="where(other > 0, input, weight * input)",
)  # fmt: skip
def prelu_input_backward_op(input: Array, other: Array, weight: Array) -> Any:
    """``input`` is the gradient, ``other`` what prelu was applied to."""
    return np.where(other > 0, input, weight * input)


@primitive(
    "PreluKernelBackwardBackward0", kind="elementwise", saved_names={"input": "grad_output", "other": "self"},
    lowering="where(other > 0, 0, other * input)",
)  # fmt: skip
def prelu_weight_backward_op(input: Array, other: Array, weight: Array) -> Any:
    """It needs no weight; but PyTorch has one operator for both gradients, which saves all that either needs."""
    return keep(np.multiply(other, input), np.logical_not(other > 0))


# At 0 the derivative takes the side of the weight, and its own derivative the other side, as in PyTorch.
prelu_op.vjp(
    input=Gradient(prelu_input_backward_op, other="input"), weight=Gradient(prelu_weight_backward_op, other="input")
)
prelu_input_backward_op.vjp(
    input=lambda g, other, weight, xp: xp.either(other >= 0, g, weight * g),
    other=no_gradient,
    weight=lambda g, input, other, xp: xp.keep(g * input, xp.logical_not(other >= 0)),
)
prelu_weight_backward_op.vjp(
    input=lambda g, other, xp: xp.keep(g * other, xp.logical_not(other >= 0)),
    other=lambda g, input, other, xp: xp.keep(g * input, xp.logical_not(other >= 0)),
)


@public("prelu", "prelu", autocast="low")
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """``x`` if positive, else ``weight * x``; one weight, or one per channel."""
    names = dtypes.SCALAR_TYPE_NAMES
    if input.dtype is not weight.dtype:
        raise RuntimeError(
            f"prelu: Type promoting not supported. Got {names[input.dtype]} and {names[weight.dtype]}"
        )
    only("prelu_cpu", "f")(input._array)
    if weight.ndim > 1:
        raise RuntimeError(
            f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.ndim}"
        )
    if weight.numel() != 1:
        if input.ndim == 0:
            raise RuntimeError("Not allow zero-dim input tensor.")
        channels = input.shape[1] if input.ndim > 1 else 1
        if channels != weight.numel():
            raise RuntimeError(
                f"Mismatch of parameter numbers and input channel size. Found parameter numbers = {weight.numel()} and "
                f"channel size = {channels}."
            )
    if input.ndim != weight.ndim or input.ndim > 1:
        shape = [1] * input.ndim
        if input.ndim > 1:
            shape[1] = weight.numel()
        elif input.ndim == 1:
            shape = [weight.numel()]
        weight = weight.view(shape)
    return prelu_op(input, weight)


in_functional(prelu)
in_place_in_functional(leaky_relu, threshold)
FUNCTIONS["threshold_"] = FUNCTIONALS["threshold_"]
FUNCTIONALS.update(relu=relu, relu_=FUNCTIONS["relu_"])
