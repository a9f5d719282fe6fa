"""Which transform leads from all real numbers onto a constraint: bijectively, or at least with good gradients."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from . import constraints, transforms
from .utils import Number

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]

Factory = Callable[[Any], Any]


def _kind_of(constraint: Any) -> type:
    """The class of a constraint that is given by itself or by its class."""
    kind = type(constraint) if isinstance(constraint, constraints.Constraint) else constraint
    if isinstance(kind, type) and issubclass(kind, constraints.Constraint):
        return kind
    raise TypeError(f"Expected constraint to be either a Constraint subclass or instance, but got {kind}")


class ConstraintRegistry:
    """Factories of transforms by the class of constraint."""

    def __init__(self) -> None:
        self._registry: dict[type, Factory] = {}

    def register(self, constraint: Any, factory: Factory | None = None) -> Any:
        """Add the factory for a class of constraints; without one, a decorator for it."""
        if factory is not None:
            self._registry[_kind_of(constraint)] = factory
        return factory or partial(self.register, constraint)

    def __call__(self, constraint: Any) -> Any:
        """The transform for a constraint."""
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
        return factory(constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def _exp_from(bound: str, sign: int) -> Factory:
    """All that lies to one side of a bound."""
    return lambda constraint: transforms.ComposeTransform(
        [transforms.ExpTransform(), transforms.AffineTransform(getattr(constraint, bound), sign)]
    )


def _between(constraint: Any) -> Any:
    low, high = constraint.lower_bound, constraint.upper_bound
    if isinstance(low, Number) and isinstance(high, Number) and (low, high) == (0, 1):
        return transforms.SigmoidTransform()
    return transforms.ComposeTransform([transforms.SigmoidTransform(), transforms.AffineTransform(low, high - low)])


_OF_BOTH: dict[Any, Factory] = {
    constraints.real: lambda constraint: transforms.identity_transform,
    constraints.greater_than: _exp_from("lower_bound", 1),
    constraints.greater_than_eq: _exp_from("lower_bound", 1),
    constraints.less_than: _exp_from("upper_bound", -1),
    constraints.interval: _between,
    constraints.half_open_interval: _between,
    constraints.corr_cholesky: lambda constraint: transforms.CorrCholeskyTransform(),
}

_OF_ONE: dict[ConstraintRegistry, dict[Any, Factory]] = {
    biject_to: {
        constraints.simplex: lambda constraint: transforms.StickBreakingTransform(),
    },
    transform_to: {
        constraints.simplex: lambda constraint: transforms.SoftmaxTransform(),
        constraints.lower_cholesky: lambda constraint: transforms.LowerCholeskyTransform(),
        constraints.positive_definite: lambda constraint: transforms.PositiveDefiniteTransform(),
        constraints.positive_semidefinite: lambda constraint: transforms.PositiveDefiniteTransform(),
    },
}


def _made_of_parts(onto: ConstraintRegistry) -> dict[Any, Factory]:
    """A constraint made of constraints: the same of their transforms."""
    return {
        constraints.independent: lambda c: transforms.IndependentTransform(
            onto(c.base_constraint), c.reinterpreted_batch_ndims
        ),
        constraints.cat: lambda c: transforms.CatTransform(map(onto, c.cseq), c.dim, c.lengths),
        constraints.stack: lambda c: transforms.StackTransform(map(onto, c.cseq), c.dim),
    }


for _registry, _own in _OF_ONE.items():
    for _constraint, _factory in {**_OF_BOTH, **_own, **_made_of_parts(_registry)}.items():
        _registry.register(_constraint, _factory)
