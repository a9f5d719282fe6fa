"""What programs take of ``torch._functorch.apis``."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from ..func import grad, grad_and_value, vmap
from ..func.vectorize import batch_size

__all__ = ["chunk_vmap", "grad", "grad_and_value", "vmap"]


def chunk_vmap(
    func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error", chunks: int = 2
) -> Callable[..., Any]:
    """``vmap`` of one part of the batch after the other: so many parts."""
    if chunks == 1:
        return vmap(func, in_dims, out_dims, randomness)

    @wraps(func)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        size = max(-(-batch_size(in_dims, args, func) // chunks), 1)
        return vmap(func, in_dims, out_dims, randomness, chunk_size=size)(*args, **kwargs)

    return mapped
