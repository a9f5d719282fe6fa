"""Smooth activations: silu, mish, softplus and its kin, gated linear units."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.dtypes import cast, not_for, widened
from ..._core.strides import by_rows
from ..._tensor import Tensor
from ..arrays.masks import select
from ..arrays.rounded_once import rounded_once
from ..arrays.special.approximations import log1p
from ..arrays.tiles import pairs_in_tiles, tiled_kernel
from ..arrays.types import Array
from ..machine import batching
from ..machine.any_state import wrap
from ..machine.arguments import one_dim
from ..machine.elementwise import elementwise
from ..machine.namespaces import ARRAYS, TENSORS
from ..machine.primitive import Primitive, primitive
from ..machine.public import FUNCTIONS, public
from ..machine.refusals import only
from ..machine.rule import Gradient
from ..machine.rules import in_both_namespaces, raw
from ..machine.write import inplace_form
from ..pointwise.arithmetic import number_like
from ..pointwise.selection import clip
from ..pointwise.transcendental import sigmoid_op, tanh_op
from .forms import OF_ACTIVATION, apply, in_functional

_logistic = sigmoid_op.kernel


# ---- silu and mish


@tiled_kernel
def _silu(input: Array) -> Any:
    return np.multiply(input, _logistic(input))


def _silu_gradient(g: Any, x: Any, xp: Any = TENSORS) -> Any:
    s = xp.sigmoid(x)
    rest = xp.plus(x * xp.number_minus(1, s), 1)
    return g * s * rest if raw(g).dtype.kind != "c" else g * xp.conj(s * rest)


@primitive(
    name="silu_backward", kind="elementwise", native=("elementwise:silu_backward", 64),
    lowering="input * sigmoid(other) * (1 + other * (1 - sigmoid(other)))",
)  # fmt: skip
@pairs_in_tiles
@rounded_once
def silu_backward_op(input: Array, other: Array) -> Any:
    return _silu_gradient(input, other, ARRAYS)


silu_backward_op.compose(_silu_gradient)
silu_op = elementwise(
    "silu", _silu, "SiluBackward0", check=only("silu_cpu", "fc"), native=("elementwise:silu", 64),
    lowering="input * sigmoid(input)",
    input=Gradient(silu_backward_op, other="input"),
)  # fmt: skip
_silu_in_place = inplace_form(silu_op)


@public()
def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """``x * sigmoid(x)``."""
    return apply(silu_op, _silu_in_place, inplace, input)


@tiled_kernel
def _mish(input: Array) -> Any:
    return np.multiply(input, np.tanh(softplus_array(input)))


def _mish_gradient(g: Any, x: Any, xp: Any = TENSORS) -> Any:
    t = xp.tanh(xp.softplus(x, 1, 20))
    return g * (t + x * xp.sigmoid(x) * xp.number_minus(1, t * t))


_TANH_OF_SOFTPLUS = "tanh(log1p(exp(-abs(other))) + maximum(other, 0))"


@primitive(
    name="mish_backward", kind="elementwise",
    lowering=f"input * ({_TANH_OF_SOFTPLUS} + other * sigmoid(other) * (1 - square({_TANH_OF_SOFTPLUS})))",
)  # fmt: skip
@pairs_in_tiles
@rounded_once
def mish_backward_op(input: Array, other: Array) -> Any:
    return _mish_gradient(input, other, ARRAYS)


mish_backward_op.compose(_mish_gradient)
mish_op = elementwise(
    "mish", _mish, "MishBackward0", check=only("mish_cpu", "f"), input=Gradient(mish_backward_op, other="input"),
    lowering="input * tanh(log1p(exp(-abs(input))) + maximum(input, 0))",
)  # fmt: skip
_mish_in_place = inplace_form(mish_op)


@public()
def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """``x * tanh(softplus(x))``."""
    return apply(mish_op, _mish_in_place, inplace, input)


# ---- softplus and log-sigmoid


def softplus_array(x: Any) -> Any:
    """``log(1 + exp(x))`` without overflow."""
    return log1p(np.exp(-np.absolute(x))) + clip(x, 0, None)


@tiled_kernel
def _softplus(input: Array, beta: float, threshold: float) -> Any:
    scaled = input * number_like(beta, input)
    smooth = softplus_array(scaled) / number_like(beta, input)
    return select(np.asanyarray(scaled > threshold), np.asanyarray(input), np.asanyarray(smooth))


@primitive(
    "SoftplusBackwardBackward0", kind="elementwise", saved_names=OF_ACTIVATION,
    lowering="where(other * beta > threshold, input, input * sigmoid(minimum(other * beta, threshold)))",
)  # fmt: skip
@pairs_in_tiles
@rounded_once
def softplus_backward_op(input: Array, other: Array, beta: float, threshold: float) -> Any:
    scaled = other * number_like(beta, other)
    low = number_like(threshold, other)
    slope = _logistic(np.asanyarray(np.minimum(scaled, low)))
    return select(np.asanyarray(scaled > low), np.asanyarray(input), np.asanyarray(input * slope))


@softplus_backward_op.vjp("other")
def softplus_backward_gradient_of_other(g: Any, input: Any, other: Any, beta: float, threshold: float, xp: Any) -> Any:
    scaled = other * beta
    beyond = scaled >= threshold
    s = xp.sigmoid(xp.drop(scaled, beyond))
    return xp.drop(g * input * (s * (1 - s)) * beta, beyond)


softplus_backward_op.vjp(input=Gradient(softplus_backward_op))
softplus_op = elementwise(
    "softplus", _softplus, "SoftplusBackward0", check=only("softplus_cpu", "f"),
    lowering="where(input * beta > threshold, input, "
    "(log1p(exp(-abs(input * beta))) + maximum(input * beta, 0)) / beta)",
    input=Gradient(softplus_backward_op, other="input"),
)  # fmt: skip


@public(out=True)
def softplus(input: Tensor, beta: float = 1, threshold: float = 20) -> Tensor:
    """``log(1 + exp(beta * x)) / beta``; ``x`` itself where ``beta * x`` is above ``threshold``."""
    return softplus_op(input, beta, threshold)


@tiled_kernel
def _log_sigmoid(input: Array) -> Any:
    return by_rows(np.subtract(0, softplus_array(np.negative(input)), dtype=input.dtype))


@primitive(
    "LogSigmoidBackwardBackward0", lowering="input * sigmoid(-other)", kind="elementwise", saved_names=OF_ACTIVATION
)
@rounded_once
def log_sigmoid_backward_op(input: Array, other: Array) -> Any:
    return input * _logistic(-other)


@log_sigmoid_backward_op.vjp("other")
def log_sigmoid_backward_gradient_of_other(g: Any, input: Any, other: Any, xp: Any) -> Any:
    s = xp.sigmoid(other)
    return g * input * (s * (s - 1))


log_sigmoid_backward_op.vjp(input=Gradient(log_sigmoid_backward_op))
logsigmoid_op = elementwise(
    "logsigmoid", _log_sigmoid, "LogSigmoidBackward0", check=only("log_sigmoid_cpu", "f"),
    lowering="minimum(input, 0) - log1p(exp(-abs(input)))",
    input=Gradient(log_sigmoid_backward_op, other="input"),
)  # fmt: skip
logsigmoid_op.lays_out = True


def _show_buffer(op: Primitive) -> None:
    """Let nodes show what PyTorch keeps beside the input: ``exp(-abs(x))``."""
    op.node_class._saved_buffer = property(  # type: ignore[attr-defined]
        lambda node: wrap(np.exp(-np.absolute(node._saved_self._array)))
    )


_show_buffer(logsigmoid_op)
_show_buffer(log_sigmoid_backward_op)


@public(out=True, name="log_sigmoid")
def logsigmoid(input: Tensor) -> Tensor:
    """``log(sigmoid(x))``."""
    return logsigmoid_op(input)


@public()
def softsign(input: Tensor) -> Tensor:
    """``x / (1 + |x|)``."""
    return input / (input.abs() + 1)


@public()
def tanhshrink(input: Tensor) -> Tensor:
    """``x - tanh(x)``."""
    return input - tanh_op(input)


# ---- glu


def _halves(x: Any, dim: int) -> tuple[Any, Any]:
    n = x.shape[dim] // 2
    before = (slice(None),) * dim
    return x[(*before, slice(0, n))], x[(*before, slice(n, None))]


@primitive("GluBackward0", name="glu", batch=batching.moved_dimensions, lowering="library")
def glu_op(input: Array, dim: int) -> Any:
    a, b = _halves(widened(input), dim)
    return cast(a * _logistic(b), input.dtype)


@primitive(
    "GluBackwardBackward0", batch=batching.moved_dimensions, saved_names=OF_ACTIVATION, lowering="library"
)
def glu_backward_op(input: Array, other: Array, dim: int) -> Any:
    g = widened(input)
    a, b = _halves(widened(other), dim)
    s = _logistic(b)
    return cast(np.concatenate((g * s, g * a * (s * (1 - s))), dim), input.dtype)


@glu_backward_op.vjp("input")
def glu_backward_gradient_of_input(g: Any, other: Any, dim: int, xp: Any) -> Any:
    a, b = _halves(other, dim)
    of_a, of_b = _halves(g, dim)
    s = xp.sigmoid(b)
    return of_a * s + of_b * a * (s * (1 - s))


@glu_backward_op.vjp("other")
def glu_backward_gradient_of_other(g: Any, input: Any, other: Any, dim: int, xp: Any) -> Any:
    a, b = _halves(other, dim)
    of_a, of_b = _halves(g, dim)
    s = xp.sigmoid(b)
    slope = input * (s * (1 - s))
    return xp.joined((of_b * slope, slope * (of_a + of_b * a * (1 - 2 * s))), dim)


glu_op.vjp(input=Gradient(glu_backward_op, other="input"))


def _joined_tensors(parts: Any, dim: int) -> Any:
    return FUNCTIONS["cat"](parts, dim)


in_both_namespaces("joined", np.concatenate, _joined_tensors)


@public()
def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half along ``dim`` times the sigmoid of the second."""
    if input.ndim == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    dim = one_dim(dim, input.ndim)
    n = input.shape[dim]
    if n % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {n}")
    if input._array.dtype.kind in "biuc":
        raise not_for("glu_cpu", input.dtype)
    return glu_op(input, dim)


in_functional(glu, logsigmoid, mish, silu, softplus, softsign, tanhshrink)
