"""Refusing dtypes in the words of PyTorch's kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _dtype


def only(label: str, kinds: str) -> Callable[..., None]:
    """A check that refuses other dtypes the way PyTorch's kernels do. ``kinds``: bool, integer, float, complex."""
    allowed = {"bifc".index(kind) for kind in kinds}

    def check(*arrays: Any) -> None:
        d = _dtype.of_array(arrays[0])
        if d.category not in allowed:
            raise NotImplementedError(f"\"{label}\" not implemented for '{_dtype.SCALAR_TYPE_NAMES[d]}'")

    return check
