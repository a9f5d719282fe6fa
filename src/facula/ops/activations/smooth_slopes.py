"""Derivatives of smooth units as operators of their own: one node each in graphs of second derivatives.

In all of them ``input`` is the gradient that arrives and ``other`` what the unit was applied to.
"""

from __future__ import annotations

import math
from functools import wraps
from typing import Any

import numpy as np

from ..arrays.gelu import gelu_gradient, is_large
from ..arrays.masks import keep, select
from ..arrays.tiles import TILE, pair_in_tiles
from ..arrays.types import Array
from ..machine import batching
from ..machine.any_state import wrap
from ..machine.primitive import Primitive, primitive
from ..pointwise.arithmetic import number_like
from ..pointwise.special import erf_array
from ..pointwise.transcendental import sigmoid_op

_logistic = sigmoid_op.kernel
OF_UNIT = {"input": "grad_output", "other": "self"}


def _in_tiles(kernel: Any) -> Any:
    """A kernel of two arrays and attributes that works on large ones tile by tile."""

    @wraps(kernel)
    def run(input: Any, other: Any, *attributes: Any) -> Any:
        if other.size <= TILE or other.__class__ is not np.ndarray or input.shape != other.shape:
            return kernel(input, other, *attributes)
        return pair_in_tiles(lambda g, x: kernel(g, x, *attributes), input, other, np.result_type(input, other))

    return run


# ---- gelu

_ROOT_HALF = math.sqrt(0.5)
_DENSITY = 1 / math.sqrt(2 * math.pi)
GELU_A, GELU_B = math.sqrt(2 / math.pi), 0.044715


def gelu_inner(x: Any) -> Any:
    """What the approximation takes tanh of."""
    return (x + x * x * x * GELU_B) * GELU_A


@_in_tiles
def _gelu_gradient(g: Any, x: Any, approximate: str) -> Any:
    if approximate == "tanh":
        t = np.tanh(gelu_inner(x))
        inner_slope = (1 + x * x * (3 * GELU_B)) * GELU_A
        return g * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * inner_slope)
    distribution = 0.5 * (1 + erf_array(x * _ROOT_HALF))
    return g * (distribution + x * (np.exp(x * x * -0.5) * _DENSITY))


@primitive("GeluBackwardBackward0", kind="elementwise", saved_names=OF_UNIT)
def gelu_backward_op(input: Array, other: Array, approximate: str) -> Any:
    if approximate == "none" and input.dtype == other.dtype and is_large(other) and input.shape == other.shape:
        return gelu_gradient(input, other)
    return _gelu_gradient(input, other, approximate)


@gelu_backward_op.vjp("other")
def gelu_backward_gradient_of_other(g: Any, input: Any, other: Any, approximate: str, xp: Any) -> Any:
    x = other
    if approximate == "tanh":
        t = xp.tanh(gelu_inner(x))
        slope, curve = (1 + x * x * (3 * GELU_B)) * GELU_A, x * (6 * GELU_A * GELU_B)
        return g * input * ((1 - t * t) * (slope + 0.5 * x * (curve - 2 * t * slope * slope)))
    return g * input * (xp.exp(x * x * -0.5) * _DENSITY) * (2 - x * x)


gelu_backward_op.vjp(input=lambda g, other, approximate, xp: xp.gelu_backward(g, other, approximate))


# ---- elu


@primitive("EluBackwardBackward0", kind="elementwise", saved_names={"input": "grad_output", "other": "self_or_result"})
def elu_backward_op(
    input: Array, other: Array, alpha: float, scale: float, input_scale: float, is_result: bool
) -> Any:
    """``is_result``: whether ``other`` is what the unit gave, because its input has been overwritten."""
    if is_result:
        below = input * ((other + number_like(alpha * scale, other)) * number_like(input_scale, other))
    else:
        curve = np.exp(other * number_like(input_scale, other)) * number_like(alpha * scale * input_scale, input)
        below = input * curve
    above = input * number_like(scale, input)
    return select(np.greater(other, 0), np.asarray(above), np.asarray(below))


@elu_backward_op.vjp("other")
def elu_backward_gradient_of_other(
    g: Any, input: Any, other: Any, alpha: float, scale: float, input_scale: float, is_result: bool, xp: Any
) -> Any:
    if is_result:
        return xp.keep(g * input * input_scale, other < 0)
    slope = xp.exp(other * input_scale) * (alpha * scale * input_scale * input_scale)
    return xp.keep(g * input * slope, other < 0)


