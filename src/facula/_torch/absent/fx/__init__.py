"""``torch.fx``: programs are not traced into graphs here. What marks functions for it, and its classes' names, exist.

Nothing is ever an instance of these classes; ``symbolic_trace`` and the rest of the package are lacking.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from facula.nn import Module

__all__ = ["Graph", "GraphModule", "Node", "Proxy", "Tracer", "wrap"]


def wrap(fn_or_name: str | Callable[..., Any]) -> Any:
    """Marks a function that tracing should not look into."""
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError("Unsupported type for global function! Must be either a callable or string name")
    return fn_or_name


class _Lacking:
    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(f"facula lacks torch.fx.{cls.__name__}: programs are not traced into graphs")


class Node(_Lacking):
    """A call in a traced program."""


class Graph(_Lacking):
    """A traced program."""


class Proxy(_Lacking):
    """A value while a program is traced."""


class Tracer(_Lacking):
    """What traces a program."""


class GraphModule(Module):
    """A module that runs a traced program."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError("facula lacks torch.fx.GraphModule: programs are not traced into graphs")
