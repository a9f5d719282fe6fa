"""Switching the recording of gradients on and off, as context managers, decorators and functions.

``modes.switch`` tells which line switched last, as (code, instruction): NOTE [provenance].
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from sys import _getframe
from typing import Any

from .._core import state


def is_grad_enabled() -> bool:
    """Whether operations are recorded now."""
    return state.modes.grad_enabled


def is_inference_mode_enabled() -> bool:
    """Whether inference mode is on."""
    return state.modes.inference


class _Decorating:
    """A context manager that also decorates functions and generators, entering anew for each call."""

    def clone(self) -> Any:
        return self.__class__()

    def __enter__(self) -> Any:
        return None

    def __exit__(self, *exc: object) -> None:
        pass

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        return _decorate(self.clone, func)


def _decorate(make: Callable[[], Any], func: Callable[..., Any]) -> Callable[..., Any]:
    if inspect.isclass(func):
        warnings.warn(
            "Decorating classes is deprecated and will be disabled in future versions. You should only decorate "
            "functions or methods. To preserve the current behavior of class decoration, you can directly decorate "
            "the `__init__` method and nothing else.",
            FutureWarning,
            stacklevel=3,
        )
    if inspect.isgeneratorfunction(func):
        return _decorate_generator(make, func)
    code = getattr(_underneath(func), "__code__", None)

    @functools.wraps(func)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        with make():
            if code is not None:
                state.modes.switch = (code, 0)  # the line of the decorator
            return func(*args, **kwargs)

    return decorated


def _underneath(func: Any) -> Any:
    """The function of which ``func`` is a partial application."""
    while isinstance(func, functools.partial):
        func = func.func
    return func


def _decorate_generator(make: Callable[[], Any], func: Callable[..., Any]) -> Callable[..., Any]:
    place = (_underneath(func).__code__, 0)  # the line of the decorator

    def tell() -> None:
        state.modes.switch = place

    return within_generator(make, func, tell)


def within_generator(
    make: Callable[[], Any], func: Callable[..., Any], tell: Callable[[], None] = lambda: None
) -> Callable[..., Any]:
    """The context holds while the generator's body runs, not while it is suspended."""

    @functools.wraps(func)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        generator = func(*args, **kwargs)
        try:
            with make():
                tell()
                item = generator.send(None)
            while True:
                try:
                    request = yield item
                except GeneratorExit:
                    with make():
                        tell()
                        generator.close()
                    raise
                except BaseException as e:
                    with make():
                        tell()
                        item = generator.throw(e)
                else:
                    with make():
                        tell()
                        item = generator.send(request)
        except StopIteration as e:
            return e.value

    return decorated


def _switch(enabled: bool) -> None:
    if state.modes.grad_enabled is not enabled:
        state.set_grad(enabled)


class _Switched(_Decorating):
    """Recording on or off within. ``with mode():``, ``@mode()`` or ``@mode``."""

    enabled: bool

    def __new__(cls, orig_func: Any = None) -> Any:
        self = object.__new__(cls)
        self.__init__()  # type: ignore[misc]
        return self if orig_func is None else self(orig_func)

    def __init__(self, orig_func: Any = None) -> None:
        self.prev = False
        self.switch: Any = None

    def __enter__(self) -> None:
        modes = state.modes.__dict__
        self.prev = modes.get("grad_enabled", True)
        self.switch = modes.get("switch")
        frame = _getframe(1)
        modes["switch"] = (frame.f_code, frame.f_lasti)
        if self.prev is not self.enabled:
            state.set_grad(self.enabled)

    def __exit__(self, *exc: object) -> None:
        modes = state.modes.__dict__
        modes["switch"] = self.switch
        if modes.get("grad_enabled", True) is not self.prev:
            state.set_grad(self.prev)


class no_grad(_Switched):
    """Record nothing within."""

    enabled = False


class enable_grad(_Switched):
    """Record within, also inside ``no_grad``."""

    enabled = True


class set_grad_enabled(_Decorating):
    """Set the grad mode: at once as a function, until the end of the block as a context manager."""

    def __init__(self, mode: bool) -> None:
        if mode.__class__ is not bool:
            kind = type(mode).__name__
            raise TypeError(f"set_grad_enabled(): argument 'enabled' (position 1) must be bool, not {kind}")
        modes = state.modes.__dict__
        self.prev = modes.get("grad_enabled", True)
        self.mode = mode
        self.switch = modes.get("switch")
        frame = _getframe(1)
        modes["switch"] = (frame.f_code, frame.f_lasti)
        if self.prev is not mode:
            state.set_grad(mode)

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        _switch(self.prev)
        state.modes.switch = self.switch
        return super().__call__(func)

    def __enter__(self) -> None:
        _switch(self.mode)

    def __exit__(self, *exc: object) -> None:
        _switch(self.prev)
        state.modes.switch = self.switch

    def __str__(self) -> str:
        return f"set_grad_enabled(mode={self.mode})"

    __repr__ = __str__

    def clone(self) -> set_grad_enabled:
        before, switch = state.modes.grad_enabled, state.modes.switch
        copy = self.__class__(self.mode)
        _switch(before)
        state.modes.switch = switch
        copy.prev = before
        return copy


class inference_mode(_Decorating):
    """Like ``no_grad``, and results can never enter a graph: no version counting either."""

    def __new__(cls, mode: Any = True) -> Any:
        if isinstance(mode, bool):
            return object.__new__(cls)
        return cls()(mode)

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode
        self.prev: Any = (True, False, None, True)

    def __enter__(self) -> None:
        modes = state.modes
        self.prev = (modes.grad_enabled, modes.inference, modes.switch, modes.forward_grad)
        frame = _getframe(1)
        on = not self.mode
        state.update(grad_enabled=on, inference=self.mode, switch=(frame.f_code, frame.f_lasti), forward_grad=on)

    def __exit__(self, *exc: object) -> None:
        grad_enabled, inference, switch, forward_grad = self.prev
        state.update(grad_enabled=grad_enabled, inference=inference, switch=switch, forward_grad=forward_grad)

    def clone(self) -> inference_mode:
        return self.__class__(self.mode)


class _Setting(_Decorating):
    """A mode of the thread: set at once as a function, until the end of the block as a context manager."""

    name: str

    def __init__(self, mode: bool) -> None:
        if mode.__class__ is not bool:
            kind = type(mode).__name__
            raise TypeError(f"set_{self.name}_enabled(): argument 'enabled' (position 1) must be bool, not {kind}")
        self.prev = getattr(state.modes, self.name)
        self.mode = mode
        state.update(**{self.name: mode})

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        state.update(**{self.name: self.prev})
        return super().__call__(func)

    def __exit__(self, *exc: object) -> None:
        state.update(**{self.name: self.prev})

    def clone(self) -> _Setting:
        return self.__class__(self.mode)


class set_multithreading_enabled(_Setting):
    """Remembered alone: backward passes run in the calling thread."""

    name = "multithreading"


class _force_original_view_tracking(_Setting):
    """Within it, views are made anew from a changed base by the operator that made them."""

    name = "view_replay"


def is_multithreading_enabled() -> bool:
    return state.modes.multithreading


def is_view_replay_enabled() -> bool:
    return state.modes.view_replay
