"""``functorch``, the package in which the transforms began: names of ``func``, and modules as functions."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

from .._tensor import Tensor
from ..func import (
    functional_call,
    functionalize,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    stack_module_state,
    vjp,
    vmap,
)
from ..fx.experimental.proxy_tensor import make_fx
from ..nn import Module
from ..torch_version import __version__

__all__ = [
    "FunctionalModule", "FunctionalModuleWithBuffers", "__version__", "combine_state_for_ensemble", "functionalize",
    "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "make_functional", "make_functional_with_buffers",
    "make_fx", "vjp", "vmap",
]  # fmt: skip

Tensors = tuple[Tensor, ...]


class FunctionalModuleWithBuffers(Module):
    """A module that is called with its parameters and buffers before its arguments."""

    def __init__(self, stateless_model: Module, parameters: Sequence[str], buffers: Sequence[str]) -> None:
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names = tuple(parameters)
        self.buffer_names = tuple(buffers)

    def forward(self, params: Sequence[Tensor], buffers: Sequence[Tensor], *args: Any, **kwargs: Any) -> Any:
        names = (*self.param_names, *self.buffer_names)
        values = dict(zip(names, (*params, *buffers), strict=True))
        return functional_call(self.stateless_model, values, args, kwargs)


class FunctionalModule(FunctionalModuleWithBuffers):
    """A module that is called with its parameters before its arguments."""

    def forward(self, params: Sequence[Tensor], *args: Any, **kwargs: Any) -> Any:
        return super().forward(params, (), *args, **kwargs)


def _values(named: Any, cut: bool) -> tuple[list[str], Tensors]:
    names, values = [], []
    for name, t in named:
        names.append(name)
        values.append(t.detach() if cut else t)
    return names, tuple(values)


def make_functional(
    model: Module, disable_autograd_tracking: bool = False
) -> tuple[FunctionalModule, Tensors]:
    """A module without buffers as a function of its parameters, and these."""
    if any(True for _ in model.buffers()):
        raise RuntimeError(
            "make_functional(model): `model` has buffers. Please use make_functional_with_buffers(model) instead."
        )
    names, values = _values(model.named_parameters(), disable_autograd_tracking)
    return FunctionalModule(copy.deepcopy(model), names, ()), values


def make_functional_with_buffers(
    model: Module, disable_autograd_tracking: bool = False
) -> tuple[FunctionalModuleWithBuffers, Tensors, Tensors]:
    """A module as a function of its parameters and buffers, and these."""
    names, values = _values(model.named_parameters(), disable_autograd_tracking)
    buffer_names, buffers = _values(model.named_buffers(), False)
    return FunctionalModuleWithBuffers(copy.deepcopy(model), names, buffer_names), values, buffers


def combine_state_for_ensemble(
    models: Sequence[Module],
) -> tuple[Callable[..., Any], Tensors, Tensors]:
    """Modules of one kind as one function, with their parameters and buffers stacked, for ``vmap``."""
    if not models:
        raise RuntimeError("combine_state_for_ensemble: Expected at least one model, got 0.")
    parameters, buffers = stack_module_state(list(models))
    function, _, _ = make_functional_with_buffers(models[0])
    return function, tuple(parameters.values()), tuple(buffers.values())
