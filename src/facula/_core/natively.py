"""Native kernels by name, in place of NumPy's where a library has been built.

A look at the folder tells once whether there may be a library. If there is none, nothing of this is ever called; if
there is one, it is loaded when a large array first meets a native kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from ..native import presence

expected = presence.expected()
"""Whether there may be a library. One that is built later is used by the next process."""


@cache
def native_function(kernel: str) -> Callable[..., Any]:
    """The native kernel of this name, as in ``"rows:softmax"``; without a library, one that never applies."""
    from ..native import library  # loaded when first used

    module, _, name = kernel.partition(":")
    if library.load() is None:
        return _never
    found: Callable[..., Any] = getattr(import_module(f"facula.native.operators.{module}"), name)
    return found


def tried(kernel: str, *given: Any) -> Any:
    """What a native kernel gives; None where there is no library, None or False where it does not apply."""
    return native_function(kernel)(*given) if expected else None


def _never(*args: Any) -> None:
    return None
