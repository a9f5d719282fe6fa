"""Calling a Module with its hooks: those of the module, and those of all modules."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..._core import state
from ..._tensor import Tensor
from ...autograd.graph import RemovableHandle

Hook = Callable[..., Any]

_global_backward_pre_hooks: OrderedDict[int, Hook] = OrderedDict()
_global_backward_hooks: OrderedDict[int, Hook] = OrderedDict()
_global_is_full_backward_hook: bool | None = None
_global_forward_pre_hooks: OrderedDict[int, Hook] = OrderedDict()
_global_forward_hooks: OrderedDict[int, Hook] = OrderedDict()
_global_forward_hooks_always_called: OrderedDict[int, bool] = OrderedDict()
_global_forward_hooks_with_kwargs: OrderedDict[int, bool] = OrderedDict()
_global_parameter_registration_hooks: OrderedDict[int, Hook] = OrderedDict()
_global_module_registration_hooks: OrderedDict[int, Hook] = OrderedDict()
_global_buffer_registration_hooks: OrderedDict[int, Hook] = OrderedDict()


def _handle(hooks: OrderedDict[int, Hook], hook: Hook, **marks: Any) -> RemovableHandle:
    """Add a hook: what modules do is another thing from now on."""
    state.changes += 1
    return RemovableHandle(hooks, hook, **marks)


def _has_any_global_hook() -> bool:
    of_backward = (_global_backward_pre_hooks, _global_backward_hooks)
    return any(map(len, (*of_backward, _global_forward_pre_hooks, _global_forward_hooks)))


def _table(name: str) -> property:
    def get(module: ModuleType) -> Any:
        return globals()[name]

    def put(module: ModuleType, value: Any) -> None:
        state.changes += 1
        globals()[name] = value

    return property(get, put)


class WithTables(ModuleType):
    """A module that has the tables of all modules' hooks, too: one that is put in place there is in place here."""


for _name in [name for name in globals() if name.startswith("_global_")]:
    setattr(WithTables, _name, _table(_name))


# ---- hooks of all modules


def register_module_parameter_registration_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, name, parameter)`` when a parameter is registered; what it returns replaces it."""
    return _handle(_global_parameter_registration_hooks, hook)


def register_module_module_registration_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, name, submodule)`` when a module is registered; what it returns replaces it."""
    return _handle(_global_module_registration_hooks, hook)


def register_module_buffer_registration_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, name, buffer)`` when a buffer is registered; what it returns replaces it."""
    return _handle(_global_buffer_registration_hooks, hook)


def register_module_forward_pre_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, args)`` before every module's ``forward``."""
    return _handle(_global_forward_pre_hooks, hook)


def register_module_forward_hook(
    hook: Hook, *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Call ``hook(module, args, output)`` after every module's ``forward``."""
    marks = (_global_forward_hooks_with_kwargs, _global_forward_hooks_always_called)
    handle = _handle(_global_forward_hooks, hook, extra_dict=marks)
    if with_kwargs:
        _global_forward_hooks_with_kwargs[handle.id] = True
    if always_call:
        _global_forward_hooks_always_called[handle.id] = True
    return handle


def register_module_backward_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, grad_input, grad_output)`` at the last node of every module's result."""
    _set_global_kind(full=False)
    return _handle(_global_backward_hooks, hook)


def register_module_full_backward_pre_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, grad_output)`` before gradients go through any module."""
    return _handle(_global_backward_pre_hooks, hook)


def register_module_full_backward_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, grad_input, grad_output)`` when gradients have gone through any module."""
    _set_global_kind(full=True)
    return _handle(_global_backward_hooks, hook)


def _set_global_kind(*, full: bool) -> None:
    global _global_is_full_backward_hook
    if _global_is_full_backward_hook is (not full):
        raise RuntimeError(
            "Cannot use both regular backward hooks and full backward hooks as a global Module hook. Please use only "
            "one of them."
        )
    _global_is_full_backward_hook = full


# ---- hooks of one module


