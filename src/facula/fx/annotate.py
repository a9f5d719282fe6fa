"""``torch.fx.annotate``: types for values within a traced function."""

from __future__ import annotations

from typing import Any

from .proxy import Proxy

__all__ = ["annotate"]


def annotate(val: Any, type: type) -> Any:
    """``val``; while a function is traced, its node gets this type."""
    if isinstance(val, Proxy):
        if val.node.type:
            raise RuntimeError(
                f"Tried to annotate a value that already had a type on it! Existing type is {val.node.type} and new "
                f"type is {type}. This could happen if you tried to annotate a function parameter value (in which case "
                "you should use the type slot on the function signature) or you called annotate on the same value twice"
            )
        val.node.type = type
    return val
