"""Roots, exponentials, logarithms, trigonometric and hyperbolic functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core import quiet
from ..._core.dtypes import F32, F64
from ..._core.strides import by_rows, laid_out
from ..._lazy import set_methods
from ..._tensor import Tensor
from ..arrays.complex_logs import log_sum
from ..arrays.tiles import TILE, each_tile, pair_into
from ..arrays.types import Array
from ..machine.arguments import is_number
from ..machine.elementwise import Elementwise, elementwise
from ..machine.native import Native
from ..machine.overridable import overridable
from ..machine.public import FUNCTIONS, expose, public
from ..machine.refusals import only
from ..machine.rule import Gradient
from ..machine.rules import in_dtype, raw
from ..machine.write import inplace_form
from .arithmetic import not_two_numbers, number_like, reciprocal_array
from .complex import conj_array
from .powers import log_of_number

# ---- functions of one argument


def function(
    name: str, kernel: Any, node: str, rule: Any, aliases: str = "", *, check: Any = None, inplace: bool = True,
    quick: Any = None, native: Native | None = None, lowering: str | None = None,
) -> Elementwise:  # fmt: skip
    """A function that turns integers into floats, under all its names."""
    rules = {} if quick is None else {"input": quick}
    op = elementwise(
        name, kernel, node, promote="float", check=check, quick=rules, native=native, lowering=lowering, input=rule
    )
    names = f"{name} {aliases}".strip()
    return expose(op, names, names, " ".join(f"{n}_" for n in names.split()) if inplace else "")


OF_BACKWARD = {"input": "grad_output", "other": "output"}
"""What the node of an operator that computes another one's gradient calls its saved values."""

_ONE_F32, _ONE_F64 = np.ones((), F32), np.ones((), F64)
_LN2, _LN10 = math.log(2), math.log(10)

sqrt_op = function(
    "sqrt", np.sqrt, "SqrtBackward0", lambda g, out, xp: g / xp.times(xp.conj(out), 2), lowering="sqrt(input)"
)


def _rsqrt(input: Array) -> Any:
    return reciprocal_array(np.sqrt(input))


def _rsqrt_rule(g: Any, out: Any, xp: Any) -> Any:
    return xp.times(g, -0.5) * xp.conj(xp.pow_number(out, 3))


rsqrt_op = function("rsqrt", _rsqrt, "RsqrtBackward0", _rsqrt_rule, lowering="reciprocal(sqrt(input))")
exp_op = function(
    "exp", np.exp, "ExpBackward0", lambda g, out, xp: g * xp.conj(out), lowering="exp(input)", quick=np.multiply,
    native=("elementwise:exp", 1024),
)  # fmt: skip
exp2_op = function(
    "exp2", np.exp2, "Exp2Backward0", lambda g, out, xp: xp.times(g * xp.conj(out), _LN2), lowering="exp2(input)"
)
expm1_op = function(
    "expm1", np.expm1, "Expm1Backward0", lambda g, out, xp: g * xp.plus(xp.conj(out), 1), lowering="expm1(input)"
)
log_op = function(
    "log", np.log, "LogBackward0", lambda g, input, xp: g / xp.conj(input), lowering="log(input)", quick=np.true_divide,
    native=("elementwise:log", 1024),
)  # fmt: skip
log2_op = function(
    "log2", np.log2, "Log2Backward0", lambda g, input, xp: g / xp.times(xp.conj(input), _LN2), lowering="log2(input)"
)
log10_op = function(
    "log10", np.log10, "Log10Backward0", lambda g, input, xp: g / xp.times(xp.conj(input), _LN10),
    lowering="log10(input)",
)  # fmt: skip
log1p_op = function(
    "log1p", np.log1p, "Log1PBackward0", lambda g, input, xp: g / xp.plus(xp.conj(input), 1), lowering="log1p(input)"
)

sin_op = function("sin", np.sin, "SinBackward0", lambda g, input, xp: g * xp.conj(xp.cos(input)), lowering="sin(input)")
cos_op = function(
    "cos", np.cos, "CosBackward0", lambda g, input, xp: g * -xp.conj(xp.sin(input)), lowering="cos(input)"
)
tan_op = function(
    "tan", np.tan, "TanBackward0", lambda g, out, xp: g * xp.conj(xp.plus(xp.squared(out), 1)), lowering="tan(input)"
)


def _cosine(sine: Any, xp: Any) -> Any:
    """One over the root of ``1 - sine**2``."""
    return xp.rsqrt(xp.plus(-sine * sine, 1))


