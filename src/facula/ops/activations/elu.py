"""Exponential linear units: elu, selu, celu."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._tensor import Tensor
from ..arrays.masks import select
from ..arrays.rounded_once import rounded_once
from ..arrays.special.approximations import expm1
from ..arrays.tiles import tiled_kernel
from ..arrays.types import Array
from ..machine.elementwise import elementwise
from ..machine.primitive import primitive
from ..machine.public import FUNCTIONALS, FUNCTIONS, public
from ..machine.refusals import only
from ..machine.rule import Gradient
from ..machine.write import inplace_form
from ..pointwise.arithmetic import number_like
from ..pointwise.selection import clip
from .forms import apply, in_place_in_functional, slope_is_lost


@tiled_kernel
def _elu(input: Array, alpha: float, scale: float, input_scale: float) -> Any:
    low = clip(input, -math.inf, 0)
    below = np.multiply(expm1(low * number_like(input_scale, input)), number_like(alpha * scale, input))
    return select(np.asanyarray(input > 0), np.asanyarray(input * number_like(scale, input)), np.asanyarray(below))


def _written_gradient(is_result: bool) -> str:
    curve = "exp(other * input_scale) * (alpha * scale * input_scale)"
    below = "(other + alpha * scale) * input_scale" if is_result else curve
    return f"where(other <= 0, input * ({below}), input * scale)"


@primitive(
    "EluBackwardBackward0", kind="elementwise", saved_names={"input": "grad_output", "other": "self_or_result"},
    lowering=_written_gradient,
)  # fmt: skip
@rounded_once
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
    return select(np.logical_not(np.less_equal(other, 0)), np.asarray(above), np.asarray(below))


@elu_backward_op.vjp("other")
def elu_backward_gradient_of_other(
    g: Any, input: Any, other: Any, alpha: float, scale: float, input_scale: float, is_result: bool, xp: Any
) -> Any:
    if is_result:
        slope: Any = input_scale
    else:
        slope = xp.exp(other * input_scale) * (alpha * scale * input_scale * input_scale)
    return g * xp.keep(input * slope, other < 0)


elu_backward_op.vjp(input=Gradient(elu_backward_op))


def _elu_rule(g: Any, input: Any, alpha: float, scale: float, input_scale: float, xp: Any) -> Any:
    return xp.elu_backward(g, input, alpha, scale, input_scale, False)


_elu_check = only("elu_cpu", "f")
elu_op = elementwise(
    "elu", _elu, "EluBackward0", check=_elu_check, input=_elu_rule,
    lowering="where(input > 0, input * scale, expm1(minimum(input, 0) * input_scale) * (alpha * scale))",
)  # fmt: skip
celu_op = elementwise(
    "celu", _elu, "CeluBackward0", check=_elu_check, input=_elu_rule,
    lowering="where(input > 0, input * scale, expm1(minimum(input, 0) * input_scale) * (alpha * scale))",
)  # fmt: skip


def _elu_of_result_rule(g: Any, out: Any, alpha: float, scale: float, input_scale: float, xp: Any) -> Any:
    if alpha < 0:
        raise slope_is_lost("elu")
    return xp.elu_backward(g, out, alpha, scale, input_scale, True)


_elu_in_place, _celu_in_place = (
    inplace_form(elementwise(name, _elu, node, check=_elu_check, input=_elu_of_result_rule))
    for name, node in (("elu_", "EluBackward1"), ("celu_", "CeluBackward1"))
)
_SELU_ALPHA, _SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946


@public()
def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """``x`` if positive, else ``alpha * (exp(x) - 1)``."""
    return apply(elu_op, _elu_in_place, inplace, input, alpha, 1, 1)


@public("selu", "")
def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """``elu`` scaled so that it keeps means at 0 and variances at 1."""
    return apply(elu_op, _elu_in_place, inplace, input, _SELU_ALPHA, _SELU_SCALE, 1)


@public("celu", "")
def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """``max(0, x) + min(0, alpha * (exp(x / alpha) - 1))``."""
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return apply(celu_op, _celu_in_place, inplace, input, alpha, 1, 1 / alpha)


in_place_in_functional(elu, selu, celu)
for _name in ("celu_", "selu_"):
    FUNCTIONS[_name] = FUNCTIONALS[_name]
