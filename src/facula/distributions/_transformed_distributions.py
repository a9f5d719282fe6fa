"""Distributions of transformed values: where the values come from, the way from there, and what else is known."""

from __future__ import annotations

import math
from typing import Any

import facula

from . import constraints
from ._categories import ExpRelaxedCategorical
from ._compound import TransformedDistribution
from ._formulas import answer, at_value, formula, quantity, same_as
from ._gamma_family import Exponential, Gamma
from ._location_scale import Cauchy, Normal, Uniform
from ._trials import LogitRelaxedBernoulli
from .distribution import distribution
from .transforms import (
    AbsTransform,
    AffineTransform,
    ExpTransform,
    PowerTransform,
    SigmoidTransform,
    StickBreakingTransform,
)
from .utils import broadcast_all, euler_constant, log_beta

_POSITIVE, _REAL = constraints.positive, constraints.real


class _Mapped(TransformedDistribution):
    """A distribution with parameters of its own: ``_origin`` is its base distribution, ``_way`` the transforms."""

    _origin: Any
    _way: Any

    def _map(self, validate_args: bool | None, **given: Any) -> None:
        vars(self).update(zip(given, broadcast_all(*given.values())))
        TransformedDistribution.__init__(self, self._origin(validate_args), self._way, validate_args)


# ---- with the parameters of where they come from


@distribution("log_normal")
class LogNormal(TransformedDistribution):
    """Values whose logarithm is normal."""

    arg_constraints = {"loc": _REAL, "scale": _POSITIVE}
    support = _POSITIVE
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Normal(loc, scale, validate_args), ExpTransform(), validate_args)

    loc, scale = same_as("base_dist", "loc", "scale")
    mean = quantity(lambda loc, scale: (loc + scale.square() / 2).exp())
    mode = quantity(lambda loc, scale: (loc - scale.square()).exp())
    variance = quantity(lambda loc, scale: (scale**2).expm1() * (2 * loc + scale**2).exp())
    entropy = answer(lambda base_dist, loc: base_dist.entropy() + loc)


class _Folded(TransformedDistribution):
    """The absolute value of a distribution that is symmetric about 0."""

    arg_constraints = {"scale": _POSITIVE}
    support = constraints.nonnegative
    has_rsample = True

    def _fold(self, symmetric: Normal | Cauchy, validate_args: bool | None) -> None:
        TransformedDistribution.__init__(self, symmetric, AbsTransform(), validate_args)

    scale = same_as("base_dist", "scale")
    mode = quantity(lambda scale: facula.zeros_like(scale))
    _log_density = formula(
        lambda value, base_dist: (base_dist.log_prob(value) + math.log(2)).where(value >= 0, -math.inf)
    )
    log_prob = at_value(lambda value, _log_density: _log_density(value))
    cdf = at_value(lambda value, base_dist: 2 * base_dist.cdf(value) - 1)
    icdf = formula(lambda value, base_dist: base_dist.icdf((1 + value) / 2))
    entropy = answer(lambda base_dist: base_dist.entropy() - math.log(2))


@distribution("half_normal")
class HalfNormal(_Folded):
    """The absolute value of a normal value of mean 0."""

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        self._fold(Normal(0, scale, validate_args=False), validate_args)

    mean = quantity(lambda scale: scale * math.sqrt(2 / math.pi))
    variance = quantity(lambda scale: scale.square() * (1 - 2 / math.pi))


@distribution("half_cauchy")
class HalfCauchy(_Folded):
    """The absolute value of a Cauchy value of median 0."""

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        self._fold(Cauchy(0, scale, validate_args=False), validate_args)

    mean = quantity(lambda scale, _everywhere: _everywhere(math.inf, scale))
    variance = same_as("base_dist", "variance")
    log_prob = at_value(
        lambda value, scale, _log_density: _log_density(facula.as_tensor(value, dtype=scale.dtype, device=scale.device))
    )


