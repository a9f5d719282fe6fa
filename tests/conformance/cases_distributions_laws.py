"""Probability distributions: densities, entropies, moments, quantiles, their gradients, shapes and printed forms."""

from __future__ import annotations

from .observe import case, error, see


def brief(torch, t):
    if isinstance(t, torch.Tensor):
        return [t.detach().tolist(), list(t.shape), str(t.dtype), t.requires_grad]
    return see(torch, t)


def tried(torch, fn):
    """What a function gives, or the error that it raises."""
    try:
        result = fn()
    except Exception as e:
        return {"raises": type(e).__name__, "message": str(e).replace("facula.", "torch.")}
    return brief(torch, result)


def leaves(torch, dtype, *parameters):
    return [torch.tensor(p, dtype=dtype, requires_grad=True) for p in parameters]


def gradients(torch, output, inputs):
    if not isinstance(output, torch.Tensor) or not output.requires_grad:
        return None
    weights = torch.linspace(0.5, 1.5, output.numel(), dtype=output.dtype).reshape(output.shape)
    found = torch.autograd.grad((output * weights).sum(), inputs, allow_unused=True, retain_graph=True)
    return [None if g is None else g.tolist() for g in found]


QUANTITIES = ("mean", "mode", "variance", "stddev")
FUNCTIONS = ("entropy", "perplexity", "enumerate_support")


def facts(torch, d):
    return {
        "repr": repr(d),
        "shapes": [list(d.batch_shape), list(d.event_shape), repr(d.batch_shape)],
        "flags": [d.has_rsample, d.has_enumerate_support],
        "support": repr(d.support) if not hasattr(getattr(d.support, "upper_bound", 0), "shape") else "a tensor's",
        "arguments": sorted(d.arg_constraints),
        "classes": [c.__name__ for c in type(d).__mro__ if c.__name__[0] != "_" and c.__name__ != "Generic"],
    }


def study(torch, make, parameters, values, quantiles=None, sampling=True, dtype="float64"):
    """All of a distribution made of parameters, at values."""
    dtype = getattr(torch, dtype)
    params = leaves(torch, dtype, *parameters)
    d = make(*params)
    value = torch.tensor(values, dtype=dtype, requires_grad=True)
    seen = facts(torch, d)
    for name in QUANTITIES:
        seen[name] = tried(torch, lambda name=name: getattr(d, name))
    for name in FUNCTIONS:
        seen[name] = tried(torch, lambda name=name: getattr(d, name)())
    log_prob = d.log_prob(value)
    seen["log_prob"] = brief(torch, log_prob)
    seen["log_prob gradients"] = gradients(torch, log_prob, [*params, value])
    for name in ("mean", "variance", "entropy"):
        try:
            result = getattr(make(*params), name)
            result = result() if name == "entropy" else result
        except NotImplementedError:
            continue
        seen[f"{name} gradients"] = gradients(torch, result, params)
    seen["cdf"] = tried(torch, lambda: d.cdf(value))
    if quantiles is not None:
        u = torch.tensor(quantiles, dtype=dtype, requires_grad=True)
        seen["icdf"] = tried(torch, lambda: d.icdf(u))
        seen["cdf gradients"] = gradients(torch, d.cdf(value), [*params, value])
        seen["icdf gradients"] = gradients(torch, d.icdf(u), [*params, u])
    if sampling:
        sample = d.sample((3, 2))
        seen["sample"] = [
            list(sample.shape),
            str(sample.dtype),
            sample.requires_grad,
            bool(d.support.check(sample).all()),
        ]
        seen["one sample"] = list(d.sample().shape)
        seen["rsample"] = rsampled(torch, d)
    larger = d.expand((4, *d.batch_shape))
    seen["expanded"] = [repr(larger), list(larger.batch_shape), list(larger.event_shape), type(larger) is type(d)]
    seen["expanded log_prob"] = brief(torch, larger.log_prob(value)[-1])
    seen["expanded sample"] = list(larger.sample((2,)).shape) if sampling else None
    return seen


def rsampled(torch, d):
    try:
        sample = d.rsample((2,))
    except NotImplementedError as e:
        return {"raises": type(e).__name__, "message": str(e)}
    return [list(sample.shape), str(sample.dtype), sample.requires_grad]


