"""Special functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._lazy import set_methods
from ..._tensor import Tensor
from ..arrays.meta import by_zeros
from ..arrays.special.approximations import erf32
from ..arrays.special.special_functions import special_function, special_of_one, special_of_two
from ..arrays.types import Array
from ..machine.arguments import as_int, is_number
from ..machine.elementwise import Elementwise, elementwise
from ..machine.errors import NoOverload
from ..machine.public import FUNCTIONS, expose, public
from ..machine.refusals import no_derivative, only
from ..machine.rules import in_dtype, raw
from ..machine.write import explaining, inplace_form
from .arithmetic import number_like
from .polynomials import POLYNOMIALS, single_or_double
from .rounding import special_round
from .transcendental import function, logit, sigmoid_op
from .with_numbers import add_number_op, mul_number_op

SPECIAL: dict[str, Any] = {}
"""What becomes ``facula.special.<name>`` besides the functions of that name in ``facula`` itself."""


def _real(label: str) -> Any:
    return only(label, "f")


# ---- the error function


_TWO_OVER_ROOT_PI = 2 / math.sqrt(math.pi)
_HALF_ROOT_PI = math.sqrt(math.pi) / 2

def erf_array(input: Array) -> Any:
    if input.dtype == np.float32 and input.__class__ is np.ndarray:
        return erf32(input)
    return special_function("erf")(input)


erf_op = function(
    "erf", erf_array, "ErfBackward0",
    lambda g, input, xp: xp.times(xp.exp(-xp.squared(input)), _TWO_OVER_ROOT_PI) * g, check=_real("erf_vml_cpu"),
    lowering="erf(input)",
)  # fmt: skip
erfc_op = function(
    "erfc", special_of_one("erfc"), "ErfcBackward0",
    lambda g, input, xp: xp.times(xp.exp(-xp.squared(input)), -_TWO_OVER_ROOT_PI) * g, check=_real("erfc_vml_cpu"),
)  # fmt: skip
erfinv_op = function(
    "erfinv", special_of_one("erfinv"), "ErfinvBackward0",
    lambda g, input, xp: xp.times(xp.exp(xp.pow_number(xp.erfinv(input), 2)), _HALF_ROOT_PI) * g,
    check=_real("erfinv_vml_cpu"),
)  # fmt: skip


# ---- gamma and its relatives


def _lgamma(input: Array) -> Any:
    return np.where(np.isinf(input), number_like(math.inf, input), special_function("gammaln")(input))


lgamma_op = function(
    "lgamma", _lgamma, "LgammaBackward0", lambda g, input, xp: g * xp.digamma(input),
    check=_real("lgamma_vml_cpu"),
)  # fmt: skip


def _digamma(input: Array) -> Any:
    """At a pole: -inf with the opposite sign of the zero, NaN at the negative integers."""
    result = np.asanyarray(special_function("psi")(input))
    pole = np.equal(input, np.floor(input)) & np.less_equal(input, 0)
    if pole.any():
        at_zero = np.copysign(number_like(math.inf, result), -np.asarray(input))
        result = np.where(pole, np.where(np.equal(input, 0), at_zero, np.nan), result).astype(result.dtype)
    return result


digamma_op = function(
    "digamma", _digamma, "DigammaBackward0", lambda g, input, xp: g * xp.polygamma(input, 1), check=_real("digamma")
)


@by_zeros
def _polygamma(input: Array, n: int) -> Any:
    if n == 0:
        return _digamma(input)
    return special_function("polygamma")(n, input).astype(input.dtype)


polygamma_op = elementwise(
    "polygamma", _polygamma, "PolygammaBackward0", promote="float", check=_real("polygamma"),
    input=lambda g, input, n, xp: g * xp.polygamma(input, n + 1),
)  # fmt: skip


@public("polygamma", out=True)
def polygamma(n: int, input: Tensor) -> Tensor:
    """The n-th derivative of digamma."""
    if as_int(n) < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    return polygamma_op(input, n)


_polygamma_in_place = inplace_form(polygamma_op.under("polygamma_", "PolygammaBackward1"))


def _polygamma_(self: Any, n: int) -> Any:
    if as_int(n) < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    return _polygamma_in_place(self, as_int(n))


set_methods(polygamma=lambda self, n: polygamma(n, self), polygamma_=explaining("polygamma_", _polygamma_))


_TERMS = 1024


@by_zeros
def _mvlgamma(input: Array, p: int) -> Any:
    np.empty(p, input.dtype)  # PyTorch computes all terms at once: there must be memory for them
    total = np.full(input.shape, p * (p - 1) / 4 * math.log(math.pi), input.dtype)
    for first in range(0, p, _TERMS):
        halves = (np.arange(first, min(first + _TERMS, p)) / 2).astype(input.dtype)
        total = total + _lgamma(input[..., None] - halves).sum(-1, dtype=input.dtype)
    return total


def _mvlgamma_rule(g: Any, input: Any, p: int, xp: Any) -> Any:
    slope = xp.digamma(input)
    for i in range(1, p):
        slope = slope + xp.digamma(input - i / 2)
    return g * slope


mvlgamma_op = elementwise("mvlgamma", _mvlgamma, "MvlgammaBackward0", promote="float", input=_mvlgamma_rule)


@public("mvlgamma", "mvlgamma", out=True)
def mvlgamma(input: Tensor, p: int) -> Tensor:
    """The logarithm of the multivariate gamma function."""
    return mvlgamma_op(input, p)


set_methods(mvlgamma_=explaining("mvlgamma_", inplace_form(mvlgamma_op)))


def _gamma_density(g: Any, input: Any, other: Any, xp: Any) -> Any:
    return g * xp.exp((input - 1) * xp.log(other) - other - xp.lgamma(input))


igamma_op = elementwise(
    "igamma", special_of_two("gammainc"), "IgammaBackward0", check=_real("igamma_cpu"), numbers=False,
    input=no_derivative("igamma: input"), other=_gamma_density,
)  # fmt: skip
expose(igamma_op, "igamma", "igamma", "igamma_")
igammac_op = elementwise(
    "igammac", special_of_two("gammaincc"), "IgammacBackward0", check=_real("igammac_cpu"), numbers=False,
    input=no_derivative("igammac: input"),
    other=lambda g, input, other, xp: -_gamma_density(g, input, other, xp),
)  # fmt: skip
expose(igammac_op, "igammac", "igammac", "igammac_")


# ---- Bessel functions


_NEAR_ZERO = 1e-30

i0_op = function(
    "i0", special_of_one("i0"), "I0Backward0", lambda g, input, xp: g * xp.i1(input), check=_real("i0_vml_cpu")
)


def _special(name: str, kernel: Any, node: str, rule: Any, label: str = "") -> Elementwise:
    op = elementwise(name, kernel, node, promote="float", check=_real(label or f"{name}_cpu"), input=rule)
    SPECIAL[name] = op.call
    op.public = op.call
    return op


def _over(numerator: Any, input: Any, at_zero: float, xp: Any) -> Any:
    """A quotient that has a limit at 0, and is not to be had where squares underflow."""
    near = xp.abs(input) < _NEAR_ZERO
    return xp.either(near, at_zero, numerator / xp.either(near, 1, input))


def _i1e_slope(input: Any, out: Any, xp: Any) -> Any:
    near = xp.abs(input) < _NEAR_ZERO
    slope = xp.i0e(input) - out * (xp.sgn(input) + xp.reciprocal(xp.either(near, 1, input)))
    return xp.either(near, 0.5, slope)


i1_op = _special(
    "i1", special_of_one("i1"), "SpecialI1Backward0",
    lambda g, input, out, xp: g * (xp.i0(input) - _over(out, input, 0.5, xp)),
)  # fmt: skip
i0e_op = _special(
    "i0e", special_of_one("i0e"), "SpecialI0EBackward0",
    lambda g, input, out, xp: g * (xp.i1e(input) - xp.sgn(input) * out),
)  # fmt: skip
i1e_op = _special(
    "i1e", special_of_one("i1e"), "SpecialI1EBackward0",
    lambda g, input, out, xp: g * _i1e_slope(input, out, xp),
)  # fmt: skip


# ---- the normal distribution, entropy, zeta


_ROOT_2PI = math.sqrt(2 * math.pi)

erfcx_op = _special(
    "erfcx", special_of_one("erfcx"), "SpecialErfcxBackward0",
    lambda g, input, out: g * (2 * input * out - _TWO_OVER_ROOT_PI),
)  # fmt: skip
ndtri_op = _special(
    "ndtri", special_of_one("ndtri"), "SpecialNdtriBackward0",
    lambda g, out, xp: xp.times(g, _ROOT_2PI) * xp.exp(xp.over(xp.squared(out), 2)),
)  # fmt: skip


def _log_ndtr_rule(g: Any, input: Any, out: Any, xp: Any) -> Any:
    """Density over distribution function: below 1 as one scaled function, above as a quotient that cannot overflow."""
    left = input < 1
    scaled = xp.erfcx(xp.either(left, input, 0) * -math.sqrt(0.5)) * math.sqrt(math.pi / 2)
    return xp.either(left, g / scaled, g * (xp.exp(-(input * input) / 2 - out) / _ROOT_2PI))


log_ndtr_op = _special("log_ndtr", special_of_one("log_ndtr"), "SpecialLogNdtrBackward0", _log_ndtr_rule)
entr_op = _special(
    "entr", special_of_one("entr"), "SpecialEntrBackward0", lambda g, input, xp: g * (-xp.log(input) - 1)
)


@public("", out=True)
def ndtr(input: Tensor) -> Tensor:
    """The distribution function of the standard normal distribution."""
    return mul_number_op(add_number_op(erf_op(mul_number_op(input, math.sqrt(0.5))), 1.0), 0.5)


xlog1py_op = elementwise(
    "xlog1py", special_of_two("xlog1py"), "SpecialXlog1PyBackward0", promote="float", check=_real("xlog1py_cpu"),
    input=lambda g, input, other, xp: xp.either(
        (input == 0) & (other <= -1), 0, g * xp.log1p(in_dtype(other, raw(g).dtype, xp))
    ),
    other=lambda g, input, other: g * input / (other + 1),
)  # fmt: skip
zeta_op = elementwise(
    "zeta", special_of_two("zeta"), "SpecialZetaBackward0", promote="float", check=_real("zeta"),
    input=no_derivative("zeta"),
    other=lambda g, input, other, xp: g * (-input * xp.zeta(input + 1, other)),
)  # fmt: skip


def _of_number(op: Elementwise) -> Elementwise:
    """The form for a number as the first argument."""
    of_tensors, rule = op.kernel, op.rules["other"].fn

    def kernel(other: Array, input: object) -> Any:
        return of_tensors(number_like(input, other), other)

    def to_other(g: Any, other: Any, input: Any, xp: Any) -> Any:
        return rule(g, input, other, *(xp,) * rule.__code__.co_varnames[: rule.__code__.co_argcount].count("xp"))

    return elementwise(
        f"{op.name}_of_number", kernel, f"{str(op.node_name)[:-1]}1", promote="float", scalars=("input",),
        check=op.check, other=to_other, saved_names={"input": "self"},
    )  # fmt: skip


def _with_number(op: Elementwise, rule: Any) -> Elementwise:
    """The form for a number as the second argument."""
    of_tensors = op.kernel

    def kernel(input: Array, other: object) -> Any:
        return of_tensors(input, number_like(other, input))

    return elementwise(
        f"{op.name}_with_number", kernel, f"{str(op.node_name)[:-1]}2", promote="float", scalars=("other",),
        check=op.check, input=rule,
    )  # fmt: skip


def _xlog1py_with_number_rule(g: Any, input: Any, other: Any, xp: Any) -> Any:
    slope = xp.either(input == 0, 0, g * -math.inf) if other == -1 else g * math.log1p(other) if other > -1 else None
    return xp.either(input == 0, 0, g * math.nan) if slope is None else slope


def _of_tensors(op: Elementwise, rule_with_number: Any) -> Any:
    """A public function of two arguments of which one may be a number."""
    of_number, with_number = _of_number(op), _with_number(op, rule_with_number)

    @public("", out=True, overloads=True, name=f"special_{op.name}")
    def call(input: Any, other: Any) -> Tensor:
        if not isinstance(input, Tensor) and not isinstance(other, Tensor):
            raise NoOverload
        result: Tensor
        if is_number(other):
            result = with_number.call(input, other)
        else:
            result = of_number.call(other, input) if is_number(input) else op.call(input, other)
        return result

    op.public = call.public  # type: ignore[attr-defined]
    return op.public


SPECIAL.update(
    ndtr=ndtr.public, xlog1py=_of_tensors(xlog1py_op, _xlog1py_with_number_rule), zeta=_of_tensors(zeta_op, no_derivative("zeta")), expit=sigmoid_op.call, logit=logit.public, psi=digamma_op.call,  # type: ignore[attr-defined]  # noqa: E501
    gammaln=lgamma_op.call, gammainc=igamma_op.call, gammaincc=igammac_op.call, multigammaln=mvlgamma.public,  # type: ignore[attr-defined]
)  # fmt: skip


def _without_derivative(name: str, kernel: Any) -> None:
    SPECIAL[name] = elementwise(name, kernel, promote="float", check=single_or_double(f"{name}_cpu")).call


def _nan_at_infinity(name: str) -> Any:
    """PyTorch gives NaN where the oscillation (or growth) goes on forever; scipy knows the limit."""

    def kernel(input: Array) -> Any:
        found = special_function(name)(input)
        found = found[0] if isinstance(found, tuple) else found
        return np.where(np.isinf(input), number_like(math.nan, input), found)

    return kernel


def _airy_ai(input: Array) -> Any:
    """SciPy gives NaN far beyond where it vanishes."""
    found = _nan_at_infinity("airy")(input)
    return np.where((input > 200) & np.isfinite(input), number_like(0.0, input), found)


def _spherical_j0(input: Array) -> Any:
    small = np.abs(input) < 0.5
    squared = input * input
    series = 1 - squared / 6 * (1 - squared / 20 * (1 - squared / 42 * (1 - squared / 72 * (1 - squared / 110))))
    far = np.where(np.isinf(input), 0, np.sin(input) / np.where(small, 1, input))
    return np.where(small, series, far).astype(input.dtype)


for _name, _scipy_name in {
    "bessel_j0": "j0", "bessel_j1": "j1", "bessel_y0": "y0", "bessel_y1": "y1",
    "modified_bessel_i0": "i0", "modified_bessel_i1": "i1",
}.items():  # fmt: skip
    _without_derivative(_name, _nan_at_infinity(_scipy_name))
for _name, _scipy_name in {
    "modified_bessel_k0": "k0", "modified_bessel_k1": "k1", "scaled_modified_bessel_k0": "k0e",
    "scaled_modified_bessel_k1": "k1e",
}.items():  # fmt: skip
    _without_derivative(_name, special_of_one(_scipy_name))
_without_derivative("airy_ai", _airy_ai)
_without_derivative("spherical_bessel_j0", _spherical_j0)
for _name in (
    "digamma", "erf", "erfc", "erfinv", "exp2", "expm1", "i0", "log1p", "polygamma", "sinc", "xlogy",
):  # fmt: skip
    SPECIAL[_name] = FUNCTIONS[_name]
SPECIAL.update(POLYNOMIALS, round=special_round)
