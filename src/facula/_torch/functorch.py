"""``functorch``, the package in which the transforms began: names of ``func``, and modules as functions."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Sequence
from typing import Any

from .. import func as _func
from .._tensor import Tensor
from ..autograd.graph import warn_user
from ..func import functional_call, stack_module_state
from ..fx.experimental.proxy_tensor import make_fx
from ..nn import Module
from ..torch_version import __version__

__all__ = [
    "FunctionalModule", "FunctionalModuleWithBuffers", "__version__", "combine_state_for_ensemble", "functionalize",
    "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "make_functional", "make_functional_with_buffers",
    "make_fx", "vjp", "vmap",
]  # fmt: skip

__path__: list[str] = []
"""Where submodules are looked for, which the import of ``torch`` finds."""

Tensors = tuple[Tensor, ...]


def _deprecated(fn: Callable[..., Any], instead: str = "") -> Callable[..., Any]:
    """A function of this package, which tells what has taken its place."""
    name = fn.__name__
    said = (
        f"We've integrated functorch into PyTorch. As the final step of the integration, `functorch.{name}` is "
        "deprecated as of PyTorch 2.0 and will be deleted in a future version of PyTorch >= 2.3. Please use "
        f"`torch.{instead or f'func.{name}'}` instead; see the PyTorch 2.0 release notes and/or the `torch.func` "
        "migration guide for more details https://pytorch.org/docs/main/func.migrating.html"
    )

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        warn_user(said, FutureWarning)
        return fn(*args, **kwargs)

    return call


functionalize = _deprecated(_func.functionalize)
grad = _deprecated(_func.grad)
grad_and_value = _deprecated(_func.grad_and_value)
hessian = _deprecated(_func.hessian)
jacfwd = _deprecated(_func.jacfwd)
jacrev = _deprecated(_func.jacrev)
jvp = _deprecated(_func.jvp)
vjp = _deprecated(_func.vjp)
vmap = _deprecated(_func.vmap, "vmap")


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
    function, _, _ = _with_buffers(models[0])
    return function, tuple(parameters.values()), tuple(buffers.values())


_with_buffers = make_functional_with_buffers
make_functional = _deprecated(make_functional, "func.functional_call")
make_functional_with_buffers = _deprecated(make_functional_with_buffers, "func.functional_call")
combine_state_for_ensemble = _deprecated(combine_state_for_ensemble, "func.stack_module_state")
