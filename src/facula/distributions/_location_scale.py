"""Distributions that are moved and scaled; bounded ones, and those on a circle."""

from __future__ import annotations

import math
from typing import Any

import facula

from . import constraints
from ._formulas import answer, at_value, cached, drawn, formula, quantity
from .distribution import Distribution, distribution
from .exp_family import ExponentialFamily
from .utils import HALF_LOG_TAU, normal, uniform


class _LocationScale(Distribution):
    """What they share."""

    loc: Any
    scale: Any
    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    mode = quantity(lambda loc: loc)


@distribution("normal")
class Normal(_LocationScale, ExponentialFamily):
    """Normal with mean ``loc`` and standard deviation ``scale``."""

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self._hold(validate_args, loc=loc, scale=scale)

    mean = quantity(lambda loc: loc)
    stddev = quantity(lambda scale: scale)
    variance = quantity(lambda scale: scale.square())
    rsample = drawn(lambda shape, loc, scale: loc + normal(shape, loc) * scale)
    log_prob = at_value(
        lambda value, loc, scale: -((value - loc) ** 2) / (2 * scale**2) - scale.log() - HALF_LOG_TAU
    )
    cdf = at_value(lambda value, loc, scale: 0.5 * (1 + ((value - loc) * scale.reciprocal() / math.sqrt(2)).erf()))
    icdf = formula(lambda value, loc, scale: loc + scale * facula.erfinv(2 * value - 1) * math.sqrt(2))
    entropy = answer(lambda scale: scale.log() + (HALF_LOG_TAU + 0.5))

    _mean_carrier_measure = 0
    _natural_params = quantity(lambda loc, variance: (loc / variance, -1 / (2 * variance)))
    _log_normalizer = formula(lambda x, y: (-math.pi / y).log() / 2 - x.square() / (4 * y), 2)


def _two_sided(shape: Any, loc: Any, scale: Any) -> Any:
    """Exponential values on the sides that uniform ones are on."""
    u = loc.new_empty(shape).uniform_(facula.finfo(loc.dtype).eps - 1, 1)
    return loc - scale * u.sign() * (-u.abs()).log1p()


def _quantile_of_two_sides(value: Any, loc: Any, scale: Any) -> Any:
    beside = value - 0.5
    return loc - scale * beside.sign() * (-2 * beside.abs()).log1p()


@distribution("laplace")
class Laplace(_LocationScale):
    """Two exponential distributions, back to back at ``loc``."""

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self._hold(validate_args, loc=loc, scale=scale)

    mean = quantity(lambda loc: loc)
    stddev = quantity(lambda scale: scale * math.sqrt(2))
    variance = quantity(lambda scale: scale.square() * 2)
    rsample = drawn(_two_sided)
    log_prob = at_value(lambda value, loc, scale: -(2 * scale).log() - (value - loc).abs() / scale)
    cdf = at_value(
        lambda value, loc, scale: 0.5 - 0.5 * (value - loc).sign() * (-(value - loc).abs() / scale).expm1()
    )
    icdf = formula(_quantile_of_two_sides)
    entropy = answer(lambda scale: 1 + (2 * scale).log())


@distribution("cauchy")
class Cauchy(_LocationScale):
    """Cauchy (Lorentz) with median ``loc`` and half width at half maximum ``scale``."""

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self._hold(validate_args, loc=loc, scale=scale)

    mean = quantity(lambda loc, _everywhere: _everywhere(math.nan, loc))
    variance = quantity(lambda loc, _everywhere: _everywhere(math.inf, loc))
    rsample = drawn(lambda shape, loc, scale: loc + loc.new_empty(shape).cauchy_() * scale)
    log_prob = at_value(
        lambda value, loc, scale: -math.log(math.pi) - scale.log() - (((value - loc) / scale) ** 2).log1p()
    )
    cdf = at_value(lambda value, loc, scale: 0.5 + ((value - loc) / scale).atan() / math.pi)
    icdf = formula(lambda value, loc, scale: facula.tan(math.pi * (value - 0.5)) * scale + loc)
    entropy = answer(lambda scale: math.log(4 * math.pi) + scale.log())


# ---- with a parameter of shape


