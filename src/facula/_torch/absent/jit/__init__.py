"""``torch.jit``: nothing is compiled to TorchScript here, so scripting a function gives back the function.

What PyTorch's own annotations ask of a program that is *not* being compiled is all here. Saving and loading compiled
programs is not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeVar

from facula.futures import Future

_T = TypeVar("_T")

__all__ = [
    "Attribute", "CompilationUnit", "Error", "Final", "ScriptFunction", "ScriptModule", "annotate", "export", "fork",
    "ignore", "interface", "is_scripting", "is_tracing", "isinstance", "script", "script_if_tracing",
    "strict_fusion", "trace", "trace_module", "unused", "wait",
]  # fmt: skip

_isinstance = isinstance


class Error(RuntimeError):
    """What compiled programs raise in PyTorch."""


def is_scripting() -> bool:
    return False


def is_tracing() -> bool:
    return False


def script(obj: _T, optimize: Any = None, _frames_up: int = 0, _rcb: Any = None, example_inputs: Any = None) -> _T:
    """The function, class or module itself: it runs as Python."""
    return obj


def trace(
    func: _T, example_inputs: Any = None, *args: Any, example_kwarg_inputs: dict[str, Any] | None = None, **kwargs: Any
) -> _T:
    """The function or module itself: it runs as Python. As in PyTorch, it is called once, by its example."""
    if example_kwarg_inputs is not None:
        func(**example_kwarg_inputs)  # type: ignore[operator]
    elif example_inputs is not None:
        _call_by(func, example_inputs)
    return func


def trace_module(mod: _T, inputs: dict[str, Any], *args: Any, **kwargs: Any) -> _T:
    """The module itself; the methods that were named are called once, by their examples."""
    for name, example in inputs.items():
        _call_by(mod if name == "forward" else getattr(mod, name), example)
    return mod


def _call_by(func: Any, example: Any) -> None:
    func(*example) if _isinstance(example, (list, tuple)) else func(example)


def script_if_tracing(fn: _T) -> _T:
    return fn


def interface(obj: _T) -> _T:
    return obj


def export(fn: _T) -> _T:
    """Marks a method to be compiled."""
    return fn


def unused(fn: _T) -> _T:
    """Marks a function that compiled programs never call."""
    return fn


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    """Marks a function that is left to Python: ``@ignore`` or ``@ignore(drop=True)``."""
    if callable(drop):
        return drop
    return lambda fn: fn


def annotate(the_type: Any, the_value: _T) -> _T:
    return the_value


def isinstance(obj: Any, target_type: Any) -> bool:
    """``isinstance`` that also takes ``list[int]`` and the like, of which it looks at the container."""
    kinds = target_type if _isinstance(target_type, tuple) else (target_type,)
    return _isinstance(obj, tuple([getattr(kind, "__origin__", None) or kind for kind in kinds]))


class Attribute(NamedTuple):
    """A value and its type."""

    value: Any
    type: Any


def fork(func: Callable[..., _T], *args: Any, **kwargs: Any) -> Future[_T]:
    """What a function gives, as a ``Future``: outside of compiled programs it is called at once, as in PyTorch."""
    future: Future[_T] = Future()
    future.set_result(func(*args, **kwargs))
    return future


def wait(future: Future[_T]) -> _T:
    """What a ``Future`` holds."""
    return future.wait()


_fork, _wait = fork, wait

class strict_fusion:
    """Asks compiled programs to fuse what is within; there are none."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        pass


def _overload(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Marks one of several signatures of a function."""
    return fn


_overload_method = _overload


class ScriptFunction:
    """A compiled function; there is never one."""


class ScriptModule:
    """A compiled module; there is never one."""


class RecursiveScriptModule(ScriptModule):
    """A compiled module made of others; there is never one."""


class CompilationUnit:
    """Compiled functions; there are none."""


class TracerWarning(Warning):
    """What PyTorch warns of while it records a program."""


class ScriptMethod:
    """A compiled method; there is never one."""


_script_if_tracing = script_if_tracing
