"""Distributions: the graphs of what they compute, which also decide how results are rounded."""

from __future__ import annotations

from .observe import case, graph


def laws(torch):
    """A distribution of each kind, of parameters that require gradients."""
    of = torch.distributions

    def given(*values):
        return torch.tensor(values, requires_grad=True)

    a, b, c = given(0.3, 0.6, 0.8), given(0.5, 1.5, 2.5), given(0.7, 1.1, 0.9)
    return {
        "Normal": of.Normal(a, b), "Laplace": of.Laplace(a, b), "Cauchy": of.Cauchy(a, b),
        "Uniform": of.Uniform(a, a + b),
        "Exponential": of.Exponential(a), "Gamma": of.Gamma(a, b), "Chi2": of.Chi2(b), "Beta": of.Beta(a, b),
        "Dirichlet": of.Dirichlet(b), "StudentT": of.StudentT(b + 2, a, c), "Poisson": of.Poisson(b),
        "NegativeBinomial": of.NegativeBinomial(b, logits=a), "Binomial": of.Binomial(5, logits=a),
        "Bernoulli": of.Bernoulli(logits=a), "Geometric": of.Geometric(a), "Categorical": of.Categorical(logits=a),
        "OneHotCategorical": of.OneHotCategorical(logits=a), "Gumbel": of.Gumbel(a, b), "LogNormal": of.LogNormal(a, b),
        "HalfNormal": of.HalfNormal(b), "HalfCauchy": of.HalfCauchy(b),
        "MixtureSameFamily": of.MixtureSameFamily(of.Categorical(logits=a), of.Normal(b, c)),
        "Transformed": of.TransformedDistribution(of.Normal(a, b), [of.TanhTransform(), of.AffineTransform(a, c)]),
    }  # fmt: skip


@case
def graphs_of_log_probabilities(torch):
    values = {"Dirichlet": [0.2, 0.3, 0.5], "Beta": [0.2, 0.3, 0.5], "Transformed": [0.31, 0.5, 0.9],
              "Categorical": 2, "OneHotCategorical": [0.0, 1.0, 0.0], "Bernoulli": [0.0, 1.0, 1.0],
              "Uniform": [0.5, 0.9, 1.0]}  # fmt: skip
    at = {name: torch.tensor(values.get(name, [1.0, 2.0, 3.0])) for name in laws(torch)}
    return {name: graph(law.log_prob(at[name]).grad_fn) for name, law in laws(torch).items()}


@case
def graphs_of_moments(torch):
    found = {}
    for name, law in laws(torch).items():
        for what in ("mean", "variance", "mode"):
            try:
                moment = getattr(law, what)
            except NotImplementedError:
                continue
            found[f"{name} {what}"] = graph(moment.grad_fn)
    return found


@case
def graphs_of_probabilities_below_quantiles_and_entropies(torch):
    found, all_laws = {}, laws(torch)
    for name in ("Normal", "Laplace", "Cauchy", "Uniform", "Exponential", "Gamma", "LogNormal", "HalfNormal",
                 "MixtureSameFamily"):  # fmt: skip
        found[f"{name} cdf"] = graph(all_laws[name].cdf(torch.tensor([0.5, 0.9, 1.0])).grad_fn)
    for name in ("Normal", "Laplace", "Cauchy", "Uniform", "Exponential", "LogNormal"):
        found[f"{name} icdf"] = graph(all_laws[name].icdf(torch.tensor([0.5, 0.9, 0.2])).grad_fn)
    for name in ("Normal", "Laplace", "Cauchy", "Exponential", "Gamma", "Beta", "Dirichlet", "StudentT", "Categorical",
                 "Binomial", "Geometric", "Gumbel", "LogNormal", "HalfNormal"):  # fmt: skip
        found[f"{name} entropy"] = graph(all_laws[name].entropy().grad_fn)
    for name in ("Normal", "Laplace", "Cauchy", "Uniform", "Exponential", "Gamma", "StudentT", "LogNormal",
                 "Transformed"):  # fmt: skip
        found[f"{name} sample"] = graph(all_laws[name].rsample().grad_fn)
    return found
