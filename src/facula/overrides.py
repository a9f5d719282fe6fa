"""``__torch_function__``: other classes taking over facula's functions, as PyTorch's protocol says."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from . import _state
from ._tensor import Tensor
from .ops._primitive import PLAIN

_disabled = False


def _disabled_torch_function_impl(func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    return func(*args, **(kwargs or {}))


class DisableTorchFunctionSubclass:
    """Within it, subclasses are treated as plain Tensors."""

    def __enter__(self) -> None:
        self.before = getattr(_state.modes, "overrides_disabled", False)
        _state.modes.overrides_disabled = True  # type: ignore[attr-defined]

    def __exit__(self, *exc: object) -> None:
        _state.modes.overrides_disabled = self.before  # type: ignore[attr-defined]


DisableTorchFunction = DisableTorchFunctionSubclass


def has_override(value: Any) -> bool:
    cls = value.__class__
    if cls in PLAIN or isinstance(value, (int, float, str, bool, list, tuple, dict, type(None))):
        return False
    handler = getattr(cls, "__torch_function__", None)
    return handler is not None and handler is not _disabled_torch_function_impl


def _candidates(values: Iterable[Any]) -> list[Any]:
    found = []
    for v in values:
        if isinstance(v, (list, tuple)) and v.__class__ is not Tensor:
            found += [x for x in v if has_override(x)]
        elif has_override(v):
            found.append(v)
    return found


def overridden(args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> bool:
    """Whether a mode or an argument's class wants to handle the call."""
    if getattr(_state.modes, "overrides_disabled", False):
        return False
    if _state.special and _state.modes.function_modes:
        return True
    return bool(_candidates((*args, *(kwargs or {}).values())))


def call_override(implementation: Any, public: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Give each mode, then each argument's class (subclasses first) its chance."""
    given = _candidates((*args, *kwargs.values()))
    handlers: list[Any] = []
    for v in given:
        if all(type(v) is not type(h) for h in handlers):
            at = next((i for i, h in enumerate(handlers) if issubclass(type(v), type(h))), len(handlers))
            handlers.insert(at, v)
    types = tuple(type(h) for h in handlers)
    modes = _state.modes.function_modes
    if modes:
        _state.update(function_modes=modes[:-1])
        try:
            result = modes[-1].__torch_function__(public, types, args, kwargs)
        finally:
            _state.update(function_modes=modes)
        if result is not NotImplemented:
            return result
    for h in handlers:
        result = type(h).__torch_function__(public, types, args, kwargs)
        if result is not NotImplemented:
            return result
    if not handlers:
        return implementation(*args, **kwargs)
    name = getattr(public, "__name__", str(public))
    raise TypeError(
        f"Multiple dispatch failed for 'torch.{name}'; all __torch_function__ handlers returned NotImplemented:\n\n"
        + "\n".join(f"  - tensor subclass {t!r}" for t in types)
    )


def default_torch_function(cls: type, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """What ``Tensor.__torch_function__`` does: run plainly, give the result the subclass."""
    kwargs = kwargs or {}
    if not all(issubclass(cls, t) for t in types):
        return NotImplemented
    with DisableTorchFunctionSubclass():
        result = func(*args, **kwargs)
    if func in get_default_nowrap_functions():
        return result
    return _convert(result, cls)


def _convert(result: Any, cls: type) -> Any:
    if cls is Tensor:
        return result
    if isinstance(result, Tensor) and not isinstance(result, cls):
        return _recast(result, cls)
    if isinstance(result, (tuple, list)):
        parts = [_convert(r, cls) for r in result]
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    return result


def _recast(result: Tensor, cls: type) -> Any:
    """The same tensor (memory and history) under another class, without a node in between."""
    t: Any = object.__new__(cls)
    t._array, t._node, t._meta, t._counter = result._array, result._node, result._meta, result._counter
    return t


def get_default_nowrap_functions() -> set[Callable[..., Any]]:
    return set()


def handle_torch_function(public_api: Any, relevant_args: Any, *args: Any, **kwargs: Any) -> Any:
    return call_override(public_api, public_api, args, kwargs)


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    return overridden(tuple(relevant_args))


def has_torch_function_unary(obj: Any) -> bool:
    return overridden((obj,))


def has_torch_function_variadic(*objs: Any) -> bool:
    return overridden(objs)


def is_tensor_like(inp: Any) -> bool:
    return isinstance(inp, Tensor) or hasattr(inp, "__torch_function__")


class TorchFunctionMode:
    """Sees every function called within it."""

    def __enter__(self) -> TorchFunctionMode:
        _state.update(function_modes=(*_state.modes.function_modes, self))
        return self

    def __exit__(self, *exc: object) -> None:
        _state.update(function_modes=_state.modes.function_modes[:-1])

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


Tensor.__torch_function__ = classmethod(default_torch_function)  # type: ignore[attr-defined]
