"""Reading arguments the way PyTorch does: dimensions, sizes, numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._tensor import Tensor


def one_dim(dim: Any, ndim: int) -> int:
    """A dimension, negative ones counted from the end. A 0-d tensor counts as 1-d here, as in PyTorch."""
    n = max(ndim, 1)
    if not -n <= dim < n:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})")
    return dim % n


def dims_tuple(dim: Any, ndim: int) -> tuple[int, ...]:
    """Dimensions to reduce over: None or () mean all of them."""
    if dim is None or (not isinstance(dim, int) and len(dim) == 0):
        return tuple(range(ndim))
    dims = (dim,) if isinstance(dim, int) else tuple(dim)
    found = tuple(one_dim(int(d), ndim) for d in dims)
    for i, d in enumerate(found):
        if d in found[:i]:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
    return found if ndim else ()


def size_tuple(size: tuple[Any, ...]) -> tuple[int, ...]:
    """A size given as ``f(2, 3)``, ``f((2, 3))`` or ``f([2, 3])``."""
    if len(size) == 1 and isinstance(size[0], (tuple, list)):
        size = tuple(size[0])
    return tuple(n if n.__class__ is int else as_int(n) for n in size)


def as_int(value: Any) -> int:
    if isinstance(value, Tensor):
        return int(value.item())
    if isinstance(value, (bool, int, np.integer)):
        return int(value)
    raise TypeError(f"'{type(value).__name__}' object cannot be interpreted as an integer")
