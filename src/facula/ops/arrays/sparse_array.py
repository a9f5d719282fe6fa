"""A gradient that is zero almost everywhere, on its way to a leaf: rows, and where they belong.

``embedding(sparse=True)`` and the like make it. Sums of such gradients list the rows of both, those of one place as one
if both lists are in order. Whatever else is computed with it sees the whole array, by NumPy's own protocols.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .scatter_add import add_rows


class SparseArray:
    """Rows of an array of zeros, at places that may repeat: (sparse dimensions, rows)."""

    __slots__ = ("at", "coalesced", "rows", "shape")

    def __init__(self, at: Any, rows: Any, shape: tuple[int, ...], coalesced: bool = False) -> None:
        self.at = at
        self.rows = rows
        self.shape = shape
        self.coalesced = coalesced

    dtype = property(lambda self: self.rows.dtype)
    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: math.prod(self.shape))
    base = None

    def astype(self, dtype: Any, copy: bool = True) -> SparseArray:
        return SparseArray(self.at, self.rows.astype(dtype), self.shape, self.coalesced)

    def copy(self) -> SparseArray:
        return SparseArray(self.at.copy(), self.rows.copy(), self.shape, self.coalesced)

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
            at, mine, others = joined_places(self.at, other.at, self.shape[: len(self.at)])
            rows = np.concatenate([self.rows, other.rows])
            if mine is not None:
                rows = np.zeros((at.shape[1], *self.rows.shape[1:]), self.dtype)
                rows[mine] = self.rows
                rows[others] += other.rows
            return SparseArray(at, rows, self.shape, self.coalesced and other.coalesced)
        return np.add(np.asarray(self), other)

    def __radd__(self, other: Any) -> Any:
        return np.add(other, np.asarray(self))

    def __mul__(self, other: Any) -> Any:
        if np.ndim(other) == 0:
            return SparseArray(self.at, self.rows * other, self.shape, self.coalesced)
        return np.multiply(np.asarray(self), other)

    __rmul__ = __mul__

    def __neg__(self) -> SparseArray:
        return SparseArray(self.at, -self.rows, self.shape, self.coalesced)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(np.asarray(self), name)

    def __getitem__(self, key: Any) -> Any:
        return np.asarray(self)[key]


def numbered(at: Any, shape: tuple[int, ...]) -> Any:
    """Places in a shape as numbers; those of no dimension are all the same."""
    if not at.shape[0]:
        return np.zeros(at.shape[1], np.int64)
    number = at[0]
    for places, n in zip(at[1:], shape[1:]):
        number = number * n + places
    return number


def at_places(places: Any, shape: tuple[int, ...]) -> Any:
    """The other way round."""
    at = np.empty((len(shape), places.size), np.int64)
    for i in range(len(shape) - 1, -1, -1):
        places, at[i] = np.divmod(places, shape[i]) if i else (None, places)
    return at


def joined_places(at: Any, other: Any, shape: tuple[int, ...]) -> tuple[Any, Any, Any]:
    """The places of two lists, and which of these each list has: None if they are one list behind the other."""
    a, b = numbered(at, shape), numbered(other, shape)
    if not (_in_order(a) and _in_order(b)):
        return np.concatenate([at, other], 1), None, None
    places, slots = np.unique(np.concatenate([a, b]), return_inverse=True)
    slots = slots.reshape(-1)
    return at_places(places, shape), slots[: a.size], slots[a.size :]


def _in_order(places: Any) -> bool:
    return bool((places[1:] > places[:-1]).all())
