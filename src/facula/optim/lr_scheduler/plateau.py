"""A scheduler that looks at how well things go."""

from __future__ import annotations

import math
import warnings
from typing import Any, SupportsFloat

from ..optimizer import Optimizer
from .base import EPOCH_DEPRECATION_WARNING, LRScheduler, _update_param_group_val, require_optimizer

_WORST = {"min": math.inf, "max": -math.inf}


class ReduceLROnPlateau(LRScheduler):
    """Times ``factor`` when a measure has not become better for ``patience`` epochs."""

    factor: float
    patience: int
    cooldown: int
    eps: float
    mode: str
    mode_worse: float
    threshold: float
    threshold_mode: str
    min_lrs: list[float]
    default_min_lr: float | None

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: list[float] | float = 0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        require_optimizer(optimizer)
        groups = len(optimizer.param_groups)
        listed = isinstance(min_lr, (list, tuple))
        if listed and len(min_lr) != groups:  # type: ignore[arg-type]
            raise ValueError(f"expected {groups} min_lrs, got {len(min_lr)}")  # type: ignore[arg-type]
        self.optimizer = optimizer
        self.__dict__.update(
            factor=factor, default_min_lr=None if listed else min_lr,
            min_lrs=list(min_lr) if listed else [min_lr] * groups,  # type: ignore[arg-type]
            patience=patience, cooldown=cooldown, eps=eps, last_epoch=0, _last_lr=self._lrs(),
        )  # fmt: skip
        self._init_is_better(mode, threshold, threshold_mode)
        self._reset()

    def _init_is_better(self, mode: str, threshold: float, threshold_mode: str) -> None:
        for name, given, known in (("mode", mode, _WORST), ("threshold mode", threshold_mode, ("rel", "abs"))):
            if given not in known:
                raise ValueError(f"{name} {given} is unknown!")
        self.__dict__.update(mode_worse=_WORST[mode], mode=mode, threshold=threshold, threshold_mode=threshold_mode)

    def _reset(self) -> None:
        """Forget what was best."""
        self.best = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    def step(self, metrics: SupportsFloat, epoch: int | None = None) -> None:  # type: ignore[override]
        """Tell how well it goes."""
        value = float(metrics)
        if epoch is not None:
            warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=2)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        better, resting = self._is_better(value, self.best), self.in_cooldown
        if better:
            self.best = value
        self.cooldown_counter -= resting
        self.num_bad_epochs = 0 if better or resting else self.num_bad_epochs + 1
        if self.num_bad_epochs > self.patience:
            self._reduce_lr(self.last_epoch)
            self.num_bad_epochs, self.cooldown_counter = 0, self.cooldown
        self._last_lr = self._lrs()

    def _reduce_lr(self, epoch: int) -> None:
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                raise RuntimeError(
                    f"The number of param groups in the `optimizer` ({len(groups)}) differs from when "
                    f"`ReduceLROnPlateau` was initialized ({len(self.min_lrs)}), usually due to a new param group "
                    "being added to the optimizer. Please modify the `min_lrs` field to match the length of the "
                    "`optimizer` param groups."
                )
            self.min_lrs = [self.default_min_lr] * len(groups)
        rates = [float(group["lr"]) for group in groups]
        lowered = [max(lr * self.factor, least) for lr, least in zip(rates, self.min_lrs)]
        for group, lr, lower in zip(groups, rates, lowered):
            if lr - lower > self.eps:
                _update_param_group_val(group, "lr", lower)

    @property
    def in_cooldown(self) -> bool:
        """Whether bad epochs do not count for a while."""
        return self.cooldown_counter > 0

    def _is_better(self, a: float, best: float) -> bool:
        if self.mode == "min":
            return a < (best * (1.0 - self.threshold) if self.threshold_mode == "rel" else best - self.threshold)
        return a > (best * (self.threshold + 1.0) if self.threshold_mode == "rel" else best + self.threshold)

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self.__dict__.update(state_dict)
        self._init_is_better(self.mode, self.threshold, self.threshold_mode)
