"""Schedulers that go up and down, and turn the momentum the other way."""

from __future__ import annotations

import functools
import math
import types
from collections.abc import Callable
from typing import Any

from ..optimizer import Optimizer
from .base import (
    Configured,
    LRScheduler,
    _format_param,
    _update_param_group_val,
    _warn_get_lr_called_within_step,
    require_optimizer,
)


def _set_momentum(group: dict[str, Any], momentum: float, use_beta1: bool) -> None:
    if use_beta1:
        group["betas"] = (momentum, *group["betas"][1:])
    else:
        group["momentum"] = momentum


def _momentum_settings(optimizer: Optimizer, least: Any, most: Any, begins: bool) -> dict[str, Any]:
    """Whether the momentum is called beta1, and its bounds for each group, where it begins at the greatest."""
    if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
        raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
    use_beta1 = "betas" in optimizer.defaults
    lows, highs = _format_param("base_momentum", optimizer, least), _format_param("max_momentum", optimizer, most)
    for group, low, high in zip(optimizer.param_groups if begins else (), lows, highs):
        group |= {"max_momentum": high, "base_momentum": low}
        _set_momentum(group, high, use_beta1)
    return {"use_beta1": use_beta1, "base_momentums": lows, "max_momentums": highs}


def _triangular_scale_fn(cycle: float) -> float:
    return 1.0


def _triangular2_scale_fn(cycle: float) -> float:
    return float(0.5 ** (cycle - 1))


def _exp_range_scale_fn(gamma: float, step: float) -> float:
    return float(gamma**step)


_HEIGHTS: dict[str, tuple[str, Callable[..., float]]] = {
    "triangular": ("cycle", _triangular_scale_fn),
    "triangular2": ("cycle", _triangular2_scale_fn),
    "exp_range": ("iterations", _exp_range_scale_fn),
}
"""For each mode: what is counted, and how high it goes at a count."""


class CyclicLR(Configured):
    """Up and down between two learning rates, again and again (Smith 2017)."""

    max_lrs: list[Any]
    total_size: float
    step_ratio: float
    mode: str
    gamma: float
    scale_mode: str
    cycle_momentum: bool
    use_beta1: bool
    base_momentums: list[Any]
    max_momentums: list[Any]
    _scale_fn_custom: Callable[[float], float] | None

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | list[float],
        max_lr: float | list[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float = 0.8,
        max_momentum: float = 0.9,
        last_epoch: int = -1,
    ) -> None:
        require_optimizer(optimizer)
        begins = last_epoch == -1
        lowest = _format_param("base_lr", optimizer, base_lr)
        for group, lr in zip(optimizer.param_groups, lowest if begins else ()):
            _update_param_group_val(group, "lr", lr)
        if scale_fn is None:
            if mode not in _HEIGHTS:
                raise ValueError("mode is invalid and scale_fn is None")
            scale_mode = _HEIGHTS[mode][0]
        up, down = (float(step_size_up if size is None else size) for size in (step_size_up, step_size_down))
        settings: dict[str, Any] = {
            "max_lrs": _format_param("max_lr", optimizer, max_lr), "total_size": up + down,
            "step_ratio": up / (up + down), "mode": mode, "gamma": gamma, "_scale_fn_custom": scale_fn,
            "scale_mode": scale_mode, "cycle_momentum": cycle_momentum,
        }  # fmt: skip
        if cycle_momentum:
            settings |= _momentum_settings(optimizer, base_momentum, max_momentum, begins)
        super().__init__(optimizer, last_epoch, **settings)
        self.base_lrs = lowest

    def scale_fn(self, x: float) -> float:
        """How much of the height a cycle has."""
        return self._scale_fn_ref(x)

    @property
    def _scale_fn_ref(self) -> Callable[[float], float]:
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom
        height = _HEIGHTS[self.mode][1]
        return functools.partial(height, self.gamma) if self.mode == "exp_range" else height

    def get_lr(self) -> list[Any]:
        """The learning rates; the momentum is changed here, too."""
        _warn_get_lr_called_within_step(self)
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            for least, most, group in zip(self.base_momentums, self.max_momentums, self.optimizer.param_groups):
                _set_momentum(group, most - (most - least) * height * scale, self.use_beta1)
        return [least + (most - least) * height * scale for least, most in zip(self.base_lrs, self.max_lrs)]

    def state_dict(self) -> dict[str, Any]:
        """All but the optimizer and a function; an object that can be called is told by its attributes."""
        state = super().state_dict()
        function = state.pop("_scale_fn_custom")
        told = None if isinstance(function, (types.FunctionType, types.NoneType)) else dict(vars(function))
        return {**state, "_scale_fn_custom": told}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        function = self._scale_fn_custom
        super().load_state_dict({**state_dict, "_scale_fn_custom": function})
        if function is not None:
            vars(function).update(state_dict["_scale_fn_custom"] or {})