@case
def normal(torch):
    return study(
        torch, torch.distributions.Normal, ([0.0, 1.5, -2.0], [1.0, 0.3, 2.5]), [0.4, 1.0, -7.0], [0.1, 0.5, 0.99]
    )


@case
def laplace(torch):
    return study(
        torch, torch.distributions.Laplace, ([0.0, 1.5, -2.0], [1.0, 0.3, 2.5]), [0.4, 1.0, -7.0], [0.1, 0.4, 0.99]
    )


@case
def cauchy(torch):
    return study(
        torch, torch.distributions.Cauchy, ([0.0, 1.5, -2.0], [1.0, 0.3, 2.5]), [0.4, 1.0, -7.0], [0.1, 0.4, 0.99]
    )


@case
def uniform(torch):
    return study(
        torch, torch.distributions.Uniform, ([0.0, 1.5, -2.0], [1.0, 3.3, 2.5]), [0.4, 1.6, 2.0], [0.1, 0.4, 0.99]
    )


@case
def exponential(torch):
    return study(torch, torch.distributions.Exponential, ([0.5, 1.0, 3.0],), [0.4, 2.0, 0.01], [0.1, 0.4, 0.99])


@case
def gamma(torch):
    return study(torch, torch.distributions.Gamma, ([0.5, 1.0, 7.0], [1.0, 0.3, 2.5]), [0.4, 2.0, 3.0])


@case
def gamma_cdf_by_value(torch):
    d = torch.distributions.Gamma(torch.tensor([0.5, 3.0]), torch.tensor([1.0, 2.0]))
    x = torch.tensor([0.3, 2.0], requires_grad=True)
    y = d.cdf(x)
    return [see(torch, y.detach()), gradients(torch, y, [x])]


@case
def chi2(torch):
    return study(torch, torch.distributions.Chi2, ([0.5, 1.0, 7.0],), [0.4, 2.0, 3.0])


@case
def beta(torch):
    return study(torch, torch.distributions.Beta, ([0.5, 1.0, 7.0, 3.0], [0.7, 2.0, 2.5, 3.0]), [0.4, 0.2, 0.9, 0.5])


@case
def dirichlet(torch):
    return study(
        torch, torch.distributions.Dirichlet, ([[0.5, 1.0, 7.0], [0.7, 0.2, 0.5]],), [[0.2, 0.3, 0.5], [0.7, 0.2, 0.1]]
    )


@case
def student_t(torch):
    make = torch.distributions.StudentT
    return study(torch, make, ([0.5, 1.5, 7.0], [0.7, 2.0, 2.5], [1.0, 0.2, 3.0]), [0.4, -2.0, 9.0])


@case
def fisher_snedecor(torch):
    return study(torch, torch.distributions.FisherSnedecor, ([0.5, 3.0, 7.0], [2.7, 1.5, 6.5]), [0.4, 2.0, 9.0])


@case
def poisson(torch):
    return study(torch, torch.distributions.Poisson, ([0.5, 3.0, 7.2],), [0.0, 2.0, 9.0])


@case
def bernoulli(torch):
    make = torch.distributions.Bernoulli
    return [
        study(torch, make, ([0.3, 0.5, 0.9],), [0.0, 1.0, 1.0]),
        study(torch, lambda logits: make(logits=logits), ([-2.0, 0.0, 1.0],), [0.0, 1.0, 1.0]),
    ]


@case
def continuous_bernoulli(torch):
    make = torch.distributions.ContinuousBernoulli
    return [
        study(torch, make, ([0.3, 0.5, 0.9, 0.4999],), [0.2, 0.7, 1.0, 0.4], [0.1, 0.4, 0.99, 0.3]),
        study(torch, lambda logits: make(logits=logits), ([-2.0, 0.0, 1.0],), [0.0, 0.3, 1.0]),
    ]


@case
def geometric(torch):
    make = torch.distributions.Geometric
    return [
        study(torch, make, ([0.3, 0.5, 0.9],), [0.0, 1.0, 4.0]),
        study(torch, lambda logits: make(logits=logits), ([-2.0, 0.0, 1.0],), [0.0, 1.0, 3.0]),
    ]


