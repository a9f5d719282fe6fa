"""Divergences within families of discrete, multivariate and compound distributions."""

from __future__ import annotations

import math
from typing import Any

import facula

from ._categories import Categorical, OneHotCategorical
from ._compound import Independent, TransformedDistribution
from ._gamma_family import Beta, Dirichlet
from ._kl_registry import kl_divergence, register_kl
from ._location_scale import Cauchy, Normal
from ._normal_vectors import LowRankMultivariateNormal, MultivariateNormal
from ._transformed_distributions import HalfNormal
from ._trials import Bernoulli, Binomial, Geometric, Poisson
from .exp_family import ExponentialFamily
from .utils import _sum_rightmost

# ---- discrete ones


def _outcome(chance: Any, log_ratio: Any, in_p: Any, in_q: Any) -> Any:
    """What an outcome adds. What q takes for impossible costs infinitely much, unless p does so, too."""
    return facula.where(in_p, facula.where(in_q, chance * log_ratio, math.inf), 0.0)


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p: Any, q: Any) -> Any:
    log = facula.nn.functional.logsigmoid
    one = _outcome(p.probs, log(p.logits) - log(q.logits), p.probs != 0, q.probs != 0)
    return one + _outcome(1 - p.probs, log(-p.logits) - log(-q.logits), p.probs != 1, q.probs != 1)


@register_kl(Categorical, Categorical)
def _categorical(p: Any, q: Any) -> Any:
    return _outcome(p.probs, p.logits - q.logits, p.probs != 0, q.probs != 0).sum(-1)


@register_kl(Binomial, Binomial)
def _binomial(p: Any, q: Any) -> Any:
    """As often as there are trials what one of them adds."""
    if (q.total_count > p.total_count).any():
        raise NotImplementedError(
            "KL between Binomials where q.total_count > p.total_count is not implemented"
        )
    one_trial = p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p()
    return (p.total_count * one_trial).where(p.total_count <= q.total_count, math.inf)


@register_kl(Geometric, Geometric)
def _geometric(p: Any, q: Any) -> Any:
    return -(p.entropy() + q.logits + (-q.probs).log1p() / p.probs)


@register_kl(Poisson, Poisson)
def _poisson(p: Any, q: Any) -> Any:
    return q.rate - p.rate + p.rate * (p.rate.log() - q.rate.log())


@register_kl(Bernoulli, Poisson)
def _bernoulli_to_poisson(p: Any, q: Any) -> Any:
    return q.rate - p.probs * q.rate.log() - p.entropy()


# ---- continuous ones


@register_kl(Normal, Normal)
def _normal(p: Any, q: Any) -> Any:
    """By the ratio of the variances, as entropies of distributions that are nearly the same cancel each other."""
    variances = (p.scale / q.scale).pow(2)
    return 0.5 * (variances + ((p.loc - q.loc) / q.scale).pow(2) - 1 - variances.log())


@register_kl(Cauchy, Cauchy)
def _cauchy(p: Any, q: Any) -> Any:
    width, distance = p.scale + q.scale, p.loc - q.loc
    return ((width.square() + distance.square()) / (4 * p.scale * q.scale)).log()


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p: Any, q: Any) -> Any:
    a, b = p.concentration, q.concentration
    mean_logs = a.digamma() - p._total.digamma()
    return ((a - b) * mean_logs).sum(-1) + q._log_normalizer(b) - p._log_normalizer(a)


# ---- normal vectors

_SAID = {
    (MultivariateNormal, MultivariateNormal): "Multivariate Normals",
    (LowRankMultivariateNormal, MultivariateNormal): "(Low Rank) Multivariate Normals",
    (MultivariateNormal, LowRankMultivariateNormal): "(Low Rank) Multivariate Normals",
    (LowRankMultivariateNormal, LowRankMultivariateNormal): "Low Rank Multivariate Normals",
}


def _normal_vectors(said: str) -> Any:
    def divergence(p: Any, q: Any) -> Any:
        if p.event_shape != q.event_shape:
            raise ValueError(
                f"KL-divergence between two {said} with                          different event shapes cannot be "
                "computed"
            )
        ours, theirs = p._covariance, q._covariance
        spread = theirs.trace_of_quotient(ours.roots()) + theirs.mahalanobis(q.loc - p.loc)
        return (spread + theirs.log_det() - ours.log_det() - p.event_shape[0]) / 2

    return divergence


for pair, said in _SAID.items():
    register_kl(*pair)(_normal_vectors(said))


# ---- by structure


@register_kl(ExponentialFamily, ExponentialFamily)
def _kl_expfamily_expfamily(p: Any, q: Any) -> Any:
    """The carrier is the same for both."""
    if type(p) is not type(q):
        raise NotImplementedError(
            "The cross KL-divergence between different exponential families cannot                             be "
            "computed using Bregman divergences"
        )
    return p._mean_log_likelihood(p) - p._mean_log_likelihood(q)


def _of_parts(kind: type, part: str, *alike: str) -> None:
    """That of the distributions that they are made of, one to one, if they are made of them in the same way."""

    def divergence(p: Any, q: Any) -> Any:
        if any(getattr(p, name) != getattr(q, name) for name in alike):
            raise NotImplementedError
        of_parts = kl_divergence(getattr(p, part), getattr(q, part))
        return _sum_rightmost(of_parts, getattr(p, "reinterpreted_batch_ndims", 0))

    register_kl(kind, kind)(divergence)


_of_parts(Beta, "_dirichlet")
_of_parts(OneHotCategorical, "_categorical")
_of_parts(HalfNormal, "base_dist")
_of_parts(TransformedDistribution, "base_dist", "transforms", "event_shape")
_of_parts(Independent, "base_dist", "reinterpreted_batch_ndims")
