"""gelu: ``x`` times the normal distribution function of ``x``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core.devices import MetaArray
from ..._core.dtypes import is_half, widened
from ..._tensor import Tensor
from ...autograd.saved import PLAIN
from ..arrays.meta import by_zeros
from ..arrays.special.gelu import GELU_TILE, SMALL, gelu_derivative, gelu_gradient, gelu_in_tiles, is_large
from ..arrays.tiles import each_tile, pairs_in_tiles, tiled_kernel
from ..arrays.types import Array
from ..machine import batching
from ..machine.elementwise import elementwise
from ..machine.namespaces import TENSORS
from ..machine.primitive import primitive
from ..machine.public import public
from ..machine.refusals import only
from ..machine.rule import Gradient
from ..machine.write import needs_gradient
from ..pointwise.arithmetic import number_like
from ..pointwise.special import erf_array
from .forms import OF_ACTIVATION, in_functional

_ROOT_HALF = math.sqrt(0.5)
_DENSITY = 1 / math.sqrt(2 * math.pi)
_A, _B = math.sqrt(2 / math.pi), 0.044715


def _inner(x: Any) -> Any:
    """What the approximation takes tanh of."""
    return (x + x * x * x * _B) * _A


def _gelu(input: Array, approximate: str) -> Any:
    if approximate == "none" and is_large(input):
        return gelu_in_tiles(input)
    return _gelu_in_general(input, approximate)


@tiled_kernel
def _gelu_in_general(input: Array, approximate: str) -> Any:
    half = number_like(0.5, input)
    if approximate == "tanh":
        return half * input * (1 + np.tanh(_inner(input)))
    return half * input * (1 + erf_array(input * number_like(_ROOT_HALF, input)))


# ---- the gradient


@pairs_in_tiles
def _gelu_gradient(g: Any, x: Any, approximate: str) -> Any:
    if approximate == "tanh":
        t = np.tanh(_inner(x))
        by_x = (1 + x * x * (3 * _B)) * _A
        return g * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * by_x)
    distribution = 0.5 * (1 + erf_array(x * _ROOT_HALF))
    return g * (distribution + x * (np.exp(x * x * -0.5) * _DENSITY))


_DISTRIBUTION = "0.5 * (1 + erf({x} * 0.7071067811865476))"
_TANH = "tanh(({x} + {x} * {x} * {x} * 0.044715) * 0.7978845608028654)"


def _written(approximate: str) -> str:
    return "input * (" + (f"0.5 * (1 + {_TANH})" if approximate == "tanh" else _DISTRIBUTION).format(x="input") + ")"


def _written_derivative(approximate: str, x: str) -> str:
    if approximate != "tanh":
        return f"({_DISTRIBUTION} + {{x}} * (exp({{x}} * {{x}} * -0.5) * 0.3989422804014327))".format(x=x)
    slope = "(1 + {x} * {x} * 0.134145) * 0.7978845608028654"
    return f"(0.5 * (1 + {_TANH}) + 0.5 * {{x}} * (1 - {_TANH} * {_TANH}) * ({slope}))".format(x=x)


def _written_gradient(approximate: str) -> str:
    return f"input * {_written_derivative(approximate, 'other')}"


_WRITTEN_BOTH = (_written("none"), _written_derivative("none", "input"))


@primitive(
    "GeluBackwardBackward0", kind="elementwise", saved_names=OF_ACTIVATION, native=("elementwise:gelu_backward", 64),
    lowering=_written_gradient,
)  # fmt: skip
def gelu_backward_op(input: Array, other: Array, approximate: str) -> Any:
    if approximate == "none" and input.dtype == other.dtype and is_large(other) and input.shape == other.shape:
        return gelu_gradient(input, other)
    found = _gelu_gradient(widened(input), widened(other), approximate)
    return found if found.dtype == other.dtype or not is_half(other.dtype) else found.astype(other.dtype)


@gelu_backward_op.vjp("other")
def gelu_backward_gradient_of_other(g: Any, input: Any, other: Any, approximate: str, xp: Any) -> Any:
    x = other
    if approximate == "tanh":
        t = xp.tanh(_inner(x))
        slope, curve = (1 + x * x * (3 * _B)) * _A, x * (6 * _A * _B)
        return g * input * ((1 - t * t) * (slope + 0.5 * x * (curve - 2 * t * slope * slope)))
    return g * input * (xp.exp(x * x * -0.5) * _DENSITY) * (2 - x * x)


gelu_backward_op.vjp(input=Gradient(gelu_backward_op))
gelu_op = elementwise(
    "gelu", _gelu, "GeluBackward0", check=only("GeluKernelImpl", "f"), native=("elementwise:gelu", 64),
    lowering=_written,
    input=Gradient(gelu_backward_op, other="input"),
)  # fmt: skip


# ---- large tensors that are recorded: the forward pass keeps the derivatives, most of whose work it does


@primitive(
    "GeluBackward0", name="gelu_and_derivative", outputs=2, differentiable_outputs="first", batch=batching.item_by_item,
    lowering=_WRITTEN_BOTH,
    saved_names={"out1": ""}, native=("elementwise:gelu_and_derivative", 64),
)  # fmt: skip
@by_zeros
def gelu_and_derivative_op(input: Array, approximate: str) -> tuple[Array, ...]:
    """(gelu, its derivative), without approximation."""
    found, derivative = (np.empty(input.shape, input.dtype) for _ in range(2))
    flat, into, kept = input.reshape(-1), found.reshape(-1), derivative.reshape(-1)
    fill = gelu_derivative if input.dtype == np.float32 else _exact_derivative

    def job(tile: slice) -> None:
        x, distribution = flat[tile], into[tile]
        fill(x, distribution, kept[tile])
        np.multiply(distribution, x, distribution)

    each_tile(flat.size, job, GELU_TILE)
    return found, derivative


def _exact_derivative(x: Any, distribution: Any, derivative: Any) -> None:
    distribution[...] = 0.5 * (1 + erf_array(x * math.sqrt(0.5)))
    derivative[...] = distribution + x * (np.exp(x * x * -0.5) * _DENSITY)


@primitive(name="gelu_backward_of_kept", lowering="grad_output * derivative")
def gelu_backward_of_kept_op(grad_output: Array, input: Array, derivative: Array, approximate: str) -> Any:
    return np.multiply(grad_output, derivative)


gelu_and_derivative_op.gradient(gelu_backward_of_kept_op, "input", derivative="out1")
gelu_backward_of_kept_op.compose(lambda g, input, derivative, approximate: TENSORS.gelu_backward(g, input, approximate))


def _is_worth_keeping(x: Any) -> bool:
    return is_large(x) or (x.__class__ not in (np.ndarray, MetaArray) and x.size > SMALL and x.dtype == np.float32)


def _gelu_that_keeps(input: Tensor) -> Tensor:
    found: Tensor = gelu_and_derivative_op(input, "none")[0]
    return found


@public(out=True)
def gelu(input: Tensor, *, approximate: str = "none") -> Tensor:
    """``x`` times the normal distribution function of ``x``, or an approximation by tanh."""
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    if approximate == "none" and type(input) in PLAIN and _is_worth_keeping(input._array) and needs_gradient(input):
        return _gelu_that_keeps(input)
    return gelu_op(input, approximate)


in_functional(gelu)
