"""Running sums of float32, as PyTorch takes them: summed in float64, each rounded once.

Long rows are cut to blocks. Sums of whole blocks run on in float64 and are added to the first element of the next
block; within a block, running sums are a product with a triangle of ones: BLAS is quicker at that than NumPy at one
addition after the other, and a block is short enough that float32 loses nothing to speak of.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ..._core.dtypes import F32, F64
from .sums import ones
from .tiles import TILE, each_rows

_LARGE = 8192
_BLOCKS = (25, 24, 26, 23, 27, 22, 28, 21, 29, 20, 30, 31, 32, 33, 34, 35, 36, 40, 19, 18, 17, 16)
_WIDE = 256


@lru_cache(64)
def _triangle(block: int, reverse: bool) -> Any:
    """A row times this: sums up to each element, or from each on."""
    whole = np.ones((block, block), F32)
    return np.tril(whole) if reverse else np.triu(whole)


def running_sums(x: Any, dim: int, reverse: bool = False) -> Any:
    """Sums of the elements up to each one along a dimension, or from each one on."""
    at = dim % x.ndim
    n = x.shape[at]
    if x.size >= _LARGE and x.__class__ is np.ndarray and x.flags.c_contiguous:
        inner = 1
        for size in x.shape[at + 1 :]:
            inner *= size
        if inner == 1 and n >= 64:
            found = _by_blocks(x.reshape(-1, n), reverse)
            if found is not None:
                return found.reshape(x.shape)
        elif inner >= _WIDE:
            return _row_after_row(x.reshape(-1, n, inner), reverse).reshape(x.shape)
    if reverse:
        return np.flip(np.add.accumulate(np.flip(x, dim), dim, dtype=F64), dim).astype(F32)
    return np.add.accumulate(x, dim, dtype=F64).astype(F32)


def _by_blocks(x: Any, reverse: bool) -> Any:
    """Rows by blocks; None if there are infinities or NaNs, which a product would spread."""
    count, n = x.shape
    block = next((b for b in _BLOCKS if n % b == 0), 0)
    blocks = n // block if block else -(-n // 24)
    block = block or 24
    out = np.empty((count, blocks, block), F32)
    triangle = _triangle(block, reverse)
    finite = []

    def job(tile: slice) -> None:
        rows = x[tile]
        m = rows.shape[0]
        cut = np.zeros((m, blocks * block), F32) if n != blocks * block else np.empty((m, n), F32)
        cut[:, :n] = rows
        cut = cut.reshape(m, blocks, block)
        sums = cut.reshape(-1, block).dot(ones(block, F32)).reshape(m, blocks)
        if reverse:
            before = np.add.accumulate(sums[:, :0:-1], 1, dtype=F64)[:, ::-1]
            cut[:, :-1, -1] += before
        else:
            before = np.add.accumulate(sums[:, :-1], 1, dtype=F64)
            cut[:, 1:, 0] += before
        finite.append(bool(np.isfinite(sums).all() and np.isfinite(before).all()))
        np.dot(cut.reshape(-1, block), triangle, out=out[tile].reshape(-1, block))

    each_rows(count, n, job, 8 * TILE)
    if not all(finite):
        return None
    out = out.reshape(count, -1)
    return out if out.shape[1] == n else np.ascontiguousarray(out[:, :n])


def _row_after_row(x: Any, reverse: bool) -> Any:
    """Along a dimension that is not the last: whole rows are added."""
    out = np.empty(x.shape, F32)
    for part, target in zip(x, out):
        total = np.zeros(x.shape[2], F64)
        for i in range(x.shape[1] - 1, -1, -1) if reverse else range(x.shape[1]):
            np.add(total, part[i], out=total)
            target[i] = total
    return out
