"""Kullback-Leibler divergences of all pairs that have one, with gradients; the registry."""

from __future__ import annotations

import warnings

from .cases_distributions_laws import brief, gradients
from .observe import case, error, see

PARAMETERS = {
    "Bernoulli": ([[0.2, 0.7]], [[0.3, 0.5]]),
    "Beta": ([[0.5, 2.0], [1.5, 3.0]], [[1.2, 0.7], [2.0, 4.0]]),
    "Binomial": ([[0.2, 0.7]], [[0.3, 0.5]]),
    "Categorical": ([[[0.2, 0.7, 0.1], [1.0, 1.0, 2.0]]], [[[0.3, 0.4, 0.3], [3.0, 1.0, 1.0]]]),
    "Cauchy": ([[0.0, 2.0], [1.5, 3.0]], [[1.2, 0.7], [2.0, 4.0]]),
    "Chi2": ([[0.5, 2.0]], [[1.2, 0.7]]),
    "ContinuousBernoulli": ([[0.2, 0.7]], [[0.3, 0.5]]),
    "Dirichlet": ([[[0.2, 0.7, 0.1], [1.0, 1.0, 2.0]]], [[[0.3, 0.4, 0.3], [3.0, 1.0, 1.0]]]),
    "Exponential": ([[0.5, 2.0]], [[1.2, 0.7]]),
    "Gamma": ([[0.5, 2.0], [1.5, 3.0]], [[1.2, 0.7], [2.0, 4.0]]),
    "Geometric": ([[0.2, 0.7]], [[0.3, 0.5]]),
    "Gumbel": ([[0.5, 2.0], [1.5, 3.0]], [[1.2, 0.7], [2.0, 4.0]]),
    "HalfNormal": ([[0.5, 2.0]], [[1.2, 0.7]]),
    "Laplace": ([[0.5, 2.0], [1.5, 3.0]], [[1.2, 0.7], [2.0, 4.0]]),
    "LogNormal": ([[0.5, 2.0], [1.5, 3.0]], [[1.2, 0.7], [2.0, 4.0]]),
    "Normal": ([[0.5, 2.0], [1.5, 3.0]], [[1.2, 0.7], [2.0, 4.0]]),
    "OneHotCategorical": ([[[0.2, 0.7, 0.1], [1.0, 1.0, 2.0]]], [[[0.3, 0.4, 0.3], [3.0, 1.0, 1.0]]]),
    "Pareto": ([[1.5, 2.0], [1.5, 3.0]], [[1.2, 0.7], [2.0, 4.0]]),
    "Poisson": ([[0.5, 2.0]], [[1.2, 0.7]]),
    "Uniform": ([[0.1, 0.3], [0.6, 0.9]], [[0.0, 0.2], [0.8, 0.95]]),
    "Weibull": ([[1.5, 2.0], [1.5, 3.0]], [[1.5, 2.0], [1.5, 3.0]]),
}


def make(torch, name, which):
    params = [torch.tensor(p, dtype=torch.float64, requires_grad=True) for p in PARAMETERS[name][which]]
    law = getattr(torch.distributions, name)
    return (law(4, *params) if name == "Binomial" else law(*params)), params


def divergence(torch, p_name, q_name):
    p, of_p = make(torch, p_name, 0)
    q, of_q = make(torch, q_name, 1)
    try:
        kl = torch.distributions.kl_divergence(p, q)
    except NotImplementedError as e:
        return str(e)
    return [brief(torch, kl)[:3], gradients(torch, kl, [*of_p, *of_q]) if kl.isfinite().all() else None]


def of_all_pairs(torch, *names):
    return {f"{p} {q}": divergence(torch, p, q) for p in names for q in PARAMETERS}


@case
def from_discrete_ones(torch):
    return of_all_pairs(torch, "Bernoulli", "Binomial", "Categorical", "Geometric", "OneHotCategorical", "Poisson")


@case
def from_bounded_ones(torch):
    return of_all_pairs(torch, "Beta", "ContinuousBernoulli", "Dirichlet", "Uniform")


@case
def from_positive_ones(torch):
    return of_all_pairs(torch, "Chi2", "Exponential", "Gamma", "HalfNormal", "LogNormal", "Pareto", "Weibull")


@case
def from_real_ones(torch):
    return of_all_pairs(torch, "Cauchy", "Gumbel", "Laplace", "Normal")