@distribution("generalized_pareto")
class GeneralizedPareto(Distribution):
    """What values exceed a high threshold by; ``concentration`` tells how heavy the tail is."""

    loc: Any
    scale: Any
    concentration: Any
    arg_constraints = {"loc": constraints.real, "scale": constraints.positive, "concentration": constraints.real}
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self._hold(validate_args, loc=loc, scale=scale, concentration=concentration)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        end = self.loc - self.scale / self.concentration
        return constraints.interval(self.loc, end.where(self.concentration < 0, math.inf))

    _is_exponential = quantity(lambda concentration: concentration.isclose(facula.zeros_like(concentration)))
    _tail = quantity(lambda concentration, _is_exponential: concentration.where(~_is_exponential, 1))
    """The concentration, where it can be divided by."""

    _log_above = formula(
        lambda z, _tail, _is_exponential: facula.where(_is_exponential, -z, -(_tail * z).log1p() / _tail)
    )
    log_survival_function = at_value(lambda value, loc, scale, _log_above: _log_above((value - loc) / scale))
    log_prob = at_value(lambda value, loc, scale, _log_above, _tail, _is_exponential: (
        _log_above((value - loc) / scale) * facula.where(_is_exponential, 1, 1 + _tail) - scale.log()
    ))  # fmt: skip
    log_cdf = formula(lambda value, log_survival_function: (-log_survival_function(value).exp()).log1p())
    cdf = formula(lambda value, log_cdf: log_cdf(value).exp())
    icdf = formula(lambda value, loc, scale, _tail, _is_exponential: loc + scale * facula.where(
        _is_exponential, -(-value).log1p(), (-_tail * (-value).log1p()).expm1() / _tail
    ))  # fmt: skip
    rsample = drawn(lambda shape, loc, icdf: icdf(uniform(shape, loc)))

    mean = quantity(lambda loc, scale, concentration: (
        (loc + scale / (1 - concentration.where(concentration < 1, 0))).where(concentration < 1, math.nan)
    ))  # fmt: skip
    mode = quantity(lambda loc: loc)

    @property
    def variance(self) -> Any:
        is_finite = self.concentration < 0.5
        k = self.concentration.where(is_finite, 0)
        return ((self.scale / (1 - k)).square() / (1 - 2 * k)).where(is_finite, math.nan)

    entropy = answer(lambda scale, concentration: 1 + concentration + scale.log())


# ---- bounded ones, and those on a circle


@distribution("uniform")
class Uniform(Distribution):
    """Uniform on [low, high)."""

    low: Any
    high: Any
    has_rsample = True

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        self._hold(validate_args, low=low, high=high)

    arg_constraints = quantity(
        lambda low, high: {"low": constraints.less_than(high), "high": constraints.greater_than(low)}
    )

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        return constraints.interval(self.low, self.high)

    _width = quantity(lambda low, high: high - low)
    mean = quantity(lambda low, high: (high + low) / 2)
    mode = quantity(lambda high: high * math.nan)
    stddev = quantity(lambda _width: _width / math.sqrt(12))
    variance = quantity(lambda _width: _width.square() / 12)
    rsample = drawn(lambda shape, low, _width: low + uniform(shape, low) * _width)
    log_prob = at_value(lambda value, low, high, _width: (
        ((value >= low) & (value < high)).to(_width.dtype).log() - _width.log()
    ))  # fmt: skip
    cdf = at_value(lambda value, low, _width: ((value - low) / _width).clamp(0, 1))
    icdf = formula(lambda value, low, _width: value * _width + low)
    entropy = answer(lambda _width: _width.log())


def _log_modified_bessel_fn(x: Any, order: int = 0) -> Any:
    """log I(x) of order 0 or 1, by the function without its exponential growth."""
    constraints.demand(order in (0, 1), f"order must be 0 or 1, got {order}")
    return x + (facula.special.i1e if order else facula.special.i0e)(x).log()


def _angles(shape: Any, loc: Any, concentration: Any) -> Any:
    """Best and Fisher, Efficient simulation of the von Mises distribution (1979), in doubles, all angles at once."""
    center, k = loc.detach().double(), concentration.detach().double()
    tau = 1 + (1 + 4 * k**2).sqrt()
    rho = (tau - (2 * tau).sqrt()) / (2 * k)
    exact = (1 + rho**2) / (2 * rho)
    r = exact.where(k >= 1e-5, 1 / k + k)
    angles = facula.zeros(shape, dtype=facula.float64)
    done = facula.zeros(shape, dtype=facula.bool)
    while not done.all():
        first, second, side = facula.rand((3, *shape), dtype=facula.float64).unbind()
        z = (math.pi * first).cos()
        cosine = (1 + r * z) / (r + z)
        c = k * (r - cosine)
        accepted = (c * (2 - c) - second > 0) | ((c / second).log() + 1 - c >= 0)
        angles = ((side - 0.5).sign() * cosine.acos()).where(accepted, angles)
        done = done | accepted
    return ((angles + math.pi + center) % math.tau - math.pi).to(loc.dtype)


@distribution("von_mises")
class VonMises(Distribution):
    """Angles around ``loc``, much like a normal distribution on the circle."""

    loc: Any
    concentration: Any
    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    has_rsample = False

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self._hold(validate_args, loc=loc, concentration=concentration)

    mean = quantity(lambda loc: loc)
    mode = quantity(lambda loc: loc)
    variance = cached(lambda concentration: 1 - facula.special.i1e(concentration) / facula.special.i0e(concentration))
    """The circular variance: one less the mean's length."""

    log_prob = at_value(lambda value, loc, concentration: (
        (value - loc).cos() * concentration - 2 * HALF_LOG_TAU - _log_modified_bessel_fn(concentration)
    ))  # fmt: skip

    def sample(self, sample_shape: Any = ()) -> Any:
        return _angles(self._extended_shape(sample_shape), self.loc, self.concentration)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """Made anew, also for classes with a constructor of their own."""
        params = (self.loc.expand(batch_shape), self.concentration.expand(batch_shape))
        return type(self)(*params, validate_args=vars(self).get("_validate_args"))
