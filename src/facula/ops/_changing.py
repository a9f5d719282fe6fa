"""Operators that copy and write into part of the copy; without copying, the write is their in-place form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._device import MetaArray
from .._dtype import is_half
from .._tensor import Tensor
from ._inplace import change
from ._primitive import Primitive
from ._xp import RAW


class Changing(Primitive):
    """A primitive whose kernel copies its input and calls ``write`` on the copy."""

    write: Callable[..., None]

    def apply(
        self, input: Tensor, tensors: tuple[Any, ...], attributes: tuple[Any, ...], in_place: bool,
        overlap: bool = False,
    ) -> Tensor:  # fmt: skip
        """Call it, or change ``input`` itself and record that. ``overlap``: its elements may share memory."""
        if not in_place:
            return self(input, *tensors, *attributes)

        def write(target: Any, *arrays: Any) -> None:
            if target.__class__ is not MetaArray:
                self.write(target, *arrays, *attributes)

        return change(self, input, tensors, write, attributes, overlap)


def changing(node: str, name: str) -> Callable[[Callable[..., None]], Changing]:
    """Make a primitive of a function that writes into its first argument."""

    def make(write: Callable[..., None]) -> Changing:
        def kernel(input: Any, *rest: Any) -> Any:
            if input.__class__ is MetaArray:
                return input.copy()
            changed = np.array(input)
            write(changed, *rest)
            return changed

        op = Changing(name, write, node)  # which has the parameters that the kernel passes on
        op.write = write
        op.kernel = kernel
        setattr(RAW, name, kernel)
        return op

    return make


# ---- what rules share


def raw(x: Any) -> Any:
    """The array behind a value of either world."""
    return x._array if isinstance(x, Tensor) else x


def constant(array: Any, xp: Any) -> Any:
    """An array as a value of the world a rule runs in: for masks and counts, which have no derivative."""
    return array if xp.is_raw else Tensor._wrap(np.asarray(array))


# ---- adding where indices may repeat


def add_at(flat: Any, positions: Any, values: Any) -> None:
    """``flat[positions] += values`` for a vector, repeated positions counted each time.

    NumPy's ``add.at`` is quick for vectors, and only for these: whoever has rows to add brings them to this form.
    """
    if is_half(flat.dtype):
        wide = flat.astype(np.float32)
        np.add.at(wide, positions.ravel(), np.asarray(values).astype(np.float32).ravel())
        flat[...] = wide
        return
    np.add.at(flat, positions.ravel(), values.ravel())


_ROUNDS = 4
_WIDE = 8


def add_rows(target: Any, rows: Any, values: Any, fresh: bool = False) -> None:
    """``target[rows] += values`` along the first dimension; ``rows`` is a vector of places counted from the front.

    ``fresh``: the target is all zeros, so that the first to arrive at a row can be written instead of added.

    Wide rows are added in rounds. In a round each place gets the last of the rows that want to go there, which an
    array of "who wrote here last" tells without sorting. What is left after some rounds is added element by element.
    """
    shape = target.shape
    width = 1
    for n in shape[1:]:
        width *= n
    if not rows.size or not width:
        return
    values = np.broadcast_to(values, (rows.size, *shape[1:]))
    if width >= _WIDE and rows.size <= 2 * shape[0]:
        last = np.empty(shape[0], np.intp)
        for _ in range(_ROUNDS):
            order = np.arange(rows.size)
            last[rows] = order
            won = last[rows] == order
            everyone = won.all()
            places, brought = (rows, values) if everyone else (rows[won], values[won])
            if fresh:
                target[places] = brought
                fresh = False
            else:
                target[places] += brought
            if everyone:
                return
            lost = ~won
            rows, values = rows[lost], values[lost]
    dense = target if target.flags.c_contiguous else np.zeros(shape, target.dtype)
    positions = rows if width == 1 else rows[:, None] * width + np.arange(width)
    add_at(dense.reshape(-1), positions, values)
    if dense is not target:
        target += dense


def from_front(index: Any, n: int) -> Any:
    """Places in a dimension of size ``n``, negative ones counted from the end."""
    return np.where(index < 0, index + n, index) if index.size and np.minimum.reduce(index, None) < 0 else index


def first_outside(index: Any, low: int, high: int) -> int | None:
    """The first element that is not in ``range(low, high)``."""
    if not index.size or (low <= np.minimum.reduce(index, None) and np.maximum.reduce(index, None) < high):
        return None
    flat = index.ravel()
    return int(flat[np.argmax((flat < low) | (flat >= high))])
