"""Gradients that are sparse: of rows that were picked. On arrays they are a ``SparseArray``, else sparse tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._tensor import Tensor, elements
from ..arrays.sparse_array import SparseArray
from ..machine.rules import in_both_namespaces
from .coo import sparse
from .kernels import gather_values_op, same_values_op


def as_tensor(g: SparseArray) -> Any:
    """A gradient on arrays as the sparse tensor that users see."""
    return sparse(g.at, Tensor._wrap(g.rows), g.shape, g.coalesced)


def as_array(t: Any) -> SparseArray:
    """The other way round."""
    return SparseArray(t._at, t._rows._array, tuple(t._array.shape), t._sorted)


def _kept(indices: Any, shape: tuple[int, ...], padding_idx: int) -> tuple[Any, Any]:
    """Places of picked rows, and which of these count: the padding row has no gradient, nor have rows of nothing."""
    flat = indices.reshape(-1).astype(np.int64)
    if 0 in shape[1:]:
        flat = flat[:0]
    kept = np.flatnonzero(flat != padding_idx) if padding_idx >= 0 else np.arange(flat.size)
    return flat[kept][None], kept


def _picked_rows_array(g: Any, indices: Any, shape: tuple[int, ...], padding_idx: int) -> SparseArray:
    at, kept = _kept(indices, shape, padding_idx)
    return SparseArray(at, g.reshape(indices.size, *shape[1:]).take(kept, 0), shape)


def _picked_rows_tensor(g: Any, indices: Any, shape: tuple[int, ...], padding_idx: int) -> Any:
    places = elements(indices)
    at, kept = _kept(places, shape, padding_idx)
    rows = g.reshape(places.size, *shape[1:])
    return sparse(at, same_values_op(gather_values_op(rows, kept, 1) if len(kept) < places.size else rows), shape)


def _gathered(index: Any, dim: int, ndim: int) -> Any:
    """The places of elements that were gathered along a dimension."""
    if not ndim:
        return np.zeros((0, index.size), np.int64)
    at = np.indices(index.shape or (1,)).reshape(ndim, index.size)
    at[dim] = index.reshape(-1)
    return at


def _picked_elements_array(g: Any, index: Any, shape: tuple[int, ...], dim: int) -> SparseArray:
    return SparseArray(_gathered(index, dim, len(shape)), g.reshape(-1), shape)


def _picked_elements_tensor(g: Any, index: Any, shape: tuple[int, ...], dim: int) -> Any:
    return sparse(_gathered(elements(index), dim, len(shape)), same_values_op(g.reshape(-1)), shape)


in_both_namespaces("picked_rows", _picked_rows_array, _picked_rows_tensor)
in_both_namespaces("picked_elements", _picked_elements_array, _picked_elements_tensor)
