"""Activation functions, for ``nn.functional`` and, where ``torch`` has them too, for ``facula`` itself."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core import dtypes
from ..._tensor import Tensor
from ...autograd.saved import PLAIN
from ..arrays.approximations import expm1, log1p
from ..arrays.gelu import gelu_in_tiles, is_large
from ..arrays.masks import keep, select
from ..arrays.tiles import SHARED, shared_ufunc, tiled_kernel, tiled_rule
from ..arrays.types import Array
from ..machine import batching
from ..machine.arguments import one_dim
from ..machine.elementwise import elementwise
from ..machine.primitive import primitive
from ..machine.public import FUNCTIONALS, FUNCTIONS, expose, public
from ..machine.refusals import only
from ..machine.rules import in_both_namespaces, no_gradient, raw
from ..machine.write import inplace_form, needs_gradient
from ..pointwise.arithmetic import number_like
from ..pointwise.selection import clip
from ..pointwise.special import erf_array
from ..pointwise.transcendental import sigmoid_op, tanh_op
from .smooth_slopes import gelu_inner, halves, show_buffer

_SMALL = 2048
_clip: Any = getattr(np._core.umath, "clip", np.clip)  # type: ignore[attr-defined]
"""The ufunc itself, where NumPy has it: ``np.clip`` takes twice as long to begin."""


def _apply(op: Any, change: Any, inplace: bool, input: Tensor, *attributes: Any) -> Any:
    return change(input, *attributes) if inplace else op(input, *attributes)


# ---- relu and its kin


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


relu_op = elementwise(
    "relu", _relu, "ReluBackward0", check=_relu_check, input=lambda g, out, xp: xp.threshold_backward(g, out, 0)
)
expose(relu_op, "relu", "relu", "relu_")
_relu_in_place = inplace_form(relu_op)


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """``max(0, x)``."""
    return _relu_in_place(input) if inplace else relu_op(input)


FUNCTIONALS.update(relu=relu, relu_=FUNCTIONS["relu_"])


def _leaky(input: Array, negative_slope: float) -> Any:
    if input.ndim and input.dtype.kind == "f" and 0 < negative_slope <= 1:
        below = np.multiply(input, number_like(negative_slope, input))
        return np.maximum(input, below, out=below)
    return np.multiply(input, _slope(input, negative_slope))


def _slope(input: Any, negative_slope: Any) -> Any:
    one = number_like(1, input)
    return select(input > 0, one, np.asarray(number_like(negative_slope, input)))


leaky_relu_op = elementwise(
    "leaky_relu", _leaky, "LeakyReluBackward0", check=only("leaky_relu_cpu", "f"),
    input=lambda g, input, negative_slope, xp: xp.leaky_relu_backward(g, input, negative_slope),
)  # fmt: skip
_leaky_in_place = inplace_form(
    elementwise(
        "leaky_relu_", _leaky, "LeakyReluBackward1", check=only("leaky_relu_cpu", "f"),
        input=lambda g, out, negative_slope, xp: xp.leaky_relu_backward(g, out, negative_slope),
    )
)  # fmt: skip


@public()
def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """``x`` if positive, else ``negative_slope * x``."""
    return _apply(leaky_relu_op, _leaky_in_place, inplace, input, negative_slope)


def _threshold(input: Array, threshold: float, value: float) -> Any:
    return select(np.asarray(input <= threshold), np.asarray(number_like(value, input)), np.asarray(input))


threshold_op = elementwise(
    "threshold", _threshold, "ThresholdBackward0", check=only("threshold_cpu", "if"),
    input=lambda g, input, threshold, xp: xp.threshold_backward(g, input, threshold),
)  # fmt: skip
_threshold_in_place = inplace_form(
    elementwise(
        "threshold_", _threshold, "ThresholdBackward1", check=only("threshold_cpu", "if"),
        input=lambda g, input, threshold, xp: xp.threshold_backward(g, input, threshold),
    )
)  # fmt: skip


@public("threshold", "")
def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """``x`` where it is above ``threshold``, else ``value``."""
    return _apply(threshold_op, _threshold_in_place, inplace, input, threshold, value)


@primitive("PreluKernelBackward0", name="prelu", kind="elementwise")
def prelu_op(input: Array, weight: Array) -> Any:
    return np.where(input > 0, input, input * weight)


@primitive("PreluKernelBackwardBackward0", kind="elementwise", saved_names={"input": "grad_output", "other": "self"})
def prelu_input_backward_op(input: Array, other: Array, weight: Array) -> Any:
    """``input`` is the gradient, ``other`` what prelu was applied to."""
    return np.where(other > 0, input, weight * input)


@primitive("PreluKernelBackwardBackward0", kind="elementwise", saved_names={"input": "grad_output", "other": "self"})
def prelu_weight_backward_op(input: Array, other: Array) -> Any:
    return keep(np.multiply(other, input), np.logical_not(other > 0))


# At 0 the derivative takes the side of the weight, and its own derivative the other side, as in PyTorch.
prelu_op.vjp(
    input=lambda g, input, weight, xp: xp.prelu_input_backward(g, input, weight),
    weight=lambda g, input, xp: xp.prelu_weight_backward(g, input),
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
    if input.ndim != weight.ndim or input.ndim != 1:
        shape = [1] * input.ndim
        if input.ndim > 1:
            shape[1] = weight.numel()
        elif input.ndim == 1:
            shape = [weight.numel()]
        weight = weight.view(shape)
    return prelu_op(input, weight)


# ---- exponential units


@tiled_kernel
def _elu(input: Array, alpha: float, scale: float, input_scale: float) -> Any:
    low = clip(input, -math.inf, 0)
    below = np.multiply(expm1(low * number_like(input_scale, input)), number_like(alpha * scale, input))
    return select(np.asarray(input > 0), np.asarray(input * number_like(scale, input)), np.asarray(below))


def _elu_rule(g: Any, input: Any, alpha: float, scale: float, input_scale: float, xp: Any) -> Any:
    return xp.elu_backward(g, input, alpha, scale, input_scale, False)


_elu_check = only("elu_cpu", "f")
elu_op = elementwise("elu", _elu, "EluBackward0", check=_elu_check, input=_elu_rule)
celu_op = elementwise("celu", _elu, "CeluBackward0", check=_elu_check, input=_elu_rule)


def _elu_of_result_rule(g: Any, out: Any, alpha: float, scale: float, input_scale: float, xp: Any) -> Any:
    return xp.elu_backward(g, out, alpha, scale, input_scale, True)


_elu_in_place, _celu_in_place = (
    inplace_form(elementwise(name, _elu, node, check=_elu_check, input=_elu_of_result_rule))
    for name, node in (("elu_", "EluBackward1"), ("celu_", "CeluBackward1"))
)
_SELU_ALPHA, _SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946


@public()
def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """``x`` if positive, else ``alpha * (exp(x) - 1)``."""
    return _apply(elu_op, _elu_in_place, inplace, input, alpha, 1, 1)


@public("selu", "")
def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """``elu`` scaled so that it keeps means at 0 and variances at 1."""
    return _apply(elu_op, _elu_in_place, inplace, input, _SELU_ALPHA, _SELU_SCALE, 1)


@public("celu", "")
def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """``max(0, x) + min(0, alpha * (exp(x / alpha) - 1))``."""
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return _apply(celu_op, _celu_in_place, inplace, input, alpha, 1, 1 / alpha)


# ---- smooth units

_ROOT_HALF = math.sqrt(0.5)


def _gelu(input: Array, approximate: str) -> Any:
    if approximate == "none" and is_large(input):
        return gelu_in_tiles(input)
    return _gelu_in_general(input, approximate)


@tiled_kernel
def _gelu_in_general(input: Array, approximate: str) -> Any:
    half = number_like(0.5, input)
    if approximate == "tanh":
        return half * input * (1 + np.tanh(gelu_inner(input)))
    return half * input * (1 + erf_array(input * number_like(_ROOT_HALF, input)))


gelu_op = elementwise(
    "gelu", _gelu, "GeluBackward0", check=only("GeluKernelImpl", "f"),
    input=lambda g, input, approximate, xp: xp.gelu_backward(g, input, approximate),
)  # fmt: skip


@public(out=True)
def gelu(input: Tensor, *, approximate: str = "none") -> Tensor:
    """``x`` times the normal distribution function of ``x``, or an approximation by tanh."""
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    if approximate == "none" and type(input) in PLAIN and is_large(input._array) and needs_gradient(input):
        from .gelu_slopes import gelu_with_slopes_op  # loaded when first used

        found: Tensor = gelu_with_slopes_op(input, approximate)[0]
        return found
    return gelu_op(input, approximate)


_logistic = sigmoid_op.kernel


@tiled_kernel
def _silu(input: Array) -> Any:
    return np.multiply(input, _logistic(input))


@tiled_rule
def _silu_rule(g: Any, input: Any, xp: Any) -> Any:
    s = xp.sigmoid(input)
    if xp.is_raw:
        return g * xp.conj(s * (1 + input * (1 - s)))
    rest = xp.plus(input * xp.number_minus(1, s), 1)
    return g * s * rest if raw(g).dtype.kind != "c" else g * xp.conj(s * rest)


silu_op = elementwise("silu", _silu, "SiluBackward0", check=only("silu_cpu", "fc"), input=_silu_rule)
_silu_in_place = inplace_form(silu_op)


@public()
def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """``x * sigmoid(x)``."""
    return _apply(silu_op, _silu_in_place, inplace, input)


def softplus_array(x: Any) -> Any:
    """``log(1 + exp(x))`` without overflow."""
    return log1p(np.exp(-np.absolute(x))) + clip(x, 0, None)


@tiled_kernel
def _mish(input: Array) -> Any:
    return np.multiply(input, np.tanh(softplus_array(input)))


@tiled_rule
def _mish_rule(g: Any, input: Any, xp: Any) -> Any:
    t = xp.tanh(xp.softplus(input, 1, 20))
    return g * (t + input * xp.sigmoid(input) * xp.number_minus(1, t * t))


@tiled_kernel
def _softplus(input: Array, beta: float, threshold: float) -> Any:
    scaled = input * number_like(beta, input)
    smooth = softplus_array(scaled) / number_like(beta, input)
    return select(np.asarray(scaled > threshold), np.asarray(input), np.asarray(smooth))


softplus_op = elementwise(
    "softplus", _softplus, "SoftplusBackward0", check=only("softplus_cpu", "f"),
    input=lambda g, input, beta, threshold, xp: xp.softplus_backward(g, input, beta, threshold),
)  # fmt: skip
mish_op = elementwise("mish", _mish, "MishBackward0", check=only("mish_cpu", "f"), input=_mish_rule)
_mish_in_place = inplace_form(mish_op)


@public()
def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """``x * tanh(softplus(x))``."""
    return _apply(mish_op, _mish_in_place, inplace, input)


@public(out=True)
def softplus(input: Tensor, beta: float = 1, threshold: float = 20) -> Tensor:
    """``log(1 + exp(beta * x)) / beta``; ``x`` itself where ``beta * x`` is above ``threshold``."""
    return softplus_op(input, beta, threshold)


@tiled_kernel
def _log_sigmoid(input: Array) -> Any:
    return np.negative(softplus_array(np.negative(input)))


logsigmoid_op = elementwise(
    "logsigmoid", _log_sigmoid, "LogSigmoidBackward0", check=only("log_sigmoid_cpu", "f"),
    input=lambda g, input, xp: xp.log_sigmoid_backward(g, input),
)  # fmt: skip
show_buffer(logsigmoid_op)


@public(out=True)
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


# ---- piecewise linear units


def _hardtanh(input: Array, min_val: float, max_val: float) -> Any:
    return clip(input, min_val, max_val)


def _hardtanh_check(array: Any) -> None:
    if array.dtype == np.bool_:
        raise RuntimeError("Bool inputs not supported for hardtanh")
    if array.dtype.kind == "c":
        raise NotImplementedError("clamp is not supported for complex types")


hardtanh_op = elementwise(
    "hardtanh", _hardtanh, "HardtanhBackward0", check=_hardtanh_check,
    input=lambda g, input, min_val, max_val, xp: xp.hardtanh_backward(g, input, min_val, max_val),
)  # fmt: skip
_hardtanh_in_place = inplace_form(hardtanh_op)


@public()
def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """``x`` clamped to [min_val, max_val]."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return _apply(hardtanh_op, _hardtanh_in_place, inplace, input, min_val, max_val)


