"""The continuous Bernoulli distribution."""

from __future__ import annotations

import math
from typing import Any

import facula

from . import constraints
from .exp_family import ExponentialFamily
from .utils import broadcast_all, clamp_probs, lazy_property, logits_to_probs, probabilities_or_logits, probs_to_logits

__all__ = ["ContinuousBernoulli"]


class ContinuousBernoulli(ExponentialFamily):
    """Density proportional to p^x (1 - p)^(1 - x) on [0, 1].

    Its formulas are 0/0 at p = 1/2: between ``lims`` the first terms of their Taylor series take their place.
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True
    _mean_carrier_measure = 0
    _dims = {"probs": 0, "logits": 0, "_param": 0}
    _kept = ("_lims",)

    def __init__(
        self, probs: Any = None, logits: Any = None, lims: Any = (0.499, 0.501), validate_args: bool | None = None
    ) -> None:
        if probabilities_or_logits(probs, logits):
            (self.probs,) = broadcast_all(probs)
            if validate_args is not None and not self.arg_constraints["probs"].check(self.probs).all():
                raise ValueError("The parameter probs has invalid values")
            self.probs = clamp_probs(self.probs)
            self._param = self.probs
        else:
            (self.logits,) = broadcast_all(logits)
            self._param = self.logits
        self._lims = lims
        super().__init__(self._param.size(), validate_args=validate_args)

    def _new(self, *args: Any, **kwargs: Any) -> Any:
        return self._param.new(*args, **kwargs)

    def _outside_unstable_region(self) -> Any:
        return facula.max(facula.le(self.probs, self._lims[0]), facula.gt(self.probs, self._lims[1]))

    def _cut_probs(self) -> Any:
        """The probabilities, with a harmless one in place of those near 1/2."""
        return facula.where(
            self._outside_unstable_region(), self.probs, self._lims[0] * facula.ones_like(self.probs)
        )

    def _cont_bern_log_norm(self) -> Any:
        cut = self._cut_probs()
        below = facula.where(facula.le(cut, 0.5), cut, facula.zeros_like(cut))
        above = facula.where(facula.ge(cut, 0.5), cut, facula.ones_like(cut))
        log_norm = facula.log(facula.abs(facula.log1p(-cut) - facula.log(cut))) - facula.where(
            facula.le(cut, 0.5), facula.log1p(-2.0 * below), facula.log(2.0 * above - 1.0)
        )
        x = facula.pow(self.probs - 0.5, 2)
        taylor = math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x
        return facula.where(self._outside_unstable_region(), log_norm, taylor)

    @property
    def mean(self) -> Any:
        cut = self._cut_probs()
        means = cut / (2.0 * cut - 1.0) + 1.0 / (facula.log1p(-cut) - facula.log(cut))
        x = self.probs - 0.5
        taylor = 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * facula.pow(x, 2)) * x
        return facula.where(self._outside_unstable_region(), means, taylor)

    @property
    def stddev(self) -> Any:
        return facula.sqrt(self.variance)

    @property
    def variance(self) -> Any:
        cut = self._cut_probs()
        log_odds = facula.log1p(-cut) - facula.log(cut)
        values = cut * (cut - 1.0) / facula.pow(1.0 - 2.0 * cut, 2) + 1.0 / facula.pow(log_odds, 2)
        x = facula.pow(self.probs - 0.5, 2)
        taylor = 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x
        return facula.where(self._outside_unstable_region(), values, taylor)

    @lazy_property
    def logits(self) -> Any:
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self) -> Any:
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    @property
    def param_shape(self) -> Any:
        return self._param.size()

    def sample(self, sample_shape: Any = ()) -> Any:
        u = facula.rand(self._extended_shape(sample_shape), dtype=self.probs.dtype, device=self.probs.device)
        with facula.no_grad():
            return self.icdf(u)

    def rsample(self, sample_shape: Any = ()) -> Any:
        u = facula.rand(self._extended_shape(sample_shape), dtype=self.probs.dtype, device=self.probs.device)
        return self.icdf(u)

    def log_prob(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        bce = facula.nn.functional.binary_cross_entropy_with_logits
        return -bce(logits, value, reduction="none") + self._cont_bern_log_norm()

    def cdf(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        cut = self._cut_probs()
        power = facula.pow(cut, value) * facula.pow(1.0 - cut, 1.0 - value)
        values = (power + cut - 1.0) / (2.0 * cut - 1.0)
        inside = facula.where(self._outside_unstable_region(), values, value)
        return facula.where(
            facula.le(value, 0.0), facula.zeros_like(value),
            facula.where(facula.ge(value, 1.0), facula.ones_like(value), inside),
        )  # fmt: skip

    def icdf(self, value: Any) -> Any:
        cut = self._cut_probs()
        values = (facula.log1p(-cut + value * (2.0 * cut - 1.0)) - facula.log1p(-cut)) / (
            facula.log(cut) - facula.log1p(-cut)
        )
        return facula.where(self._outside_unstable_region(), values, value)

    def entropy(self) -> Any:
        log_p, log_q = facula.log(self.probs), facula.log1p(-self.probs)
        return self.mean * (log_q - log_p) - self._cont_bern_log_norm() - log_q

    @property
    def _natural_params(self) -> Any:
        return (self.logits,)

    def _log_normalizer(self, x: Any) -> Any:
        """Of the log-odds; near 0 by its Taylor series."""
        is_far = facula.max(facula.le(x, self._lims[0] - 0.5), facula.gt(x, self._lims[1] - 0.5))
        cut = facula.where(is_far, x, (self._lims[0] - 0.5) * facula.ones_like(x))
        far = facula.log(facula.abs(facula.special.expm1(cut))) - facula.log(facula.abs(cut))
        taylor = 0.5 * x + facula.pow(x, 2) / 24.0 - facula.pow(x, 4) / 2880.0
        return facula.where(is_far, far, taylor)
