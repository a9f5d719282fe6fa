"""Taking arguments apart by a plan that is known before."""

from __future__ import annotations

from typing import Any

from .._core.pytree import KINDS, kind_of
from ..utils._pytree import PyTree, TreeSpec, tree_flatten

__all__ = ["tree_flatten_spec"]


def tree_flatten_spec(pytree: PyTree, spec: TreeSpec) -> list[Any]:
    """The leaves of a nest that is like that of ``spec``; a list may stand where that has a tuple."""
    leaves: list[Any] = []
    if not _flatten_into(pytree, spec, leaves):
        raise ValueError(f"the arguments are nested as {tree_flatten(pytree)[1]}, not as {spec}")
    return leaves


def _flatten_into(tree: PyTree, spec: TreeSpec, leaves: list[Any]) -> bool:
    if spec.type is None:
        leaves.append(tree)
        return kind_of(tree) is None
    if type(tree) is not spec.type and (type(tree) is not list or spec.type is not tuple):
        return False
    kind = KINDS.get(spec.type) or kind_of(tree)
    if kind is None:
        return False
    children, context = kind.flatten(tree)
    if context != spec.context or len(children) != spec.num_children:
        return False
    return all(_flatten_into(child, inner, leaves) for child, inner in zip(children, spec.children_specs))
