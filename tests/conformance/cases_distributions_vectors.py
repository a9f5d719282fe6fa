"""Distributions of vectors and matrices, and distributions made of distributions."""

from __future__ import annotations

from .cases_distributions_laws import brief, facts, study
from .observe import case, error


@case
def multivariate_normal(torch):
    make = torch.distributions.MultivariateNormal
    cov = [[2.0, 0.5, 0.1], [0.5, 1.0, -0.2], [0.1, -0.2, 0.7]]
    tril = [[1.0, 0.0, 0.0], [0.5, 0.7, 0.0], [0.1, -0.2, 0.6]]
    value = [0.3, -1.0, 2.0]
    seen = [
        study(torch, make, ([0.0, 1.0, 2.0], cov), value),
        study(torch, lambda m, p: make(m, precision_matrix=p), ([0.0, 1.0, 2.0], cov), value),
        study(
            torch,
            lambda m, L: make(m, scale_tril=L),
            ([[0.0, 1.0, 2.0], [1.0, 0.0, 0.0]], tril),
            [value, [1.0, 1.0, 0.0]],
        ),
        study(torch, lambda m, L: make(m, scale_tril=L), ([0.0, 1.0, 2.0], [tril, tril]), [value, [1.0, 1.0, 0.0]]),
    ]
    d = make(torch.zeros(3), torch.tensor(cov))
    seen += [brief(torch, m) for m in (d.scale_tril, d.precision_matrix, d.covariance_matrix)]
    seen += [repr(d), brief(torch, d.log_prob(torch.tensor([[0.0, 1.0, 2.0], [1.0, 1.0, 1.0]])))]
    many = make(torch.zeros(2, 1, 3), torch.tensor([cov, tril_product(torch, tril), cov]))
    seen.append(brief(torch, many.log_prob(torch.linspace(-1, 1, 12).reshape(4, 1, 1, 3))))
    return seen


def tril_product(torch, tril):
    L = torch.tensor(tril)
    return (L @ L.T).tolist()


@case
def low_rank_multivariate_normal(torch):
    make = torch.distributions.LowRankMultivariateNormal
    factor = [[1.0, 0.2], [0.3, -1.0], [0.5, 0.4]]
    seen = [
        study(torch, make, ([0.0, 1.0, 2.0], factor, [0.5, 1.0, 2.0]), [0.3, -1.0, 2.0]),
        study(torch, make, ([[0.0, 1.0, 2.0]] * 2, factor, [0.5, 1.0, 2.0]), [[0.3, -1.0, 2.0], [0.0, 1.0, 0.0]]),
    ]
    d = make(torch.zeros(3), torch.tensor(factor), torch.ones(3))
    return seen + [brief(torch, m) for m in (d.scale_tril, d.precision_matrix, d.covariance_matrix, d.variance)]


@case
def wishart(torch):
    import warnings

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Singular sample")
        return wishart_laws(torch)


def wishart_laws(torch):
    make = torch.distributions.Wishart
    cov = [[2.0, 0.5], [0.5, 1.0]]
    value = [[1.5, 0.1], [0.1, 1.2]]
    seen = [
        study(torch, make, (4.0, cov), value),
        study(torch, lambda n, p: make(n, precision_matrix=p), ([4.0, 5.5], cov), [value, cov]),
        study(torch, lambda n, L: make(n, scale_tril=L), (3.5, [[1.0, 0.0], [0.5, 0.7]]), value),
    ]
    d = make(3, torch.tensor(cov))
    return seen + [brief(torch, m) for m in (d.scale_tril, d.precision_matrix, d.covariance_matrix, d.mode)]


@case
def lkj_cholesky(torch):
    make = torch.distributions.LKJCholesky
    value = [[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.0, 0.6, 0.8]]
    seen = study(torch, lambda c: make(3, c), ([0.5, 1.0, 3.0],), [value] * 3, sampling=False)
    shapes = [list(make(n, torch.tensor([0.5, 2.0])).sample((3,)).shape) for n in (2, 3, 5)]
    valid = [bool(make.support.check(make(n, 1.5).sample((4,))).all()) for n in (2, 3, 5)]
    return [seen, shapes, valid]


@case
def independent(torch):
    D = torch.distributions
    make = lambda m, s: D.Independent(D.Normal(m, s), 1)
    seen = study(torch, make, ([[0.0, 1.5], [1.0, 2.0]], [[1.0, 0.3], [1.0, 2.0]]), [[0.4, 1.0], [0.0, 3.0]])
    zero = D.Independent(D.Bernoulli(torch.tensor([0.2, 0.5])), 0)
    one = D.Independent(D.Bernoulli(torch.tensor([0.2, 0.5])), 1)
    return [
        seen,
        repr(zero),
        zero.has_enumerate_support,
        brief(torch, zero.enumerate_support()),
        one.has_enumerate_support,
        error(one.enumerate_support),
        repr(one.support),
        one.support.is_discrete,
    ]


@case
def mixture_same_family(torch):
    D = torch.distributions
    make = lambda w, m, s: D.MixtureSameFamily(D.Categorical(w), D.Normal(m, s))
    seen = [
        study(torch, make, ([0.3, 0.7], [0.0, 1.5], [1.0, 0.3]), 0.4),
        study(torch, make, ([[0.3, 0.7], [0.5, 0.5]], [[0.0, 1.5], [1.0, 2.0]], [[1.0, 0.3], [1.0, 2.0]]), [0.4, 1.0]),
    ]
    vectors = D.MixtureSameFamily(
        D.Categorical(torch.tensor([0.25, 0.75])), D.Independent(D.Normal(torch.zeros(2, 3), torch.ones(2, 3)), 1)
    )
    seen += [
        repr(vectors),
        brief(torch, vectors.log_prob(torch.tensor([0.1, 0.2, 0.3]))),
        brief(torch, vectors.mean),
        brief(torch, vectors.variance),
        list(vectors.sample((5,)).shape),
        repr(vectors.support),
        list(vectors.expand((2,)).sample((5,)).shape),
    ]
    counts = D.MixtureSameFamily(D.Categorical(torch.ones(3)), D.Poisson(torch.tensor([0.5, 1.0, 5.0])))
    return [*seen, brief(torch, counts.log_prob(torch.arange(4.0))), brief(torch, counts.mean), repr(counts.support)]


@case
def transformed_distribution(torch):
    D = torch.distributions
    affine = lambda m, s: D.TransformedDistribution(D.Normal(m, s), [D.AffineTransform(1.0, -2.0), D.ExpTransform()])
    logistic = lambda a, b: D.TransformedDistribution(
        D.Uniform(torch.zeros(3, dtype=torch.float64), 1), [D.SigmoidTransform().inv, D.AffineTransform(a, b)]
    )
    return [
        study(torch, affine, ([0.0, 1.5, -2.0], [1.0, 0.3, 2.5]), [0.4, 1.0, 7.0], [0.1, 0.5, 0.9]),
        study(torch, logistic, ([0.0, 1.5, -2.0], [1.0, 0.3, 2.5]), [0.4, 1.0, -2.5], [0.1, 0.5, 0.9]),
        facts(torch, D.TransformedDistribution(D.Normal(torch.zeros(3, 2), 1.0), D.StickBreakingTransform())),
        facts(torch, D.TransformedDistribution(D.Normal(0.0, 1.0), [])),
        facts(torch, D.TransformedDistribution(D.Normal(0.0, 1.0), D.AffineTransform(torch.zeros(4), 1.0))),
        facts(torch, D.TransformedDistribution(D.Normal(torch.zeros(6), 1.0), D.ReshapeTransform((6,), (2, 3)))),
    ]
