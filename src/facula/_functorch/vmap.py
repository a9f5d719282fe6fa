"""What programs take of ``torch._functorch.vmap``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._core.pytree import broadcast_to_and_flatten, tree_flatten, tree_unflatten
from .._levels.batched import batch, is_batched, unbatch
from .._levels.wrapped import enter, leave
from ..func import vmap

__all__ = ["restore_vmap", "vmap"]


def restore_vmap(
    func: Callable[..., Any], in_dims: Any, batch_size: int, randomness: str
) -> Callable[..., tuple[Any, Any]]:
    """``vmap`` whose outputs are left as they are: what is not of the batch stays so, and where it lies is told.

    Nothing need be of the batch.
    """

    def mapped(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        leaves, spec = tree_flatten(args)
        dims = broadcast_to_and_flatten(in_dims, spec)
        level = enter(batch_size, randomness)
        try:
            given = []
            for t, d in zip(leaves, dims or ()):
                if d is not None:
                    whole, t = t, batch(t.movedim(d, 0) if d else t, level)
                    if d:
                        t._given_at = (whole, d)
                given.append(t)
            outs, out_spec = tree_flatten(func(*tree_unflatten(given, spec), **kwargs))
            found: list[tuple[Any, int | None]] = []
            for out in outs:
                if not is_batched(out, level):
                    found.append((out, None))
                    continue
                whole, d = out._given_at
                found.append((whole, d) if d else (unbatch(out, level), 0))
        finally:
            leave(level)
        return tree_unflatten([t for t, _ in found], out_spec), tree_unflatten([d for _, d in found], out_spec)

    return mapped
