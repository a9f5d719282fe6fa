"""Convolutions with kernels of 3 by 3 by Winograd's algorithm: 16 products for each 2 by 2 results, not 36.

With the transforms B, G and A below, y = A' [(G w G') (B' x B)] A for each tile of 4 by 4 of x, where the product is
one of matrices over channels for each of the 16 places of a tile; all factors in the transforms are 1, -1 or 1/2, so
that float32 loses next to nothing. It is the same for the gradient of w, read backwards.

      B' = 1  0 -1  0      G = 1   0   0      A' = 1  1  1  0
           0  1  1  0          .5  .5  .5          0  1 -1 -1
           0 -1  1  0          .5 -.5  .5
           0  1  0 -1          0   0   1

Tiles overlap by half. So x is taken apart into *phases*, rows and columns with even and with odd numbers, of which a
tile's elements are neighbours. A phase has one row and one column more than there are tiles: numbered through, a step
to the next column, or row, is the same everywhere, and a transform is a few sums of long arrays, which NumPy makes at
full speed. What is computed for that row and column too much is not looked at.

An infinity or NaN spreads over its tile, further than it should: such results are given up (None).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ...._core import threads
from .patches import Sizes

_COLUMNS = 900
"""About how many tiles are worked on at once: so many stay in the cache, and make a product that is worth it."""
_HALF = np.float32(0.5)


def suits(x: Any, kernel: Sizes, out: Sizes, stride: Sizes, dilation: Sizes, outs: int) -> bool:
    """Whether there is enough to gain, with as many channels of results."""
    return (
        x.dtype == np.float32 and tuple(kernel) == (3, 3) and tuple(stride) == tuple(dilation) == (1, 1)
        and min(x.shape[1], outs) >= 32 and min(out) >= 8 and len(x) * out[0] * out[1] >= 2048
    )  # fmt: skip


class _Block(NamedTuple):
    """What is worked on at once: some samples, or some rows of tiles of one."""

    samples: slice
    size: int
    first: int
    last: int


class _Tiles:
    """How results of some size are cut into tiles and blocks."""

    def __init__(self, samples: int, out: Sizes) -> None:
        rows, self.columns = (out[0] + 1) // 2, (out[1] + 1) // 2
        self.wide = self.columns + 1
        step = min(max(_COLUMNS // ((rows + 1) * self.wide), 1), samples)
        height = rows if step > 1 else -(-rows // max(round(rows * self.wide / _COLUMNS), 1))
        self.blocks = [
            _Block(slice(i, min(i + step, samples)), min(step, samples - i), first, min(first + height, rows))
            for i in range(0, samples, step)
            for first in range(0, rows, height)
        ]

    def of(self, block: _Block) -> tuple[int, int, int]:
        """The shape of a phase: samples, rows and columns."""
        return block.size, block.last - block.first + 1, self.wide


class _Phases:
    """The phases of some samples of x with zeros around, and their transform."""

    def __init__(self, x: Any, before: Sizes, tiles: _Tiles) -> None:
        self.x, self.before, self.tiles = x, before, tiles
        self.shape: tuple[int, ...] = ()
        self.phases = self.over = self.found = x

    def transformed(self, block: _Block) -> Iterator[Any]:
        """B' x B, one after the other its four rows (4, channels, tiles), in the same memory."""
        shape = (self.x.shape[1], *self.tiles.of(block))
        size, wide = int(np.prod(shape)), self.tiles.wide
        if shape != self.shape:
            self.shape = shape
            self.phases = np.zeros((2, 2, size + wide + 1), self.x.dtype)
            self.over = np.empty((2, size + 1), self.x.dtype)
            self.found = np.empty((4, size), self.x.dtype)
        self._load(block, self.phases[:, :, :size].reshape(2, 2, *shape))
        (even, odd), over, found = self.phases, self.over, self.found
        (even, even_below), (odd, odd_below) = ((half[:, : size + 1], half[:, wide:]) for half in (even, odd))
        (even_left, odd_left), (even_right, odd_right) = over[:, :-1], over[:, 1:]
        for function, a, b in (
            (np.subtract, even, even_below), (np.add, odd, even_below), (np.subtract, even_below, odd),
            (np.subtract, odd, odd_below),
        ):  # fmt: skip
            function(a, b, over)
            np.subtract(even_left, even_right, found[0])
            np.add(odd_left, even_right, found[1])
            np.subtract(even_right, odd_left, found[2])
            np.subtract(odd_left, odd_right, found[3])
            yield found.reshape(4, shape[0], -1)

    def _load(self, block: _Block, phases: Any) -> None:
        x = self.x[block.samples].swapaxes(0, 1)
        rows, columns = phases.shape[-2:]
        for a in (0, 1):
            from_rows, to_rows = _every_other(x.shape[2], self.before[0], 2 * block.first + a, rows)
            for b in (0, 1):
                from_columns, to_columns = _every_other(x.shape[3], self.before[1], b, columns)
                phase = phases[a, b]
                phase[:, :, to_rows, to_columns] = x[:, :, from_rows, from_columns]
                phase[:, :, : to_rows.start] = 0
                phase[:, :, to_rows.stop :] = 0


