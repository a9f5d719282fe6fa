"""What programs take of ``torch._functorch.make_functional``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .._tensor import Tensor
from .._torch.functorch import (
    FunctionalModule,
    FunctionalModuleWithBuffers,
    combine_state_for_ensemble,
    make_functional,
    make_functional_with_buffers,
)
from ..func import functional_call
from ..nn import Module

__all__ = [
    "FunctionalModule", "FunctionalModuleWithBuffers", "combine_state_for_ensemble", "functional_init",
    "functional_init_with_buffers", "make_functional", "make_functional_with_buffers",
]  # fmt: skip

Tensors = tuple[Tensor, ...]
Made = tuple[Tensors, Tensors, Module, tuple[str, ...], tuple[str, ...]]


def functional_init(
    model_class: type[Module], ensemble_shape: tuple[int, ...] = (), device: Any = "cpu"
) -> Callable[..., tuple[Tensors, Callable[..., Any], tuple[str, ...]]]:
    """Make modules of a class: their parameters, stacked, and a function of these and a tuple of arguments."""

    def init(*args: Any, **kwargs: Any) -> tuple[Tensors, Callable[..., Any], tuple[str, ...]]:
        weights, _, model, names, _ = _made(model_class, ensemble_shape, device, args, kwargs)

        def call(weights: Sequence[Tensor], data: Any) -> Any:
            return functional_call(model, dict(zip(names, weights)), tuple(data))

        return weights, call, names

    return init


def functional_init_with_buffers(
    model_class: type[Module], ensemble_shape: tuple[int, ...] = (), device: Any = "cpu"
) -> Callable[..., tuple[Tensors, Tensors, Callable[..., Any], tuple[str, ...], tuple[str, ...]]]:
    """The same for modules with buffers, which the function takes after the parameters."""

    def init(*args: Any, **kwargs: Any) -> Any:
        weights, buffers, model, names, buffer_names = _made(model_class, ensemble_shape, device, args, kwargs)

        def call(weights: Sequence[Tensor], buffers: Sequence[Tensor], data: Any) -> Any:
            values = dict(zip((*names, *buffer_names), (*weights, *buffers)))
            return functional_call(model, values, tuple(data))

        return weights, buffers, call, names, buffer_names

    return init


def _made(model_class: Any, ensemble_shape: Any, device: Any, args: Any, kwargs: Any) -> Made:
    if len(ensemble_shape) >= 2:
        raise ValueError("NYI: ensemble_shape with more than 1 element")
    if ensemble_shape and ensemble_shape[0] <= 0:
        raise ValueError(f"num_models {ensemble_shape[0]} should be > 0")
    models = [model_class(*args, **kwargs).to(device) for _ in range(ensemble_shape[0] if ensemble_shape else 1)]
    names, buffer_names = (
        tuple(n for n, _ in named) for named in (models[0].named_parameters(), models[0].named_buffers())
    )
    columns = [list(zip(*[getattr(m, kind)() for m in models])) for kind in ("parameters", "buffers")]
    weights, buffers = (tuple(_stacked(c) if ensemble_shape else c[0] for c in column) for column in columns)
    called = model_class(*args, **kwargs) if ensemble_shape else models[0]  # PyTorch makes one more, which draws
    return weights, buffers, called, names, buffer_names


def _stacked(tensors: Sequence[Tensor]) -> Tensor:
    from .. import stack  # loaded when first used

    return stack([t.detach() for t in tensors])
