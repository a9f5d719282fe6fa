"""The Kumaraswamy distribution."""

from __future__ import annotations

import math
from typing import Any

import facula

from . import constraints
from .transformed_distribution import TransformedDistribution
from .transforms import AffineTransform, PowerTransform
from .uniform import Uniform
from .utils import broadcast_all, euler_constant

__all__ = ["Kumaraswamy"]


def _moments(a: Any, b: Any, n: int) -> Any:
    """The mean of the n-th power."""
    order = 1 + n / a
    return facula.exp(facula.log(b) + facula.lgamma(order) + facula.lgamma(b) - facula.lgamma(order + b))


class Kumaraswamy(TransformedDistribution):
    """P(X <= x) = 1 - (1 - x^a)^b on [0, 1], much like a beta distribution."""

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        base = Uniform(
            facula.full_like(self.concentration0, 0), facula.full_like(self.concentration0, 1),
            validate_args=validate_args,
        )  # fmt: skip
        transforms = [
            PowerTransform(exponent=self.concentration0.reciprocal()),
            AffineTransform(loc=1.0, scale=-1.0),
            PowerTransform(exponent=self.concentration1.reciprocal()),
        ]
        super().__init__(base, transforms, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(Kumaraswamy, _instance)
        new.concentration1 = self.concentration1.expand(batch_shape)
        new.concentration0 = self.concentration0.expand(batch_shape)
        return super().expand(batch_shape, _instance=new)

    @property
    def mean(self) -> Any:
        return _moments(self.concentration1, self.concentration0, 1)

    @property
    def mode(self) -> Any:
        """PyTorch's formula takes the logarithm of a negative number wherever there is a mode, and so does this."""
        return math.nan * self.concentration0

    @property
    def variance(self) -> Any:
        return _moments(self.concentration1, self.concentration0, 2) - self.mean.pow(2)

    def entropy(self) -> Any:
        t1 = 1 - self.concentration1.reciprocal()
        t0 = 1 - self.concentration0.reciprocal()
        harmonic = facula.digamma(self.concentration0 + 1) + euler_constant
        return t0 + t1 * harmonic - facula.log(self.concentration1) - facula.log(self.concentration0)
