"""Exponential families, whose entropies and divergences follow from the log-normaliser."""

from __future__ import annotations

from typing import Any

import facula

from .distribution import Distribution
from .utils import _sum_rightmost

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

    def _mean_log_likelihood(self, of: Any) -> Any:
        """The mean under this one of another member's log-likelihood, without the carrier.

        The means of t(x) are the derivatives of the log-normaliser.
        """
        own = [param.detach().requires_grad_() for param in self._natural_params]
        means = facula.autograd.grad(self._log_normalizer(*own).sum(), own, create_graph=True)
        theirs = own if of is self else of._natural_params
        dims = [max(param.dim() - len(self._batch_shape), 0) for param in own]
        fits = [_sum_rightmost(mean * param, dim) for mean, param, dim in zip(means, theirs, dims)]
        return sum(fits) - self._log_normalizer(*theirs)

    def entropy(self) -> Any:
        return -self._mean_carrier_measure - self._mean_log_likelihood(self)
