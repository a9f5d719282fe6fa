"""Large arrays in tiles that fit the cache, shared among threads.

A chain of NumPy calls on one tile after the other reads and writes memory once instead of once for each call. Tiles are
independent of each other: with several threads (see ``threads``) each takes the next one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from ..._core import threads
from .types import Array

TILE = 32768
"""Elements that are worked on at once: 128 KB of float32 in each of the arrays of a kernel."""

SHARED = 4 * TILE
"""From so many elements on several threads are worth their hand-over, which takes some 10 µs."""


def each_tile(size: int, job: Callable[[slice], Any], tile: int = TILE, weight: int = 1) -> None:
    """``job(slice)`` for tiles of ``range(size)``. ``weight``: how many elements each of these stands for."""
    if threads.count > 1 and size * weight >= SHARED and size > tile:
        # At least two tiles for each thread, or one that is late keeps the others waiting.
        tile = max(min(tile, -(-size // (2 * threads.count))), 1)
        threads.share(lambda i: job(slice(i * tile, min((i + 1) * tile, size))), -(-size // tile))
        return
    for start in range(0, size, tile):
        job(slice(start, min(start + tile, size)))


def each_rows(count: int, width: int, job: Callable[[slice], Any], tile: int = TILE) -> None:
    """The same for rows of some width: as many at a time as make a tile."""
    each_tile(count, job, max(tile // (width or 1), 1), width)


def in_tiles(fn: Callable[[Any], Any], x: Any) -> Any:
    """An elementwise function of one argument, applied to pieces of a large array."""
    if x.size <= TILE or x.__class__ is not np.ndarray:
        return fn(x)
    if not x.flags.c_contiguous:
        return in_tiles(fn, x.T).T if x.flags.f_contiguous else fn(x)
    flat = x.reshape(-1)
    out = np.empty(flat.shape, x.dtype)

    def job(tile: slice) -> None:
        out[tile] = fn(flat[tile])

    each_tile(flat.size, job)
    return out.reshape(x.shape)


def tiled_kernel(kernel: Any) -> Any:
    """A kernel of one array and attributes that works tile by tile: temporaries stay in the cache."""

    @wraps(kernel)
    def run(input: Array, *attributes: Array) -> Any:
        if input.size <= TILE or input.__class__ is not np.ndarray or input.dtype.kind == "c":
            return kernel(input, *attributes)
        return in_tiles(lambda x: kernel(x, *attributes), input)

    return run


HEAVY = frozenset(
    (np.exp, np.exp2, np.expm1, np.log, np.log2, np.log10, np.log1p, np.sin, np.cos, np.tan, np.arcsin, np.arccos,
     np.arctan, np.sinh, np.cosh, np.tanh, np.arcsinh, np.arccosh, np.arctanh, np.sqrt)
)  # fmt: skip
"""Functions that compute for longer than they wait for memory."""


def shared_ufunc(ufunc: Any, x: Any) -> Any:
    """A ufunc of one float argument whose work is worth several threads."""
    if threads.count == 1 or not x.flags.c_contiguous or x.__class__ is not np.ndarray:
        return ufunc(x)
    flat = x.reshape(-1)
    out = np.empty(x.shape, x.dtype)
    into = out.reshape(-1)
    each_tile(flat.size, lambda tile: ufunc(flat[tile], into[tile]), 2 * TILE)
    return out


def shared_pair(fn: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    """An elementwise function of two arrays; if these are large and alike, by several threads."""
    if threads.count == 1 or a.size < SHARED or a.shape != b.shape or not (_is_dense(a) and _is_dense(b)):
        return fn(a, b)
    return pair_in_tiles(fn, a, b, a.dtype)


def pair_in_tiles(fn: Callable[[Any, Any], Any], a: Any, b: Any, dtype: Any) -> Any:
    """An elementwise function of two arrays of one shape, tile by tile: temporaries stay in the cache."""
    x, y = a.reshape(-1), b.reshape(-1)
    out = np.empty(x.shape, dtype)

    def job(tile: slice) -> None:
        out[tile] = fn(x[tile], y[tile])

    each_tile(x.size, job)
    return out.reshape(a.shape)


def pair_into(fn: Callable[..., Any], a: Any, b: Any) -> Any:
    """The same with a function that writes to ``out``, for arrays of one dtype."""
    x, y = a.reshape(-1), b.reshape(-1)
    out = np.empty(x.shape, x.dtype)
    each_tile(x.size, lambda tile: fn(x[tile], y[tile], out=out[tile]))
    return out.reshape(a.shape)


def pairs_in_tiles(kernel: Any) -> Any:
    """A kernel of two arrays and attributes that works on large ones tile by tile."""

    @wraps(kernel)
    def run(input: Any, other: Any, *attributes: Any) -> Any:
        if other.size <= TILE or other.__class__ is not np.ndarray or input.shape != other.shape:
            return kernel(input, other, *attributes)
        return pair_in_tiles(lambda g, x: kernel(g, x, *attributes), input, other, np.result_type(input, other))

    return run


def _is_dense(x: Any) -> bool:
    return x.__class__ is np.ndarray and bool(x.flags.c_contiguous)