asin_op = function(
    "asin", np.arcsin, "AsinBackward0", lambda g, input, xp: g * xp.conj(_cosine(input, xp)), "arcsin",
    lowering="asin(input)",
)  # fmt: skip
acos_op = function(
    "acos", np.arccos, "AcosBackward0", lambda g, input, xp: g * xp.conj(-_cosine(input, xp)), "arccos",
    lowering="acos(input)",
)  # fmt: skip
atan_op = function(
    "atan", np.arctan, "AtanBackward0", lambda g, input, xp: g / xp.conj(xp.plus(input * input, 1)), "arctan",
    lowering="atan(input)",
)  # fmt: skip
sinh_op = function(
    "sinh", np.sinh, "SinhBackward0", lambda g, input, xp: g * xp.conj(xp.cosh(input)), lowering="sinh(input)"
)
cosh_op = function(
    "cosh", np.cosh, "CoshBackward0", lambda g, input, xp: g * xp.conj(xp.sinh(input)), lowering="cosh(input)"
)


@quiet.safe
def _tanh_backward(input: Array, other: Array, *, out: Any = None) -> Any:
    d = other.dtype
    one = _ONE_F32 if d is F32 else _ONE_F64 if d is F64 else None
    if one is None or input.dtype is not d or not other.ndim:
        return input * conj_array(1 - other * other)
    if other.size > TILE and out is None and input.shape == other.shape:
        return pair_into(_tanh_backward, input, other)
    r = np.multiply(other, other, out)
    np.subtract(one, r, r)
    return np.multiply(input, r, out)


# The gradient g * conj(1 - y**2) is an operator of its own: the same graph as PyTorch's in second derivatives, and one
# node instead of three. As a function of conj(y) it is holomorphic, with the derivative -2 * g * conj(y).
tanh_backward_op = elementwise(
    "tanh_backward", _tanh_backward, "TanhBackwardBackward0", holomorphic=False, saved_names=OF_BACKWARD,
    lowering="input * (1 - other * other)",
    native=("elementwise:tanh_backward", 64),
    input=lambda g, other, xp: xp.tanh_backward(g, xp.conj(other)),
    other=lambda g, input, other, xp: xp.conj(g) * input * xp.conj(other) * -2,
)  # fmt: skip
tanh_op = function(
    "tanh", np.tanh, "TanhBackward0", Gradient(tanh_backward_op, other="out"), native=("elementwise:tanh", 1024),
    lowering="tanh(input)",
)  # fmt: skip
asinh_op = function(
    "asinh", np.arcsinh, "AsinhBackward0", lambda g, input, xp: g * xp.conj(xp.rsqrt(xp.plus(xp.squared(input), 1))),
    "arcsinh", lowering="asinh(input)",
)


def _acosh_rule(g: Any, input: Any, xp: Any) -> Any:
    if raw(input).dtype.kind == "c":
        return g * xp.conj(xp.rsqrt(input - 1) * xp.rsqrt(input + 1))
    return g * xp.rsqrt(xp.minus(input * input, 1))


acosh_op = function("acosh", np.arccosh, "AcoshBackward0", _acosh_rule, "arccosh", lowering="acosh(input)")


def _atanh_rule(g: Any, input: Any, xp: Any) -> Any:
    return xp.times(g, 1) / xp.conj(xp.number_minus(1, xp.squared(input)))


atanh_op = function("atanh", np.arctanh, "AtanhBackward0", _atanh_rule, "arctanh", lowering="atanh(input)")
for _op in (asinh_op, acosh_op, atanh_op):  # whose in-place forms have nodes of their own
    _change = inplace_form(_op.under(f"{_op.name}_", f"{_op.name.capitalize()}Backward1"))
    for _name in (f"{_op.name}_", f"arc{_op.name[1:]}_"):
        set_methods(**{_name: _change})
        FUNCTIONS[_name] = _change


def _sinc(input: Array) -> Any:
    turns = np.multiply(input, number_like(math.pi, input) if input.dtype.kind == "f" else math.pi)
    return np.where(input == 0, np.ones((), turns.dtype), np.sin(turns) / turns)


def _sinc_rule(g: Any, input: Any, xp: Any) -> Any:
    turns, squared = xp.times(input, math.pi), xp.times(input * input, math.pi)
    slope = (turns * xp.cos(turns) - xp.sin(turns)) / squared
    return xp.either(squared == 0, 0, g * xp.conj(slope))


sinc_op = function(
    "sinc", _sinc, "SincBackward0", _sinc_rule,
    lowering="where(input == 0, 1, sin(input * 3.141592653589793) / (input * 3.141592653589793))",
)  # fmt: skip


def _logistic(input: Array) -> Any:
    """Through exp: as quick as through tanh, and exact also where the result is tiny."""
    if input.size > TILE and input.__class__ is np.ndarray and input.flags.c_contiguous and input.dtype.kind == "f":
        return _logistic_in_tiles(input)
    x = np.negative(input)
    if x.ndim == 0:
        return 1 / (1 + np.exp(x))
    np.exp(x, out=x)
    one = number_like(1, x) if x.dtype.kind == "f" else 1
    np.add(x, one, out=x)
    return np.true_divide(one, x, out=x)  # reciprocal takes twice as long


