"""Distributions of loc + scale * z, where z follows a standard distribution: they are known by what is known of z."""

from __future__ import annotations

import math
from typing import Any, ClassVar, NamedTuple

import facula

from . import constraints
from ._formulas import Formula, answer, at_value, cached, drawn, formula, quantity
from .distribution import Distribution, distribution
from .exp_family import ExponentialFamily
from .utils import HALF_LOG_TAU, normal, uniform


class Standard(NamedTuple):
    """The distribution of z: its log-density, distribution function, quantiles and entropy, and how to draw it."""

    log_density: Formula
    below: Formula
    quantile: Formula
    entropy: float
    draw: Formula


class _LocationScale(Distribution):
    """What follows from the distribution of z."""

    loc: Any
    scale: Any
    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    _standard: ClassVar[Standard]

    mode = quantity(lambda loc: loc)
    rsample = drawn(lambda shape, loc, scale, _standard: loc + scale * _standard.draw(shape, loc))
    log_prob = at_value(lambda value, loc, scale, _standard: _standard.log_density((value - loc) / scale) - scale.log())
    cdf = at_value(lambda value, loc, scale, _standard: _standard.below((value - loc) / scale))
    icdf = formula(lambda value, loc, scale, _standard: loc + scale * _standard.quantile(value))
    entropy = answer(lambda scale, _standard: scale.log() + _standard.entropy)


@distribution("normal")
class Normal(_LocationScale, ExponentialFamily):
    """Normal with mean ``loc`` and standard deviation ``scale``."""

    _standard = Standard(
        log_density=lambda z: -(z.square() / 2 + HALF_LOG_TAU),
        below=lambda z: ((z / math.sqrt(2)).erf() + 1) / 2,
        quantile=lambda u: math.sqrt(2) * facula.erfinv(2 * u - 1),
        entropy=HALF_LOG_TAU + 0.5,
        draw=normal,
    )

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self._hold(validate_args, loc=loc, scale=scale)

    mean = quantity(lambda loc: loc)
    stddev = quantity(lambda scale: scale)
    variance = quantity(lambda scale: scale.square())

    _mean_carrier_measure = 0
    _natural_params = quantity(lambda loc, variance: (loc / variance, -1 / (2 * variance)))
    _log_normalizer = formula(lambda x, y: (-math.pi / y).log() / 2 - x.square() / (4 * y), 2)


def _two_sided(u: Any) -> Any:
    """Exponential values with the signs of uniform ones."""
    return -u.sign() * (-u.abs()).log1p()


@distribution("laplace")
class Laplace(_LocationScale):
    """Two exponential distributions, back to back at ``loc``."""

    _standard = Standard(
        log_density=lambda z: -z.abs() - math.log(2),
        below=lambda z: (1 - z.sign() * (-z.abs()).expm1()) / 2,
        quantile=lambda u: (0.5 - u).sign() * (-(2 * u - 1).abs()).log1p(),
        entropy=1 + math.log(2),
        draw=lambda shape, like: _two_sided(like.new_empty(shape).uniform_(facula.finfo(like.dtype).eps - 1, 1)),
    )

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self._hold(validate_args, loc=loc, scale=scale)

    mean = quantity(lambda loc: loc)
    stddev = quantity(lambda scale: scale * math.sqrt(2))
    variance = quantity(lambda scale: scale.square() * 2)


@distribution("cauchy")
class Cauchy(_LocationScale):
    """Cauchy (Lorentz) with median ``loc`` and half width at half maximum ``scale``."""

    _standard = Standard(
        log_density=lambda z: -(math.pi * (1 + z.square())).log(),
        below=lambda z: 0.5 + z.atan() / math.pi,
        quantile=lambda u: facula.tan((u - 0.5) * math.pi),
        entropy=math.log(4 * math.pi),
        draw=lambda shape, like: like.new_empty(shape).cauchy_(),
    )

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self._hold(validate_args, loc=loc, scale=scale)

    mean = quantity(lambda loc, _everywhere: _everywhere(math.nan, loc))
    variance = quantity(lambda loc, _everywhere: _everywhere(math.inf, loc))


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
    mean = quantity(lambda low, high: (low + high) / 2)
    mode = quantity(lambda high: high * math.nan)
    stddev = quantity(lambda _width: _width / math.sqrt(12))
    variance = quantity(lambda _width: _width.square() / 12)
    rsample = drawn(lambda shape, low, _width: low + _width * uniform(shape, low))
    log_prob = at_value(lambda value, low, high, _width: (
        ((value >= low) & (value < high)).to(_width.dtype).log() - _width.log()
    ))  # fmt: skip
    cdf = at_value(lambda value, low, _width: ((value - low) / _width).clamp(0, 1))
    icdf = formula(lambda value, low, _width: low + _width * value)
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
