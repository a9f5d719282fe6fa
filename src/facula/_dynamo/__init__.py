"""``torch._dynamo``: the part of PyTorch's compiler that reads Python. Nothing is compiled here."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from facula.compiler import allow_in_graph, assume_constant_result, disable, is_compiling, list_backends, reset

__all__ = [
    "allow_in_graph", "assume_constant_result", "config", "disable", "disallow_in_graph", "graph_break",
    "is_compiling", "list_backends", "mark_dynamic", "mark_static", "maybe_mark_dynamic", "reset",
]  # fmt: skip

config = SimpleNamespace(suppress_errors=False, verbose=False, cache_size_limit=8, recompile_limit=8)
"""Switches that may be set, to no effect."""


def disallow_in_graph(fn: Any) -> Any:
    return fn


def graph_break(msg: str = "") -> None:
    """There is no graph to break."""


def mark_dynamic(t: Any, index: Any, *, hint_override: Any = None, min: Any = None, max: Any = None, **_: Any) -> None:
    """A size of a tensor is another one in other calls: programs are to be general in it, or it is an error."""
    _mark(t, index, "_dynamo_dynamic_indices")


def maybe_mark_dynamic(t: Any, index: Any) -> None:
    """The same, but programs may be for one size after all."""
    _mark(t, index, "_dynamo_weak_dynamic_indices")


def mark_static(t: Any, index: Any = None) -> None:
    """A size of a tensor, or all of them, is never general."""
    _mark(t, range(t.ndim) if index is None else index, "_dynamo_static_indices")


def _mark(t: Any, index: Any, kind: str) -> None:
    dims = {index} if isinstance(index, int) else set(index)
    setattr(t, kind, getattr(t, kind, set()) | dims)
