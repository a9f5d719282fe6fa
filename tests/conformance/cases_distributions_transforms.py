"""Transforms: values, inverses, Jacobians, shapes, caches, equality; which one leads onto a constraint."""

from __future__ import annotations

import pickle

from .cases_distributions_laws import brief, gradients, tried
from .observe import case, error, see

NUMBERS = [-1.5, -0.2, 0.3, 2.0]
POSITIVE = [0.1, 0.7, 1.0, 3.0]


def study(torch, transform, values):
    x = torch.tensor(values, dtype=torch.float64, requires_grad=True)
    y = transform(x)
    seen = {
        "repr": [repr(transform), repr(transform.inv)],
        "y": brief(torch, y),
        "dy": gradients(torch, y, [x]),
        "inverse": tried(torch, lambda: transform.inv(y.detach())),
        "jacobian": tried(torch, lambda: transform.log_abs_det_jacobian(x, y)),
        "inverse jacobian": tried(torch, lambda: transform.inv.log_abs_det_jacobian(y, x)),
        "domain": [repr(transform.domain), repr(transform.codomain)],
        "dims": [transform.domain.event_dim, transform.codomain.event_dim],
        "bijective": [transform.bijective, transform.inv.bijective],
        "sign": tried(torch, lambda: transform.sign),
        "inverse sign": tried(torch, lambda: transform.inv.sign),
        "shapes": [
            list(transform.forward_shape(x.shape)),
            list(transform.inverse_shape(y.shape)),
            list(transform.inv.forward_shape(y.shape)),
        ],
        "inverse of inverse": transform.inv.inv is transform,
        "event_dim": tried(torch, lambda: transform.event_dim),
    }
    if isinstance(seen["jacobian"], list):
        z = x.detach().clone().requires_grad_()
        seen["jacobian gradient"] = gradients(torch, transform.log_abs_det_jacobian(z, transform(z)), [z])
    return seen


@case
def of_numbers(torch):
    D = torch.distributions
    transforms = [D.ExpTransform(), D.SigmoidTransform(), D.SoftplusTransform(), D.TanhTransform(), D.AbsTransform()]
    transforms += [D.AffineTransform(1.0, -2.0), D.AffineTransform(torch.tensor(1.0), torch.tensor(2.0))]
    transforms += [D.AffineTransform(0, 3, event_dim=1), D.identity_transform]
    return [study(torch, t, NUMBERS) for t in transforms]


@case
def of_positive_numbers(torch):
    D = torch.distributions
    two, minus = torch.tensor(2.0, dtype=torch.float64), torch.tensor(-0.5, dtype=torch.float64)
    return [study(torch, t, POSITIVE) for t in (D.PowerTransform(two), D.PowerTransform(minus), D.ExpTransform().inv)]


@case
def of_vectors_and_matrices(torch):
    D = torch.distributions
    rows = [[-1.0, 0.2, 0.5], [2.0, 0.0, -0.3]]
    matrix = [[-1.0, 0.2], [2.0, 0.3]]
    return [
        study(torch, D.SoftmaxTransform(), rows),
        study(torch, D.StickBreakingTransform(), rows),
        study(torch, D.CorrCholeskyTransform(), rows),
        study(torch, D.LowerCholeskyTransform(), matrix),
        study(torch, D.PositiveDefiniteTransform(), matrix),
        study(torch, D.ReshapeTransform((3,), (1, 3)), rows),
        study(torch, D.ReshapeTransform((2, 3), (6,)), rows),
    ]


@case
def cumulative_distribution(torch):
    D = torch.distributions
    normal = D.Normal(torch.tensor(0.0, dtype=torch.float64), 1.0)
    copula = D.TransformedDistribution(D.Normal(torch.zeros(2), 1.0), [D.CumulativeDistributionTransform(normal)])
    return [study(torch, D.CumulativeDistributionTransform(normal), NUMBERS), repr(copula.support)]


@case
def compositions(torch):
    D = torch.distributions
    return [
        study(torch, D.ComposeTransform([D.AffineTransform(1.0, -2.0), D.ExpTransform()]), NUMBERS),
        study(torch, D.ComposeTransform([D.ExpTransform(), D.ReshapeTransform((4,), (2, 2))]), NUMBERS),
        study(torch, D.ComposeTransform([D.StickBreakingTransform(), D.AffineTransform(0.0, 2.0)]), NUMBERS),
        study(torch, D.IndependentTransform(D.ExpTransform(), 1), [NUMBERS, NUMBERS]),
        study(torch, D.IndependentTransform(D.StickBreakingTransform(), 1), [NUMBERS, NUMBERS]),
    ]


