"""Exponential families, whose entropy follows from the log-normaliser."""

from __future__ import annotations

from typing import Any

import facula

from .distribution import Distribution

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """p(x) = exp(<t(x), params> - log_normalizer(params) + carrier(x))."""

    @property
    def _natural_params(self) -> Any:
        raise NotImplementedError

    def _log_normalizer(self, *natural_params: Any) -> Any:
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self) -> Any:
        """The mean of the carrier; the entropy needs it."""
        raise NotImplementedError

    def entropy(self) -> Any:
        """By the means of t(x), which are the derivatives of the log-normaliser."""
        result = -self._mean_carrier_measure
        params = [p.detach().requires_grad_() for p in self._natural_params]
        log_normalizer = self._log_normalizer(*params)
        means = facula.autograd.grad(log_normalizer.sum(), params, create_graph=True)
        result = result + log_normalizer
        for param, mean in zip(params, means):
            result = result - (param * mean).reshape((*self._batch_shape, -1)).sum(-1)
        return result