@distribution("inverse_gamma")
class InverseGamma(TransformedDistribution):
    """The reciprocal of a gamma value."""

    arg_constraints = {"concentration": _POSITIVE, "rate": _POSITIVE}
    support = _POSITIVE
    has_rsample = True

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        gamma = Gamma(concentration, rate, validate_args)
        super().__init__(gamma, PowerTransform(gamma.rate.new_tensor(-1)), validate_args)

    concentration, rate = same_as("base_dist", "concentration", "rate")
    mean = quantity(lambda concentration, rate: (rate / (concentration - 1)).where(concentration > 1, math.inf))
    mode = quantity(lambda concentration, rate: rate / (1 + concentration))
    variance = quantity(lambda concentration, rate: (
        ((rate / (concentration - 1)).square() / (concentration - 2)).where(concentration > 2, math.inf)
    ))  # fmt: skip
    entropy = answer(
        lambda base_dist, concentration, rate: base_dist.entropy() - 2 * (concentration.digamma() - rate.log())
    )


@distribution("logistic_normal")
class LogisticNormal(TransformedDistribution):
    """Points of the simplex that come from normal ones by breaking a stick."""

    arg_constraints = {"loc": _REAL, "scale": _POSITIVE}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        normal = Normal(loc, scale, validate_args)
        super().__init__(normal if normal.batch_shape else normal.expand([1]), StickBreakingTransform(), validate_args)

    loc = quantity(lambda base_dist: base_dist.base_dist.loc)
    scale = quantity(lambda base_dist: base_dist.base_dist.scale)


@distribution("relaxed_bernoulli")
class RelaxedBernoulli(TransformedDistribution):
    """A Bernoulli value relaxed to a number between 0 and 1, with gradients; near 0 or 1 at low temperatures."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": _REAL}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        super().__init__(LogitRelaxedBernoulli(temperature, probs, logits), SigmoidTransform(), validate_args)

    temperature, probs, logits = same_as("base_dist", "temperature", "probs", "logits")


@distribution("relaxed_categorical")
class RelaxedOneHotCategorical(TransformedDistribution):
    """A one-hot vector relaxed to a point of the simplex, with gradients; near a corner at low temperatures."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.simplex
    has_rsample = True

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        logs = ExpRelaxedCategorical(temperature, probs, logits, validate_args)
        super().__init__(logs, ExpTransform(), validate_args)

    temperature, probs, logits = same_as("base_dist", "temperature", "probs", "logits")


# ---- with parameters of their own


def _uniform_of_shape(like: Any, low: float, high: float, validate_args: bool | None) -> Uniform:
    return Uniform(facula.full_like(like, low), facula.full_like(like, high), validate_args)


def _open_uniform(validate_args: bool | None, loc: Any) -> Uniform:
    """Without 0 and 1, whose logarithms are infinite or 0."""
    info = facula.finfo(loc.dtype)
    return _uniform_of_shape(loc, info.tiny, 1 - info.eps, validate_args)


@distribution("gumbel")
class Gumbel(_Mapped):
    """The distribution of the largest of many values: loc - scale * log(-log(uniform))."""

    loc: Any
    scale: Any
    arg_constraints = {"loc": _REAL, "scale": _POSITIVE}
    support = _REAL
    _origin = formula(_open_uniform)
    _way = quantity(lambda loc, scale: [
        ExpTransform().inv, AffineTransform(0, -facula.ones_like(scale)),
        ExpTransform().inv, AffineTransform(loc, -scale),
    ])  # fmt: skip

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self._map(validate_args, loc=loc, scale=scale)

    _depth = formula(lambda value, loc, scale: (loc - value) / scale)
    log_prob = at_value(lambda value, scale, _depth: _depth(value) - _depth(value).exp() - scale.log())
    mean = quantity(lambda loc, scale: loc + euler_constant * scale)
    mode = quantity(lambda loc: loc)
    stddev = quantity(lambda scale: scale * (math.pi / math.sqrt(6)))
    variance = quantity(lambda stddev: stddev.pow(2))
    entropy = answer(lambda scale: 1 + euler_constant + scale.log())


def _kumaraswamy_moment(a: Any, b: Any, order: int) -> Any:
    """The mean of a power: b B(1 + order / a, b)."""
    return b * log_beta(1 + order / a, b).exp()


