"""Gradients that are sparse: of rows that were picked. On arrays they are a ``SparseArray``, else sparse tensors."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..._tensor import Tensor, elements
from ..arrays.sparse_array import SparseArray
from ..machine.namespaces import ARRAYS, TENSORS
from ..machine.rules import in_both_namespaces, raw
from .coo import sparse
from .kernels import gather_values_op, same_values_op


def as_tensor(g: SparseArray) -> Any:
    """A gradient on arrays as the sparse tensor that users see."""
    return sparse(g.at, Tensor._wrap(g.rows), g.shape)


def as_array(t: Any) -> SparseArray:
    """The other way round."""
    return SparseArray(t._at, t._rows._array, tuple(t._array.shape))


def _rows_at(at: Any, g: Any, shape: tuple[int, ...], kept: Any, xp: Any) -> Any:
    """Rows at places; ``kept`` numbers those that count, None for all."""
    if kept is not None:
        at = at[:, kept]
    if xp.is_raw:
        return SparseArray(at, g if kept is None else g.take(kept, 0), shape)
    return sparse(at, same_values_op(g if kept is None else gather_values_op(g, kept, 1)), shape)


def picked_rows(xp: Any, g: Any, indices: Any, shape: tuple[int, ...], padding_idx: int) -> Any:
    """The gradient of a table whose rows were picked by number; the padding row has none."""
    flat = (raw(indices) if xp.is_raw else elements(indices)).reshape(-1).astype(np.int64)
    kept = np.flatnonzero(flat != padding_idx) if padding_idx >= 0 else None
    return _rows_at(flat[None], g.reshape(-1, *shape[1:]), shape, kept, xp)


def picked_elements(xp: Any, g: Any, index: Any, shape: tuple[int, ...], dim: int) -> Any:
    """The gradient of a tensor whose elements were gathered along a dimension."""
    where = raw(index) if xp.is_raw else elements(index)
    at = np.indices(where.shape).reshape(where.ndim, -1)
    if where.ndim:
        at[dim] = where.reshape(-1)
    return _rows_at(at, g.reshape(-1), shape, None, xp)


for _name, _fn in {"picked_rows": picked_rows, "picked_elements": picked_elements}.items():
    in_both_namespaces(_name, partial(_fn, ARRAYS), partial(_fn, TENSORS))
