"""Adding values to places of an array that may repeat, and finding these places."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ..._core import natively
from ..._core.dtypes import is_half, widened
from ..._core.looks import passes


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


def rounded_at(ufunc: Any, flat: Any, positions: Any, values: Any) -> None:
    """``ufunc.at`` in half precision, rounded after each value: the first of each place, then the second, and so on."""
    positions, values = positions.ravel(), np.asarray(values).ravel()
    order = np.argsort(positions, kind="stable")
    ordered = positions.take(order)
    starts = np.flatnonzero(np.diff(ordered, prepend=-1))
    turns = np.empty(order.size, np.int64)
    turns[order] = np.arange(order.size) - np.repeat(starts, np.diff(starts, append=order.size))
    by_turn = np.argsort(turns, kind="stable")
    for turn in np.split(by_turn, np.cumsum(np.bincount(turns))[:-1]):
        places = positions.take(turn)
        flat[places] = ufunc(widened(flat[places]), widened(values[turn])).astype(flat.dtype)


@lru_cache(maxsize=256)
def _starts(shape: tuple[int, ...], part: tuple[int, ...], dim: int) -> tuple[Any, int]:
    """Where elements of a part of a dense array lie whose place along ``dim`` is 0, and the step along ``dim``."""
    starts: Any = 0
    stride = step = 1
    for d in range(len(shape) - 1, -1, -1):
        if d == dim:
            step = stride
        else:
            starts = starts + (np.arange(part[d]) * stride).reshape((-1,) + (1,) * (len(shape) - d - 1))
        stride *= shape[d]
    return starts, step


_KEPT = 4096


def places_in(shape: tuple[int, ...], part: tuple[int, ...], index: Any, dim: int) -> Any:
    """Where the elements of a part of a dense array lie in it, with ``index`` in place of their place along ``dim``.

    The index has the part's shape, or one that broadcasts to it.
    """
    if len(shape) == 1:
        return index
    starts, step = places_along(shape, part, dim)
    return np.add(starts, index if step == 1 else np.multiply(index, step))


def places_along(shape: tuple[int, ...], part: tuple[int, ...], dim: int) -> tuple[Any, int]:
    """``_starts``, kept for reuse if they are few."""
    size = 1
    for d, n in enumerate(part):
        size *= 1 if d == dim else n
    return (_starts if size <= _KEPT else _starts.__wrapped__)(shape, part, dim)


SMALL = 1024
"""Up to this many elements are added one by one: all else takes longer to begin."""

_WIDE = 8

_FEW = 64

_MANY = 4


def add_rows(target: Any, rows: Any, values: Any, fresh: bool = False) -> None:
    """``target[rows] += values`` along the first dimension; ``rows`` is a vector of places counted from the front.

    ``fresh``: the target is all zeros, so that the first to arrive at a row can be written instead of added.
    """
    shape = target.shape
    width = 1
    for n in shape[1:]:
        width *= n
    if not rows.size or not width:
        return
    if width * rows.size <= SMALL and values.size == width * rows.size and target.flags.c_contiguous:
        where = rows if width == 1 else places_in(shape, (rows.size, *shape[1:]), as_column(rows, len(shape)), 0)
        add_at(target.reshape(-1), where, values)
        return
    values = np.broadcast_to(values, (rows.size, *shape[1:]))
    dense = target
    if not target.flags.c_contiguous:
        dense, fresh = np.zeros(shape, target.dtype), True
    table, lines = dense.reshape(shape[0], width), values.reshape(rows.size, width)
    if not natively.tried("indexing:add_rows", table, rows, lines):
        if width >= _WIDE and not is_half(target.dtype):
            _add_in_turns(table, rows, lines, fresh)
        else:
            positions = rows if width == 1 else rows[:, None] * width + np.arange(width)
            add_at(dense.reshape(-1), positions, values)
    if dense is not target:
        target += dense


def _add_in_turns(target: Any, rows: Any, values: Any, fresh: bool) -> None:
    """Wide rows: sorted by place, the first of each place is added, then the second of each, and so on.

    Once few places are left, which then have many rows each, these are summed place by place. Where places have many
    rows each from the start, sums of stretches take half the time; of short stretches they take twice as long.
    """
    if target.shape[0] <= 1 << 16:
        order = np.argsort(rows.astype(np.uint16), kind="stable")  # by counting: much quicker than by comparing
    else:
        order = np.argsort(rows)
    ordered = rows.take(order)
    begins = np.empty(rows.size, bool)
    begins[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
    starts = np.flatnonzero(begins)
    counts = np.diff(starts, append=rows.size)
    places = ordered.take(starts)
    if rows.size >= _MANY * places.size:
        totals = np.add.reduceat(values.take(order, 0), starts, 0)
        target[places] = totals if fresh else target[places] + totals
        return
    turn = 0
    while places.size > _FEW or (places.size and turn == 0):
        brought = values.take(order.take(starts), 0)
        if fresh and turn == 0:
            target[places] = brought
        else:
            target[places] += brought
        turn += 1
        left = np.flatnonzero(counts > turn)
        starts, counts, places = starts.take(left) + 1, counts.take(left), places.take(left)
    for place, start, count in zip(places.tolist(), starts.tolist(), counts.tolist()):
        target[place] += np.add.reduce(values.take(order[start : start + count - turn], 0), 0)


def as_column(rows: Any, ndim: int, dim: int = 0) -> Any:
    """A vector that goes along one dimension of ``ndim``."""
    return rows.reshape((-1,) + (1,) * (ndim - dim - 1))


def from_front(index: Any, n: int) -> Any:
    """Places in a dimension of size ``n``, negative ones counted from the end."""
    return np.where(index < 0, index + n, index) if index.size and index.item(index.argmin()) < 0 else index


_INT64 = np.dtype(np.int64)


@passes("(index >= low) & (index < high)")
def first_outside(index: Any, low: int, high: int) -> int | None:
    """The first element that is not in ``range(low, high)``."""
    if not low and index.dtype is _INT64 and index.size > 4096:
        index = np.ascontiguousarray(index)
        if int(index.view(np.uint64).max()) < high:  # where negative ones are the greatest
            return None
    # The places of the extremes are found in a fifth of the time that the extremes take.
    if not index.size or (low <= index.item(index.argmin()) and index.item(index.argmax()) < high):
        return None
    flat = index.ravel()
    return int(flat[np.argmax((flat < low) | (flat >= high))])
