"""Schedulers that multiply the learning rate by a factor that depends on the step."""

from __future__ import annotations

import types
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from ..optimizer import Optimizer
from .base import ByFactor, LRScheduler, _warn_get_lr_called_within_step


class _ByFunction(LRScheduler):
    """What depends on functions of the user, one for each group."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        self.optimizer = optimizer
        self.lr_lambdas: list[Callable[[int], float]]
        if isinstance(lr_lambda, (list, tuple)):
            if len(lr_lambda) != len(optimizer.param_groups):
                raise ValueError(f"Expected {len(optimizer.param_groups)} lr_lambdas, but got {len(lr_lambda)}")
            self.lr_lambdas = list(lr_lambda)
        else:
            self.lr_lambdas = [lr_lambda] * len(optimizer.param_groups)
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> dict[str, Any]:
        """All but the optimizer and functions; objects that can be called are told by their attributes."""
        state = {key: value for key, value in self.__dict__.items() if key not in ("optimizer", "lr_lambdas")}
        state["lr_lambdas"] = [
            None if isinstance(fn, types.FunctionType) else fn.__dict__.copy() for fn in self.lr_lambdas
        ]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self.__dict__.update({key: value for key, value in state_dict.items() if key != "lr_lambdas"})
        for function, attributes in zip(self.lr_lambdas, state_dict["lr_lambdas"]):
            if attributes is not None:
                function.__dict__.update(attributes)


class LambdaLR(_ByFunction):
    """The first learning rate times a function of the epoch."""

    def get_lr(self) -> list[Any]:
        _warn_get_lr_called_within_step(self)
        return [base * function(self.last_epoch) for function, base in zip(self.lr_lambdas, self.base_lrs)]


class MultiplicativeLR(_ByFunction):
    """The learning rate before, times a function of the epoch."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        for function in lr_lambda if isinstance(lr_lambda, (list, tuple)) else (lr_lambda,):
            if not callable(function):
                raise TypeError(f"lr_lambda should be a function, but got {type(function).__name__}")
        super().__init__(optimizer, lr_lambda, last_epoch)

    def get_lr(self) -> list[Any]:
        _warn_get_lr_called_within_step(self)
        if self._is_initial:
            return self._lrs()
        groups = self.optimizer.param_groups
        return [group["lr"] * function(self.last_epoch) for function, group in zip(self.lr_lambdas, groups)]


class StepLR(ByFactor):
    """Times ``gamma`` every ``step_size`` epochs."""

    step_size: int
    gamma: float

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        super().__init__(optimizer, last_epoch, step_size=step_size, gamma=gamma)

    def _factor(self) -> float | None:
        return self.gamma if self.last_epoch and not self.last_epoch % self.step_size else None

    def _whole_factor(self) -> float:
        return float(self.gamma ** (self.last_epoch // self.step_size))


class MultiStepLR(ByFactor):
    """Times ``gamma`` at each milestone."""

    milestones: Counter[int]
    gamma: float

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        super().__init__(optimizer, last_epoch, milestones=Counter(milestones), gamma=gamma)

    def _factor(self) -> float | None:
        times = self.milestones.get(self.last_epoch)
        return None if times is None else float(self.gamma**times)

    def _whole_factor(self) -> float:
        return float(self.gamma ** sum(n for epoch, n in self.milestones.items() if epoch <= self.last_epoch))


class ConstantLR(ByFactor):
    """Times a factor for the first ``total_iters`` epochs."""

    factor: float
    total_iters: int

    def __init__(
        self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        if factor > 1.0 or factor < 0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        super().__init__(optimizer, last_epoch, factor=factor, total_iters=total_iters)

    def _factor(self) -> float | None:
        if self.last_epoch == 0:
            return self.factor
        return 1.0 / self.factor if self.last_epoch == self.total_iters else None

    def _whole_factor(self) -> float:
        return self.factor + (1 - self.factor if self.last_epoch >= self.total_iters else 0)


class LinearLR(ByFactor):
    """Times a factor that goes from one number to another in ``total_iters`` epochs."""

    start_factor: float
    end_factor: float
    total_iters: int

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if not 0 < start_factor <= 1:
            raise ValueError("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        if not 0 <= end_factor <= 1:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        way = {"start_factor": start_factor, "end_factor": end_factor, "total_iters": total_iters}
        super().__init__(optimizer, last_epoch, **way)

    @property
    def _rise(self) -> float:
        return self.end_factor - self.start_factor

    def _factor(self) -> float | None:
        if self.last_epoch == 0:
            return self.start_factor
        if self._is_initial or self.last_epoch > self.total_iters:
            return None
        return 1.0 + self._rise / (self.total_iters * self.start_factor + (self.last_epoch - 1) * self._rise)

    def _whole_factor(self) -> float:
        return self.start_factor + self._rise * min(self.total_iters, self.last_epoch) / self.total_iters


class ExponentialLR(ByFactor):
    """Times ``gamma`` every epoch."""

    gamma: float

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        super().__init__(optimizer, last_epoch, gamma=gamma)

    def _factor(self) -> float | None:
        return None if self._is_initial else self.gamma

    def _whole_factor(self) -> float:
        return float(self.gamma**self.last_epoch)


class PolynomialLR(ByFactor):
    """Down to zero in ``total_iters`` epochs, along a power of what is left."""

    total_iters: int
    power: float

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        super().__init__(optimizer, last_epoch, total_iters=total_iters, power=power)

    def _left(self, epoch: int) -> float:
        return 1.0 - epoch / self.total_iters

    def _factor(self) -> float | None:
        if self._is_initial or self.last_epoch > self.total_iters:
            return None
        return float((self._left(self.last_epoch) / self._left(self.last_epoch - 1)) ** self.power)

    def _whole_factor(self) -> float:
        return float(self._left(min(self.total_iters, self.last_epoch)) ** self.power)
