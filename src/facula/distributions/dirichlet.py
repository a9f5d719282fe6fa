"""The Dirichlet distribution."""

from __future__ import annotations

from typing import Any

import facula

from .._size import Size
from ..autograd.function import Function, once_differentiable
from . import constraints
from .exp_family import ExponentialFamily

__all__ = ["Dirichlet"]


def _Dirichlet_backward(x: Any, concentration: Any, grad_output: Any) -> Any:
    """How all components move if one of them follows its quantile and the others keep their proportions."""
    total = concentration.sum(-1, True).expand_as(concentration)
    along = facula._dirichlet_grad(x, concentration, total)
    return along * (grad_output - (x * grad_output).sum(-1, True))


class _Dirichlet(Function):
    @staticmethod
    def forward(ctx: Any, concentration: Any) -> Any:
        x = facula._sample_dirichlet(concentration)
        ctx.save_for_backward(x, concentration)
        return x

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_output: Any) -> Any:
        x, concentration = ctx.saved_tensors
        return _Dirichlet_backward(x, concentration, grad_output)


class Dirichlet(ExponentialFamily):
    """Probabilities of categories. Its samples have implicit gradients."""

    arg_constraints = {
        "concentration": constraints.independent(constraints.positive, 1)
    }
    support = constraints.simplex
    has_rsample = True
    _dims = {"concentration": 1}

    def __init__(self, concentration: Any, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self) -> Any:
        """Where no concentration is above 1 the density is highest in a corner."""
        above = (self.concentration - 1).clamp(min=0.0)
        mode = above / above.sum(-1, True)
        is_corner = (self.concentration < 1).all(dim=-1)
        corner = facula.nn.functional.one_hot(mode[is_corner].argmax(dim=-1), above.shape[-1])
        mode[is_corner] = corner.to(mode)
        return mode

    @property
    def variance(self) -> Any:
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Any = ()) -> Any:
        return _Dirichlet.apply(self.concentration.expand(self._extended_shape(Size(sample_shape))))

    def log_prob(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        a = self.concentration
        return facula.xlogy(a - 1.0, value).sum(-1) + facula.lgamma(a.sum(-1)) - facula.lgamma(a).sum(-1)

    def entropy(self) -> Any:
        a = self.concentration
        k, total = a.size(-1), a.sum(-1)
        return (
            facula.lgamma(a).sum(-1) - facula.lgamma(total) - (k - total) * facula.digamma(total)
            - ((a - 1.0) * facula.digamma(a)).sum(-1)
        )  # fmt: skip

    @property
    def _natural_params(self) -> Any:
        return (self.concentration,)

    def _log_normalizer(self, x: Any) -> Any:
        return x.lgamma().sum(-1) - facula.lgamma(x.sum(-1))
