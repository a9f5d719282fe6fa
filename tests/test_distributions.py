"""What cannot be compared number by number with PyTorch: samples, by their moments, laws and gradients."""

from __future__ import annotations

import math
from typing import Any

import pytest

import facula as torch

D = torch.distributions
t = torch.tensor


def doubles(*values: Any) -> list[Any]:
    return [t(v, dtype=torch.float64, requires_grad=True) for v in values]


COVARIANCE = [[2.0, 0.5], [0.5, 1.0]]

LAWS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "Normal": (D.Normal, ([1.0, -2.0], [0.5, 2.0])),
    "Laplace": (D.Laplace, ([1.0, -2.0], [0.5, 2.0])),
    "Uniform": (D.Uniform, ([1.0, -2.0], [1.5, 2.0])),
    "Exponential": (D.Exponential, ([1.0, 3.0],)),
    "Gamma": (D.Gamma, ([0.3, 4.0], [0.5, 2.0])),
    "Chi2": (D.Chi2, ([0.8, 5.0],)),
    "Beta": (D.Beta, ([0.4, 3.0], [0.7, 2.0])),
    "Dirichlet": (D.Dirichlet, ([[0.4, 3.0, 1.0], [0.2, 0.3, 0.4]],)),
    "StudentT": (D.StudentT, ([7.0, 9.0], [0.5, 2.0], [1.0, 2.0])),
    "FisherSnedecor": (D.FisherSnedecor, ([7.0, 3.0], [12.0, 14.0])),
    "Poisson": (D.Poisson, ([0.3, 6.0],)),
    "Bernoulli": (D.Bernoulli, ([0.3, 0.6],)),
    "ContinuousBernoulli": (D.ContinuousBernoulli, ([0.3, 0.9],)),
    "Geometric": (D.Geometric, ([0.3, 0.6],)),
    "Binomial": (lambda p: D.Binomial(7, p), ([0.3, 0.6],)),
    "NegativeBinomial": (D.NegativeBinomial, ([3.0, 5.0], [0.3, 0.6])),
    "OneHotCategorical": (D.OneHotCategorical, ([[0.3, 0.6, 0.1]],)),
    "Multinomial": (lambda p: D.Multinomial(7, p), ([[0.3, 0.6, 0.1]],)),
    "LogNormal": (D.LogNormal, ([0.3, -0.6], [0.2, 0.4])),
    "HalfNormal": (D.HalfNormal, ([0.3, 0.6],)),
    "Gumbel": (D.Gumbel, ([0.3, -0.6], [0.2, 0.4])),
    "Kumaraswamy": (D.Kumaraswamy, ([0.8, 3.0], [0.7, 2.0])),
    "Pareto": (D.Pareto, ([0.8, 3.0], [6.0, 8.0])),
    "Weibull": (D.Weibull, ([0.8, 3.0], [1.7, 2.0])),
    "InverseGamma": (D.InverseGamma, ([7.0, 9.0], [1.0, 2.0])),
    "GeneralizedPareto": (D.GeneralizedPareto, ([0.0, 1.0], [1.0, 2.0], [-0.3, 0.1])),
    "MultivariateNormal": (D.MultivariateNormal, ([1.0, -2.0], COVARIANCE)),
    "LowRankMultivariateNormal": (D.LowRankMultivariateNormal, ([1.0, -2.0], [[0.5], [1.0]], [0.5, 2.0])),
    "Wishart": (lambda n, root: D.Wishart(n, scale_tril=root), (5.0, [[1.0, 0.0], [0.5, 0.7]])),
    "MixtureSameFamily": (
        lambda w, m: D.MixtureSameFamily(D.Categorical(w), D.Normal(m, 1.0)), ([0.3, 0.7], [0.0, 3.0])
    ),
    "Independent": (lambda m, s: D.Independent(D.Normal(m, s), 1), ([1.0, -2.0], [0.5, 2.0])),
}  # fmt: skip

MANY = 4000


