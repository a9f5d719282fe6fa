"""Divergences within families of discrete, multivariate and compound distributions."""

from __future__ import annotations

import math
from typing import Any

import facula

from .bernoulli import Bernoulli
from .beta import Beta
from .binomial import Binomial
from .categorical import Categorical
from .cauchy import Cauchy
from .dirichlet import Dirichlet
from .exp_family import ExponentialFamily
from .geometric import Geometric
from .half_normal import HalfNormal
from .independent import Independent
from .kl import kl_divergence, register_kl
from .lowrank_multivariate_normal import LowRankMultivariateNormal, _batch_lowrank_mahalanobis
from .multivariate_normal import MultivariateNormal, _batch_mahalanobis
from .one_hot_categorical import OneHotCategorical
from .poisson import Poisson
from .transformed_distribution import TransformedDistribution
from .utils import _sum_rightmost

# ---- discrete ones


@register_kl(Bernoulli, Bernoulli)
def _kl_bernoulli_bernoulli(p: Any, q: Any) -> Any:
    softplus = facula.nn.functional.softplus
    of_one = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    of_one = _by_impossibility(of_one, q.probs == 0, p.probs == 0)
    of_zero = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    return of_one + _by_impossibility(of_zero, q.probs == 1, p.probs == 1)


def _by_impossibility(term: Any, in_q: Any, in_p: Any) -> Any:
    """What q takes for impossible costs infinitely much, unless p does so, too."""
    return facula.where(in_p, 0.0, facula.where(in_q, math.inf, term))


@register_kl(Categorical, Categorical)
def _kl_categorical_categorical(p: Any, q: Any) -> Any:
    terms = p.probs * (p.logits - q.logits)
    return _by_impossibility(terms, q.probs == 0, p.probs == 0).sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _kl_onehotcategorical_onehotcategorical(p: Any, q: Any) -> Any:
    return _kl_categorical_categorical(p._categorical, q._categorical)


@register_kl(Binomial, Binomial)
def _kl_binomial_binomial(p: Any, q: Any) -> Any:
    if (p.total_count < q.total_count).any():
        raise NotImplementedError(
            "KL between Binomials where q.total_count > p.total_count is not implemented"
        )
    each = p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p()
    return facula.where(p.total_count > q.total_count, math.inf, p.total_count * each)


@register_kl(Geometric, Geometric)
def _kl_geometric_geometric(p: Any, q: Any) -> Any:
    return -p.entropy() - facula.log1p(-q.probs) / p.probs - q.logits


@register_kl(Poisson, Poisson)
def _kl_poisson_poisson(p: Any, q: Any) -> Any:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(Bernoulli, Poisson)
def _kl_bernoulli_poisson(p: Any, q: Any) -> Any:
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


# ---- continuous ones


@register_kl(Cauchy, Cauchy)
def _kl_cauchy_cauchy(p: Any, q: Any) -> Any:
    return ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log() - (4 * p.scale * q.scale).log()


@register_kl(HalfNormal, HalfNormal)
def _kl_halfnormal_halfnormal(p: Any, q: Any) -> Any:
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Dirichlet, Dirichlet)
def _kl_dirichlet_dirichlet(p: Any, q: Any) -> Any:
    a, b = p.concentration, q.concentration
    total = a.sum(-1)
    norms = total.lgamma() - b.sum(-1).lgamma() + (b.lgamma() - a.lgamma()).sum(-1)
    return norms + ((a - b) * (a.digamma() - total.digamma().unsqueeze(-1))).sum(-1)


@register_kl(Beta, Beta)
def _kl_beta_beta(p: Any, q: Any) -> Any:
    return _kl_dirichlet_dirichlet(p._dirichlet, q._dirichlet)


# ---- multivariate normal ones


def _check_event_shapes(p: Any, q: Any, what: str) -> None:
    if p.event_shape != q.event_shape:
        raise ValueError(
            f"KL-divergence between two {what} with                          different event shapes cannot be computed"
        )