@case
def binomial(torch):
    make = torch.distributions.Binomial
    return [
        study(torch, lambda p: make(5, p), ([0.3, 0.5, 0.9],), [0.0, 1.0, 4.0]),
        study(torch, lambda logits: make(5, logits=logits), ([-2.0, 0.0, 1.0],), [0.0, 1.0, 3.0]),
        tried(torch, lambda: make(torch.tensor([2.0, 3.0]), torch.tensor([0.2, 0.3])).entropy()),
        tried(torch, lambda: make(torch.tensor([2.0, 3.0]), torch.tensor([0.2, 0.3])).enumerate_support()),
        tried(torch, lambda: make(torch.tensor([2, 3]), torch.tensor(0.2)).log_prob(torch.tensor([1.0, 0.0]))),
    ]


@case
def negative_binomial(torch):
    make = torch.distributions.NegativeBinomial
    return [
        study(torch, make, ([2.0, 5.0, 0.7], [0.3, 0.5, 0.9]), [0.0, 1.0, 4.0]),
        study(torch, lambda n, logits: make(n, logits=logits), ([2.0, 5.0, 0.0], [-2.0, 0.0, 1.0]), [0.0, 1.0, 0.0]),
    ]


@case
def categorical(torch):
    make = torch.distributions.Categorical
    return [
        study(torch, make, ([[0.3, 0.5, 0.9], [1.0, 1.0, 4.0]],), [0.0, 2.0]),
        study(torch, lambda logits: make(logits=logits), ([[-2.0, 0.0, 1.0], [0.0, 0.5, -1.0]],), [0.0, 1.0]),
        brief(torch, make(torch.tensor([0.5, 0.5, 0.0])).entropy()),
        brief(torch, make(torch.tensor([0.5, 0.25, 0.25])).log_prob(torch.tensor([[0], [1], [2]]))),
        repr(make(torch.ones(2))),
    ]


@case
def one_hot_categorical(torch):
    seen = []
    for make in (torch.distributions.OneHotCategorical, torch.distributions.OneHotCategoricalStraightThrough):
        seen.append(study(torch, make, ([[0.3, 0.5, 0.9], [1.0, 1.0, 4.0]],), [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))
        seen.append(study(torch, lambda logits, make=make: make(logits=logits), ([-2.0, 0.0, 1.0],), [0.0, 1.0, 0.0]))
    return seen


@case
def straight_through_gradient(torch):
    p = torch.tensor([0.2, 0.3, 0.5], requires_grad=True)
    d = torch.distributions.OneHotCategoricalStraightThrough(probs=p)
    z = d.rsample()
    (z * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
    return [sorted(z.round().tolist()), p.grad.tolist()]


@case
def multinomial(torch):
    make = torch.distributions.Multinomial
    return [
        study(torch, lambda p: make(5, p), ([[0.3, 0.5, 0.9], [1.0, 1.0, 4.0]],), [[1.0, 3.0, 1.0], [0.0, 0.0, 5.0]]),
        study(torch, lambda logits: make(4, logits=logits), ([-2.0, 0.0, 1.0],), [2.0, 1.0, 1.0]),
        brief(torch, make(3, torch.tensor([0.5, 0.5, 0.0])).log_prob(torch.tensor([1.0, 2.0, 0.0]))),
        make(3, torch.ones(2)).total_count,
    ]


@case
def log_normal(torch):
    return study(
        torch, torch.distributions.LogNormal, ([0.0, 1.5, -2.0], [1.0, 0.3, 0.5]), [0.4, 1.0, 7.0], [0.1, 0.5, 0.99]
    )


@case
def half_normal(torch):
    return study(torch, torch.distributions.HalfNormal, ([1.0, 0.3, 0.5],), [0.4, 1.0, 0.0], [0.1, 0.5, 0.99])


@case
def half_cauchy(torch):
    return study(torch, torch.distributions.HalfCauchy, ([1.0, 0.3, 0.5],), [0.4, 1.0, 0.0], [0.1, 0.5, 0.99])


@case
def gumbel(torch):
    return study(
        torch, torch.distributions.Gumbel, ([0.0, 1.5, -2.0], [1.0, 0.3, 2.5]), [0.4, 1.0, -3.0], [0.1, 0.5, 0.99]
    )


@case
def kumaraswamy(torch):
    return study(
        torch, torch.distributions.Kumaraswamy, ([0.5, 1.5, 3.0], [1.0, 0.3, 2.5]), [0.4, 0.9, 0.2], [0.1, 0.5, 0.99]
    )


@case
def pareto(torch):
    return study(
        torch, torch.distributions.Pareto, ([0.5, 1.5, 3.0], [1.0, 1.3, 2.5]), [0.6, 1.9, 3.2], [0.1, 0.5, 0.99]
    )


@case
def weibull(torch):
    return study(
        torch, torch.distributions.Weibull, ([0.5, 1.5, 3.0], [1.2, 1.3, 2.5]), [0.6, 1.9, 3.2], [0.1, 0.5, 0.99]
    )


@case
def inverse_gamma(torch):
    return study(torch, torch.distributions.InverseGamma, ([0.5, 1.5, 3.0], [1.2, 1.3, 2.5]), [0.6, 1.9, 3.2])


@case
def generalized_pareto(torch):
    make = torch.distributions.GeneralizedPareto
    seen = study(
        torch,
        make,
        ([0.5, 1.5, 0.0, 0.0], [1.2, 1.3, 2.5, 1.0], [0.2, -0.3, 0.7, 1.2]),
        [0.6, 1.9, 3.2, 0.5],
        [0.1, 0.5, 0.99, 0.3],
        dtype="float32",
    )
    d = make(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 2.0]), torch.tensor([0.0, 0.5]))
    x = torch.tensor([0.3, 2.0])
    return [seen, *(brief(torch, f(x)) for f in (d.log_prob, d.cdf, d.log_cdf, d.log_survival_function))]