def _logistic_in_tiles(input: Any) -> Any:
    out = np.empty(input.shape, input.dtype)
    flat, into = input.reshape(-1), out.reshape(-1)
    one = number_like(1, input)

    def job(tile: slice) -> None:
        x = np.negative(flat[tile], out=into[tile])
        np.exp(x, out=x)
        np.add(x, one, out=x)
        np.true_divide(one, x, out=x)

    each_tile(flat.size, job, 2 * TILE)
    return out


@quiet.safe
def _sigmoid_backward(input: Array, other: Array, *, out: Any = None) -> Any:
    d = other.dtype
    one = _ONE_F32 if d is F32 else _ONE_F64 if d is F64 else None
    if one is None or input.dtype is not d or not other.ndim:
        return input * conj_array((1 - other) * other)
    if other.size > TILE and out is None and input.shape == other.shape:
        return pair_into(_sigmoid_backward, input, other)
    r = np.subtract(one, other, out)
    np.multiply(r, other, r)
    return np.multiply(input, r, out)


sigmoid_backward_op = elementwise(
    "sigmoid_backward", _sigmoid_backward, "SigmoidBackwardBackward0", holomorphic=False, saved_names=OF_BACKWARD,
    lowering="input * ((1 - other) * other)",
    native=("elementwise:sigmoid_backward", 64),
    input=lambda g, other, xp: xp.sigmoid_backward(g, xp.conj(other)),
    other=lambda g, input, other, xp: xp.conj(g) * input * (1 - 2 * xp.conj(other)),
)  # fmt: skip
sigmoid_op = function(
    "sigmoid", _logistic, "SigmoidBackward0", Gradient(sigmoid_backward_op, other="out"), lowering="sigmoid(input)",
    native=("elementwise:sigmoid", 64),
)  # fmt: skip


# ---- functions of two arguments


def _angle_rule_part(part: Any, input: Any, other: Any, xp: Any) -> Any:
    squares = input * input + other * other
    return part * xp.cleared(xp.reciprocal(squares), squares == 0)


atan2_op = elementwise(
    "atan2", np.arctan2, "Atan2Backward0", promote="float", check=only("atan2_cpu", "f"), numbers=False,
    lowering="atan2(input, other)",
    input=lambda g, input, other, xp: _angle_rule_part(g * other, input, other, xp),
    other=lambda g, input, other, xp: _angle_rule_part(-g * input, input, other, xp),
)  # fmt: skip
expose(atan2_op, "atan2 arctan2", "atan2 arctan2", "atan2_ arctan2_")


@atan2_op.tangent
def atan2_tangent(op: Any, primals: Any, tangents: Any, attributes: Any, outs: Any) -> Any:
    """NaN where both are 0, while the gradient is 0 there."""
    (y, x), (dy, dx) = primals, tangents
    turned = x * dy if dx is None else -y * dx if dy is None else x * dy - y * dx
    return (turned / (y * y + x * x)).to(outs[0].dtype)


hypot_op = elementwise(
    "hypot", np.hypot, "HypotBackward0", lowering="hypot(input, other)", check=only("hypot_cpu", "f"), numbers=False,
    input=lambda g, input, out: g * input / out,
    other=lambda g, other, out: g * other / out,
)  # fmt: skip
expose(hypot_op, "hypot", "hypot", "hypot_")


def _logaddexp(input: Array, other: Array) -> Any:
    if input.dtype.kind != "c":
        return np.logaddexp(input, other)
    return log_sum(input, other)


logaddexp_op = elementwise(
    "logaddexp", _logaddexp, "LogaddexpBackward0", check=only("logaddexp_cpu", "fc"), numbers=False,
    input=lambda g, input, other, xp: g / xp.conj(xp.plus(xp.exp(other - input), 1)),
    other=lambda g, input, other, xp: g / xp.conj(xp.plus(xp.exp(input - other), 1)),
)  # fmt: skip
expose(logaddexp_op, "logaddexp", "logaddexp")
logaddexp2_op = elementwise(
    "logaddexp2", np.logaddexp2, "Logaddexp2Backward0", check=only("logaddexp2_cpu", "f"), numbers=False,
    input=lambda g, input, other, xp: g / xp.plus(xp.exp2(other - input), 1),
    other=lambda g, input, other, xp: g / xp.plus(xp.exp2(input - other), 1),
)  # fmt: skip
expose(logaddexp2_op, "logaddexp2", "logaddexp2")


