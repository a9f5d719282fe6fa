"""Constraints: what they check and how they print; the errors of wrong parameters and values, word for word."""

from __future__ import annotations

import warnings

from .observe import case, error


def constraints_of(torch):
    c = torch.distributions.constraints
    return {
        "boolean": c.boolean,
        "integers": c.integer_interval(0, 2),
        "counts": c.nonnegative_integer,
        "positive integers": c.positive_integer,
        "less": c._IntegerLessThan(1),
        "real": c.real,
        "positive": c.positive,
        "nonnegative": c.nonnegative,
        "greater": c.greater_than(1),
        "greater_eq": c.greater_than_eq(1),
        "less_than": c.less_than(1),
        "unit": c.unit_interval,
        "interval": c.interval(-1, 2),
        "half": c.half_open_interval(0, 2),
        "real_vector": c.real_vector,
        "simplex": c.simplex,
        "one_hot": c.one_hot,
        "multinomial": c.multinomial(3),
        "cat": c.cat([c.real, c.positive], -1, [1, 2]),
        "independent": c.independent(c.positive, 2),
        "stack": c.stack([c.real, c.positive, c.boolean], -1),
        "mixture": c.MixtureSameFamilyConstraint(c.positive),
    }


@case
def checks(torch):
    values = [
        [[0.0, 1.0, 2.0], [-1.0, 0.5, 3.0]],
        [[0.2, 0.3, 0.5], [0.5, 0.6, -0.1]],
        [[0.0, 1.0, 0.0], [1.0, 1.0, 0.0]],
        [[float("nan"), 1.0, 2.0], [3.0, 0.0, 0.0]],
    ]
    seen = {}
    for name, constraint in constraints_of(torch).items():
        found = [constraint.check(torch.tensor(v)) for v in values]
        seen[name] = [repr(constraint), constraint.is_discrete, constraint.event_dim, [f.tolist() for f in found]]
    return seen


@case
def checks_of_matrices(torch):
    c = torch.distributions.constraints
    matrices = torch.tensor(
        [
            [[1.0, 0.0], [0.0, 1.0]],
            [[1.0, 0.5], [0.5, 1.0]],
            [[1.0, 0.0], [0.6, 0.8]],
            [[1.0, 2.0], [2.0, 1.0]],
            [[1.0, 0.0], [3.0, -1.0]],
            [[1.0, 1.0], [1.0, 1.0]],
            [[0.0, 1.0], [0.0, 0.0]],
        ]
    )
    kinds = [
        c.lower_triangular,
        c.lower_cholesky,
        c.corr_cholesky,
        c.square,
        c.symmetric,
        c.positive_semidefinite,
        c.positive_definite,
    ]
    return [[repr(k), k.event_dim, k.is_discrete, k.check(matrices).tolist()] for k in kinds] + [
        [c.square.check(torch.zeros(3, 2, 3)).tolist(), c.positive_definite.check(torch.zeros(3, 2, 3)).tolist()]
    ]


@case
def dependent_constraints(torch):
    c = torch.distributions.constraints
    known = c.dependent(is_discrete=True, event_dim=1)
    prop = torch.distributions.Uniform.support
    return [
        repr(c.dependent),
        c.is_dependent(c.dependent),
        c.is_dependent(c.real),
        c.is_dependent(prop),
        repr(prop),
        known.is_discrete,
        known.event_dim,
        prop.is_discrete,
        prop.event_dim,
        error(lambda: c.dependent.is_discrete),
        error(lambda: c.dependent.event_dim),
        error(lambda: c.dependent.check(1)),
        error(lambda: c.Constraint().check(1)),
        repr(torch.distributions.Normal.support),
        c.is_dependent(torch.distributions.Independent.support),
        error(lambda: torch.distributions.Independent.support.event_dim),
    ]


@case
def wrong_constraints(torch):
    c = torch.distributions.constraints
    return [
        error(lambda: c.independent(1, 1)),
        error(lambda: c.independent(c.real, 1.0)),
        error(lambda: c.independent(c.real, -1)),
        error(lambda: c.independent(c.real, 2).check(torch.zeros(3))),
        error(lambda: c.MixtureSameFamilyConstraint(2)),
        error(lambda: c.MixtureSameFamilyConstraint(c.real_vector).check(torch.tensor(1.0))),
        error(lambda: c.cat([1])),
        error(lambda: c.cat([c.real], lengths=[1, 2])),
        error(lambda: c.stack([2])),
        error(lambda: c.cat([c.real], dim=2).check(torch.zeros(3))),
        error(lambda: c.stack([c.real], dim=2).check(torch.zeros(3))),
    ]


