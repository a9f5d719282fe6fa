"""Derivatives of piecewise linear units, which are constant in the unit's input."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.numbers import scalar
from ..arrays.masks import keep, select
from ..arrays.quick_gradients import fits
from ..arrays.tiles import shared_pair
from ..arrays.types import Array
from ..machine.primitive import primitive
from ..machine.rules import no_gradient
from ..pointwise.arithmetic import number_like


@primitive("ThresholdBackwardBackward0", kind="elementwise", saved_names={"other": "self"})
def threshold_backward_op(input: Array, other: Array, threshold: float) -> Any:
    low = number_like(threshold, other) if other.dtype.kind == "f" else threshold
    return shared_pair(lambda g, x: keep(g, np.logical_not(np.less_equal(x, low))), input, other)


@primitive(
    "HardtanhBackwardBackward0", kind="elementwise", saved_names={"other": "self", "low": "min_val", "high": "max_val"}
)
def hardtanh_backward_op(input: Array, other: Array, low: float, high: float) -> Any:
    return keep(input, np.logical_not(np.less_equal(other, low) | np.greater_equal(other, high)))


@primitive("HardshrinkBackwardBackward0", kind="elementwise", saved_names={"other": "self"})
def shrink_backward_op(input: Array, other: Array, lambd: float) -> Any:
    return keep(input, np.logical_not(np.greater_equal(other, -lambd) & np.less_equal(other, lambd)))


@primitive("LeakyReluBackwardBackward0", kind="elementwise", saved_names={"other": "self", "slope": "negative_slope"})
def leaky_relu_backward_op(input: Array, other: Array, slope: float) -> Any:
    if 0 <= slope <= 1 and input.ndim and fits(input, other):
        dt = input.dtype
        slopes = np.greater(other, scalar(0, dt)).astype(dt)
        np.maximum(slopes, scalar(slope, dt), out=slopes)
        return np.multiply(input, slopes, slopes)
    return select(np.greater(other, 0), np.asarray(input), np.asarray(input * number_like(slope, input)))


threshold_backward_op.vjp(
    input=lambda g, other, threshold, xp: xp.threshold_backward(g, other, threshold), other=no_gradient
)
hardtanh_backward_op.vjp(
    input=lambda g, other, low, high, xp: xp.hardtanh_backward(g, other, low, high), other=no_gradient
)
softshrink_backward_op = primitive(
    "SoftshrinkBackwardBackward0", name="softshrink_backward", kind="elementwise", saved_names={"other": "self"}
)(shrink_backward_op.kernel)
softshrink_backward_op.vjp(
    input=lambda g, other, lambd, xp: xp.softshrink_backward(g, other, lambd), other=no_gradient
)
shrink_backward_op.vjp(input=lambda g, other, lambd, xp: xp.shrink_backward(g, other, lambd), other=no_gradient)
leaky_relu_backward_op.vjp(input=lambda g, other, slope, xp: xp.leaky_relu_backward(g, other, slope), other=no_gradient)