@case
def for_each_part(torch):
    D = torch.distributions
    data = [[-1.0, 0.2, 0.5], [2.0, 0.1, -0.3]]
    return [
        study(torch, D.CatTransform([D.ExpTransform(), D.AffineTransform(1.0, 2.0)], dim=1, lengths=[1, 2]), data),
        study(torch, D.CatTransform([D.ExpTransform(), D.identity_transform], dim=0), data),
        study(
            torch, D.CatTransform([D.SoftmaxTransform(), D.StickBreakingTransform().inv], dim=-2).transforms[0], data
        ),
        study(torch, D.StackTransform([D.ExpTransform(), D.AffineTransform(1.0, 2.0)], dim=0), data),
        study(
            torch, D.StackTransform([D.ExpTransform(), D.TanhTransform(), D.AffineTransform(1.0, 2.0)], dim=-1), data
        ),
    ]


@case
def caches(torch):
    D = torch.distributions
    x = torch.tensor([0.3, 0.7])
    seen = []
    makers = [
        lambda c: D.ExpTransform(cache_size=c),
        lambda c: D.AffineTransform(1.0, 2.0, cache_size=c),
        lambda c: D.ComposeTransform([D.ExpTransform(), D.TanhTransform()], cache_size=c),
        lambda c: D.PowerTransform(torch.tensor(2.0), cache_size=c),
        lambda c: D.IndependentTransform(D.ExpTransform(), 1, cache_size=c),
        lambda c: D.ReshapeTransform((2,), (1, 2), cache_size=c),
        lambda c: D.StackTransform([D.ExpTransform()] * 2, cache_size=c),
        lambda c: D.CatTransform([D.ExpTransform()] * 2, cache_size=c),
        lambda c: D.StickBreakingTransform(cache_size=c),
        lambda c: D.CumulativeDistributionTransform(D.Normal(0.0, 1.0), cache_size=c),
    ]
    for make in makers:
        row = []
        for t in (make(0), make(1), make(0).with_cache(), make(1).with_cache(0)):
            y = t(x)
            row += [t.inv(y) is x, t(x) is y, t.with_cache(1) is t, t.inv.with_cache().inv._cache_size]
        seen.append(row)
    return [*seen, error(lambda: D.ExpTransform(cache_size=2))]


@case
def a_transform_with_arguments_and_no_with_cache(torch):
    class Mine(torch.distributions.Transform):
        def __init__(self, a, cache_size=0):
            self.a = a
            super().__init__(cache_size=cache_size)

    message = error(lambda: Mine(1).with_cache())["message"]
    return [message.endswith("Mine'>.with_cache is not implemented"), Mine(1) == Mine(1), error(lambda: Mine(1)(2))]


@case
def equality(torch):
    D, t = torch.distributions, torch.tensor
    each = [
        D.ExpTransform(),
        D.ExpTransform(),
        D.TanhTransform(),
        D.ExpTransform().inv,
        D.ExpTransform().inv,
        D.AffineTransform(0, 1),
        D.AffineTransform(t([0.0, 0.0]), 1),
        D.AffineTransform(0, 2),
        D.PowerTransform(t(2.0)),
        D.PowerTransform(t(2.0)),
        D.PowerTransform(t(3.0)),
        D.ComposeTransform([D.ExpTransform()]),
        D.ComposeTransform([D.ExpTransform()]),
        D.SoftmaxTransform(),
        D.SoftmaxTransform(),
        D.StickBreakingTransform(),
        D.LowerCholeskyTransform(),
        D.ReshapeTransform((2,), (2,)),
        D.ReshapeTransform((2,), (2,)),
        D.AbsTransform(),
        D.AbsTransform(),
        D.CorrCholeskyTransform(),
        D.CorrCholeskyTransform(),
        D.SoftplusTransform(),
        D.SoftplusTransform(),
        D.SigmoidTransform(),
        D.StackTransform([D.ExpTransform()]),
        D.StackTransform([D.ExpTransform()]),
    ]
    return [[a == b for b in each] for a in each] + [error(lambda: hash(D.ExpTransform()))]


