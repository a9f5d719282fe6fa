"""``map``: a function of each slice along the first dimension."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._tensor import Tensor
from ..utils._pytree import tree_flatten, tree_leaves, tree_map, tree_unflatten


def map(f: Callable[..., Any], xs: Any, *args: Any) -> Any:
    """``f(x, *args)`` for each slice ``x`` of ``xs``, stacked.

    >>> import facula as torch
    >>> from facula._higher_order_ops import map
    >>> map(lambda x, y: x.sum() + y, torch.ones(2, 3), torch.tensor(1.0))
    tensor([4., 4.])
    """
    import facula  # the package imports this module

    leaves = tree_leaves(xs)
    if not all(isinstance(t, Tensor) for t in leaves):
        raise RuntimeError(f"Mapped xs can only consist of tensors. Got xs {leaves}.")
    shapes = [t.shape for t in leaves]
    if not shapes[0][0]:
        raise RuntimeError("Leading dimensions of mapped xs cannot be 0.")
    if any(shape[0] != shapes[0][0] for shape in shapes):
        raise RuntimeError(f"Leading dimensions of mapped xs must be consistent. Got shapes {shapes}.")
    outs = [tree_flatten(f(tree_map(lambda t, at=at: t[at], xs), *args)) for at in range(shapes[0][0])]
    return tree_unflatten([facula.stack(parts) for parts in zip(*[leaves for leaves, _ in outs])], outs[0][1])
