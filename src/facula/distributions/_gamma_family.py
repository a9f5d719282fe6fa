"""The gamma distribution and its relatives: waiting times, shares of a whole, quotients."""

from __future__ import annotations

import math
from typing import Any

import facula

from ..autograd.function import Function, once_differentiable
from . import constraints
from ._formulas import answer, at_value, done_by, drawn, formula, quantity
from .distribution import Distribution, distribution
from .exp_family import ExponentialFamily
from .utils import broadcast_all, log_beta, normal, positive_part

_POSITIVE = constraints.positive


# ---- waiting times


@distribution("exponential")
class Exponential(ExponentialFamily):
    """The time until an event that happens at a rate."""

    rate: Any
    arg_constraints = {"rate": _POSITIVE}
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        self._hold(validate_args, rate=rate)

    mean = quantity(lambda rate: rate.reciprocal())
    stddev = quantity(lambda rate: rate.reciprocal())
    mode = quantity(lambda rate: facula.zeros_like(rate))
    variance = quantity(lambda rate: rate.pow(-2))
    rsample = drawn(lambda shape, rate: rate.new_empty(shape).exponential_() / rate)
    log_prob = at_value(lambda value, rate: rate.log() - rate * value)
    cdf = at_value(lambda value, rate: 1 - (-rate * value).exp())
    icdf = formula(lambda value, rate: -facula.log1p(-value) / rate)
    entropy = answer(lambda rate: 1 - rate.log())

    _mean_carrier_measure = 0
    _natural_params = quantity(lambda rate: (-rate,))
    _log_normalizer = formula(lambda x: -(-x).log())


def _standard_gamma(concentration: Any) -> Any:
    return facula._standard_gamma(concentration)


@distribution("gamma")
class Gamma(ExponentialFamily):
    """Gamma with shape ``concentration`` and ``rate``. Its samples have implicit gradients."""

    concentration: Any
    rate: Any
    arg_constraints = {"concentration": _POSITIVE, "rate": _POSITIVE}
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        self._hold(validate_args, concentration=concentration, rate=rate)

    mean = quantity(lambda concentration, rate: concentration / rate)
    mode = quantity(lambda concentration, rate: ((concentration - 1) / rate).clamp(min=0))
    variance = quantity(lambda concentration, rate: concentration / rate.square())
    rsample = drawn(lambda shape, concentration, rate: (
        positive_part(_standard_gamma(concentration.expand(shape)) / rate.expand(shape))
    ))  # fmt: skip
    _log_density = at_value(lambda value, concentration, rate: (
        facula.xlogy(concentration, rate) + facula.xlogy(concentration - 1, value) - rate * value
        - concentration.lgamma()
    ))  # fmt: skip
    log_prob = formula(
        lambda value, rate, _log_density: _log_density(facula.as_tensor(value, dtype=rate.dtype, device=rate.device))
    )
    cdf = at_value(lambda value, concentration, rate: facula.special.gammainc(concentration, rate * value))
    entropy = answer(lambda concentration, rate: (
        concentration - rate.log() + concentration.lgamma() + (1 - concentration) * concentration.digamma()
    ))  # fmt: skip

    _mean_carrier_measure = 0
    _natural_params = quantity(lambda concentration, rate: (concentration - 1, -rate))
    _log_normalizer = formula(lambda x, y: (x + 1).lgamma() - (x + 1) * (-y).log(), 2)


@distribution("chi2")
class Chi2(Gamma):
    """The sum of ``df`` squared standard normal values."""

    arg_constraints = {"df": _POSITIVE}

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args)

    df = quantity(lambda concentration: 2 * concentration)


# ---- shares of a whole


def _Dirichlet_backward(x: Any, concentration: Any, grad_output: Any) -> Any:
    """How all components move if one of them follows its quantile and the others keep their proportions."""
    pull = grad_output - (grad_output * x).sum(-1, keepdim=True)
    return pull * facula._dirichlet_grad(x, concentration, concentration.sum(-1, keepdim=True).expand(x.shape))