def law_of(name: str) -> tuple[Any, list[Any]]:
    make, parameters = LAWS[name]
    params = doubles(*parameters)
    return make(*params), params


@pytest.mark.parametrize("name", LAWS)
def test_moments_of_samples(name: str) -> None:
    """Means within 5 standard errors, and variances within what the fourth moment of the samples allows."""
    torch.manual_seed(1)
    d, _ = law_of(name)
    x = d.sample((MANY,))
    assert x.shape == (MANY, *d.batch_shape, *d.event_shape)
    assert not x.requires_grad
    assert d.support.check(x).all()
    assert ((x.mean(0) - d.mean).abs() <= 5 * d.stddev / math.sqrt(MANY) + 1e-9).all()
    squares = (x - d.mean) ** 2
    assert ((squares.mean(0) - d.variance).abs() <= 6 * squares.std(0) / math.sqrt(MANY) + 1e-9).all()


@pytest.mark.parametrize("name", [name for name in LAWS if law_of(name)[0].has_rsample])
def test_gradients_through_samples(name: str) -> None:
    """The mean gradient of samples is the gradient of the mean."""
    torch.manual_seed(2)
    make, parameters = LAWS[name]
    params = [p.detach().expand(MANY, *p.shape).requires_grad_() for p in doubles(*parameters)]
    d = make(*params)
    weights = torch.linspace(0.5, 1.5, d.mean[0].numel(), dtype=torch.float64).reshape(d.mean[0].shape)
    x = d.rsample()
    assert x.requires_grad
    found = torch.autograd.grad((x * weights).sum(), params, retain_graph=True)
    expected = torch.autograd.grad((d.mean * weights).sum(), params, allow_unused=True)
    for each, wanted in zip(found, expected):
        error = each.mean(0) - (0 if wanted is None else wanted.mean(0))
        assert (error.abs() <= 5 * each.std(0) / math.sqrt(MANY) + 1e-6).all()


WITH_CDF = [
    "Normal", "Laplace", "Uniform", "Exponential", "Gamma", "ContinuousBernoulli", "LogNormal", "HalfNormal", "Gumbel",
    "Kumaraswamy", "Pareto", "Weibull", "GeneralizedPareto", "InverseGamma", "MixtureSameFamily",
]  # fmt: skip


@pytest.mark.parametrize("name", WITH_CDF)
def test_samples_follow_their_law(name: str) -> None:
    """Kolmogorov and Smirnov: the largest distance between the distribution functions, at the 0.01 % level."""
    torch.manual_seed(3)
    d, _ = law_of(name)
    u = d.cdf(d.sample((MANY,))).detach().reshape(MANY, -1).sort(0)[0]
    steps = torch.arange(MANY, dtype=torch.float64).reshape(-1, 1) / MANY
    assert ((u - steps).abs().max() + 1 / MANY) * math.sqrt(MANY) < 2.23


@pytest.mark.parametrize("make", [D.Cauchy(1.0, 2.0), D.HalfCauchy(2.0)], ids=["Cauchy", "HalfCauchy"])
def test_laws_without_moments(make: Any) -> None:
    torch.manual_seed(4)
    u = make.cdf(make.sample((MANY,))).sort()[0]
    assert (u - torch.arange(MANY) / MANY).abs().max() * math.sqrt(MANY) < 2.23


def test_categorical_frequencies() -> None:
    torch.manual_seed(5)
    probs = t([[0.1, 0.2, 0.7], [0.5, 0.5, 0.0]])
    x = D.Categorical(probs).sample((MANY,))
    found = torch.stack([(x == k).float().mean(0) for k in range(3)], -1)
    assert ((found - probs).abs() < 0.05).all()
    assert not (x[:, 1] == 2).any()


def test_von_mises_directions() -> None:
    torch.manual_seed(6)
    d = D.VonMises(t([0.5, 3.0]), t([4.0, 0.3]))
    x = d.sample((MANY,))
    assert x.min() >= -math.pi and x.max() <= math.pi
    length = (x - d.loc).cos().mean(0)
    assert ((1 - length - d.variance).abs() < 0.05).all()
    assert ((x - d.loc).sin().mean(0).abs() < 0.05).all()


