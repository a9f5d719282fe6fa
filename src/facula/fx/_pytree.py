"""Taking arguments apart by a plan that is known before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..utils._pytree import PyTree, TreeSpec, tree_flatten

__all__ = ["register_pytree_flatten_spec", "tree_flatten_spec"]

_Children = Callable[[Any, TreeSpec], list[Any]]


def _by_key(tree: Any, spec: TreeSpec) -> list[Any]:
    return [tree[key] for key in spec.context]


def _by_place(tree: Sequence[Any], spec: TreeSpec) -> list[Any]:
    return [tree[i] for i in range(spec.num_children)]


SUPPORTED_NODES: dict[Any, _Children] = {dict: _by_key, list: _by_place, tuple: _by_place}
"""By kind of container, the children that a plan asks for. There may be others besides."""


def register_pytree_flatten_spec(
    cls: type[Any], flatten_fn_spec: _Children, flatten_fn_exact_match_spec: Callable[..., bool] | None = None
) -> None:
    """Say how containers of a class are taken apart by a plan."""
    SUPPORTED_NODES[cls] = flatten_fn_spec


def tree_flatten_spec(pytree: PyTree, spec: TreeSpec) -> list[Any]:
    """What a nest has where ``spec`` has leaves."""
    if spec.type is None:
        return [pytree]
    children = SUPPORTED_NODES.get(spec.type) or (_by_place if hasattr(spec.type, "_fields") else None)
    if children is None:
        leaves, found = tree_flatten(pytree)
        if found != spec:
            raise RuntimeError(f"Real spec {found} of object {pytree} is different from expected spec {spec}. ")
        return leaves
    parts = zip(children(pytree, spec), spec.children_specs)
    return [leaf for part, inner in parts for leaf in tree_flatten_spec(part, inner)]
