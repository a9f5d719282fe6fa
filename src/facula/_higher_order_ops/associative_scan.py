"""``associative_scan``: all running results of an associative function of two, halving the work in each round."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._tensor import Tensor
from ..utils._pytree import tree_flatten, tree_leaves, tree_unflatten
from .scan import steps_along


def associative_scan(
    combine_fn: Callable[[Any, Any], Any], xs: Any, dim: int, reverse: bool = False, combine_mode: str = "pointwise"
) -> Any:
    """``x0``, ``combine_fn(x0, x1)``, ``combine_fn(combine_fn(x0, x1), x2)`` and so on, of the slices of ``xs``.

    PyTorch knows ``combine_mode="pointwise"`` on graphics cards alone.

    >>> import facula as torch
    >>> from facula._higher_order_ops import associative_scan
    >>> associative_scan(lambda a, b: a * b, torch.tensor([1.0, 2.0, 3.0, 4.0]), 0, combine_mode="generic")
    tensor([ 1.,  2.,  6., 24.])
    """
    from ..func import vmap  # loaded when first used

    if not callable(combine_fn):
        raise ValueError(f"Combine_fn must be a callable, but got {combine_fn}")
    if not isinstance(reverse, bool):
        raise RuntimeError(f"Reverse must be a bool, but got {type(reverse)}")
    if combine_mode not in ("pointwise", "generic"):
        raise ValueError(f"Combine_mode must either 'pointwise' or 'generic', but got {combine_mode}")
    leaves, spec = tree_flatten(xs)
    if not leaves:
        raise ValueError("Expected at least 1 xs leaf")
    if not all(isinstance(t, Tensor) for t in leaves):
        raise ValueError("xs leaves must be a Tensor")
    if combine_mode == "pointwise":
        raise ValueError("For combine_mode='pointwise', all input tensors need to be on CUDA or XPU")
    steps_along(leaves, dim, ValueError)

    def combine(a: list[Any], b: list[Any]) -> list[Any]:
        return tree_leaves(vmap(combine_fn)(tree_unflatten(a, spec), tree_unflatten(b, spec)))

    parts = [t.movedim(dim, 0) for t in leaves]
    if reverse:
        parts = [t.flip([0]) for t in parts]
    parts = _running(combine, parts)
    if reverse:
        parts = [t.flip([0]) for t in parts]
    return tree_unflatten([t.movedim(0, dim) for t in parts], spec)


def _running(combine: Callable[[list[Any], list[Any]], list[Any]], parts: list[Any]) -> list[Any]:
    """Neighbours are joined, and the running results of the pairs give those at the other places."""
    import facula  # the package imports this module

    n = parts[0].shape[0]
    if n < 2:
        return parts
    odd = _running(combine, combine([t[:-1:2] for t in parts], [t[1::2] for t in parts]))
    before = [t[:-1] for t in odd] if n % 2 == 0 else odd
    even = combine(before, [t[2::2] for t in parts]) if n > 2 else [t[:0] for t in parts]
    joined = []
    for first, at_even, at_odd in zip(parts, even, odd):
        at_even = facula.cat([first[:1], at_even])
        paired = facula.stack([at_even[: len(at_odd)], at_odd], 1).flatten(0, 1)
        joined.append(paired if n % 2 == 0 else facula.cat([paired, at_even[-1:]]))
    return joined
