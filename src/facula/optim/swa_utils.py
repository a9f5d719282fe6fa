"""PyTorch's ``torch.optim.swa_utils``: averages of the weights along the way."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

from .._core.dtypes import int64
from .._tensor import Tensor
from ..autograd.grad_mode import no_grad
from ..docstrings import document_classes as _document_classes
from ..nn.modules.batchnorm import _BatchNorm
from ..nn.modules.module import Module
from ..ops.creation.create import zeros
from .lr_scheduler.base import Configured, _format_param, _warn_get_lr_called_within_step
from .optimizer import Optimizer, _group_tensors_by_device_and_dtype

__all__ = [
    "SWALR", "AveragedModel", "get_ema_avg_fn", "get_ema_multi_avg_fn", "get_swa_avg_fn", "get_swa_multi_avg_fn",
    "update_bn",
]  # fmt: skip

PARAM_LIST = tuple[Tensor, ...] | list[Tensor]


def _has_fractions(t: Tensor) -> bool:
    return t.is_floating_point() or t.is_complex()


def _move_all(averages: PARAM_LIST, currents: PARAM_LIST, weight: float, move: Callable[..., Tensor]) -> None:
    """Move averages towards what is new; integers, which cannot be interpolated, by a rule of their own.

    The first one tells what all of them are.
    """
    has_fractions = _has_fractions(averages[0])
    for average, current in zip(averages, currents):
        if has_fractions:
            average.lerp_(current, weight)
        else:
            move(average, current)


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable[..., None]:
    """How an exponential average changes lists of tensors."""
    move = get_ema_avg_fn(decay)

    @no_grad()
    def ema_update(ema_param_list: PARAM_LIST, current_param_list: PARAM_LIST, _: Any) -> None:
        _move_all(ema_param_list, current_param_list, 1 - decay, lambda old, new: old.copy_(move(old, new, None)))

    return ema_update


def get_swa_multi_avg_fn() -> Callable[..., None]:
    """How a plain mean changes lists of tensors."""

    @no_grad()
    def swa_update(averaged_param_list: PARAM_LIST, current_param_list: PARAM_LIST, num_averaged: Any) -> None:
        count = num_averaged + 1

        def move(old: Tensor, new: Tensor) -> Tensor:  # PyTorch divides no integers, either way
            if isinstance(count, Tensor):
                return old.addcdiv_(new - old, count)
            return old.add_(new - old, alpha=1 / count)

        _move_all(averaged_param_list, current_param_list, 1 / float(count), move)

    return swa_update


def get_ema_avg_fn(decay: float = 0.999) -> Callable[..., Tensor]:
    """How an exponential average changes one tensor."""
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")
    return no_grad()(lambda ema_param, current_param, num_averaged: decay * ema_param + (1 - decay) * current_param)


def get_swa_avg_fn() -> Callable[..., Tensor]:
    """How a plain mean changes one tensor."""
    return no_grad()(
        lambda averaged_param, current_param, num_averaged: averaged_param
        + (current_param - averaged_param) / (num_averaged + 1)
    )


class AveragedModel(Module):
    """A copy of a model whose parameters are an average of what the model's have been."""

    n_averaged: Tensor

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Callable[..., Tensor] | None = None,
        multi_avg_fn: Callable[..., None] | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.avg_fn, self.multi_avg_fn, self.use_buffers = avg_fn, multi_avg_fn, use_buffers
        self.register_buffer("n_averaged", zeros((), dtype=int64, device=device))
        average = deepcopy(model)
        self.module = average if device is None else average.to(device)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Take a model's parameters as they are now into the average."""
        averages, currents = self._averaged(self.module), self._averaged(model)
        if self.n_averaged == 0:
            for average, current in zip(averages, currents):
                average.copy_(current.to(average.device))
        elif self.multi_avg_fn is not None:
            for (_, _), ((some, others), _) in _group_tensors_by_device_and_dtype([averages, currents]).items():
                self.multi_avg_fn(some, others, self.n_averaged.to(some[0].device))
        else:
            changed = self.avg_fn or get_swa_avg_fn()
            for average, current in zip(averages, currents):
                count = self.n_averaged.to(average.device)
                average.copy_(changed(average, current.to(average.device), count))
        if not self.use_buffers:
            for own, given in zip(self.module.buffers(), model.buffers()):
                own.detach().copy_(given.detach().to(own.device))
        self.n_averaged += 1

    def _averaged(self, module: Module) -> list[Tensor]:
        tensors: Iterable[Tensor] = module.parameters()
        if self.use_buffers:
            tensors = itertools.chain(tensors, module.buffers())
        return [t.detach() for t in tensors]


@no_grad()
def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Compute the running statistics of batch norms anew, over all that a loader gives."""
    norms = [module for module in model.modules() if isinstance(module, _BatchNorm)]
    if not norms:
        return
    momenta, was_training = [norm.momentum for norm in norms], model.training
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None  # a plain mean over all batches
    model.train()
    for batch in loader:
        x = batch[0] if isinstance(batch, (list, tuple)) else batch
        model(x if device is None else x.to(device))
    for norm, momentum in zip(norms, momenta):
        norm.momentum = momentum
    model.train(was_training)


_CURVES: dict[str, Callable[[float], float]] = {"cos": lambda t: (1 - math.cos(math.pi * t)) / 2, "linear": lambda t: t}


class SWALR(Configured):
    """To the learning rate of the averaging phase, within some epochs."""

    anneal_epochs: int
    _anneal_strategy: str

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float | list[float],
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        targets = _format_param("swa_lr", optimizer, swa_lr)
        for group, target in zip(optimizer.param_groups, targets):
            group["swa_lr"] = target
        if anneal_strategy not in _CURVES:
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        super().__init__(optimizer, last_epoch, _anneal_strategy=anneal_strategy, anneal_epochs=anneal_epochs)

    def anneal_func(self, t: float) -> float:
        """The part of the way after a part of the time."""
        return _CURVES[self._anneal_strategy](t)

    @staticmethod
    def _get_initial_lr(lr: float, swa_lr: float, alpha: float) -> float:
        return swa_lr if alpha == 1 else (lr - alpha * swa_lr) / (1 - alpha)

    def get_lr(self) -> list[Any]:
        """The learning rates; where they started from is told by where they are."""
        _warn_get_lr_called_within_step(self)
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = (
            self.anneal_func(max(0, min(1, t / max(1, self.anneal_epochs)))) for t in (step - 1, step)
        )
        groups = self.optimizer.param_groups
        starts = [self._get_initial_lr(group["lr"], group["swa_lr"], before) for group in groups]
        return [group["swa_lr"] * now + lr * (1 - now) for group, lr in zip(groups, starts)]

_document_classes("optim.swa_utils", globals())
