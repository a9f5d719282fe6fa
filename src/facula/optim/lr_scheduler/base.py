"""LRScheduler: changes the learning rates of an optimizer, step by step."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any
from weakref import ref

from ..._core import state
from ..._core.state import refuse_capture
from ..._tensor import Tensor
from ..optimizer import Optimizer

EPOCH_DEPRECATION_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
    "`scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the closed "
    "form is used instead of the new chainable form, where available. Please open an issue if you are unable to "
    "replicate your use case: https://github.com/pytorch/pytorch/issues/new/choose."
)
_ASK_FOR_THE_LAST = "To get the last learning rate computed by the scheduler, please use `get_last_lr()`."
_HOW_TO = "See more details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"


def copied(value: Any) -> Any:
    """A setting; a tensor's value as it is now."""
    return value.clone() if isinstance(value, Tensor) else value


def _param_groups_val_list(optimizer: Optimizer, key: str) -> list[Any]:
    """A setting of all groups."""
    return [copied(group[key]) for group in optimizer.param_groups]


def _update_param_group_val(param_group: dict[str, Any], key: str, val: Any) -> None:
    """Change a setting: a tensor in place, because others may hold it."""
    if isinstance(param_group[key], Tensor):
        if isinstance(val, Tensor):
            param_group[key].detach().copy_(val.reshape(param_group[key].shape))
        else:
            param_group[key].detach().fill_(val)
    else:
        param_group[key] = val


def _format_param(name: str, optimizer: Optimizer, param: Any) -> list[Any]:
    """One value for each group."""
    if isinstance(param, (list, tuple)):
        if len(param) != len(optimizer.param_groups):
            raise ValueError(
                f"{name} must have the same length as optimizer.param_groups. {name} has {len(param)} values, "
                f"param_groups has {len(optimizer.param_groups)}."
            )
        return [copied(value) for value in param]
    return [copied(param) for _ in optimizer.param_groups]


def require_optimizer(optimizer: Any) -> None:
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


class LRScheduler:
    """The base of schedulers: subclass it and define ``get_lr``."""

    _get_lr_called_within_step: bool = False
    _is_initial: bool = False
    last_epoch: int
    _last_lr: list[Any]

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        require_optimizer(optimizer)
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", copied(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{i}] when resuming scheduler with "
                    "last_epoch >= 0.\nThis typically happens when:\n1. You're trying to resume training from a "
                    "checkpoint but haven't properly loaded the optimizer state\n2. You're using last_epoch >= 0 for a "
                    "fresh training run (not recommended)"
                )
        self.base_lrs = _param_groups_val_list(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        _note_steps(optimizer)
        if state.watch is not None:
            state.watch.scheduled(optimizer)
        self._initial_step()

    def _initial_step(self) -> None:
        """Set the learning rates to those of the first step."""
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self) -> dict[str, Any]:
        """All but the optimizer."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list[Any]:
        """The learning rates that the last step set."""
        return self._last_lr

    def get_lr(self) -> list[Any]:
        """The learning rates of this step, from those of the step before."""
        raise NotImplementedError

    def step(self, epoch: int | None = None) -> None:
        """Go on to the next learning rates."""
        refuse_capture("a scheduler's step")
        if self._step_count == 1:
            self._check_order()
        if state.watch is not None and not self._is_initial:
            state.watch.schedule_steps(self.optimizer)
        self._step_count += 1
        if epoch is not None:
            warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=2)
        self._update_lr(epoch)

    def _check_order(self) -> None:
        if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
            warnings.warn(
                "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. "
                f"Please, make sure to call `optimizer.step()` before `lr_scheduler.step()`. {_HOW_TO}",
                UserWarning,
                stacklevel=3,
            )
        elif not getattr(self.optimizer, "_opt_called", False):
            warnings.warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you "
                "should call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to "
                "do this will result in PyTorch skipping the first value of the learning rate schedule. " + _HOW_TO,
                UserWarning,
                stacklevel=3,
            )

    def _update_lr(self, epoch: int | None = None) -> None:
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        self._set_lrs(self.get_lr if epoch is None else getattr(self, "_get_closed_form_lr", self.get_lr))

    def _set_lrs(self, rule: Callable[[], list[Any]]) -> None:
        """Give the groups the learning rates that a rule tells."""
        self._get_lr_called_within_step = True
        try:
            found = rule()
        finally:
            self._get_lr_called_within_step = False
        for group, lr in zip(self.optimizer.param_groups, found):
            _update_param_group_val(group, "lr", lr)
        self._last_lr = self._lrs()

    def _lrs(self) -> list[Any]:
        """The learning rates as they are."""
        return _param_groups_val_list(self.optimizer, "lr")

    def _times(self, factor: float) -> list[Any]:
        """The learning rates, all multiplied by a number."""
        return [group["lr"] * factor for group in self.optimizer.param_groups]


class _LRScheduler(LRScheduler):
    """An old name of LRScheduler."""


class Configured(LRScheduler):
    """A scheduler with settings, which it has before its first step."""

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1, **settings: Any) -> None:
        self.__dict__.update(settings)
        super().__init__(optimizer, last_epoch)


class ByFactor(Configured):
    """Learning rates times a number, told relative to the step before and, for jumps, relative to the first."""

    def _factor(self) -> float | None:
        """From the step before to this one; None leaves all as it is."""
        raise NotImplementedError

    def _whole_factor(self) -> float:
        """From the first learning rate to that of this step."""
        raise NotImplementedError

    def get_lr(self) -> list[Any]:
        _warn_get_lr_called_within_step(self)
        factor = self._factor()
        return self._lrs() if factor is None else self._times(factor)

    def _get_closed_form_lr(self) -> list[Any]:
        factor = self._whole_factor()
        return [base * factor for base in self.base_lrs]


def _warn_get_lr_called_within_step(lr_scheduler: LRScheduler) -> None:
    """Warn of ``get_lr`` called by somebody else than ``step``: it computes a next value from the present one."""
    if lr_scheduler._get_lr_called_within_step:
        return
    warnings.warn(_ASK_FOR_THE_LAST, UserWarning, stacklevel=2)


def _note_steps(optimizer: Optimizer) -> None:
    """Have the optimizer remember that it has stepped."""
    if hasattr(optimizer.step, "_wrapped_by_lr_sched"):
        return
    step = optimizer.step
    function: Callable[..., Any] = step.__func__ if hasattr(step, "__func__") else step
    bound = hasattr(step, "__func__")
    it = ref(optimizer)

    @wraps(function)
    def noted(*args: Any, **kwargs: Any) -> Any:
        stepping: Any = it()
        stepping._opt_called = True
        return function(stepping, *args, **kwargs) if bound else function(*args, **kwargs)

    noted._wrapped_by_lr_sched = True  # type: ignore[attr-defined]
    optimizer.step = noted  # type: ignore[method-assign]