@public()
def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """``min(max(0, x), 6)``."""
    return _apply(hardtanh_op, _hardtanh_in_place, inplace, input, 0, 6)


def _hardsigmoid(input: Array) -> Any:
    return clip(input + number_like(3, input), 0, 6) / number_like(6, input)


hardsigmoid_op = elementwise(
    "hardsigmoid", _hardsigmoid, "HardsigmoidBackward0", check=only("hardsigmoid_cpu", "f"),
    input=lambda g, input, xp: xp.keep(g / 6, (input > -3) & (input < 3)),
)  # fmt: skip
_hardsigmoid_in_place = inplace_form(hardsigmoid_op)


@public()
def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """``min(max(0, x + 3), 6) / 6``."""
    return _apply(hardsigmoid_op, _hardsigmoid_in_place, inplace, input)


def _hardswish(input: Array) -> Any:
    return input * _hardsigmoid(input)


hardswish_op = elementwise(
    "hardswish", _hardswish, "HardswishBackward0", check=only("hardswish_cpu", "f"),
    input=lambda g, input, xp: xp.hardswish_backward(g, input),
)  # fmt: skip
_hardswish_in_place = inplace_form(hardswish_op)


@public()
def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """``x * hardsigmoid(x)``."""
    return _apply(hardswish_op, _hardswish_in_place, inplace, input)