def _squares(matrix: Any) -> Any:
    return matrix.pow(2).sum([-2, -1])


def _divergence(p: Any, log_dets: Any, trace: Any, mahalanobis: Any) -> Any:
    return 0.5 * (log_dets + trace + mahalanobis - p.event_shape[0])


def _log_det(d: Any) -> Any:
    return d._log_det() if isinstance(d, LowRankMultivariateNormal) else 2 * d._half_log_det()


def _roots(p: Any) -> list[Any]:
    """Matrices whose products with their own transposes sum up to the covariance."""
    if isinstance(p, LowRankMultivariateNormal):
        return [p._unbroadcasted_cov_factor, p._unbroadcasted_cov_diag.sqrt().diag_embed()]
    return [p._unbroadcasted_scale_tril]


@register_kl(MultivariateNormal, MultivariateNormal)
def _kl_multivariatenormal_multivariatenormal(p: Any, q: Any) -> Any:
    _check_event_shapes(p, q, "Multivariate Normals")
    return _kl_to_multivariatenormal(p, q)


@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def _kl_lowrankmultivariatenormal_multivariatenormal(p: Any, q: Any) -> Any:
    _check_event_shapes(p, q, "(Low Rank) Multivariate Normals")
    return _kl_to_multivariatenormal(p, q)


def _kl_to_multivariatenormal(p: Any, q: Any) -> Any:
    L = q._unbroadcasted_scale_tril
    trace = sum(_squares(facula.linalg.solve_triangular(L, root, upper=False)) for root in _roots(p))
    return _divergence(p, _log_det(q) - _log_det(p), trace, _batch_mahalanobis(L, q.loc - p.loc))


@register_kl(MultivariateNormal, LowRankMultivariateNormal)
def _kl_multivariatenormal_lowrankmultivariatenormal(p: Any, q: Any) -> Any:
    _check_event_shapes(p, q, "(Low Rank) Multivariate Normals")
    return _kl_to_lowrank(p, q)


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _kl_lowrankmultivariatenormal_lowrankmultivariatenormal(p: Any, q: Any) -> Any:
    _check_event_shapes(p, q, "Low Rank Multivariate Normals")
    return _kl_to_lowrank(p, q)


def _kl_to_lowrank(p: Any, q: Any) -> Any:
    """The trace by Woodbury's identity."""
    W, D, C = q._unbroadcasted_cov_factor, q._unbroadcasted_cov_diag, q._capacitance_tril
    A = facula.linalg.solve_triangular(C, W.mT / D.unsqueeze(-2), upper=False)
    root_d = D.sqrt().unsqueeze(-1)
    trace = sum(_squares(root / root_d) - _squares(A @ root) for root in _roots(p))
    mahalanobis = _batch_lowrank_mahalanobis(W, D, q.loc - p.loc, C)
    return _divergence(p, _log_det(q) - _log_det(p), trace, mahalanobis)


# ---- by structure


@register_kl(ExponentialFamily, ExponentialFamily)
def _kl_expfamily_expfamily(p: Any, q: Any) -> Any:
    """The Bregman divergence of the log-normaliser."""
    if type(p) is not type(q):
        raise NotImplementedError(
            "The cross KL-divergence between different exponential families cannot                             be "
            "computed using Bregman divergences"
        )
    params = [param.detach().requires_grad_() for param in p._natural_params]
    log_normalizer = p._log_normalizer(*params)
    means = facula.autograd.grad(log_normalizer.sum(), params, create_graph=True)
    result = q._log_normalizer(*q._natural_params) - log_normalizer
    for of_p, of_q, mean in zip(params, q._natural_params, means):
        result = result - _sum_rightmost((of_q - of_p) * mean, len(q.event_shape))
    return result


@register_kl(TransformedDistribution, TransformedDistribution)
def _kl_transformed_transformed(p: Any, q: Any) -> Any:
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Independent, Independent)
def _kl_independent_independent(p: Any, q: Any) -> Any:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return _sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)
