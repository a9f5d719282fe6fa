"""Sums of arrays: as exact as PyTorch's, and quick."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import natively
from ..._core.dtypes import F32, F64, cast
from ..._core.strides import by_rows

I64 = np.dtype(np.int64)

add_reduce: Any = np.add.reduce

multiply_reduce: Any = np.multiply.reduce

maximum_reduce: Any = np.maximum.reduce

minimum_reduce: Any = np.minimum.reduce


def with_ones(shape: tuple[int, ...], dim: tuple[int, ...] | None) -> tuple[int, ...]:
    """The shape that ``keepdim`` gives."""
    if not dim:
        return (1,) * len(shape)
    n = len(shape)
    return tuple(1 if i in dim or i - n in dim else size for i, size in enumerate(shape))


def without(shape: tuple[int, ...], dim: tuple[int, ...] | None) -> tuple[int, ...]:
    """The shape that is left without ``keepdim``."""
    n = len(shape)
    return tuple(size for i, size in enumerate(shape) if dim and i not in dim and i - n not in dim)


def accumulator(d: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype in which elements of this one are summed: halves in float32, integers in int64."""
    if d is F32 or d is F64 or d.kind == "c":
        return d
    if d.kind in "bui":
        return I64 if d.kind != "u" or d.itemsize < 8 else d
    return F32 if d.itemsize == 2 else d


_BLOCK = 512

_ONES_32: dict[int, np.ndarray[Any, Any]] = {}

_ONES_64: dict[int, np.ndarray[Any, Any]] = {}

_divisors: dict[int, int] = {}


