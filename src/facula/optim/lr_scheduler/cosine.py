"""Schedulers along half a cosine wave."""

from __future__ import annotations

import math
from typing import Any

from ..._core.state import refuse_capture
from ..optimizer import Optimizer
from .base import Configured, _warn_get_lr_called_within_step


class _Cosine(Configured):
    """Between the first learning rates and ``eta_min``."""

    eta_min: float

    def _at(self, epoch: float, length: int) -> list[Any]:
        """The learning rates some epochs into a wave."""
        height = (1 + math.cos(math.pi * epoch / length)) / 2
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]


class CosineAnnealingLR(_Cosine):
    """From the first learning rate to ``eta_min`` in ``T_max`` epochs, and back again."""

    T_max: int

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        super().__init__(optimizer, last_epoch, T_max=T_max, eta_min=eta_min)

    def get_lr(self) -> list[Any]:
        _warn_get_lr_called_within_step(self)
        if self._is_initial:
            return self._lrs()
        if self._step_count == 1 and self.last_epoch > 0:
            return self._get_closed_form_lr()
        now, before = (1 + math.cos(math.pi * epoch / self.T_max) for epoch in (self.last_epoch, self.last_epoch - 1))
        groups = self.optimizer.param_groups
        if self.last_epoch % (2 * self.T_max) == (self.T_max + 1) % (2 * self.T_max):  # the step after the lowest
            rise = (1 - math.cos(math.pi / self.T_max)) / 2
            return [group["lr"] + (base - self.eta_min) * rise for base, group in zip(self.base_lrs, groups)]
        return [now / before * (group["lr"] - self.eta_min) + self.eta_min for group in groups]

    def _get_closed_form_lr(self) -> list[Any]:
        return self._at(self.last_epoch, self.T_max)


class CosineAnnealingWarmRestarts(_Cosine):
    """The same, but starting anew every ``T_0`` epochs, each time after ``T_mult`` times as many."""

    T_0: int
    T_i: int
    T_mult: int
    T_cur: float

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        if not isinstance(T_0, int) or T_0 <= 0:
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if not isinstance(T_mult, int) or T_mult < 1:
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        super().__init__(optimizer, last_epoch, T_0=T_0, T_i=T_0, T_mult=T_mult, eta_min=eta_min, T_cur=last_epoch)

    def get_lr(self) -> list[Any]:
        _warn_get_lr_called_within_step(self)
        return self._at(self.T_cur, self.T_i)

    def step(self, epoch: float | None = None) -> None:
        """Go on by one epoch, or to any, which may be a fraction."""
        refuse_capture("a scheduler's step")
        if epoch is None and self.last_epoch >= 0:
            self.last_epoch += 1
            self.T_cur, self.T_i = self._one_further()
        else:
            to = epoch or 0
            if to < 0:
                raise ValueError(f"Expected non-negative epoch, but got {epoch}")
            self.last_epoch = math.floor(to)
            self.T_cur, self.T_i = self._place_of(to)
        self._set_lrs(self.get_lr)

    def _one_further(self) -> tuple[float, int]:
        """How far into a round, and how long that is, an epoch after now."""
        here = self.T_cur + 1
        return (here, self.T_i) if here < self.T_i else (here % self.T_i, self.T_i * self.T_mult)

    def _place_of(self, epoch: float) -> tuple[float, int]:
        """The same at any epoch: rounds get longer as the terms of a geometric series."""
        if epoch < self.T_0:
            return epoch, self.T_0
        if self.T_mult == 1:
            return epoch % self.T_0, self.T_i
        rounds = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
        grown = self.T_mult**rounds
        return epoch - self.T_0 * (grown - 1) / (self.T_mult - 1), self.T_0 * grown