@elu_backward_op.vjp("input")
def elu_backward_gradient_of_input(
    g: Any, other: Any, alpha: float, scale: float, input_scale: float, is_result: bool, xp: Any
) -> Any:
    return xp.elu_backward(g, other, alpha, scale, input_scale, is_result)


# ---- softplus and log-sigmoid


@primitive("SoftplusBackwardBackward0", kind="elementwise", saved_names=OF_UNIT)
@_in_tiles
def softplus_backward_op(input: Array, other: Array, beta: float, threshold: float) -> Any:
    scaled = other * number_like(beta, other)
    low = number_like(threshold, other)
    slope = _logistic(np.asarray(np.minimum(scaled, low)))
    return select(np.asarray(scaled > low), np.asarray(input), np.asarray(input * slope))


@softplus_backward_op.vjp("other")
def softplus_backward_gradient_of_other(g: Any, input: Any, other: Any, beta: float, threshold: float, xp: Any) -> Any:
    scaled = other * beta
    beyond = scaled >= threshold
    s = xp.sigmoid(xp.drop(scaled, beyond))
    return xp.drop(g * input * (s * (1 - s)) * beta, beyond)


softplus_backward_op.vjp(
    input=lambda g, other, beta, threshold, xp: xp.softplus_backward(g, other, beta, threshold)
)


@primitive("LogSigmoidBackwardBackward0", kind="elementwise", saved_names=OF_UNIT)
def log_sigmoid_backward_op(input: Array, other: Array) -> Any:
    return input * _logistic(-other)


@log_sigmoid_backward_op.vjp("other")
def log_sigmoid_backward_gradient_of_other(g: Any, input: Any, other: Any, xp: Any) -> Any:
    s = xp.sigmoid(other)
    return g * input * (s * (s - 1))


log_sigmoid_backward_op.vjp(input=lambda g, other, xp: xp.log_sigmoid_backward(g, other))


def show_buffer(op: Primitive) -> None:
    """Let nodes show what PyTorch keeps beside the input: ``exp(-abs(x))``."""
    op.node_class._saved_buffer = property(  # type: ignore[attr-defined]
        lambda node: wrap(np.exp(-np.absolute(node._saved_self._array)))
    )


show_buffer(log_sigmoid_backward_op)


# ---- hardswish


@primitive("HardswishBackwardBackward0", kind="elementwise", saved_names=OF_UNIT)
def hardswish_backward_op(input: Array, other: Array) -> Any:
    inside = np.asarray(input * (other / number_like(3, other) + number_like(0.5, other)))
    return keep(select(np.asarray(other < 3), inside, np.asarray(input)), np.asarray(other > -3))


@hardswish_backward_op.vjp("other")
def hardswish_backward_gradient_of_other(g: Any, input: Any, other: Any, xp: Any) -> Any:
    return xp.keep(g * input / 3, (other > -3) & (other < 3))


hardswish_backward_op.vjp(input=lambda g, other, xp: xp.hardswish_backward(g, other))


# ---- glu


def halves(x: Any, dim: int) -> tuple[Any, Any]:
    n = x.shape[dim] // 2
    before = (slice(None),) * dim
    return x[(*before, slice(0, n))], x[(*before, slice(n, None))]


@primitive(
    "GluBackwardBackward0", batch=batching.moved_dimensions, saved_names={"input": "grad_output", "other": "self"}
)
def glu_backward_op(input: Array, other: Array, dim: int) -> Any:
    a, b = halves(other, dim)
    s = _logistic(b)
    return np.concatenate((input * s, input * a * (s * (1 - s))), dim)


@glu_backward_op.vjp("input")
def glu_backward_gradient_of_input(g: Any, other: Any, dim: int, xp: Any) -> Any:
    a, b = halves(other, dim)
    of_a, of_b = halves(g, dim)
    s = xp.sigmoid(b)
    return of_a * s + of_b * a * (s * (1 - s))


@glu_backward_op.vjp("other")
def glu_backward_gradient_of_other(g: Any, input: Any, other: Any, dim: int, xp: Any) -> Any:
    a, b = halves(other, dim)
    of_a, of_b = halves(g, dim)
    s = xp.sigmoid(b)
    slope = input * (s * (1 - s))
    return xp.joined((of_b * slope, slope * (of_a + of_b * a * (1 - 2 * s))), dim)