def _hardshrink(input: Array, lambd: float) -> Any:
    return keep(input, ~((input >= -lambd) & (input <= lambd)))


hardshrink_op = elementwise(
    "hardshrink", _hardshrink, "HardshrinkBackward0", check=only("hardshrink_cpu", "f"),
    input=lambda g, input, lambd, xp: xp.shrink_backward(g, input, lambd),
)  # fmt: skip


@public("hardshrink", "hardshrink", out=True)
def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """``x``, or 0 within [-lambd, lambd]."""
    return hardshrink_op(input, lambd)


def _softshrink(input: Array, lambd: float) -> Any:
    bound = number_like(lambd, input)
    return np.where(input > bound, input - bound, np.where(input < -bound, input + bound, input * 0))


softshrink_op = elementwise(
    "softshrink", _softshrink, "SoftshrinkBackward0", check=only("softshrink_check", "f"),
    input=lambda g, input, lambd, xp: xp.softshrink_backward(g, input, lambd),
)  # fmt: skip


@public(out=True)
def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """``x`` moved towards 0 by ``lambd``, and 0 nearer than that."""
    if not 0 <= lambd < math.inf:
        most = dtypes.finfo(input.dtype).max if input.dtype.is_floating_point else math.inf
        kind = dtypes.SCALAR_TYPE_NAMES[input.dtype]
        raise RuntimeError(f"lambda must be in range [0, {most:g}] for input dtype {kind}, but found {lambd:g}")
    return softshrink_op(input, lambd)