@case
def outside_of_the_support(torch):
    D, kl, t = torch.distributions, torch.distributions.kl_divergence, torch.tensor
    u = D.Uniform(t([-0.5, 0.2, 0.3]), t([0.5, 0.7, 1.5]))
    others = [D.Beta(2.0, 3.0), D.ContinuousBernoulli(0.3), D.Exponential(1.0), D.Gamma(2.0, 1.0), D.Pareto(0.25, 2.0)]
    others += [D.Uniform(0.0, 1.0), D.Normal(0.0, 1.0), D.Gumbel(0.0, 1.0)]
    seen = [kl(u, q) for q in others]
    seen += [kl(D.Beta(2.0, 3.0), D.Uniform(t([0.0, 0.1]), t([1.0, 1.0])))]
    seen += [kl(D.ContinuousBernoulli(0.3), D.Uniform(t([0.0, 0.1, -1.0]), t([1.0, 1.0, 3.0])))]
    seen += [kl(D.Pareto(t([1.0, 2.0, 3.0]), t([0.5, 1.5, 2.5])), q) for q in (D.Exponential(1.0), D.Normal(0.0, 1.0))]
    seen += [kl(D.Pareto(t([1.0, 2.0, 3.0]), t([0.5, 1.5, 2.5])), q) for q in (D.Gamma(2.0, 1.0), D.Pareto(2.0, 1.0))]
    return [brief(torch, k) for k in seen]


@case
def impossible_values(torch):
    D, kl, t = torch.distributions, torch.distributions.kl_divergence, torch.tensor
    seen = [
        kl(D.Bernoulli(t([0.0, 1.0, 0.5, 0.5])), D.Bernoulli(t([0.5, 0.5, 0.0, 1.0]))),
        kl(D.Categorical(t([[0.5, 0.5, 0.0], [0.5, 0.25, 0.25]])), D.Categorical(t([0.5, 0.25, 0.25]))),
        kl(D.Categorical(t([0.5, 0.25, 0.25])), D.Categorical(t([0.5, 0.5, 0.0]))),
        kl(D.Binomial(t([5.0, 4.0]), t(0.3)), D.Binomial(4, t(0.4))),
    ]
    refused = error(lambda: kl(D.Binomial(3, t(0.3)), D.Binomial(4, t(0.4))))
    return [brief(torch, k) for k in seen] + [refused]


def normals(torch, *batch):
    D = torch.distributions

    def data(*shape, low=-1.0, high=1.0):
        n = 1
        for s in shape:
            n *= s
        return (torch.linspace(low, high, n, dtype=torch.float64).sin() * 1.1).reshape(shape).requires_grad_()

    m1, m2, w1, w2 = data(*batch, 3), data(3, low=0.0), data(*batch, 3, 2), data(3, 2, low=-2.0)
    d1, d2 = data(3, low=0.5), data(*batch, 3, low=0.7, high=1.5)
    a, b = data(3, 3, low=-2), data(*batch, 3, 3, low=1.0, high=4.0)
    full = [
        D.MultivariateNormal(m1, a @ a.mT + torch.eye(3, dtype=torch.float64)),
        D.MultivariateNormal(m2, b @ b.mT + torch.eye(3, dtype=torch.float64)),
    ]
    low = [D.LowRankMultivariateNormal(m1, w1, d1), D.LowRankMultivariateNormal(m2, w2, d2)]
    return full, low, [m1, m2, w1, w2, d1, d2, a, b]


@case
def multivariate_normals(torch):
    seen = []
    for batch in ((), (2,)):
        full, low, leaves = normals(torch, *batch)
        for p in (full[0], low[0]):
            for q in (full[1], low[1]):
                kl = torch.distributions.kl_divergence(p, q)
                seen.append([brief(torch, kl), gradients(torch, kl, leaves)])
    return seen


@case
def multivariate_normals_of_other_sizes(torch):
    D = torch.distributions
    full = [D.MultivariateNormal(torch.zeros(n), torch.eye(n)) for n in (2, 3)]
    low = [D.LowRankMultivariateNormal(torch.zeros(n), torch.ones(n, 1), torch.ones(n)) for n in (2, 3)]
    return [error(lambda p=p, q=q: D.kl_divergence(p, q)) for p in (full[0], low[0]) for q in (full[1], low[1])]