class _Dirichlet(Function):
    @staticmethod
    def forward(ctx: Any, concentration: Any) -> Any:
        shares = facula._sample_dirichlet(concentration)
        ctx.save_for_backward(shares, concentration)
        return shares

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_output: Any) -> Any:
        shares, concentration = ctx.saved_tensors
        return _Dirichlet_backward(shares, concentration, grad_output)


def _mode_of_shares(concentration: Any) -> Any:
    """Proportional to what is above 1; if nothing is, the density is highest in a corner."""
    above = (concentration - 1).clamp(min=0)
    inside = above / above.sum(-1, keepdim=True)
    corner = facula.nn.functional.one_hot(inside.argmax(-1), inside.shape[-1]).to(inside.dtype)
    is_in_corner = (concentration < 1).all(-1)
    inside[is_in_corner] = corner[is_in_corner]
    return inside


@distribution("dirichlet")
class Dirichlet(ExponentialFamily):
    """Probabilities of categories. Its samples have implicit gradients."""

    concentration: Any
    arg_constraints = {"concentration": constraints.independent(_POSITIVE, 1)}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, concentration: Any, validate_args: bool | None = None) -> None:
        if concentration.dim() == 0:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self._hold(validate_args, concentration.shape[-1:], concentration=concentration)

    _total = quantity(lambda concentration: concentration.sum(-1, keepdim=True))
    mean = quantity(lambda concentration, _total: concentration / _total)
    mode = quantity(_mode_of_shares)
    variance = quantity(lambda concentration, _total: (
        concentration * (_total - concentration) / (_total.pow(2) * (_total + 1))
    ))  # fmt: skip
    rsample = drawn(lambda shape, concentration: _Dirichlet.apply(concentration.expand(shape)))
    log_prob = at_value(lambda value, concentration: (
        facula.xlogy(concentration - 1, value).sum(-1) + concentration.sum(-1).lgamma() - concentration.lgamma().sum(-1)
    ))  # fmt: skip

    def entropy(self) -> Any:
        each, total = self.concentration, self.concentration.sum(-1)
        log_norm = each.lgamma().sum(-1) - total.lgamma()
        return log_norm - (each.shape[-1] - total) * total.digamma() - ((each - 1) * each.digamma()).sum(-1)

    _natural_params = quantity(lambda concentration: (concentration,))
    _log_normalizer = formula(lambda x: x.lgamma().sum(-1) - x.sum(-1).lgamma())


@distribution("beta", parts="_dirichlet")
class Beta(ExponentialFamily):
    """The first of two probabilities that are Dirichlet distributed."""

    arg_constraints = {"concentration1": _POSITIVE, "concentration0": _POSITIVE}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        self._dirichlet = Dirichlet(facula.stack(broadcast_all(concentration1, concentration0), -1), validate_args)
        super().__init__(self._dirichlet.batch_shape, validate_args=validate_args)

    concentration1 = quantity(lambda _dirichlet: _dirichlet.concentration[..., 0])
    concentration0 = quantity(lambda _dirichlet: _dirichlet.concentration[..., 1])
    _total = quantity(lambda concentration1, concentration0: concentration1 + concentration0)
    mean = quantity(lambda concentration1, _total: concentration1 / _total)
    mode = quantity(lambda _dirichlet: _dirichlet.mode[..., 0])
    variance = quantity(lambda concentration1, concentration0, _total: (
        concentration1 * concentration0 / (_total.pow(2) * (_total + 1))
    ))  # fmt: skip
    log_prob = at_value(lambda value, _dirichlet: _dirichlet.log_prob(facula.stack([value, 1 - value], -1)))
    entropy = done_by("_dirichlet", "entropy")

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self._dirichlet.rsample(sample_shape)[..., 0]

    _natural_params = quantity(lambda concentration1, concentration0: (concentration1, concentration0))
    _log_normalizer = formula(log_beta, 2)


# ---- quotients