# ---- gated units


@primitive("GluBackward0", name="glu", batch=batching.moved_dimensions)
def glu_op(input: Array, dim: int) -> Any:
    a, b = halves(input, dim)
    return (a * _logistic(b)).astype(input.dtype, copy=False)


glu_op.vjp(input=lambda g, input, dim, xp: xp.glu_backward(g, input, dim))


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
    return glu_op(input, dim)


# ---- names


def _in_place_of(fn: Any) -> Any:
    def change(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """The same, written into the input."""
        result: Tensor = fn(input, *args, **kwargs, inplace=True)
        return result

    change.__name__ = change.__qualname__ = f"{fn.__name__}_"
    return change


_fn: Any
for _fn in (
    gelu, glu, hardshrink, hardsigmoid, hardswish, logsigmoid, mish, prelu, relu6, silu, softplus, softshrink, softsign,
    tanhshrink,
):  # fmt: skip
    FUNCTIONALS[_fn.__name__] = _fn.public
for _fn in (celu, elu, hardtanh, leaky_relu, selu, threshold):
    FUNCTIONALS[_fn.__name__] = _fn.public
    FUNCTIONALS[f"{_fn.__name__}_"] = _in_place_of(_fn)
for _name in ("celu_", "selu_", "threshold_"):
    FUNCTIONS[_name] = FUNCTIONALS[_name]
