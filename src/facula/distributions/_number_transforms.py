"""Transforms of numbers, one by one: a set, another set, the map, its inverse and the logarithm of its slope."""

from __future__ import annotations

import math
from typing import Any

import facula

from . import constraints
from ._formulas import cached, formula, quantity, same_as
from ._transform import Transform, Unparametrized, widened
from .utils import Number, _sum_rightmost, log_odds


def _softplus(x: Any) -> Any:
    return facula.nn.functional.softplus(x)


def _inside(y: Any) -> Any:
    """Numbers of the unit interval, kept away from 0 and 1."""
    info = facula.finfo(y.dtype)
    return y.clamp(min=info.tiny, max=1 - info.eps)


def _clipped_sigmoid(x: Any) -> Any:
    return _inside(facula.sigmoid(x))


def log_slope_of_tanh(x: Any) -> Any:
    """log(1 - tanh(x)^2) = -2 log cosh(x), in a form that stays finite where tanh rounds to 1."""
    return 2 * (math.log(2) - x - _softplus(-2 * x))


class _Increasing(Unparametrized):
    """An increasing map of all real numbers."""

    domain = constraints.real
    bijective = True
    sign = +1


class ExpTransform(_Increasing):
    """y = exp(x)."""

    codomain = constraints.positive
    _call = formula(lambda x: x.exp())
    _inverse = formula(lambda y: y.log())
    log_abs_det_jacobian = formula(lambda x, y: x, 2)


class SigmoidTransform(_Increasing):
    """y = 1 / (1 + exp(-x)), kept away from 0 and 1."""

    codomain = constraints.unit_interval
    _call = formula(_clipped_sigmoid)
    _inverse = formula(lambda y: log_odds(_inside(y)))
    log_abs_det_jacobian = formula(lambda x, y: -(_softplus(x) + _softplus(-x)), 2)


class SoftplusTransform(_Increasing):
    """y = log(1 + exp(x))."""

    codomain = constraints.positive
    _call = formula(_softplus)
    _inverse = formula(lambda y: y + (-(-y).expm1()).log())
    log_abs_det_jacobian = formula(lambda x, y: -_softplus(-x), 2)


class TanhTransform(_Increasing):
    """y = tanh(x)."""

    codomain = constraints.interval(-1.0, 1.0)
    _call = formula(lambda x: x.tanh())
    _inverse = formula(lambda y: y.atanh())
    log_abs_det_jacobian = formula(lambda x, y: log_slope_of_tanh(x), 2)


class AbsTransform(Unparametrized):
    """y = |x|, whose inverse is taken to be positive."""

    domain = constraints.real
    codomain = constraints.positive
    _call = formula(lambda x: x.abs())
    _inverse = formula(lambda y: y)


def _with_shapes_of(shape: Any, *parameters: Any) -> Any:
    return facula.broadcast_shapes(shape, *(getattr(parameter, "shape", ()) for parameter in parameters))


def _same(a: Any, b: Any) -> bool:
    equal = a == b
    return bool(equal.all()) if isinstance(equal, facula.Tensor) else bool(equal)


class PowerTransform(Transform):
    """y = x ** exponent."""

    domain = constraints.positive
    codomain = constraints.positive
    bijective = True
    _arguments = ("exponent",)

    def __init__(self, exponent: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.exponent = exponent

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PowerTransform) and _same(self.exponent, other.exponent)

    sign = cached(lambda exponent: exponent.sign())
    _call = formula(lambda x, exponent: x**exponent)
    _inverse = formula(lambda y, exponent: y ** (1 / exponent))
    log_abs_det_jacobian = formula(lambda x, y, exponent: (exponent * y / x).abs().log(), 2)
    forward_shape = formula(lambda shape, exponent: _with_shapes_of(shape, exponent))
    inverse_shape = formula(lambda shape, exponent: _with_shapes_of(shape, exponent))


def _sign(scale: Any) -> Any:
    return (scale > 0) - (scale < 0) if isinstance(scale, Number) else scale.sign()


def _log_scale(x: Any, y: Any, scale: Any, event_dim: int) -> Any:
    each = facula.full_like(x, math.log(abs(scale))) if isinstance(scale, Number) else scale.abs().log()
    return _sum_rightmost(each, event_dim).expand(x.shape[: x.dim() - event_dim])


class AffineTransform(Transform):
    """y = loc + scale * x."""

    bijective = True
    _arguments = ("loc", "scale", "event_dim")

    def __init__(self, loc: Any, scale: Any, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.loc, self.scale, self._event_dim = loc, scale, event_dim

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        return widened(constraints.real, self._event_dim)

    codomain = domain

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AffineTransform) and _same(self.loc, other.loc) and _same(self.scale, other.scale)

    event_dim = quantity(lambda _event_dim: _event_dim)
    sign = quantity(lambda scale: _sign(scale))
    _call = formula(lambda x, loc, scale: loc + scale * x)
    _inverse = formula(lambda y, loc, scale: (y - loc) / scale)
    log_abs_det_jacobian = formula(_log_scale, 2)
    forward_shape = formula(lambda shape, loc, scale: _with_shapes_of(shape, loc, scale))
    inverse_shape = formula(lambda shape, loc, scale: _with_shapes_of(shape, loc, scale))


class CumulativeDistributionTransform(Transform):
    """y = the distribution function of x."""

    bijective = True
    codomain = constraints.unit_interval
    sign = +1
    _arguments = ("distribution",)

    def __init__(self, distribution: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    domain = same_as("distribution", "support")
    _call = formula(lambda x, distribution: distribution.cdf(x))
    _inverse = formula(lambda y, distribution: distribution.icdf(y))
    log_abs_det_jacobian = formula(lambda x, y, distribution: distribution.log_prob(x), 2)
