"""Modules around modules, whose activations are computed again or lie in another memory until the backward pass."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from enum import Enum, auto
from functools import partial
from typing import Any

from .... import nn
from ....autograd.graph import save_on_cpu
from ....utils.checkpoint import checkpoint

__all__ = [
    "ActivationWrapper", "CheckpointImpl", "CheckpointWrapper", "OffloadWrapper", "apply_activation_checkpointing",
    "checkpoint_wrapper", "offload_wrapper",
]  # fmt: skip

_CHECKPOINT_WRAPPED_MODULE = "_checkpoint_wrapped_module"
_CHECKPOINT_PREFIX = _CHECKPOINT_WRAPPED_MODULE + "."


class CheckpointImpl(Enum):
    """How activations are computed again: ``use_reentrant`` of ``utils.checkpoint``."""

    REENTRANT = auto()
    NO_REENTRANT = auto()


class ActivationWrapper(nn.Module, ABC):
    """A module whose names of parameters, attributes and items are those of the module inside."""

    def __init__(self, mod: nn.Module) -> None:
        super().__init__()
        self._checkpoint_wrapped_module = mod
        self._register_state_dict_hook(self._post_state_dict_hook)
        self.register_load_state_dict_pre_hook(self._pre_load_state_dict_hook)

    @abstractmethod
    def forward(self, *args: Any, **kwargs: Any) -> Any:
        raise ValueError("Subclasses should implement forward().")

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self._checkpoint_wrapped_module, name)

    def __getitem__(self, key: int) -> Any:
        return self._checkpoint_wrapped_module.__getitem__(key)

    def named_parameters(self, *args: Any, **kwargs: Any) -> Iterator[tuple[str, nn.Parameter]]:
        for name, parameter in super().named_parameters(*args, **kwargs):
            yield name.replace(_CHECKPOINT_PREFIX, ""), parameter

    @staticmethod
    def _post_state_dict_hook(module: nn.Module, state_dict: dict[str, Any], prefix: str, *args: Any) -> dict[str, Any]:
        _replace_by_prefix(state_dict, f"{prefix}{_CHECKPOINT_PREFIX}", prefix)
        return state_dict

    @staticmethod
    def _pre_load_state_dict_hook(module: nn.Module, state_dict: dict[str, Any], prefix: str, *args: Any) -> None:
        _replace_by_prefix(state_dict, prefix, prefix + _CHECKPOINT_PREFIX)


def _replace_by_prefix(state_dict: dict[str, Any], old_prefix: str, new_prefix: str) -> None:
    """Rename all entries that begin with one prefix so that they begin with another."""
    if old_prefix == new_prefix:
        raise ValueError("old_prefix and new_prefix must be distinct")
    for name in list(state_dict):
        if name.startswith(old_prefix):
            state_dict[new_prefix + name[len(old_prefix) :]] = state_dict.pop(name)


class OffloadWrapper(ActivationWrapper):
    """A module whose saved tensors lie in the CPU's memory."""

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        with save_on_cpu(pin_memory=True):
            return self._checkpoint_wrapped_module(*args, **kwargs)


class CheckpointWrapper(ActivationWrapper):
    """A module whose activations are not kept: the backward pass calls it again."""

    def __init__(
        self, mod: nn.Module, checkpoint_impl: CheckpointImpl = CheckpointImpl.NO_REENTRANT,
        checkpoint_fn: Callable[..., Any] | None = None, **checkpoint_fn_kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(mod)
        self.checkpoint_impl = checkpoint_impl
        if checkpoint_fn is None:
            checkpoint_fn = partial(checkpoint, use_reentrant=checkpoint_impl == CheckpointImpl.REENTRANT)
        self.checkpoint_fn = partial(checkpoint_fn, **checkpoint_fn_kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        if self.checkpoint_impl == CheckpointImpl.REENTRANT and kwargs:  # which takes no keywords
            names, count = list(kwargs), len(args)

            def with_keywords(*given: Any) -> Any:
                return self._checkpoint_wrapped_module(*given[:count], **dict(zip(names, given[count:])))

            return self.checkpoint_fn(with_keywords, *args, *kwargs.values())
        return self.checkpoint_fn(self._checkpoint_wrapped_module, *args, **kwargs)


def offload_wrapper(module: nn.Module) -> nn.Module:
    """The module, with its saved tensors in the CPU's memory."""
    return OffloadWrapper(module)


def checkpoint_wrapper(
    module: nn.Module, checkpoint_impl: CheckpointImpl = CheckpointImpl.NO_REENTRANT,
    checkpoint_fn: Callable[..., Any] | None = None, **checkpoint_fn_kwargs: Any,
) -> nn.Module:  # fmt: skip
    """The module, which is called again in the backward pass; ``checkpoint_fn`` does it in its own way."""
    return CheckpointWrapper(module, checkpoint_impl, checkpoint_fn, **checkpoint_fn_kwargs)


def apply_activation_checkpointing(
    model: nn.Module,
    checkpoint_wrapper_fn: Callable[[nn.Module], nn.Module] = checkpoint_wrapper,
    check_fn: Callable[[nn.Module], bool] = lambda _: True,
    auto_wrap_policy: Callable[[nn.Module, bool, int], bool] | None = None,
) -> None:
    """Wrap the modules inside of a model that ``check_fn`` says yes to, in place."""
    if auto_wrap_policy is not None:
        raise NotImplementedError("facula lacks auto_wrap_policy of apply_activation_checkpointing: use check_fn")
    _wrap_children(model, checkpoint_wrapper_fn, check_fn)


def _wrap_children(
    module: nn.Module, wrapper: Callable[[nn.Module], nn.Module], check: Callable[[nn.Module], bool]
) -> None:
    for name, child in list(module.named_children()):
        if isinstance(child, ActivationWrapper):
            continue
        _wrap_children(child, wrapper, check)
        if check(child):
            setattr(module, name, wrapper(child))
