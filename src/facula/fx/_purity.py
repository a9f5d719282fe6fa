"""Which nodes do something besides giving a value, and so are no dead code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import facula

from . import _names

_F = TypeVar("_F", bound=Callable[..., Any])

_IMPURE: set[Any] = set()

_BY_NAME = {
    f"torch.{name}"
    for name in """
        _assert _assert_async _C._set_grad_enabled bernoulli binomial multinomial normal poisson rand rand_like randint
        randint_like randn randn_like randperm rrelu
    """.split()
}
"""Functions that check something, set a mode, or draw random numbers."""

_RANDOM = {f"aten::{name.removeprefix('torch.')}" for name in _BY_NAME}


def has_side_effect(fn: _F) -> _F:
    """Mark a function as one whose calls must stay in a graph though nobody uses what they give."""
    _IMPURE.add(fn)
    return fn


def is_impure(node: Any, impure_random: bool = True) -> bool:
    if node.op in ("placeholder", "output"):
        return True
    if node.op == "call_function":
        if node.target in _IMPURE:
            return True
        if (operator := getattr(node.target, "overloadpacket", None)) is not None:
            return _changes(node.target, operator) or (impure_random and operator._qualified_op_name in _RANDOM)
        name = _names.of_facula(node.target)
        return name in _BY_NAME
    if node.op == "call_module":
        owner = node.graph.owning_module
        if owner is None:
            raise AssertionError("self.graph.owning_module not set for purity check")
        module = owner.get_submodule(node.target)
        return getattr(module, "_is_impure", False) or _has_effects(module)
    return False


def _changes(overload: Any, operator: Any) -> bool:
    schema = getattr(overload, "_schema", None)
    return schema.is_mutable if schema is not None else str(operator).endswith("_")


def _has_effects(module: Any) -> bool:
    """A module that is a graph itself has the effects of its nodes."""
    graph = getattr(module, "graph", None)
    if isinstance(module, facula.nn.Module) and graph is not None and hasattr(graph, "nodes"):
        return any(is_impure(n) for n in graph.nodes if n.op not in ("placeholder", "output"))
    return False
