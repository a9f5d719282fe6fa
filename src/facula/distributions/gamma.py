"""The gamma distribution."""

from __future__ import annotations

from typing import Any

import facula

from . import constraints
from .exp_family import ExponentialFamily
from .utils import broadcast_all

__all__ = ["Gamma"]


def _standard_gamma(concentration: Any) -> Any:
    return facula._standard_gamma(concentration)


class Gamma(ExponentialFamily):
    """Gamma with shape ``concentration`` and ``rate``. Its samples have implicit gradients."""

    arg_constraints = {
        "concentration": constraints.positive,
        "rate": constraints.positive,
    }
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0
    _dims = {"concentration": 0, "rate": 0}

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        self.concentration, self.rate = broadcast_all(concentration, rate)
        super().__init__(self.concentration.size(), validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return self.concentration / self.rate

    @property
    def mode(self) -> Any:
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self) -> Any:
        return self.concentration / self.rate.pow(2)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        value = _standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape)
        value.detach().clamp_(min=facula.finfo(value.dtype).tiny)
        return value

    def log_prob(self, value: Any) -> Any:
        value = facula.as_tensor(value, dtype=self.rate.dtype, device=self.rate.device)
        if self._validate_args:
            self._validate_sample(value)
        a, rate = self.concentration, self.rate
        return facula.xlogy(a, rate) + facula.xlogy(a - 1, value) - rate * value - facula.lgamma(a)

    def entropy(self) -> Any:
        a = self.concentration
        return a - facula.log(self.rate) + facula.lgamma(a) + (1.0 - a) * facula.digamma(a)

    def cdf(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        return facula.special.gammainc(self.concentration, self.rate * value)

    @property
    def _natural_params(self) -> Any:
        return self.concentration - 1, -self.rate

    def _log_normalizer(self, x: Any, y: Any) -> Any:
        return facula.lgamma(x + 1) + (x + 1) * facula.log(-y.reciprocal())
