"""Functions that tracing does not look into, and how they are found: in the globals of modules."""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from .proxy import Proxy

_wrapped_functions: dict[tuple[int, str], dict[str, Any]] = {}
"""The globals in which a name is wrapped, by their identity and the name."""

_wrapped_methods: list[tuple[type, str]] = []


def wrap(fn_or_name: str | Callable[..., Any]) -> Any:
    """Mark a function of the module that calls this as one that tracing records as a whole.

    At the top of a module: ``torch.fx.wrap("len")``, or as a decorator.
    """
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError("Unsupported type for global function! Must be either a callable or string name")
    name = fn_or_name if isinstance(fn_or_name, str) else fn_or_name.__name__
    frame = inspect.currentframe()
    if frame is None or frame.f_back is None:
        raise AssertionError("frame is None")
    caller = frame.f_back
    if caller.f_code.co_name != "<module>":
        raise NotImplementedError("wrap must be called at the top level of a module")
    _wrapped_functions[id(caller.f_globals), name] = caller.f_globals
    return fn_or_name


def find_proxy(*values: Any) -> Proxy | None:
    """Some proxy among arguments, however deep."""
    for x in values:
        if isinstance(x, Proxy):
            return x
        inner = x if isinstance(x, (list, tuple)) else x.values() if isinstance(x, dict) else ()
        if (found := find_proxy(*inner)) is not None:
            return found
    return None


def recording(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A function that records a call of another one, where proxies are given to it."""

    @wraps(fn)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        proxy = find_proxy(args, kwargs)
        if proxy is None:
            return fn(*args, **kwargs)
        made = proxy.tracer.create_proxy("call_function", fn, args, kwargs)
        made.node.meta["is_wrapped"] = True
        return made

    return wrapped


def _recording_method(cls: type, name: str) -> Callable[..., Any]:
    method = getattr(cls, name)

    @wraps(method)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        proxy = find_proxy(args, kwargs)
        if proxy is None:
            return method(*args, **kwargs)
        return proxy.tracer.create_proxy("call_method", name, args, kwargs)

    return wrapped


class Patches:
    """Changes of attributes and globals that are all undone."""

    def __init__(self) -> None:
        self.undo: list[Callable[[], None]] = []
        self.seen: set[int] = set()

    def method(self, owner: Any, name: str, value: Any) -> None:
        owner = next(cls for cls in owner.__mro__ if name in vars(cls))
        before = vars(owner)[name]
        setattr(owner, name, value)
        self.undo.append(lambda: setattr(owner, name, before))

    def name(self, names: dict[str, Any], name: str, value: Any) -> None:
        if name in names:
            before = names[name]
            self.undo.append(lambda: names.__setitem__(name, before))
        else:
            self.undo.append(lambda: names.pop(name, None))
        names[name] = value

    def wrapped(self) -> None:
        """Put recording functions in the place of all that are marked."""
        for (_, name), names in list(_wrapped_functions.items()):
            fn = names.get(name, vars(builtins).get(name))
            if fn is not None:
                self.name(names, name, recording(fn))
        for cls, name in _wrapped_methods:
            self.method(cls, name, _recording_method(cls, name))

    def automatically(self, names: dict[str, Any], ids: set[int]) -> None:
        """The same for functions that the tracer wraps wherever it meets them, in the globals of a module."""
        if id(names) in self.seen:
            return
        self.seen.add(id(names))
        for name, value in list(names.items()):
            if not name.startswith("_") and callable(value) and id(value) in ids:
                self.name(names, name, recording(value))


@contextmanager
def patching() -> Iterator[Patches]:
    patches = Patches()
    try:
        yield patches
    finally:
        for undo in reversed(patches.undo):
            undo()