@distribution("kumaraswamy")
class Kumaraswamy(_Mapped):
    """P(X <= x) = 1 - (1 - x^a)^b on [0, 1], much like a beta distribution."""

    concentration1: Any
    concentration0: Any
    arg_constraints = {"concentration1": _POSITIVE, "concentration0": _POSITIVE}
    support = constraints.unit_interval
    has_rsample = True
    _origin = formula(lambda validate_args, concentration0: _uniform_of_shape(concentration0, 0, 1, validate_args))
    _way = quantity(lambda concentration1, concentration0: [
        PowerTransform(1 / concentration0), AffineTransform(1.0, -1.0), PowerTransform(1 / concentration1)
    ])  # fmt: skip

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        self._map(validate_args, concentration1=concentration1, concentration0=concentration0)

    mean = quantity(lambda concentration1, concentration0: _kumaraswamy_moment(concentration1, concentration0, 1))
    variance = quantity(lambda mean, concentration1, concentration0: (
        _kumaraswamy_moment(concentration1, concentration0, 2) - mean.square()
    ))  # fmt: skip
    mode = quantity(lambda concentration0: concentration0 * math.nan)
    """PyTorch's formula takes the logarithm of a negative number wherever there is a mode, and so does this."""

    entropy = answer(lambda concentration1, concentration0: (
        (1 - 1 / concentration1) * (euler_constant + (1 + concentration0).digamma()) + (1 - 1 / concentration0)
        - (concentration1 * concentration0).log()
    ))  # fmt: skip


def _pareto_variance(scale: Any, alpha: Any) -> Any:
    a = alpha.clamp(min=2)
    return (scale / (a - 1)).square() * a / (a - 2)


@distribution("pareto")
class Pareto(_Mapped):
    """Values from ``scale`` on, whose chance to be exceeded falls with the power ``alpha``."""

    scale: Any
    alpha: Any
    arg_constraints = {"alpha": _POSITIVE, "scale": _POSITIVE}
    _origin = formula(lambda validate_args, alpha: Exponential(alpha, validate_args))
    _way = quantity(lambda scale: [ExpTransform(), AffineTransform(0, scale)])

    def __init__(self, scale: Any, alpha: Any, validate_args: bool | None = None) -> None:
        self._map(validate_args, scale=scale, alpha=alpha)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        return constraints.greater_than_eq(self.scale)

    mean = quantity(lambda scale, alpha: alpha.clamp(min=1) * scale / (alpha.clamp(min=1) - 1))
    """Infinite up to alpha 1, as the variance is up to 2."""

    mode = quantity(lambda scale: scale)
    variance = quantity(_pareto_variance)
    entropy = answer(lambda scale, alpha: 1 + 1 / alpha + (scale / alpha).log())


@distribution("weibull")
class Weibull(_Mapped):
    """``scale`` times a power 1/concentration of an exponential value."""

    scale: Any
    concentration: Any
    arg_constraints = {"scale": _POSITIVE, "concentration": _POSITIVE}
    support = _POSITIVE
    _origin = formula(lambda validate_args, scale: Exponential(facula.ones_like(scale), validate_args))
    _way = quantity(lambda scale, concentration_reciprocal: [
        PowerTransform(concentration_reciprocal), AffineTransform(0, scale)
    ])  # fmt: skip

    def __init__(self, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self._map(validate_args, scale=scale, concentration=concentration)

    concentration_reciprocal = quantity(lambda concentration: 1 / concentration)
    _moment = formula(lambda order, scale, concentration: scale**order * (1 + order / concentration).lgamma().exp())
    mean = quantity(lambda _moment: _moment(1))
    mode = quantity(lambda scale, concentration: scale * (1 - 1 / concentration) ** (1 / concentration))
    variance = quantity(lambda _moment, mean: _moment(2) - mean.square())
    entropy = answer(lambda scale, concentration: (
        1 + euler_constant * (1 - 1 / concentration) + (scale / concentration).log()
    ))  # fmt: skip
