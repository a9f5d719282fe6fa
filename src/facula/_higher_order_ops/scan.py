"""``scan``: a function along a dimension, with a state that goes from each step to the next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._tensor import Tensor
from ..utils._pytree import tree_flatten, tree_leaves, tree_map, tree_unflatten


def scan(
    combine_fn: Callable[[Any, Any], tuple[Any, Any]], init: Any, xs: Any, *, dim: int = 0, reverse: bool = False
) -> tuple[Any, Any]:
    """The last state and what ``state, out = combine_fn(state, x)`` gives for each slice of ``xs``, stacked.

    >>> import facula as torch
    >>> from facula._higher_order_ops import scan
    >>> scan(lambda state, x: (state + x, state * x), torch.tensor(0.0), torch.arange(4.0))
    (tensor(6.), tensor([0., 0., 2., 9.]))
    """
    import facula  # the package imports this module

    if not callable(combine_fn):
        raise RuntimeError(f"Combine_fn must be a callable, but got {combine_fn}")
    if not isinstance(reverse, bool):
        raise RuntimeError(f"Reverse must be a bool, but got {type(reverse)}")
    for name, tree in (("init", init), ("xs", xs)):
        for leaf in tree_leaves(tree):
            if not isinstance(leaf, Tensor):
                raise RuntimeError(f"All {name} leaves must be a Tensor but got {leaf}")
    if not tree_leaves(init):
        raise RuntimeError("scan() operator requires init leaves.")
    leaves = tree_leaves(xs)
    if not leaves:
        return init, []
    n = steps_along(leaves, dim, RuntimeError)
    state, outs, spec = init, [], None
    for at in reversed(range(n)) if reverse else range(n):
        state, out = combine_fn(state, tree_map(lambda t, at=at: t.select(dim, at), xs))
        parts, spec = tree_flatten(out)
        outs.append(parts)
    if reverse:
        outs.reverse()
    assert spec is not None
    return state, tree_unflatten([facula.stack(parts, dim) for parts in zip(*outs)], spec)


def steps_along(leaves: list[Any], dim: int, error: type[Exception]) -> int:
    """How many slices there are along a dimension."""
    n: int = leaves[0].movedim(dim, 0).shape[0]
    if not n or any(t.ndim <= dim or not t.shape[dim] for t in leaves):
        raise error("All xs leaves must at least have 'dim' number of dimensions and scan dimension > 0")
    return n
