"""Reading arguments the way PyTorch does: dimensions, sizes, numbers, NumPy's names for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.numbers import LARGEST
from ..._tensor import Tensor

NUMPY_NAMES = {
    "axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other", "self": "input",
}  # fmt: skip
"""NumPy's argument names, which PyTorch takes as well, and PyTorch's own."""


def is_number(value: Any) -> bool:
    """Whether a value is one of Python's numbers."""
    return isinstance(value, (bool, int, float, complex))


def unscaled(value: Any) -> Any:
    """The number that a scalar of NumPy's stands for: its booleans are no bools, and count as floats."""
    return float(value) if value.dtype.kind == "b" else value.item()


def one_dim(dim: Any, ndim: int) -> int:
    """A dimension, negative ones counted from the end. A 0-d tensor counts as 1-d here, as in PyTorch."""
    if dim.__class__ is int and 0 <= dim < ndim:
        return dim
    n = max(ndim, 1)
    if not -n <= dim < n:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})")
    return dim % n


def size_tuple(size: tuple[Any, ...]) -> tuple[int, ...]:
    """A size given as ``f(2, 3)``, ``f((2, 3))`` or ``f([2, 3])``."""
    if len(size) == 1 and isinstance(size[0], (tuple, list)):
        size = tuple(size[0])
    return tuple([n if n.__class__ is int else as_int(n) for n in size])


def as_int(value: Any) -> int:
    if value.__class__ is int:
        if not -LARGEST <= value < LARGEST:
            raise ValueError("Overflow when unpacking long long")
        return value
    if isinstance(value, Tensor) and not (value.is_floating_point() or value.is_complex()):
        return int(value.item())
    if isinstance(value, (bool, int, np.integer)):
        return int(value)
    raise TypeError(f"'{type(value).__name__}' object cannot be interpreted as an integer")
