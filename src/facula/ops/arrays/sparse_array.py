"""A gradient that is zero almost everywhere, on its way to a leaf: rows, and where they belong.

``embedding(sparse=True)`` and the like make it. Sums of such gradients list the rows of both. Whatever else is computed
with it sees the whole array, by NumPy's own protocols.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .scatter_add import add_rows


class SparseArray:
    """Rows of an array of zeros, at places that may repeat: (sparse dimensions, rows)."""

    __slots__ = ("at", "rows", "shape")

    def __init__(self, at: Any, rows: Any, shape: tuple[int, ...]) -> None:
        self.at = at
        self.rows = rows
        self.shape = shape

    dtype = property(lambda self: self.rows.dtype)
    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: math.prod(self.shape))
    base = None

    def astype(self, dtype: Any, copy: bool = True) -> SparseArray:
        return SparseArray(self.at, self.rows.astype(dtype), self.shape)

    def copy(self) -> SparseArray:
        return SparseArray(self.at, self.rows.copy(), self.shape)

    def add_to(self, array: Any) -> Any:
        """Add the rows to a dense array, in place."""
        lead = len(self.at)
        places = np.zeros(self.at.shape[1], np.int64)
        if lead and self.rows.size:
            places = np.ravel_multi_index(tuple(self.at), self.shape[:lead])
        target = array if array.flags.c_contiguous else np.ascontiguousarray(array)
        add_rows(target.reshape(math.prod(self.shape[:lead]), *self.shape[lead:]), places, self.rows)
        if target is not array:
            array[...] = target
        return array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        whole = self.add_to(np.zeros(self.shape, self.dtype))
        return whole if dtype is None else whole.astype(dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = (None,), **kwargs: Any) -> Any:
        target = out[0]
        if ufunc is np.add and method == "__call__" and target is inputs[0] and not kwargs.pop("where", False):
            return self.add_to(target)
        dense = [np.asarray(x) if isinstance(x, SparseArray) else x for x in inputs]
        if target is not None:
            kwargs["out"] = out
        return getattr(ufunc, method)(*dense, **kwargs)

    def __add__(self, other: Any) -> Any:
        if isinstance(other, SparseArray) and len(other.at) == len(self.at):
            at = np.concatenate([self.at, other.at], 1)
            return SparseArray(at, np.concatenate([self.rows, other.rows]), self.shape)
        return np.add(np.asarray(self), other)

    def __radd__(self, other: Any) -> Any:
        return np.add(other, np.asarray(self))

    def __mul__(self, other: Any) -> Any:
        if np.ndim(other) == 0:
            return SparseArray(self.at, self.rows * other, self.shape)
        return np.multiply(np.asarray(self), other)

    __rmul__ = __mul__

    def __neg__(self) -> SparseArray:
        return SparseArray(self.at, -self.rows, self.shape)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(np.asarray(self), name)

    def __getitem__(self, key: Any) -> Any:
        return np.asarray(self)[key]