def _f_log_density(value: Any, df1: Any, df2: Any) -> Any:
    """By the odds df1 x / df2, which follow a beta prime distribution."""
    odds = value * df1 / df2
    return df1 / 2 * odds.log() - value.log() - (df1 + df2) / 2 * odds.log1p() - log_beta(df1 / 2, df2 / 2)


def _f_variance(df1: Any, df2: Any) -> Any:
    b = df2.where(df2 > 4, math.nan)
    return 2 * (b / (b - 2)).square() * (df1 + b - 2) / (df1 * (b - 4))


@distribution("fishersnedecor", parts="_gamma1 _gamma2")
class FisherSnedecor(Distribution):
    """The quotient of two chi-squared values, each per degree of freedom."""

    df1: Any
    df2: Any
    arg_constraints = {"df1": _POSITIVE, "df2": _POSITIVE}
    support = _POSITIVE
    has_rsample = True

    def __init__(self, df1: Any, df2: Any, validate_args: bool | None = None) -> None:
        df1, df2 = broadcast_all(df1, df2)
        self._gamma1, self._gamma2 = Gamma(df1 / 2, df1), Gamma(df2 / 2, df2)
        self._hold(validate_args, df1=df1, df2=df2)

    mean = quantity(lambda df2: 1 / (1 - 2 / df2.where(df2 > 2, math.nan)))
    mode = quantity(lambda df1, df2: ((1 - 2 / df1) * df2 / (df2 + 2)).where(df1 > 2, math.nan))
    variance = quantity(_f_variance)
    log_prob = at_value(_f_log_density)

    def rsample(self, sample_shape: Any = ()) -> Any:
        return positive_part(self._gamma1.rsample(sample_shape) / self._gamma2.rsample(sample_shape))


def _t_log_density(value: Any, df: Any, loc: Any, scale: Any) -> Any:
    z = (value - loc) / scale
    log_norm = scale.log() + 0.5 * df.log() + 0.5 * math.log(math.pi) + (0.5 * df).lgamma() - (0.5 * (df + 1)).lgamma()
    return -0.5 * (df + 1) * (z**2 / df).log1p() - log_norm


def _t_mean(df: Any, loc: Any) -> Any:
    mean = loc.clone(memory_format=facula.contiguous_format)
    mean[df <= 1] = math.nan
    return mean


def _t_variance(df: Any, scale: Any) -> Any:
    """Infinite up to 2 degrees of freedom, and not defined up to 1."""
    variance, is_finite = df.clone(memory_format=facula.contiguous_format), df > 2
    variance[is_finite] = scale[is_finite].pow(2) * df[is_finite] / (df[is_finite] - 2)
    variance[(df <= 2) & (df > 1)] = math.inf
    variance[df <= 1] = math.nan
    return variance


def _t_entropy(df: Any, scale: Any) -> Any:
    log_beta_of_half = (0.5 * df).lgamma() + math.lgamma(0.5) - (0.5 * (df + 1)).lgamma()
    slope = (0.5 * (df + 1)).digamma() - (0.5 * df).digamma()
    return scale.log() + 0.5 * (df + 1) * slope + 0.5 * df.log() + log_beta_of_half


@distribution("studentT", parts="_chi2")
class StudentT(Distribution):
    """A normal value over the root of a chi-squared one per degree of freedom, moved and scaled."""

    df: Any
    loc: Any
    scale: Any
    arg_constraints = {"df": constraints.positive, "loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        df, loc, scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(df)
        self._hold(validate_args, df=df, loc=loc, scale=scale)

    mean = quantity(_t_mean)
    mode = quantity(lambda loc: loc)
    variance = quantity(_t_variance)
    log_prob = at_value(_t_log_density)
    entropy = answer(_t_entropy)

    def rsample(self, sample_shape: Any = ()) -> Any:
        noise = normal(self._extended_shape(sample_shape), self.df)
        return self.loc + self.scale * (noise * (self._chi2.rsample(sample_shape) / self.df).rsqrt())