@case
def invalid_parameters(torch):
    D, t = torch.distributions, torch.tensor
    nan = float("nan")
    return [
        error(lambda: D.Normal(0.0, -1.0)),
        error(lambda: D.Normal(t([0.0, nan]), 1.0)),
        error(lambda: D.Normal(torch.zeros(2), t([1.0, 0.0]))),
        error(lambda: D.Uniform(1.0, 0.0)),
        error(lambda: D.Uniform(t([0.0, 1.0]), t([1.0, 1.0]))),
        error(lambda: D.Exponential(-1.0)),
        error(lambda: D.Gamma(-1.0, 1.0)),
        error(lambda: D.Beta(0.0, 1.0)),
        error(lambda: D.Dirichlet(t([1.0, -1.0]))),
        error(lambda: D.Dirichlet(t(1.0))),
        error(lambda: D.Laplace(0.0, 0.0)),
        error(lambda: D.Cauchy(0.0, -0.5)),
        error(lambda: D.StudentT(-1.0)),
        error(lambda: D.Chi2(-1.0)),
        error(lambda: D.FisherSnedecor(1.0, -1.0)),
        error(lambda: D.Poisson(-1.0)),
        error(lambda: D.Bernoulli(1.5)),
        error(lambda: D.Bernoulli()),
        error(lambda: D.Bernoulli(0.5, 0.5)),
        error(lambda: D.Bernoulli(logits=t([nan]))),
        error(lambda: D.Geometric(0.0)),
        error(lambda: D.Geometric(t([0.0, 0.5, -0.1]))),
        error(lambda: D.Geometric(t([0.0, 0.5]))),
        error(lambda: D.Geometric()),
        error(lambda: D.Binomial(-1, t(0.5))),
        error(lambda: D.Binomial(2)),
        error(lambda: D.Binomial(2.5, t(0.5))),
        error(lambda: D.NegativeBinomial(2, t(1.0))),
        error(lambda: D.NegativeBinomial(2)),
        error(lambda: D.Categorical()),
        error(lambda: D.Categorical(t(1.0))),
        error(lambda: D.Categorical(logits=t(1.0))),
        error(lambda: D.Categorical(t([-1.0, 2.0]))),
        error(lambda: D.Categorical(logits=t([nan, 2.0]))),
        error(lambda: D.OneHotCategorical(t([-1.0, 2.0]))),
        error(lambda: D.Multinomial(t([1, 2]), torch.ones(2))),
        error(lambda: D.ContinuousBernoulli(1.5, validate_args=True)),
        error(lambda: D.ContinuousBernoulli()),
        error(lambda: D.RelaxedBernoulli(t(1.0))),
        error(lambda: D.LogNormal(0.0, -1.0)),
        error(lambda: D.HalfNormal(-1.0)),
        error(lambda: D.HalfCauchy(-1.0)),
        error(lambda: D.Gumbel(0.0, -1.0)),
        error(lambda: D.Kumaraswamy(-1.0, 1.0)),
        error(lambda: D.Pareto(-1.0, 1.0)),
        error(lambda: D.Weibull(1.0, -1.0)),
        error(lambda: D.InverseGamma(1.0, -1.0)),
        error(lambda: D.GeneralizedPareto(0.0, -1.0, 0.5)),
        error(lambda: D.VonMises(t(0.0), t(-1.0))),
        error(lambda: D.LKJCholesky(1)),
        error(lambda: D.Normal("a", 1.0)),
        error(lambda: D.Normal(None, 1.0)),
        error(lambda: D.Independent(D.Normal(0.0, 1.0), 1)),
        error(lambda: D.Normal(torch.zeros(2), torch.ones(3))),
    ]