def test_lkj_correlations() -> None:
    """In 2 x 2 matrices, and between the first two variables of larger ones, a correlation is 2 Beta(a, a) - 1."""
    torch.manual_seed(7)
    concentration = 1.5
    for size in (2, 4):
        factor = D.LKJCholesky(size, concentration).sample((MANY,))
        assert D.constraints.corr_cholesky.check(factor).all()
        pair = (factor @ factor.mT)[:, 1, 0]
        a = concentration + size / 2 - 1
        assert abs(pair.mean()) < 0.05
        assert abs(pair.var() - 1 / (2 * a + 1)) < 0.03


@pytest.mark.parametrize("law", [D.RelaxedBernoulli, D.RelaxedOneHotCategorical])
def test_relaxed_samples_sharpen(law: Any) -> None:
    torch.manual_seed(8)
    probs = t([0.2, 0.8], requires_grad=True)
    x = law(t(0.01), probs).rsample((MANY,))
    assert ((x.mean(0) - probs).abs() < 0.05).all()
    assert ((x - x.round()).abs() < 0.01).float().mean() > 0.9
    x[:, 0].sum().backward()
    assert probs.grad is not None and probs.grad.isfinite().all()


def test_a_seed_repeats_samples() -> None:
    for name in ("Normal", "Gamma", "Dirichlet", "Wishart", "Multinomial", "MixtureSameFamily"):
        d, _ = law_of(name)
        torch.manual_seed(9)
        first = d.sample((3,))
        torch.manual_seed(9)
        assert torch.equal(first, d.sample((3,)))


SHAPES = [1e-3, 0.05, 0.7, 1.0, 3.0, 15.9, 16.1, 60.0, 3e3]
QUANTILES = [0.02, 0.3, 0.5, 0.7, 0.999]


def test_gamma_gradient_follows_the_quantile() -> None:
    """dx/da with P(a, x) fixed, against differences of the inverse of P."""
    special = pytest.importorskip("scipy.special")
    for a in SHAPES:
        for u in QUANTILES:
            x = float(special.gammaincinv(a, u))
            if x < 1e-200:
                continue
            h = 1e-5 * a
            differences = (special.gammaincinv(a + h, u) - special.gammaincinv(a - h, u)) / (2 * h)
            found = torch._standard_gamma_grad(t(a, dtype=torch.float64), t(x, dtype=torch.float64)).item()
            assert found == pytest.approx(float(differences), rel=2e-5)


def test_dirichlet_gradient_follows_the_quantile() -> None:
    special = pytest.importorskip("scipy.special")
    for a in (0.05, 0.7, 3.0, 25.0):
        for b in (0.1, 1.0, 8.0, 60.0):
            for u in QUANTILES:
                x = float(special.betaincinv(a, b, u))
                if not 1e-30 < x < 1 - 1e-6:
                    continue
                h = 1e-5 * a
                differences = (special.betaincinv(a + h, b, u) - special.betaincinv(a - h, b, u)) / (2 * h)
                found = torch._dirichlet_grad(*(t(v, dtype=torch.float64) for v in (x, a, a + b))).item()
                assert found * (1 - x) == pytest.approx(float(differences), rel=1e-4)


def test_sample_gradients_are_near_pytorchs() -> None:
    """What PyTorch 2.13 gives; its approximations have about three digits."""
    theirs = [
        [2.29129, 2.8422, 3.47909], [1.1081, 1.30819, 1.52318], [0.943173, 1.10826, 1.28584],
        [0.901941, 1.05938, 1.22924], [0.895049, 1.05125, 1.21979], [0.892624, 1.04839, 1.21646],
    ]  # fmt: skip
    a = t([[0.05], [0.7], [3.0], [15.9], [60.0], [3e3]], dtype=torch.float64)
    ours = torch._standard_gamma_grad(a, a * t([0.8, 1.1, 1.5], dtype=torch.float64))
    assert ours.tolist() == [pytest.approx(row, rel=1e-3) for row in theirs]

    x, a = doubles([0.3, 0.6, 0.2, 0.9, 0.5, 0.35], [0.5, 2.0, 3.0, 8.0, 30.0, 15.0])
    b = t([1.5, 0.7, 9.0, 1.2, 25.0, 40.0], dtype=torch.float64)
    ours = torch._dirichlet_grad(x, a, a + b)
    assert ours.tolist() == pytest.approx([0.866178, 0.406789, 0.0806845, 0.1172, 0.0176032, 0.0209098], rel=2e-3)


