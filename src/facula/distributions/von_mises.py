"""The von Mises distribution."""

from __future__ import annotations

import math
from typing import Any

import facula

from .._generator import stream_of
from .._size import Size
from . import constraints
from .distribution import Distribution
from .utils import broadcast_all, lazy_property

__all__ = ["VonMises"]


def _log_modified_bessel_fn(x: Any, order: int = 0) -> Any:
    """log I(x) of order 0 or 1, by the function without its exponential growth."""
    if order not in (0, 1):
        raise AssertionError(f"order must be 0 or 1, got {order}")
    scaled = facula.special.i0e if order == 0 else facula.special.i1e
    return scaled(x).log() + x


class VonMises(Distribution):
    """Angles around ``loc``, much like a normal distribution on the circle."""

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    has_rsample = False

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, Size(), validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        validate_args = self.__dict__.get("_validate_args")
        loc, concentration = self.loc.expand(batch_shape), self.concentration.expand(batch_shape)
        return type(self)(loc, concentration, validate_args=validate_args)

    def log_prob(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        log_prob = self.concentration * facula.cos(value - self.loc)
        return log_prob - math.log(2 * math.pi) - _log_modified_bessel_fn(self.concentration, order=0)

    def sample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        loc, concentration = (
            v.detach().double().expand(shape).numpy() for v in (self.loc, self.concentration)
        )
        angles = facula.as_tensor(stream_of(None).vonmises(0.0, concentration, tuple(shape)) + loc)
        return ((angles + math.pi) % (2 * math.pi) - math.pi).to(self.loc.dtype)

    @property
    def mean(self) -> Any:
        return self.loc

    @property
    def mode(self) -> Any:
        return self.loc

    @lazy_property
    def variance(self) -> Any:
        """The circular variance: one less the mean's length."""
        log_ratio = _log_modified_bessel_fn(self.concentration, order=1) - _log_modified_bessel_fn(self.concentration)
        return 1 - log_ratio.exp()
