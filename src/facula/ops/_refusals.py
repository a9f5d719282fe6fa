"""Refusing dtypes in the words of PyTorch's kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _dtype
from .._tensor import Tensor


def scalar_type(t: Tensor) -> str:
    """A tensor's dtype as PyTorch's error messages call it."""
    return _dtype.SCALAR_TYPE_NAMES[t.dtype]


def not_for(kernel: str, d: _dtype.dtype) -> NotImplementedError:
    """What PyTorch says of a dtype that a kernel was not made for."""
    return NotImplementedError(f"\"{kernel}\" not implemented for '{_dtype.SCALAR_TYPE_NAMES[d]}'")


def only(label: str, kinds: str) -> Callable[..., None]:
    """A check that refuses other dtypes the way PyTorch's kernels do. ``kinds``: bool, integer, float, complex."""
    allowed = {"bifc".index(kind) for kind in kinds}

    def check(*arrays: Any) -> None:
        d = _dtype.of_array(arrays[0])
        if d.category not in allowed:
            raise not_for(label, d)

    return check
