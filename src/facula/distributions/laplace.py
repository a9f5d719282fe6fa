"""The Laplace distribution."""

from __future__ import annotations

from typing import Any

import facula

from . import constraints
from .distribution import Distribution
from .utils import broadcast_all

__all__ = ["Laplace"]


class Laplace(Distribution):
    """Two exponential distributions, back to back at ``loc``."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    _dims = {"loc": 0, "scale": 0}

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.size(), validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return self.loc

    @property
    def mode(self) -> Any:
        return self.loc

    @property
    def variance(self) -> Any:
        return 2 * self.scale.pow(2)

    @property
    def stddev(self) -> Any:
        return 2**0.5 * self.scale

    def rsample(self, sample_shape: Any = ()) -> Any:
        """By the inverse of the distribution function, from numbers that are never -1."""
        u = self.loc.new_empty(self._extended_shape(sample_shape)).uniform_(facula.finfo(self.loc.dtype).eps - 1, 1)
        return self.loc - self.scale * u.sign() * facula.log1p(-u.abs())

    def log_prob(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        return -facula.log(2 * self.scale) - facula.abs(value - self.loc) / self.scale

    def cdf(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        centered = value - self.loc
        return 0.5 - 0.5 * centered.sign() * facula.expm1(-centered.abs() / self.scale)

    def icdf(self, value: Any) -> Any:
        centered = value - 0.5
        return self.loc - self.scale * centered.sign() * facula.log1p(-2 * centered.abs())

    def entropy(self) -> Any:
        return 1 + facula.log(2 * self.scale)