class Hooks:
    """The part of Module that keeps and calls hooks."""

    _is_full_backward_hook: bool | None
    _compiled_call_impl: Any = None

    if TYPE_CHECKING:
        forward: Any
        _backward_hooks: OrderedDict[int, Hook]
        _backward_pre_hooks: OrderedDict[int, Hook]
        _forward_hooks: OrderedDict[int, Hook]
        _forward_hooks_with_kwargs: OrderedDict[int, bool]
        _forward_hooks_always_called: OrderedDict[int, bool]
        _forward_pre_hooks: OrderedDict[int, Hook]
        _forward_pre_hooks_with_kwargs: OrderedDict[int, bool]

        def __getattr__(self, name: str) -> Any: ...

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        # Attributes of modules are slow to read (there is a __getattr__), those of __dict__ are not.
        own = self.__dict__
        try:
            hooked = (
                own["_backward_hooks"] or own["_backward_pre_hooks"] or own["_forward_hooks"]
                or own["_forward_pre_hooks"] or _global_forward_hooks or _global_forward_pre_hooks
                or _global_backward_hooks or _global_backward_pre_hooks or "_compiled_call_impl" in own
            )  # fmt: skip
        except KeyError as missing:
            raise AttributeError(
                f"'{type(self).__name__}' object has no attribute '{missing.args[0]}'"
            ) from None
        if hooked:
            return (own.get("_compiled_call_impl") or self._call_impl)(*args, **kwargs)
        return self.forward(*args, **kwargs)

    _wrapped_call_impl = __call__

    def _call_impl(self, *args: Any, **kwargs: Any) -> Any:
        called: set[int] = set()
        try:
            return self._call_with_hooks(args, kwargs, called)
        except Exception:
            self._call_those_left(args, kwargs, called)
            raise

    def _call_with_hooks(self, args: Any, kwargs: Any, called: set[int]) -> Any:
        watch = None
        pre_hooks = self._get_backward_pre_hooks() if self._backward_pre_hooks or _global_backward_pre_hooks else []
        full, last_node = self._get_backward_hooks() if self._backward_hooks or _global_backward_hooks else ([], [])
        args, kwargs = self._before_forward(args, kwargs)
        if full or pre_hooks:
            from ._backward_hooks import BackwardHook  # loaded when first used

            watch = BackwardHook(self, full, pre_hooks)
            args = watch.setup_input_hook(args)
        output = self.forward(*args, **kwargs)
        for key, hook in (*_global_forward_hooks.items(), *self._forward_hooks.items()):
            called.add(key)
            changed = self._call_forward_hook(key, hook, args, kwargs, output)
            if changed is not None:
                output = changed
        if watch is not None:
            if not isinstance(output, (Tensor, tuple)):
                warnings.warn(
                    "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but "
                    f"received {type(output)}",
                    stacklevel=4,
                )
            output = watch.setup_output_hook(output)
        if last_node:
            from ._backward_hooks import hook_last_node  # loaded when first used

            hook_last_node(self, last_node, args, output)
        return output

    def _before_forward(self, args: Any, kwargs: Any) -> tuple[Any, Any]:
        for key, hook in (*_global_forward_pre_hooks.items(), *self._forward_pre_hooks.items()):
            if key in self._forward_pre_hooks_with_kwargs:
                changed = hook(self, args, kwargs)
                if changed is None:
                    continue
                if not isinstance(changed, tuple) or len(changed) != 2:
                    raise RuntimeError(
                        f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {changed}."
                    )
                args, kwargs = changed
            else:
                changed = hook(self, args)
                if changed is not None:
                    args = changed if isinstance(changed, tuple) else (changed,)
        return args, kwargs

    def _call_forward_hook(self, key: int, hook: Hook, args: Any, kwargs: Any, output: Any) -> Any:
        if key in self._forward_hooks_with_kwargs or key in _global_forward_hooks_with_kwargs:
            return hook(self, args, kwargs, output)
        return hook(self, args, output)

    def _call_those_left(self, args: Any, kwargs: Any, called: set[int]) -> None:
        """After an error: the hooks that are always called, as far as they have not been."""
        for where, hooks, always in (
            ("global module", _global_forward_hooks, _global_forward_hooks_always_called),
            ("module", self._forward_hooks, self._forward_hooks_always_called),
        ):
            for key, hook in list(hooks.items()):
                if key in always and key not in called:
                    try:
                        self._call_forward_hook(key, hook, args, kwargs, None)
                    except Exception as error:
                        warnings.warn(
                            f"{where} forward hook with ``always_call=True`` raised an exception that was silenced as "
                            f"another error was raised in forward: {error}",
                            stacklevel=4,
                        )

    # ---- registering

    def register_forward_pre_hook(
        self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args)`` before ``forward``; what it returns replaces the arguments."""
        handle = _handle(self._forward_pre_hooks, hook, extra_dict=self._forward_pre_hooks_with_kwargs)
        if with_kwargs:
            self._forward_pre_hooks_with_kwargs[handle.id] = True
        if prepend:
            self._forward_pre_hooks.move_to_end(handle.id, last=False)
        return handle

    def register_forward_hook(
        self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args, output)`` after ``forward``; what it returns replaces the output."""
        marks = (self._forward_hooks_with_kwargs, self._forward_hooks_always_called)
        handle = _handle(self._forward_hooks, hook, extra_dict=marks)
        if with_kwargs:
            self._forward_hooks_with_kwargs[handle.id] = True
        if always_call:
            self._forward_hooks_always_called[handle.id] = True
        if prepend:
            self._forward_hooks.move_to_end(handle.id, last=False)
        return handle

    def register_full_backward_pre_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_output)`` before the gradients go through this module."""
        handle = _handle(self._backward_pre_hooks, hook)
        if prepend:
            self._backward_pre_hooks.move_to_end(handle.id, last=False)
        return handle

    def register_full_backward_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_input, grad_output)`` when the gradients have gone through this module."""
        self._set_kind(full=True)
        handle = _handle(self._backward_hooks, hook)
        if prepend:
            self._backward_hooks.move_to_end(handle.id, last=False)
        return handle

    def register_backward_hook(self, hook: Hook) -> RemovableHandle:
        """Call ``hook(module, grad_input, grad_output)`` at the last node of the result. Use the full one instead."""
        self._set_kind(full=False)
        return _handle(self._backward_hooks, hook)

    def _set_kind(self, *, full: bool) -> None:
        if self._is_full_backward_hook is (not full):
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks on a single Module. Please use only "
                "one of them."
            )
        self._is_full_backward_hook = full

    def _get_backward_hooks(self) -> tuple[list[Hook], list[Hook]]:
        """The full ones and the others."""
        found: dict[bool, list[Hook]] = {True: [], False: []}
        if _global_is_full_backward_hook is not None:
            found[_global_is_full_backward_hook] += _global_backward_hooks.values()
        if self._is_full_backward_hook is not None:
            found[self._is_full_backward_hook] += self._backward_hooks.values()
        return found[True], found[False]

    def _get_backward_pre_hooks(self) -> list[Hook]:
        return [*_global_backward_pre_hooks.values(), *self._backward_pre_hooks.values()]
