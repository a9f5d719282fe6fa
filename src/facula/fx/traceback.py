"""What new nodes are told: while a graph is run by an ``Interpreter``, what is known of the node that is run."""

from __future__ import annotations

import copy
import functools
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = [
    "annotate", "annotate_fn", "format_stack", "get_current_meta", "has_preserved_node_meta", "preserve_node_meta",
    "set_current_meta", "set_stack_trace",
]  # fmt: skip

_meta: dict[str, Any] = {}
_preserving = False


@contextmanager
def preserve_node_meta(enable: bool = True) -> Iterator[None]:
    """Within it, nodes that are made while an ``Interpreter`` runs another graph take over what its nodes know."""
    global _preserving, _meta
    before, _preserving = (_preserving, _meta), enable
    _meta = _meta.copy()
    try:
        yield
    finally:
        _preserving, _meta = before


def has_preserved_node_meta() -> bool:
    return _preserving


def get_current_meta() -> dict[str, Any]:
    return _meta


@contextmanager
def set_current_meta(node: Any, pass_name: str = "") -> Iterator[None]:
    """Within it, new nodes take over what is known of this one."""
    global _meta
    if not (_preserving and node.meta):
        yield
        return
    before, _meta = _meta, copy.copy(node.meta)
    try:
        yield
    finally:
        _meta = before


@contextmanager
def annotate(annotation_dict: dict[str, Any]) -> Iterator[None]:
    """Within it, new nodes have these in ``meta["custom"]``, if ``meta`` is preserved."""
    global _meta
    before = _meta
    _meta = {**_meta, "custom": {**_meta.get("custom", {}), **annotation_dict}}
    try:
        yield
    finally:
        _meta = before


def annotate_fn(annotation_dict: dict[str, Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """``annotate`` as a decorator."""

    def decorate(fn: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(fn)
        def annotated(*args: Any, **kwargs: Any) -> Any:
            with annotate(annotation_dict):
                return fn(*args, **kwargs)

        return annotated

    return decorate


def set_stack_trace(stack: list[str]) -> None:
    if _preserving and stack:
        _meta["stack_trace"] = "".join(stack)


def format_stack() -> list[str]:
    """Where the program is: the lines that are kept, or those of now."""
    if _preserving:
        return [_meta.get("stack_trace", "")]
    return traceback.format_list(traceback.extract_stack()[:-1])