def ones(n: int, d: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """A vector of ones, kept for reuse."""
    kept = _ONES_32 if d is F32 else _ONES_64
    found = kept.get(n)
    if found is None:
        found = np.ones(n, d)
        if n <= 4096:
            kept[n] = found
    return found


def block_of(n: int) -> int:
    """The largest divisor of n that is no greater than a block; 1 if that would be small."""
    if n <= _BLOCK:
        return n
    found = _divisors.get(n)
    if found is None:
        found = next((b for b in range(_BLOCK, 63, -1) if n % b == 0), 1)
        if len(_divisors) < 4096:
            _divisors[n] = found
    return found


def add_up(x: Any, dim: tuple[int, ...] | None, keepdim: bool = False) -> Any:
    """``np.add.reduce``; dense float arrays go through BLAS in blocks, which is quicker and rounds as little.

    NOTE [blocked sums]: NumPy sums pairwise along the fastest dimension and one by one along others. A matrix times
    ones is two to three times as fast. Rows and columns are cut to blocks of at most 512, and the blocks' sums added in
    their turn, so that the error stays that of PyTorch, which adds in a tree as well. The native library does so in one
    pass.
    """
    size = x.size
    d = x.dtype
    if not (d is F32 or d is F64) or x.__class__ is not np.ndarray or not x.flags.c_contiguous:
        return by_rows(add_reduce(x, dim, keepdims=keepdim))
    shape = x.shape
    n = len(shape)
    if n == 2 and dim == (0,) and shape[0] <= 256 and (size < 2048 or not natively.expected):
        return ones(shape[0], d).dot(x[None] if keepdim else x)
    if size < 2048:
        if 0 < size <= _BLOCK:
            if dim is None:
                if not keepdim:
                    return (x if n == 1 else x.reshape(-1)).dot(ones(size, d))
            elif len(dim) == 1 and (dim[0] == -1 or dim[0] == n - 1):
                m = shape[-1]
                sums = x.dot(ones(m, d))
                return sums.reshape((*shape[:-1], 1)) if keepdim else sums
        return add_reduce(x, dim, keepdims=keepdim)
    if dim is None or len(dim) == n:
        if size < 32768:
            return add_reduce(x, None, keepdims=keepdim)
        flat = x.reshape(-1)
        result = natively.tried("rows:sum_all", flat)
        if result is not None:
            return result.reshape((1,) * n) if keepdim else result[()]
        whole = size - size % _BLOCK
        result = add_reduce(flat[:whole].reshape(-1, _BLOCK).dot(ones(_BLOCK, d)))
        if whole != size:
            result = result + add_reduce(flat[whole:])
        return np.full((1,) * n, result, d) if keepdim else result
    if len(dim) == 1:
        at = dim[0]
        if at < 0:
            at += n
        if at == n - 1:
            result = _sum_rows(x, shape[-1])
        elif at == 0:
            result = _sum_columns(x.reshape(shape[0], -1), shape[0], size // shape[0] if n != 2 else shape[1])
        else:
            return add_reduce(x, dim, keepdims=keepdim)
    else:
        reduced = sorted(i % n for i in dim)
        last = n
        while last - 1 in reduced:
            last -= 1
        others = tuple(i for i in reduced if i < last)
        if last == n or size < 8192 or 0 in shape:
            return add_reduce(x, dim, keepdims=keepdim)
        inner = 1
        for i in range(last, n):
            inner *= shape[i]
        result = _sum_rows(x, inner).reshape(shape[:last])
        if others:
            result = add_up(result, others)
    return result.reshape(with_ones(shape, dim) if keepdim else without(shape, dim))


def _sum_rows(x: Any, m: int) -> Any:
    found = natively.tried("rows:sum_rows", x.reshape(-1, m)) if m > 1 else None
    if found is not None:
        return found
    b = block_of(m)
    if b < 2:
        return add_reduce(x.reshape(-1, m), 1)
    if b == m:
        return x.reshape(-1, m).dot(ones(m, x.dtype))
    return add_up(x.reshape(-1, b).dot(ones(b, x.dtype)).reshape(-1, m // b), (1,))


def _sum_columns(x: Any, m: int, width: int) -> Any:
    found = natively.tried("rows:sum_columns", x)
    if found is not None:
        return found
    if m <= 256:
        return ones(m, x.dtype).dot(x)
    b = block_of(m)
    if b == 1:
        whole = m - m % _BLOCK
        return _sum_columns(x[:whole], whole, width) + add_reduce(x[whole:], 0)
    if b > 256 and width >= 64 and b % 2 == 0:
        b //= 2
    return add_up(np.matmul(ones(b, x.dtype), x.reshape(m // b, b, width)), (0,))


def add_squares(x: Any, dim: tuple[int, ...] | None, keepdim: bool) -> Any:
    """The sum of the squares of real numbers, without an array of the squares where possible."""
    n = x.ndim
    if x.size >= 2048 and (x.dtype is F32 or x.dtype is F64) and x.__class__ is np.ndarray and x.flags.c_contiguous:
        whole = dim is None or len(dim) == n
        if whole or (dim is not None and len(dim) == 1 and dim[0] in (-1, n - 1)):
            b = block_of(x.size if whole else x.shape[-1])
            if b > 1:
                rows = x.reshape(-1, b)
                sums = np.einsum("ij,ij->i", rows, rows)
                if whole:
                    result = add_reduce(sums)
                    return np.full((1,) * n, result, x.dtype) if keepdim else result
                sums = sums.reshape(*x.shape[:-1], -1)
                return sums if keepdim and sums.shape[-1] == 1 else add_reduce(sums, -1, keepdims=keepdim)
    if dim is None and not keepdim and 0 < x.size <= _BLOCK and x.flags.c_contiguous and x.__class__ is np.ndarray:
        flat = x.reshape(-1)
        return flat.dot(flat)
    return add_up(x * x, dim, keepdim)


def total(x: Any, dim: tuple[int, ...] | None, keepdim: bool, wanted: np.dtype[Any] | None = None) -> Any:
    """The sum of an array of any dtype in PyTorch's result dtype (or the wanted one)."""
    d = x.dtype
    if wanted is None and (d is F32 or d is F64):
        return add_up(x, dim, keepdim)
    if wanted is not None and wanted != d:
        x = cast(x, wanted)
        d = wanted
    inner = accumulator(d)
    if inner is d:
        result = add_up(x, dim, keepdim)
    else:
        result = by_rows(add_reduce(x.astype(F32) if inner is F32 else x, dim, dtype=inner, keepdims=keepdim))
    result_dtype = wanted or (d if inner is F32 or inner is d else inner)
    return result if result.dtype == result_dtype else result.astype(result_dtype)
