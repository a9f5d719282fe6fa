"""``TorchDispatchMode``: sees every operator that runs within it, below autograd, as ``torch.ops.aten.sin.default``.

Operators of backward passes are seen as well. A pass then calls operators in place of kernels, which takes longer;
without a mode nothing is asked that was not asked before.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .._core import state
from .._tensor import Tensor
from ..ops.aten_calls import call_of
from ..ops.dispatch import factory, not_implemented, types_of
from ..ops.machine.watcher import Watcher

__all__ = ["BaseTorchDispatchMode", "TorchDispatchMode"]


class TorchDispatchMode:
    """Within it ``__torch_dispatch__(func, types, args, kwargs)`` is called in place of each operator.

    ``func(*args, **kwargs)`` runs the operator itself, in the modes that were entered before this one. What is returned
    has the history that the operator's own result would have.
    """

    _watchers: list[_Dispatching]

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """What an operator gives; subclasses say it."""
        raise NotImplementedError

    def __enter__(self) -> Any:
        watcher = _Dispatching(self)
        if "_watchers" not in self.__dict__:  # subclasses need not call ``__init__``
            self._watchers = []
        self._watchers.append(watcher)
        watcher.__enter__()
        return self

    def __exit__(self, *exc: object) -> Any:
        self._watchers.pop().__exit__(*exc)

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> Any:
        """A mode of these arguments."""
        return cls(*args, **kwargs)


class BaseTorchDispatchMode(TorchDispatchMode):
    """A mode that changes nothing."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


class _Dispatching(Watcher):
    """Tells a mode of the kernels."""

    sees_gradients = True

    def __init__(self, mode: TorchDispatchMode) -> None:
        self.mode = mode

    def __exit__(self, *exc: object) -> None:
        state.update(kernels=self.outer)

    def ask(self, func: Any, args: Any, kwargs: dict[str, Any], rule: Callable[..., Any] | None = None) -> Any:
        """What the mode makes of a call, or a ``rule`` for it. It works below autograd, and does not see itself."""
        recording = state.modes.grad_enabled
        state.update(kernels=self.outer, grad_enabled=False)
        try:
            given = func, types_of(args, kwargs), tuple(args), kwargs
            result = self.mode.__torch_dispatch__(*given) if rule is None else rule(self.mode, *given)
        finally:
            state.update(kernels=self, grad_enabled=recording)
        if result is NotImplemented:
            raise not_implemented(func, [f"mode object {self.mode}"])
        return result

    def before(self, op: Any, tensors: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
        func, args, kwargs = call_of(op, tensors, attributes)  # type: ignore[misc]
        result = self.ask(func, args, kwargs)
        if op.outputs == 1:
            return _array(result)
        return [_array(each) for each in result]

    def after(self, op: Any, outs: list[Any]) -> None:
        """Modes outside have seen it when the operator was called."""

    def write(
        self, op: Any, target: Any, others: tuple[Any, ...], attributes: tuple[Any, ...], write: Callable[[], None]
    ) -> None:
        call = call_of(op, (target, *others), attributes, "_")
        if call is None:
            super().write(op, target, others, attributes, write)
            return
        counter = target._shared_counter()
        version = counter[0]
        self.ask(*call)
        counter[0] = version  # who called this counts the change

    def function(self, name: str, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        call = factory(name, args)
        return fn(*args, **kwargs) if call is None else self.ask(*call, kwargs)

    def custom(self, op: Any, run: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self.ask(op.overload, args, kwargs, op.torch_dispatch.get(type(self.mode)))


def _array(result: Any) -> Any:
    if result is None:
        return np.empty(0, np.float32)
    return result._array if isinstance(result, Tensor) and not result.dispatches else result


# ---- asking for modes


def _modes() -> list[TorchDispatchMode]:
    """The modes that are on, the outermost first."""
    found = []
    watcher = state.modes.kernels
    while watcher is not None:
        if isinstance(watcher, _Dispatching):
            found.append(watcher.mode)
        watcher = watcher.outer
    return found[::-1]


def _get_current_dispatch_mode() -> TorchDispatchMode | None:
    """The innermost mode."""
    return next(reversed(_modes()), None)


def _get_current_dispatch_mode_stack() -> list[TorchDispatchMode]:
    """All modes, the outermost first."""
    return _modes()


def _len_torch_dispatch_stack() -> int:
    """How many modes are on."""
    return len(_modes())


def is_in_torch_dispatch_mode(include_infra_modes: bool = True) -> bool:
    """Whether a mode is on."""
    return bool(_modes())


@contextlib.contextmanager
def _disable_current_modes() -> Iterator[list[TorchDispatchMode]]:
    """Within it no mode is on."""
    watcher = state.modes.kernels
    modes = _modes()
    state.update(kernels=None)
    try:
        yield modes
    finally:
        state.update(kernels=watcher)


@contextlib.contextmanager
def _pop_mode_temporarily(k: Any = None) -> Iterator[TorchDispatchMode]:
    """Within it the innermost mode is off."""
    watcher = state.modes.kernels
    state.update(kernels=watcher.outer)
    try:
        yield watcher.mode
    finally:
        state.update(kernels=watcher)


def is_traceable_wrapper_subclass(t: object) -> bool:
    """Whether a tensor is made of others, which its class tells."""
    return isinstance(t, Tensor) and is_traceable_wrapper_subclass_type(type(t))


def is_traceable_wrapper_subclass_type(t: type) -> bool:
    """The same of a class."""
    known = ("__tensor_flatten__", "__tensor_unflatten__")
    return issubclass(t, Tensor) and t is not Tensor and all(hasattr(t, name) for name in known)
