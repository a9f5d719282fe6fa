"""What programs take of ``torch._functorch.aot_autograd``: functions that are given their arguments as one list."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

__all__ = ["make_boxed_compiler", "make_boxed_func"]


def make_boxed_func(f: Callable[..., Any]) -> Callable[[list[Any]], Any]:
    """The same function of a list."""

    def g(args: list[Any]) -> Any:
        return f(*args)

    g._boxed_call = True  # type: ignore[attr-defined]
    return g


def make_boxed_compiler(compiler: Callable[..., Any]) -> Callable[..., Any]:
    """A compiler whose functions take a list."""

    @wraps(compiler)
    def boxed(gm: Any, example_inputs: list[Any]) -> Any:
        found = compiler(gm, example_inputs)
        return found if getattr(found, "_boxed_call", False) else make_boxed_func(found)

    return boxed
