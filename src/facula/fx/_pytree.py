"""Taking arguments apart by a plan that is known before."""

from __future__ import annotations

from typing import Any

from ..utils._pytree import PyTree, TreeSpec, tree_flatten

__all__ = ["tree_flatten_spec"]


def tree_flatten_spec(pytree: PyTree, spec: TreeSpec) -> list[Any]:
    """The leaves of a nest that is like that of ``spec``."""
    leaves, found = tree_flatten(pytree)
    if found != spec:
        raise ValueError(f"the arguments are nested as {found}, not as {spec}")
    return leaves