@case
def relaxed_bernoulli(torch):
    make = torch.distributions.RelaxedBernoulli
    return [
        study(torch, lambda p: make(torch.tensor(0.7, dtype=torch.float64), p), ([0.3, 0.5, 0.9],), [0.1, 0.5, 0.99]),
        study(
            torch,
            lambda p: make(torch.tensor(0.7, dtype=torch.float64), logits=p),
            ([0.3, 0.5, -0.9],),
            [0.1, 0.5, 0.99],
        ),
    ]


@case
def relaxed_one_hot_categorical(torch):
    make = torch.distributions.RelaxedOneHotCategorical
    t = torch.tensor(0.7, dtype=torch.float64)
    return [
        study(torch, lambda p: make(t, p), ([0.3, 0.5, 0.9],), [0.1, 0.5, 0.4]),
        study(
            torch,
            lambda p: make(t, logits=p),
            ([[0.3, 0.5, -0.9], [1.0, 2.0, 0.0]],),
            [[0.1, 0.5, 0.4], [0.2, 0.3, 0.5]],
        ),
    ]


@case
def logistic_normal(torch):
    return study(
        torch,
        torch.distributions.LogisticNormal,
        ([[0.3, 0.5], [0.0, 1.0]], [[1.0, 2.0], [0.5, 0.3]]),
        [[0.1, 0.5, 0.4], [0.2, 0.3, 0.5]],
    )


@case
def von_mises(torch):
    return study(torch, torch.distributions.VonMises, ([0.3, 0.5, -2.0], [1.0, 12.0, 0.5]), [0.1, 0.5, 2.4])


@case
def numbers_make_default_dtype(torch):
    D = torch.distributions
    seen = [D.Normal(0, 1), D.Gamma(1, 2), D.Beta(1, 2), D.Bernoulli(0.3), D.Uniform(0, 1), D.StudentT(3), D.Poisson(2)]
    seen += [D.Gumbel(0, 1), D.Weibull(1, 2), D.Pareto(1, 2), D.HalfNormal(2), D.Chi2(3), D.Geometric(0.2)]
    return [[repr(d), str(d.sample((2,)).dtype), list(d.sample((2,)).shape), list(d.sample().shape)] for d in seen]


@case
def float32_values(torch):
    D = torch.distributions
    x = torch.tensor([0.25, 0.5])
    laws = [
        D.Normal(0.0, 1.0),
        D.Gamma(2.0, 3.0),
        D.Beta(2.0, 3.0),
        D.LogNormal(0.0, 1.0),
        D.StudentT(3.0),
        D.Weibull(1.0, 2.0),
    ]
    return [brief(torch, d.log_prob(x)) for d in laws] + [brief(torch, d.entropy()) for d in laws]