@case
def wrong_shapes(torch):
    D = torch.distributions
    size = torch.Size
    return [
        error(lambda: D.StickBreakingTransform().forward_shape(size(()))),
        error(lambda: D.StickBreakingTransform().inverse_shape(size(()))),
        error(lambda: D.SoftmaxTransform().forward_shape(size(()))),
        error(lambda: D.CorrCholeskyTransform().forward_shape(size((4,)))),
        error(lambda: D.CorrCholeskyTransform().forward_shape(size(()))),
        error(lambda: D.CorrCholeskyTransform().inverse_shape(size((3,)))),
        error(lambda: D.CorrCholeskyTransform().inverse_shape(size((3, 2)))),
        error(lambda: D.ReshapeTransform((2,), (3,))),
        error(lambda: D.ReshapeTransform((2, 3), (6,)).forward_shape(size((3,)))),
        error(lambda: D.ReshapeTransform((2, 3), (6,)).forward_shape(size((3, 2)))),
        error(lambda: D.ReshapeTransform((2, 3), (6,)).inverse_shape(size((3, 2)))),
        error(lambda: D.IndependentTransform(D.ExpTransform(), 2)(torch.zeros(3))),
        error(lambda: D.IndependentTransform(D.ExpTransform(), 2).inv(torch.zeros(3))),
        error(lambda: D.CatTransform([1])),
        error(lambda: D.CatTransform([D.ExpTransform()], lengths=[1, 2])),
        error(lambda: D.CatTransform([D.ExpTransform()], dim=1)(torch.zeros(3))),
        error(lambda: D.CatTransform([D.ExpTransform()])(torch.zeros(3))),
        error(lambda: D.CatTransform([D.ExpTransform()]).inv(torch.zeros(3))),
        error(lambda: D.CatTransform([D.ExpTransform()]).log_abs_det_jacobian(torch.zeros(1), torch.zeros(3))),
        error(lambda: D.StackTransform(["a"])),
        error(lambda: D.StackTransform([D.ExpTransform()], dim=1)(torch.zeros(3))),
        error(lambda: D.StackTransform([D.ExpTransform()])(torch.zeros(3))),
        error(lambda: D.StackTransform([D.ExpTransform()]).inv(torch.zeros(3))),
        error(lambda: D.TransformedDistribution(D.Normal(0.0, 1.0), D.StickBreakingTransform())),
        error(lambda: D.TransformedDistribution(D.Normal(0.0, 1.0), [1])),
        error(lambda: D.TransformedDistribution(D.Normal(0.0, 1.0), 1)),
    ]


def constraints_of(torch):
    c = torch.distributions.constraints
    return [
        c.real,
        c.positive,
        c.nonnegative,
        c.greater_than(2.0),
        c.greater_than_eq(-1.0),
        c.less_than(1.0),
        c.unit_interval,
        c.interval(-1.0, 2.0),
        c.half_open_interval(0.0, 3.0),
        c.simplex,
        c.real_vector,
        c.lower_cholesky,
        c.corr_cholesky,
        c.positive_definite,
        c.positive_semidefinite,
        c.independent(c.positive, 1),
        c.boolean,
        c.dependent,
        c.one_hot,
        c.cat([c.real, c.positive], 0, [1, 2]),
        c.stack([c.real, c.positive, c.unit_interval]),
        c.lower_triangular,
    ]


@case
def onto_constraints(torch):
    seen = []
    for registry in (torch.distributions.biject_to, torch.distributions.transform_to):
        for constraint in constraints_of(torch):
            try:
                transform = registry(constraint)
            except NotImplementedError as e:
                seen.append(str(e))
                continue
            shape = (3, 3) if constraint.event_dim == 2 and transform.domain.event_dim == 2 else (3,)
            x = torch.linspace(-1, 1, 9)[: 9 if shape == (3, 3) else 3].reshape(shape)
            y = transform(x)
            seen.append(
                [
                    repr(transform),
                    brief(torch, y),
                    bool(constraint.check(y).all()),
                    tried(torch, lambda t=transform, y=y: t.inv(y)),
                ]
            )
    return seen


@case
def registering(torch):
    D, c = torch.distributions, torch.distributions.constraints
    registry = D.constraint_registry.ConstraintRegistry()

    class Mine(c.Constraint):
        pass

    @registry.register(Mine)
    def make(constraint):
        return D.ExpTransform()

    registry.register(Mine(), lambda constraint: D.TanhTransform())
    return [
        repr(registry(Mine())),
        error(lambda: registry(c.real)),
        error(lambda: registry.register(1, make)),
        error(lambda: registry.register(int, make)),
        repr(make(None)),
    ]


@case
def copies_by_pickle(torch):
    D = torch.distributions
    t = D.ComposeTransform([D.AffineTransform(1.0, 2.0), D.ExpTransform(cache_size=1)])
    x = torch.tensor([0.1, 0.2])
    t.inv(t(x))
    copy = pickle.loads(pickle.dumps(t))
    d = pickle.loads(pickle.dumps(D.Normal(torch.tensor([0.0, 1.0]), 2.0)))
    return [repr(copy), copy(x).tolist(), repr(d), d.log_prob(x).tolist()]


@case
def transforms_that_are_modules(torch):
    class Scale(torch.distributions.transforms.Transform, torch.nn.Module):
        bijective = True
        __hash__ = torch.nn.Module.__hash__

        def __init__(self):
            super().__init__(cache_size=1)
            self.log_scale = torch.nn.Parameter(torch.tensor([0.5, -1.0]))

        def _call(self, x):
            return x * self.log_scale.exp()

        def log_abs_det_jacobian(self, x, y):
            return self.log_scale.expand(x.shape)

    scale = Scale()
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    y = scale(x)
    (y.sum() + scale.log_abs_det_jacobian(x, y).sum()).backward()
    return see(torch, [y, scale.log_scale.grad, [name for name, _ in scale.named_parameters()]])