def _every_other(size: int, before: int, start: int, count: int) -> tuple[slice, slice]:
    """Of ``count`` places ``start``, ``start + 2``, ... those of an array that has ``before`` zeros before it."""
    first = min(max(-(-(before - start) // 2), 0), count)
    at = start + 2 * first - before
    found = min(len(range(at, size, 2)), count - first)
    return slice(at, at + 2 * found, 2), slice(first, first + found)


# ---- y = conv(x, w)


def convolve(x: Any, w: Any, before: Sizes, out: Sizes) -> Any:
    """``w`` over ``x`` with zeros around it: so many before it, and as many behind it as ``out`` needs."""
    o = len(w)
    tiles = _Tiles(len(x), out)
    weights = _of_weights(w)
    y = np.empty((len(x), o, *out), x.dtype)
    blocks = tiles.blocks
    finite = np.ones(len(blocks), bool)

    def job(share: int) -> None:
        phases = _Phases(x, before, tiles)
        room = np.empty((3, 4, o, 0), x.dtype)
        for i in range(share, len(blocks), shares):
            block = blocks[i]
            shape = tiles.of(block)
            if room.shape[3] != (size := int(np.prod(shape))):
                room = np.empty((3, 4, o, size), x.dtype)
            _products(weights, phases.transformed(block), *room)
            rows = y[block.samples, :, 2 * block.first : 2 * block.last].swapaxes(0, 1)
            for r in (0, 1):
                finite[i] &= _to_results(room[r], room[2], rows[:, :, r::2], shape)

    shares = min(threads.count, len(blocks))
    threads.share(job, shares)
    return y if finite.all() else None


def _of_weights(w: Any) -> Any:
    """G w G' as (4, 4, outs, ins)."""
    return _by_g(_by_g(w.transpose(2, 3, 0, 1)).swapaxes(0, 1)).swapaxes(0, 1)


def _by_g(w: Any) -> Any:
    half, middle = (w[0] + w[2]) * _HALF, w[1] * _HALF
    return np.stack([w[0], half + middle, half - middle, w[2]])


def _products(weights: Any, columns: Iterator[Any], upper: Any, lower: Any, more: Any) -> None:
    """A' times the products of weights and columns: its two rows."""
    np.matmul(weights[0], next(columns), out=upper)
    np.matmul(weights[1], next(columns), out=lower)
    upper += lower
    np.matmul(weights[2], next(columns), out=more)
    upper += more
    lower -= more
    np.matmul(weights[3], next(columns), out=more)
    lower -= more


def _to_results(sums: Any, room: Any, y: Any, shape: tuple[int, int, int]) -> bool:
    """Times A: every other row of y (channels, samples, rows, columns), and whether all of it is finite.

    ``sums`` and ``room`` are overwritten.
    """
    a, b, c, d = sums.reshape(4, -1)
    pairs = room.reshape(-1)[: 2 * a.size].reshape(-1, 2)
    np.add(a, b, a)
    np.add(a, c, pairs[:, 0])
    np.subtract(b, c, b)
    np.subtract(b, d, pairs[:, 1])
    samples, rows, wide = shape
    y[...] = pairs.reshape(-1, samples, rows, 2 * wide)[:, :, : y.shape[2], : y.shape[3]]
    flat = pairs.reshape(-1)
    return bool(np.isfinite(np.dot(flat, flat)))


# ---- w from y and x


def convolve_weight(y: Any, x: Any, before: Sizes) -> Any:
    """The gradient of the weights, by that of results."""
    o, c = y.shape[1], x.shape[1]
    tiles = _Tiles(len(y), y.shape[2:])
    blocks = tiles.blocks
    shares = min(threads.count, len(blocks))
    sums = np.zeros((shares, 4, 4, o, c), x.dtype)

    def job(share: int) -> None:
        phases = _Phases(x, before, tiles)
        part = np.empty((o, c), x.dtype)
        given = np.empty(0, x.dtype)
        for i in range(share, len(blocks), shares):
            block = blocks[i]
            if given.shape[3:] != (shape := tiles.of(block)):
                given = np.zeros((2, 2, o, *shape), x.dtype)
            rows = y[block.samples, :, 2 * block.first : 2 * block.last].swapaxes(0, 1)
            for r, q in ((0, 0), (0, 1), (1, 0), (1, 1)):
                phase = rows[:, :, r::2, q::2]
                given[r, q, :, :, : phase.shape[2], : phase.shape[3]] = phase
                given[r, q, :, :, phase.shape[2] :] = 0
            upper, lower = given.reshape(2, 2, o, -1)
            over = (upper, upper + lower, upper - lower, lower)
            for (a, b), columns, target in zip(over, phases.transformed(block), sums[share]):
                for k, results in enumerate((a, a + b, a - b, b)):
                    target[k] += np.matmul(results, columns[k].T, out=part)

    threads.share(job, shares)
    found = sums[0] if shares == 1 else np.add.reduce(sums, 0)
    if not np.isfinite(found).all():
        return None
    return np.ascontiguousarray(_back_by_g(_back_by_g(found).swapaxes(0, 1)).swapaxes(0, 1).transpose(2, 3, 0, 1))


def _back_by_g(found: Any) -> Any:
    """G' u, with the last row of u negated: A has a sign there, which was left out."""
    half = (found[1] + found[2]) * _HALF
    return np.stack([found[0] + half, (found[1] - found[2]) * _HALF, half - found[3]])
