"""Elements gathered by index along a dimension, and the adjoint: elements put, or added, where they were gathered."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.devices import MetaArray, empty_meta
from .scatter_add import places_in
from .types import Array


def pick(input: Array, index: Array, dim: int, keepdim: bool, unique: bool) -> Any:
    """``input[..., index[...], ...]``. Without ``keepdim`` the index (and the result) lack the dimension."""
    if not input.ndim:
        return input
    if keepdim:
        return np.take_along_axis(input, index, dim)
    return np.take_along_axis(input, np.expand_dims(index, dim), dim).squeeze(dim)


def unpick(input: Any, index: Any, dim: int, keepdim: bool, unique: bool, shape: tuple[int, ...]) -> Any:
    """Each element put (or, if places may repeat, added) where it was picked from; zeros elsewhere."""
    if not shape:
        return input
    if input.__class__ is MetaArray:
        return empty_meta(shape, input.dtype)
    result = np.zeros(shape, input.dtype)
    if not result.size:
        return result
    if unique and (dim == -1 or dim == len(shape) - 1) and input.size * shape[-1] == result.size:
        # One of each row: much quicker than put_along_axis.
        result.reshape(-1, shape[-1])[_count_up(input.size), index.reshape(-1)] = input.reshape(-1)
        return result
    if not keepdim:
        index, input = np.expand_dims(index, dim), np.expand_dims(input, dim)
    if unique:
        if input.size > 4096:
            at = dim % len(shape)
            result.reshape(-1)[places_in(shape, index.shape, index, at)] = input
        else:
            np.put_along_axis(result, index, input, dim)
        return result
    return _add_along(result, index, input, dim)


_counted: dict[int, Any] = {}


def _count_up(n: int) -> Any:
    """0, 1, ... n - 1; short ones are kept."""
    found = _counted.get(n)
    if found is None:
        found = np.arange(n)
        if n <= 512:
            _counted[n] = found
    return found


def _add_along(result: Any, index: Any, values: Any, dim: int) -> Any:
    if values.dtype.kind != "f":
        spots = list(np.ogrid[tuple(slice(n) for n in index.shape)])
        spots[dim] = index
        np.add.at(result, tuple(spots), values)
        return result
    places, rows = np.moveaxis(index, dim, -1), np.moveaxis(values, dim, -1)
    shape = np.moveaxis(result, dim, -1).shape
    n = shape[-1]
    starts = np.arange(0, result.size, n or 1).reshape(*shape[:-1], 1)
    summed = np.bincount((places + starts).reshape(-1), rows.reshape(-1), result.size)
    return np.moveaxis(summed.reshape(shape), -1, dim).astype(values.dtype, order="C")
