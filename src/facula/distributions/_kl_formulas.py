"""The divergences that have a closed form.

KL(p || q) = -H(p) - E_p[log q]: between families a formula is p's entropy and, for each q, the mean of its log density,
for which p need tell no more than its mean, its variance, and the means of log x, |x - a| or exp(-x / b).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import facula

from ._gamma_family import Beta, Exponential, Gamma
from ._kl_registry import register_kl
from ._location_scale import Laplace, Normal, Uniform
from ._transformed_distributions import Gumbel, Pareto
from ._trials import Bernoulli, Binomial, ContinuousBernoulli, Poisson
from .utils import HALF_LOG_TAU, euler_constant, log_beta

# ---- what p tells


def _mean_log(p: Any) -> Any:
    """E[log x]."""
    if isinstance(p, Beta):
        return p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma()
    if isinstance(p, Exponential):
        return -euler_constant - p.rate.log()
    if isinstance(p, Gamma):
        return p.concentration.digamma() - p.rate.log()
    if isinstance(p, Pareto):
        return p.scale.log() + p.alpha.reciprocal()
    return _mean_log_between(p.low, p.high)


def _mean_log_between(low: Any, high: Any) -> Any:
    return (_x_log_x(high) - _x_log_x(low)) / (high - low) - 1


def _x_log_x(x: Any) -> Any:
    return facula.special.xlogy(x, x)


def _mean_exp(p: Any, scale: Any) -> Any:
    """E[exp(-x / scale)]."""
    if isinstance(p, Exponential):
        return p.rate / (p.rate + scale.reciprocal())
    if isinstance(p, Gamma):
        return (1 + (p.rate * scale).reciprocal()).pow(-p.concentration)
    if isinstance(p, Normal):
        return facula.exp(-p.loc / scale + 0.5 * (p.scale / scale) ** 2)
    if isinstance(p, Gumbel):
        return facula.exp(-p.loc / scale + (p.scale / scale + 1).lgamma())
    return (facula.exp(-p.low / scale) - facula.exp(-p.high / scale)) * scale / (p.high - p.low)


def _mean_distance(p: Any, point: Any) -> Any:
    """E|x - point|."""
    distance = (p.loc - point).abs()
    if isinstance(p, Laplace):
        return distance + p.scale * facula.exp(-distance / p.scale)
    ratio = distance / p.scale
    return p.scale * math.sqrt(2 / math.pi) * facula.exp(-0.5 * ratio**2) + distance * facula.erf(ratio / math.sqrt(2))


# ---- E_p[log q]


def _normal(p: Any, q: Any) -> Any:
    spread = p.variance + (p.mean - q.loc).square()
    return -HALF_LOG_TAU - q.scale.log() - spread / (2 * q.scale.square())


def _exponential(p: Any, q: Any) -> Any:
    return q.rate.log() - q.rate * p.mean


def _gamma(p: Any, q: Any) -> Any:
    a = q.concentration
    return a * q.rate.log() - a.lgamma() + (a - 1) * _mean_log(p) - q.rate * p.mean


def _gumbel(p: Any, q: Any) -> Any:
    return -q.scale.log() - (p.mean - q.loc) / q.scale - facula.exp(q.loc / q.scale) * _mean_exp(p, q.scale)


def _laplace(p: Any, q: Any) -> Any:
    return -(2 * q.scale).log() - _mean_distance(p, q.loc) / q.scale


def _uniform(p: Any, q: Any) -> Any:
    return -(q.high - q.low).log()


def _pareto(p: Any, q: Any) -> Any:
    return q.alpha.log() + q.alpha * q.scale.log() - (q.alpha + 1) * _mean_log(p)


def _continuous_bernoulli(p: Any, q: Any) -> Any:
    return p.mean * q.logits + facula.log1p(-q.probs) + q._cont_bern_log_norm()


def _uniform_to_beta(p: Any, q: Any) -> Any:
    a, b = q.concentration1, q.concentration0
    return (a - 1) * _mean_log(p) + (b - 1) * _mean_log_between(1 - p.high, 1 - p.low) - log_beta(a, b)


_Outside = Callable[[Any, Any], Any]


def _register(q_type: type, mean_log_q: Any, *p_types: type, outside: _Outside | None = None) -> None:
    """``outside``: where p has values that q has not, so that the divergence is infinite."""

    def kl(p: Any, q: Any) -> Any:
        result = -p.entropy() - mean_log_q(p, q)
        return result if outside is None else facula.where(outside(p, q), math.inf, result)

    def kl_within(p: Any, q: Any) -> Any:
        result = mean_log_q(p, p) - mean_log_q(p, q)  # exactly 0 for p = q
        return result if outside is None else facula.where(outside(p, q), math.inf, result)

    for p_type in p_types:
        register_kl(p_type, q_type)(kl_within if p_type is q_type else kl)


def _below_zero(p: Any, q: Any) -> Any:
    return p.low < 0


def _not_in_unit_interval(p: Any, q: Any) -> Any:
    return (p.high > 1) | (p.low < 0)


def _more_than_uniform(p: Any, q: Any) -> Any:
    return (q.high < p.support.upper_bound) | (q.low > p.support.lower_bound)


_register(Normal, _normal, Beta, ContinuousBernoulli, Exponential, Gamma, Gumbel, Laplace, Pareto, Uniform)
_register(Exponential, _exponential, Beta, ContinuousBernoulli, Exponential, Gamma, Pareto)
_register(Exponential, _exponential, Uniform, outside=_below_zero)
_register(Gamma, _gamma, Beta, Exponential, Gamma, Pareto)
_register(Gamma, _gamma, Uniform, outside=_below_zero)
_register(Gumbel, _gumbel, Exponential, Gamma, Gumbel, Normal, Uniform)
_register(Laplace, _laplace, Laplace, Normal)
_register(ContinuousBernoulli, _continuous_bernoulli, Beta, ContinuousBernoulli)
_register(ContinuousBernoulli, _continuous_bernoulli, Uniform, outside=_not_in_unit_interval)
_register(Beta, _uniform_to_beta, Uniform, outside=_not_in_unit_interval)
_register(Uniform, _uniform, Beta, ContinuousBernoulli, outside=_more_than_uniform)
_register(Uniform, _uniform, Uniform, outside=lambda p, q: (q.low > p.low) | (q.high < p.high))
_register(Pareto, _pareto, Uniform, outside=lambda p, q: p.low < q.scale)
_register(Pareto, _pareto, Pareto, outside=lambda p, q: p.scale < q.scale)


# ---- pairs of which p has values that q never has


def _never(name: str, p_type: type, *q_types: type) -> None:
    def kl(p: Any, q: Any) -> Any:
        return facula.full_like(getattr(p, name), math.inf)

    for q_type in q_types:
        register_kl(p_type, q_type)(kl)


_never("concentration1", Beta, Pareto)
_never("probs", ContinuousBernoulli, Pareto)
_never("rate", Exponential, Beta, ContinuousBernoulli, Pareto, Uniform)
_never("concentration", Gamma, Beta, ContinuousBernoulli, Pareto, Uniform)
_never("loc", Gumbel, Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)
_never("loc", Laplace, Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)
_never("loc", Normal, Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)
_never("scale", Pareto, Beta, ContinuousBernoulli, Uniform)
_never("rate", Poisson, Bernoulli, Binomial)