@case
def repr_shows_what_is_known(torch):
    D = torch.distributions
    d = D.Bernoulli(torch.tensor(0.25))
    before = repr(d)
    d.logits
    return [before, repr(d), repr(D.Normal(torch.zeros(1), 2.0)), repr(D.Normal(torch.zeros(2, 3), 2.0))]


@case
def lazy_properties(torch):
    D = torch.distributions
    from_class = D.Bernoulli.probs
    return [type(from_class).__name__, isinstance(from_class, property), "probs" in vars(D.Bernoulli(logits=0.5))]


@case
def sample_n_is_deprecated(torch):
    import warnings

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        shape = list(torch.distributions.Normal(torch.zeros(2), 1.0).sample_n(3).shape)
    return [shape, [[w.category.__name__, str(w.message)] for w in seen]]


@case
def entropy_of_exponential_families_by_their_normaliser(torch):
    D = torch.distributions
    f = D.ExponentialFamily.entropy
    t = torch.tensor
    laws = [D.Normal(t([0.0, 1.0]), t([1.0, 2.0])), D.Gamma(t([2.0, 3.0]), 1.0), D.Exponential(t([2.0, 0.3]))]
    laws += [D.Bernoulli(t([0.2, 0.7])), D.ContinuousBernoulli(t([0.2, 0.7]))]
    return [brief(torch, f(d).detach()) for d in laws]


@case
def gamma_sample_gradients(torch):
    """At given samples, small ones: there PyTorch's gradient is exact; elsewhere it is good to 3 digits only."""
    a = torch.tensor([0.05, 0.5, 1.0, 2.5, 7.0], dtype=torch.float64)
    x = torch.tensor([[0.001], [0.02], [0.1], [0.3]], dtype=torch.float64).expand(4, 5)
    a = a.expand(4, 5)
    found = torch._standard_gamma_grad(a, x)
    return [brief(torch, found), brief(torch, torch._standard_gamma_grad(a.float(), x.float()))[1:]]


@case
def dirichlet_sample_gradients(torch):
    """The same for components of Dirichlet samples."""
    x, a, total = (
        torch.tensor(v, dtype=torch.float64)
        for v in ([0.01, 0.1, 0.3, 0.1, 0.5, 0.02], [0.3, 0.5, 0.01, 0.3, 2.0, 1.5], [3.3, 1.0, 0.51, 3.3, 2.5, 3.0])
    )
    d = torch.distributions.dirichlet
    g = torch.tensor([[1.0, -2.0]], dtype=torch.float64)
    given, concentration = (torch.tensor([v], dtype=torch.float64) for v in ([0.01, 0.99], [0.3, 0.5]))
    return [
        brief(torch, torch._dirichlet_grad(x, a, total)),
        brief(torch, d._Dirichlet_backward(given, concentration, g)),
    ]


@case
def gamma_draws(torch):
    a = torch.tensor([0.5, 2.0], requires_grad=True)
    s = torch._standard_gamma(a)
    refused = [
        error(lambda: torch._standard_gamma(torch.tensor([1, 2]))),
        error(lambda: torch._sample_dirichlet(torch.tensor([1, 2]))),
        error(lambda: torch._standard_gamma(torch.ones(2, dtype=torch.float16))),
    ]
    g = torch.autograd.grad(s.sum(), a, create_graph=True)[0]
    second = error(lambda: torch.autograd.grad(g.sum(), a))
    d = torch.distributions.Dirichlet(torch.ones(3, requires_grad=True)).rsample()
    return [
        type(s.grad_fn).__name__,
        type(g.grad_fn).__name__,
        second,
        refused,
        list(s.shape),
        type(d.grad_fn).__name__,
        list(torch._sample_dirichlet(torch.ones(2, 3)).shape),
        torch._standard_gamma(torch.tensor([-1.0, 0.0])).tolist(),
        list(torch._dirichlet_grad(torch.full((2,), 0.5), torch.ones(2), torch.full((2,), 2.0)).shape),
    ]