@case
def invalid_matrices(torch):
    D, t = torch.distributions, torch.tensor
    zeros, eye = torch.zeros(2), torch.eye(2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [
            error(lambda: D.MultivariateNormal(t(0.0), eye)),
            error(lambda: D.MultivariateNormal(zeros)),
            error(lambda: D.MultivariateNormal(zeros, eye, eye)),
            error(lambda: D.MultivariateNormal(zeros, zeros)),
            error(lambda: D.MultivariateNormal(zeros, scale_tril=zeros)),
            error(lambda: D.MultivariateNormal(zeros, precision_matrix=zeros)),
            error(lambda: D.MultivariateNormal(zeros, -eye)),
            error(lambda: D.MultivariateNormal(zeros, scale_tril=torch.ones(2, 2))),
            error(lambda: D.MultivariateNormal(zeros, precision_matrix=t([[1.0, 2.0], [0.0, 1.0]]))),
            error(lambda: D.LowRankMultivariateNormal(t(0.0), eye, zeros)),
            error(lambda: D.LowRankMultivariateNormal(zeros, zeros, zeros)),
            error(lambda: D.LowRankMultivariateNormal(zeros, torch.ones(3, 1), zeros)),
            error(lambda: D.LowRankMultivariateNormal(zeros, torch.ones(2, 1), torch.ones(3))),
            error(lambda: D.LowRankMultivariateNormal(torch.zeros(2, 2), torch.ones(3, 2, 1), torch.ones(2))),
            error(lambda: D.LowRankMultivariateNormal(zeros, torch.ones(2, 1), -torch.ones(2))),
            error(lambda: D.Wishart(t(0.5), eye)),
            error(lambda: D.Wishart(2.0)),
            error(lambda: D.Wishart(2.0, zeros)),
            error(lambda: D.Wishart(t([1.5, 3.0]), torch.eye(3))),
            error(lambda: D.Wishart(t(3.0), scale_tril=torch.ones(2, 2))),
            error(lambda: D.Wishart(t(3.0), eye, eye)),
        ]


@case
def wishart_warns_of_few_degrees(torch):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        torch.distributions.Wishart(torch.tensor(1.5), torch.eye(2))
    return [[w.category.__name__, str(w.message)] for w in seen]


@case
def wrong_mixtures(torch):
    D = torch.distributions
    two = D.Categorical(torch.ones(2))
    return [
        error(lambda: D.MixtureSameFamily(D.Normal(0.0, 1.0), D.Normal(torch.zeros(2), 1.0))),
        error(lambda: D.MixtureSameFamily(two, 1)),
        error(lambda: D.MixtureSameFamily(D.Categorical(torch.ones(3, 2)), D.Normal(torch.zeros(4, 2), 1.0))),
        error(lambda: D.MixtureSameFamily(two, D.Normal(torch.zeros(3), 1.0))),
    ]


@case
def invalid_values(torch):
    D, t = torch.distributions, torch.tensor
    n = D.Normal(torch.zeros(2), 1.0)
    return [
        error(lambda: n.log_prob(1.0)),
        error(lambda: n.log_prob(torch.zeros(3))),
        error(lambda: n.log_prob(t(float("nan")))),
        error(lambda: D.Exponential(1.0).log_prob(t(-1.0))),
        error(lambda: D.Beta(1.0, 1.0).log_prob(t([0.5, 2.0]))),
        error(lambda: D.Gamma(1.0, 1.0).log_prob(t(-2.0))),
        error(lambda: D.Uniform(0.0, 1.0).log_prob(t(2.0))),
        error(lambda: D.Bernoulli(0.5).log_prob(t(0.5))),
        error(lambda: D.Poisson(2.0).log_prob(t(1.5))),
        error(lambda: D.Categorical(torch.ones(3)).log_prob(t(3))),
        error(lambda: D.Binomial(3, t(0.5)).log_prob(t(4.0))),
        error(lambda: D.OneHotCategorical(torch.ones(3)).log_prob(t([1.0, 1.0, 0.0]))),
        error(lambda: D.OneHotCategorical(torch.ones(3)).log_prob(t([1.0, 0.0]))),
        error(lambda: D.Dirichlet(torch.ones(2)).log_prob(t([0.5, 0.6]))),
        error(lambda: D.MultivariateNormal(torch.zeros(2), torch.eye(2)).log_prob(torch.zeros(3))),
        error(lambda: D.Multinomial(3, torch.ones(2)).log_prob(t([2.0, 2.0]))),
        error(lambda: D.Multinomial(3, torch.ones(2)).log_prob(t([2.0, 0.0]))),
        error(lambda: D.LogNormal(0.0, 1.0).log_prob(t(-1.0))),
        error(lambda: D.Independent(n, 1).log_prob(torch.zeros(3))),
        error(lambda: D.Pareto(1.0, 1.0).log_prob(t(0.5))),
        error(lambda: D.Normal(0.0, 1.0).cdf(t(float("nan")))),
        error(lambda: D.LKJCholesky(2).log_prob(torch.ones(2, 2))),
        error(lambda: D.Wishart(3.0, torch.eye(2)).log_prob(-torch.eye(2))),
        error(
            lambda: D.MixtureSameFamily(D.Categorical(torch.ones(2)), D.Exponential(torch.ones(2))).log_prob(t(-1.0))
        ),
        D.Exponential(1.0, validate_args=False).log_prob(t(-1.0)).item(),
        D.Normal(0.0, -1.0, validate_args=False).scale.item(),
        D.Uniform(0.0, 1.0, validate_args=False).log_prob(t([2.0, 0.5])).tolist(),
        D.HalfNormal(1.0, validate_args=False).log_prob(t([-2.0, 0.0])).tolist(),
    ]


@case
def default_of_validation(torch):
    D = torch.distributions
    before = D.Distribution._validate_args
    D.Distribution.set_default_validate_args(False)
    try:
        seen = [D.Normal(0.0, -1.0).scale.item(), error(lambda: D.Normal(0.0, -1.0, validate_args=True))]
    finally:
        D.Distribution.set_default_validate_args(True)
    return [
        before,
        *seen,
        error(lambda: D.Normal(0.0, -1.0)),
        error(lambda: D.Distribution.set_default_validate_args(3)),
    ]


@case
def classes_of_ones_own(torch):
    D = torch.distributions

    class Bare(D.Distribution):
        pass

    class Wide(D.Normal):
        def __init__(self, scale):
            super().__init__(0.0, scale)

    class Same(D.Normal):
        pass

    class Expanding(D.Normal):
        def __init__(self, scale):
            super().__init__(0.0, scale)

        def expand(self, batch_shape, _instance=None):
            new = self._get_checked_instance(Expanding, _instance)
            return super().expand(batch_shape, _instance=new)

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        bare = Bare()
        bare._validate_sample(torch.zeros(2))
    told = [str(w.message).split("> ")[1] for w in seen]
    x = torch.tensor(0.5)
    calls = [
        lambda: bare.mean,
        lambda: bare.variance,
        lambda: bare.stddev,
        lambda: bare.support,
        lambda: bare.arg_constraints,
        lambda: bare.expand((2,)),
        bare.sample,
        bare.rsample,
        bare.entropy,
        bare.perplexity,
        bare.enumerate_support,
        lambda: bare.log_prob(x),
        lambda: bare.cdf(x),
        lambda: bare.icdf(x),
        lambda: repr(bare),
    ]
    return [
        told,
        [error(call) for call in calls],
        error(lambda: Wide(1.0).expand((2,))),
        repr(Same(0.0, 1.0).expand((2,))),
        repr(Expanding(1.0).expand((2, 3))),
        list(bare.batch_shape),
        list(bare._extended_shape((2, 3))),
    ]


@case
def helpers(torch):
    u = torch.distributions.utils
    t = torch.tensor
    matrix = torch.arange(9.0).reshape(3, 3)
    mixed = u.broadcast_all(1, t([1.0, 2.0], dtype=torch.float64), True)
    return [
        [[m.tolist(), str(m.dtype)] for m in mixed],
        [str(m.dtype) for m in u.broadcast_all(1, 2.5)],
        [str(m.dtype) for m in u.broadcast_all(t([1]), t([1.0]))],
        u.probs_to_logits(t([0.25, 0.75])).tolist(),
        u.probs_to_logits(t([0.25, 0.75]), is_binary=True).tolist(),
        u.logits_to_probs(t([0.25, 0.75])).tolist(),
        u.logits_to_probs(t([0.25, 0.75]), is_binary=True).tolist(),
        u.clamp_probs(t([0.0, 1.0, 0.5])).tolist(),
        u.tril_matrix_to_vec(matrix).tolist(),
        u.tril_matrix_to_vec(matrix, -1).tolist(),
        u.tril_matrix_to_vec(matrix, 1).tolist(),
        u.vec_to_tril_matrix(torch.arange(6.0)).tolist(),
        u.vec_to_tril_matrix(torch.arange(3.0), -1).tolist(),
        error(lambda: u.tril_matrix_to_vec(matrix, 3)),
        error(lambda: u.vec_to_tril_matrix(torch.arange(5.0))),
        u._sum_rightmost(torch.ones(2, 3, 4), 2).tolist(),
        list(u._standard_normal((2, 3), torch.float64, "cpu").shape),
        round(u.euler_constant, 6),
    ]


@case
def names(torch):
    D = torch.distributions
    modules = ["utils", "kl", "constraints", "transforms", "distribution", "exp_family", "constraint_registry"]
    return [sorted(D.__all__), {m: sorted(getattr(D, m).__all__) for m in modules}]


@case
def quantiles_of_numbers(torch):
    D = torch.distributions
    made = (D.Normal(0.0, 1.0), D.Cauchy(0.0, 1.0), D.Exponential(1.0), D.LogNormal(0.0, 1.0), D.HalfNormal(1.0))
    return [error(lambda d=d, p=p: d.icdf(p).tolist()) for d in (*made, D.Uniform(0.0, 2.0)) for p in (0.5, 1)]