def test_no_second_derivative_of_gamma_samples() -> None:
    a = t([2.0], requires_grad=True)
    (g,) = torch.autograd.grad(torch._standard_gamma(a).sum(), a, create_graph=True)
    with pytest.raises(NotImplementedError, match=r"the derivative for '_standard_gamma_grad' is not implemented\."):
        g.backward()


def test_small_concentrations_stay_on_the_simplex() -> None:
    torch.manual_seed(10)
    x = D.Dirichlet(torch.full((1000, 3), 1e-3)).sample()
    assert x.isfinite().all()
    assert ((x.sum(-1) - 1).abs() < 1e-5).all()


def test_wishart_draws_singular_samples_again() -> None:
    """Each is drawn twice, as in PyTorch, which takes good ones for singular at first; then those that are singular."""
    torch.manual_seed(11)
    d = D.Wishart(t(4.0), torch.eye(2))
    draw, calls = d._bartlett_sampling, []

    def singular_at_first(shape: Any) -> Any:
        calls.append(tuple(shape))
        drawn = draw(shape)
        if len(calls) == 2:
            drawn[:2] = 0
        return drawn

    d._bartlett_sampling = singular_at_first  # type: ignore[assignment, method-assign]
    with pytest.warns(UserWarning, match="Singular sample detected"):
        x = d.rsample((3,))
    assert calls == [(3,), (3,), (2,)]
    assert d.support.check(x).all()


def test_divergence_of_a_batch_of_wishart_laws_is_that_of_each() -> None:
    """PyTorch 2.13 sums a term over the batch, so that divergences there may be negative."""
    scales = [torch.eye(2), 2 * torch.eye(2)]
    together = D.kl_divergence(D.Wishart(t([3.0, 4.0]), scales[0]), D.Wishart(t([5.0, 4.0]), scales[1]))
    pairs = [(3.0, 5.0), (4.0, 4.0)]
    each = [D.kl_divergence(D.Wishart(t(p), scales[0]), D.Wishart(t(q), scales[1])).item() for p, q in pairs]
    assert together.tolist() == pytest.approx(each, rel=1e-5)
    assert min(each) > 0


def test_one_set_of_weights_for_a_batch_of_mixtures() -> None:
    torch.manual_seed(12)
    d = D.MixtureSameFamily(D.Categorical(t([0.25, 0.75])), D.Normal(t([[0.0, 10.0], [0.0, -10.0], [5.0, 5.0]]), 0.1))
    x = d.sample((MANY,))
    assert x.shape == (MANY, 3)
    assert ((x.mean(0) - d.mean).abs() < 0.5).all()
    assert abs(torch.corrcoef(x.T)[0, 1]) < 0.1


@pytest.mark.parametrize("name", ["Normal", "Gamma", "Gumbel", "Laplace", "Uniform", "ContinuousBernoulli", "Pareto"])
def test_no_divergence_from_itself(name: str) -> None:
    d, _ = law_of(name)
    assert D.kl_divergence(d, d).tolist() == [0.0, 0.0]


def test_expanding_forgets_what_was_computed_for_the_smaller_batch() -> None:
    d, _ = law_of("LowRankMultivariateNormal")
    assert d.variance.shape == (2,)
    larger = d.expand((3,))
    assert "variance" not in vars(larger)
    assert larger.variance.shape == (3, 2)
    assert larger.scale_tril.shape == (3, 2, 2)
