"""The generalised Pareto distribution."""

from __future__ import annotations

import math
from typing import Any

import facula

from . import constraints
from .distribution import Distribution
from .utils import broadcast_all

__all__ = ["GeneralizedPareto"]


class GeneralizedPareto(Distribution):
    """What values exceed a high threshold by; ``concentration`` tells how heavy the tail is."""

    arg_constraints = {
        "loc": constraints.real,
        "scale": constraints.positive,
        "concentration": constraints.real,
    }
    has_rsample = True
    _dims = {"loc": 0, "scale": 0, "concentration": 0}

    def __init__(self, loc: Any, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        super().__init__(self.loc.size(), validate_args=validate_args)

    def _z(self, x: Any) -> Any:
        return (x - self.loc) / self.scale

    def _without_tail(self) -> Any:
        """Where the concentration is 0, so that the distribution is exponential; and one that can be divided by."""
        is_zero = facula.isclose(self.concentration, facula.zeros_like(self.concentration))
        return is_zero, facula.where(is_zero, facula.ones_like(self.concentration), self.concentration)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        return self.icdf(facula.rand(shape, dtype=self.loc.dtype, device=self.loc.device))

    def log_prob(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        z = self._z(value)
        is_zero, k = self._without_tail()
        with_tail = -self.scale.log() - (1 + 1 / k) * facula.log1p(k * z)
        return facula.where(is_zero, -self.scale.log() - z, with_tail)

    def log_survival_function(self, value: Any) -> Any:
        """The logarithm of the probability of values above this one."""
        if self._validate_args:
            self._validate_sample(value)
        z = self._z(value)
        is_zero, k = self._without_tail()
        return facula.where(is_zero, -z, -facula.log1p(k * z) / k)

    def log_cdf(self, value: Any) -> Any:
        return facula.log1p(-facula.exp(self.log_survival_function(value)))

    def cdf(self, value: Any) -> Any:
        return facula.exp(self.log_cdf(value))

    def icdf(self, value: Any) -> Any:
        is_zero, k = self._without_tail()
        log_rest = facula.log1p(-value)
        with_tail = self.loc + self.scale * facula.expm1(-k * log_rest) / k
        return facula.where(is_zero, self.loc - self.scale * log_rest, with_tail)

    @property
    def mean(self) -> Any:
        k = self.concentration
        below = k < 1
        mean = self.loc + self.scale / (1 - facula.where(below, k, 0.5))
        return facula.where(below, mean, math.nan)

    @property
    def variance(self) -> Any:
        k = self.concentration
        below = k < 0.5
        safe = facula.where(below, k, 0.25)
        variance = self.scale**2 / ((1 - safe) ** 2 * (1 - 2 * safe))
        return facula.where(below, variance, math.nan)

    def entropy(self) -> Any:
        return facula.broadcast_to(facula.log(self.scale) + self.concentration + 1, self._batch_shape)

    @property
    def mode(self) -> Any:
        return self.loc

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        lower = self.loc
        upper = facula.where(self.concentration < 0, lower - self.scale / self.concentration, math.inf)
        return constraints.interval(lower, upper)