class OneCycleLR(LRScheduler):
    """Up to a high learning rate and down to a very low one, once (Smith & Topin 2018)."""

    anneal_func: Callable[..., float]
    """In states that PyTorch saved long ago, in place of ``_anneal_func_type``."""

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85,
        max_momentum: float | list[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        require_optimizer(optimizer)
        self.optimizer = optimizer
        self.total_steps = _total(total_steps, epochs, steps_per_epoch)
        self._schedule_phases = _phases(pct_start, self.total_steps, three_phase)
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_func_type = anneal_strategy
        if last_epoch == -1:
            for highest, group in zip(_format_param("max_lr", optimizer, max_lr), optimizer.param_groups):
                group["initial_lr"] = highest / div_factor
                group["max_lr"] = highest
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            found = _momentum_settings(optimizer, base_momentum, max_momentum, last_epoch == -1)
            self.use_beta1 = found["use_beta1"]
        super().__init__(optimizer, last_epoch)

    def _anneal_func(self, start: float, end: float, pct: float) -> float:
        if not hasattr(self, "_anneal_func_type"):  # a state of old
            return float(self.anneal_func(start, end, pct))
        if self._anneal_func_type == "cos":
            return self._annealing_cos(start, end, pct)
        return self._annealing_linear(start, end, pct)

    @staticmethod
    def _annealing_cos(start: float, end: float, pct: float) -> float:
        return end + (start - end) / 2.0 * (math.cos(math.pi * pct) + 1)

    @staticmethod
    def _annealing_linear(start: float, end: float, pct: float) -> float:
        return (end - start) * pct + start

    def get_lr(self) -> list[Any]:
        """The learning rates; the momentum is changed here, too."""
        _warn_get_lr_called_within_step(self)
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(f"Tried to step {step} times. The specified number of total steps is {self.total_steps}")
        start: float = 0.0
        for phase in self._schedule_phases:
            if step <= phase["end_step"] or phase is self._schedule_phases[-1]:
                break
            start = phase["end_step"]
        done = (step - start) / (phase["end_step"] - start)
        lrs = []
        for group in self.optimizer.param_groups:
            lrs.append(self._anneal_func(group[phase["start_lr"]], group[phase["end_lr"]], done))
            if self.cycle_momentum:
                momentum = self._anneal_func(group[phase["start_momentum"]], group[phase["end_momentum"]], done)
                _set_momentum(group, momentum, self.use_beta1)
        return lrs


def _total(total_steps: int | None, epochs: int | None, steps_per_epoch: int | None) -> int:
    def positive(name: str, value: Any) -> int:
        if value <= 0 or not isinstance(value, int):
            raise ValueError(f"Expected positive integer {name}, but got {value}")
        return value

    if total_steps is not None:
        return positive("total_steps", total_steps)
    if epochs is not None and steps_per_epoch is not None:
        return positive("epochs", epochs) * positive("steps_per_epoch", steps_per_epoch)
    raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")


def _phases(rising: float, total: int, three: bool) -> list[dict[str, Any]]:
    """Which step each phase ends with, and between which settings of a group it goes."""

    def phase(end: float, start_lr: str, end_lr: str, start_momentum: str, end_momentum: str) -> dict[str, Any]:
        return {
            "end_step": end, "start_lr": start_lr, "end_lr": end_lr, "start_momentum": start_momentum,
            "end_momentum": end_momentum,
        }  # fmt: skip

    up = phase(float(rising * total) - 1, "initial_lr", "max_lr", "max_momentum", "base_momentum")
    if three:
        return [
            up,
            phase(float(2 * rising * total) - 2, "max_lr", "initial_lr", "base_momentum", "max_momentum"),
            phase(total - 1, "initial_lr", "min_lr", "max_momentum", "max_momentum"),
        ]
    return [up, phase(total - 1, "max_lr", "min_lr", "base_momentum", "max_momentum")]
