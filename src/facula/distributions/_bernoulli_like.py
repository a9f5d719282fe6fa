"""Distributions of one number whose parameter is given as a probability or as its log-odds."""

from __future__ import annotations

from typing import Any

from .utils import broadcast_all, lazy_property, logits_to_probs, probabilities_or_logits, probs_to_logits


class ByProbabilityOrLogit:
    """``probs`` and ``logits``, of which one is given and the other follows."""

    _param: Any

    def _set_parameter(self, probs: Any, logits: Any) -> None:
        if probabilities_or_logits(probs, logits):
            (self.probs,) = broadcast_all(probs)
            self._param = self.probs
        else:
            (self.logits,) = broadcast_all(logits)
            self._param = self.logits

    def _new(self, *args: Any, **kwargs: Any) -> Any:
        return self._param.new(*args, **kwargs)

    @lazy_property
    def logits(self) -> Any:
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self) -> Any:
        return logits_to_probs(self.logits, is_binary=True)

    @property
    def param_shape(self) -> Any:
        return self._param.size()