def _x_log_y(x: Any, y: Any) -> Any:
    return np.where((x == 0) & ~np.isnan(y), np.zeros((), np.result_type(x, y)), x * np.log(y))


def _xlogy(input: Array, other: Array) -> Any:
    return _x_log_y(input, other)


def _xlogy_with_number(input: Array, other: object) -> Any:
    return _x_log_y(input, number_like(other, input))


def _xlogy_of_number(other: Array, input: object) -> Any:
    return _x_log_y(number_like(input, other), other)


def _xlogy_with_number_rule(g: Any, input: Any, other: Any, xp: Any) -> Any:
    if other > 0:
        return g * log_of_number(other)
    return xp.either(input == 0, 0, xp.xlogy_with_number(g, other))


_xlogy_check = only("xlogy_cpu", "f")
xlogy_tensor_op = elementwise(
    "xlogy", _xlogy, "XlogyBackward0", promote="float", check=_xlogy_check,
    input=lambda g, input, other, xp: xp.cleared(
        xp.xlogy(g, in_dtype(other, raw(g).dtype, xp)), (input == 0) & (other <= 0)
    ),
    other=lambda g, input, other, xp: g * in_dtype(input, raw(g).dtype, xp) / other,
)  # fmt: skip
xlogy_of_number_op = elementwise(
    "xlogy_of_number", _xlogy_of_number, "XlogyBackward1", promote="float", scalars=("input",), check=_xlogy_check,
    other=lambda g, other, input: g * input / other, saved_names={"input": "self"},
)  # fmt: skip
xlogy_with_number_op = elementwise(
    "xlogy_with_number", _xlogy_with_number, "XlogyBackward2", promote="float", scalars=("other",),
    check=_xlogy_check,
    input=_xlogy_with_number_rule,
)  # fmt: skip


@public("xlogy", "xlogy", out=True, overloads=True)
def xlogy(input: Any, other: Any) -> Tensor:
    """``input * log(other)``, 0 where ``input`` is 0."""
    not_two_numbers(input, other)
    if is_number(other):
        return xlogy_with_number_op(input, other)
    return xlogy_of_number_op(other, input) if is_number(input) else xlogy_tensor_op(input, other)


_xlogy_number_in_place, _xlogy_tensor_in_place = inplace_form(xlogy_with_number_op), inplace_form(xlogy_tensor_op)


def _xlogy_(self: Any, other: Any) -> Any:
    return (_xlogy_number_in_place if is_number(other) else _xlogy_tensor_in_place)(self, other)


set_methods(xlogy_=_xlogy_)
FUNCTIONS["xlogy_"] = _xlogy_
overridable(_xlogy_)


def _ldexp(input: Array, other: Array) -> Any:
    """By whole powers of two exactly, even if the power alone would be out of range. Powers lie row by row."""
    powers = by_rows(other)
    exponents = powers.astype(np.int32) if input.dtype.kind == "f" else powers
    is_whole = exponents is not powers and np.equal(exponents, powers).all()
    found = np.ldexp(input, exponents) if is_whole else np.multiply(input, np.exp2(powers))
    return laid_out(found, input, powers)


ldexp_op = elementwise(
    "ldexp", _ldexp, "LdexpBackward0", promote="float", numbers=False,
    input=lambda g, other, xp: g * xp.conj(xp.exp2(other)),
    other=lambda g, out, xp: g * xp.conj(out * _LN2),
)  # fmt: skip
ldexp_op.lays_out = True
expose(ldexp_op, "ldexp", "ldexp", "ldexp_")


# ---- logit


def _logit(input: Array, eps: object) -> Any:
    if eps is not None:
        low, high = number_like(eps, input), number_like(1 - eps, input)  # type: ignore[operator]
        input = np.where(input < low, low, np.minimum(input, high))
    return np.log(input / (1 - input))


def _logit_rule(g: Any, input: Any, eps: Any, xp: Any) -> Any:
    low = 0.0 if eps is None else eps
    slope = g / (input * xp.number_minus(1, input))
    return xp.either((input >= low) & (input <= 1 - low), slope, math.nan if eps is None else 0.0)


logit_op = elementwise(
    "logit", _logit, "LogitBackward0", promote="float", check=only("logit_cpu", "f"), input=_logit_rule
)
_logit_in_place = inplace_form(logit_op)


@public("logit", "logit", out=True)
def logit(input: Tensor, eps: float | None = None) -> Tensor:
    """``log(x / (1 - x))``; with ``eps``, of x clamped to [eps, 1 - eps]."""
    return logit_op(input, eps)


def _logit_(self: Any, eps: float | None = None) -> Any:
    return _logit_in_place(self, eps)


set_methods(logit_=_logit_)
FUNCTIONS["logit_"] = _logit_
overridable(_logit_)
