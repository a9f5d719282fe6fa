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


def mark_dynamic(t: Any, index: Any, **_: Any) -> None:
    """All sizes may change."""


maybe_mark_dynamic = mark_static = mark_dynamic