@case
def compound_ones(torch):
    D, t = torch.distributions, torch.tensor
    one, two = D.Normal(t([[0.0, 1.0]]), 1.0), D.Normal(t([[0.5, 1.0]]), 2.0)
    exp = [D.ExpTransform()]
    pairs = [
        (D.Independent(one, 1), D.Independent(two, 1)),
        (D.Independent(one, 1), D.Independent(two, 2)),
        (D.TransformedDistribution(one, exp), D.TransformedDistribution(two, exp)),
        (D.TransformedDistribution(one, exp), D.TransformedDistribution(two, [D.TanhTransform()])),
        (
            D.TransformedDistribution(one, [D.AffineTransform(t([0.0, 1.0]), 2.0)]),
            D.TransformedDistribution(two, [D.AffineTransform(t([0.0, 1.0]), 2.0)]),
        ),
        (D.Wishart(t(4.0), torch.eye(2)), D.Wishart(t(5.0), torch.eye(2) * 2)),
        (D.StudentT(3.0), D.StudentT(4.0)),
        (D.Normal(0.0, 1.0), D.StudentT(4.0)),
        (D.Bernoulli(0.3), D.Normal(0.0, 1.0)),
        (D.LogisticNormal(t([0.0, 1.0]), 1.0), D.LogisticNormal(t([0.0, 1.0]), 2.0)),
        (D.Independent(D.Bernoulli(t([0.2, 0.4])), 1), D.Independent(D.Bernoulli(t([0.1, 0.7])), 1)),
    ]
    seen = []
    for p, q in pairs:
        try:
            seen.append(brief(torch, D.kl_divergence(p, q).detach()))
        except NotImplementedError as e:
            seen.append(["NotImplementedError", str(e)])
    return seen


@case
def registering(torch):
    D = torch.distributions

    class Mine(D.Normal):
        pass

    class Yours(Mine):
        pass

    before = D.kl_divergence(Mine(0.0, 1.0), Yours(1.0, 1.0)).item()

    @D.register_kl(Mine, D.Normal)
    def first(p, q):
        return "Mine Normal"

    by_first = D.kl_divergence(Mine(0.0, 1.0), Yours(1.0, 1.0))

    @D.register_kl(D.Normal, Yours)
    def second(p, q):
        return "Normal Yours"

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        ambiguous = D.kl_divergence(Mine(0.0, 1.0), Yours(1.0, 1.0))
        again = D.kl_divergence(Mine(0.0, 1.0), Yours(1.0, 1.0))
    told = [[w.category.__name__, str(w.message)] for w in seen]
    for pair in ((Mine, D.Normal), (D.Normal, Yours)):
        del torch.distributions.kl._KL_REGISTRY[pair]
    torch.distributions.kl._KL_MEMOIZE.clear()
    return [before, by_first, ambiguous, again, told, error(lambda: D.register_kl(1, D.Normal))]


@case
def registered_pairs(torch):
    return sorted(f"{p.__name__} {q.__name__}" for p, q in torch.distributions.kl._KL_REGISTRY)


@case
def normal_distributions_that_are_nearly_the_same(torch):
    def law(loc, scale, cls="Normal"):
        return getattr(torch.distributions, cls)(torch.tensor(loc, requires_grad=True), torch.tensor(scale))

    kl = torch.distributions.kl_divergence
    p, q = ([1000.0, 0.0, 3.0], [0.01, 1e-3, 1.0]), ([1000.001, 1e-3, 3.0001], [0.0101, 1.001e-3, 1.0])
    found = [kl(law(*p, cls), law(*q, cls)) for cls in ("Normal", "LogNormal")]
    return [see(torch, t) for t in found]


@case
def of_exponential_families_by_their_parameters(torch):
    d = torch.distributions
    found = d.kl._kl_expfamily_expfamily
    pairs = (
        (d.Normal(0.0, 1.0), d.Normal(1.0, 2.0)), (d.Gamma(2.0, 1.0), d.Gamma(1.0, 3.0)),
        (d.Dirichlet(torch.ones(3)), d.Dirichlet(torch.ones(3) * 2)), (d.Poisson(2.0), d.Poisson(3.0)),
    )  # fmt: skip
    return [
        *([see(torch, found(p, q).detach()), see(torch, d.kl_divergence(p, q))] for p, q in pairs),
        error(lambda: found(d.Normal(0.0, 1.0), d.Poisson(1.0))),
    ]
