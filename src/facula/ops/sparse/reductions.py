"""Sums, norms and softmax of sparse tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.dtypes import SCALAR_TYPE_NAMES, widened
from ..._tensor import Tensor
from ..arrays.scatter_add import add_rows
from ..arrays.sparse_array import at_places, numbered
from ..arrays.types import Array
from ..machine import batching
from ..machine.arguments import one_dim
from ..machine.primitive import primitive
from ..machine.public import public
from ..moving.copy import cast_op
from ..reductions.sums import sum_dim_op
from .coo import cannot_run, is_sparse, rule, sparse
from .kernels import scatter_values_op


@rule("sum_all")
def sum_all(op: Any, t: Any, dtype: Any) -> Any:
    return op(t._rows, dtype)


_summed = {
    "sum_dim": scatter_values_op.under("sparse_sum_dim", "SumBackward1"),
    "sparse_sum": scatter_values_op.under("sparse_sum", "SparseSumBackward0"),
}


@rule("sum_dim")
def sum_dim(op: Any, t: Any, dims: Any, keepdim: bool, dtype: Any) -> Any:
    return _sum(op, t, dims, keepdim, dtype, "sum_dim")


def _sum(op: Any, t: Any, dims: Any, keepdim: bool, dtype: Any, name: str) -> Any:
    lead = t.sparse_dim()
    given = dims if isinstance(dims, tuple) else () if dims is None else (dims,)
    dims = tuple([one_dim(d, t.ndim) for d in given]) or tuple(range(t.ndim))
    behind = tuple(d - lead + 1 for d in dims if d >= lead)
    kept = [d for d in range(lead) if d not in dims]
    if not kept:
        result = op(t._rows, (0, *behind), False, dtype)
    else:
        rows = op(t._rows, behind, False, dtype) if behind else t._rows if dtype is None else cast_op(t._rows, dtype)
        if dtype is None and rows._array.dtype.kind in "biu":
            rows = rows.long()
        shape = tuple(t.shape[d] for d in kept)
        places, slots = np.unique(numbered(t._at[kept], shape), return_inverse=True)
        whole = (places.size, *rows._array.shape[1:])
        rows = _summed[name](rows, slots.reshape(-1), whole, 1)
        result = sparse(at_places(places, shape), rows, (*shape, *whole[1:]), True)
    if keepdim:
        for d in sorted(dims):
            result = result.unsqueeze(d)
    return result


@public("_sparse_sum")
def sparse_sum(input: Tensor, dim: Any = None, dtype: Any = None) -> Tensor:
    """The sum of a sparse tensor: of all elements, or along ``dim``, where the result is sparse again."""
    if not is_sparse(input):
        raise cannot_run("_sparse_sum", "CPU")
    t: Any = input if dtype is None else input.to(dtype)
    if dim is None:
        return t.coalesce().values().sum()
    dims = (dim,) if isinstance(dim, int) else tuple(dim)
    if not dims:
        raise RuntimeError("_sparse_sum: expected at least 1 dim to reduce over")
    return _sum(sum_dim_op, t, tuple(one_dim(d, t.ndim) for d in dims), False, None, "sparse_sum")


@rule("vector_norm")
def vector_norm(op: Any, t: Any, *attributes: Any) -> Any:
    ord_, dim, keepdim, *rest = attributes
    dims = () if dim is None else dim if isinstance(dim, tuple) else (dim,)
    if dims and len(dims) < t.ndim:
        raise RuntimeError(
            "norm_sparse currently only supports full reductions, so 'dim' must either be empty or contain all "
            "dimensions of the input"
        )
    rows = t.coalesce()._rows
    result = op(rows, ord_, tuple(range(rows.ndim)), False, *rest)
    return result.reshape((1,) * t.ndim) if keepdim else result


@rule("any")
def any_(op: Any, t: Any, dims: Any, keepdim: bool) -> Any:
    if len(dims) < t.ndim:
        raise cannot_run("any.dim")
    return op(t._rows, tuple(range(t._rows.ndim)), False)


# ---- softmax


def _group_maxima(values: Any, groups: Any, n: int) -> Any:
    most = np.full((n, *values.shape[1:]), -np.inf, values.dtype)
    np.maximum.at(most, groups, values)
    return most


def _group_sums(values: Any, groups: Any, n: int) -> Any:
    sums = np.zeros((n, *values.shape[1:]), values.dtype)
    add_rows(sums, groups, values, True)
    return sums


@primitive("SparseSoftmaxBackward0", name="sparse_softmax", batch=batching.item_by_item)
def softmax_op(values: Array, groups: Any, n: int) -> Any:
    """The exponentials of values, divided by their sum within each group."""
    wide = widened(values)
    powers = np.exp(wide - _group_maxima(wide, groups, n)[groups])
    return (powers / _group_sums(powers, groups, n)[groups]).astype(values.dtype)


@primitive("SparseLogSoftmaxBackward0", name="sparse_log_softmax", batch=batching.item_by_item)
def log_softmax_op(values: Array, groups: Any, n: int) -> Any:
    wide = widened(values)
    less = wide - _group_maxima(wide, groups, n)[groups]
    return (less - np.log(_group_sums(np.exp(less), groups, n))[groups]).astype(values.dtype)


def _within(x: Any, groups: Any, n: int, shape: tuple[int, ...], xp: Any) -> Any:
    """For each value the sum of its group."""
    return xp.gather_values(xp.scatter_values(x, groups, (n, *shape[1:]), 1), groups, 1)


@softmax_op.vjp("values")
def softmax_gradient_of_values(g: Any, out: Any, groups: Any, n: int, values_shape: Any, xp: Any) -> Any:
    return (g - _within(g * out, groups, n, values_shape, xp)) * out


@log_softmax_op.vjp("values")
def log_softmax_gradient_of_values(g: Any, out: Any, groups: Any, n: int, values_shape: Any, xp: Any) -> Any:
    return g - xp.exp(out) * _within(g, groups, n, values_shape, xp)


def _softmax(name: str, op: Any, input: Any, dim: int, dtype: Any) -> Any:
    if not is_sparse(input):
        raise cannot_run(f"_sparse_{name}", "CPU")
    t = (input if dtype is None else input.to(dtype)).coalesce()
    if t._array.dtype.kind not in "fV":
        raise NotImplementedError(f'"softmax" not implemented for \'{SCALAR_TYPE_NAMES[t.dtype]}\'')
    at = one_dim(dim, t.ndim)
    lead = t.sparse_dim()
    if at >= lead:
        rows = getattr(t._rows, name)(at - lead + 1)
        return t._like(rows)
    others = [d for d in range(lead) if d != at]
    groups = numbered(t._at[others], tuple(t.shape[d] for d in others))
    found, groups = np.unique(groups, return_inverse=True)
    return t._like(op(t._rows, groups.reshape(-1), found.size))


@public("_sparse_softmax")
def sparse_softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """softmax along a dimension, of the values that are there: all others count as minus infinity."""
    return _softmax("softmax", softmax_op, input, dim, dtype)


@public("_sparse_log_softmax")
def sparse_log_softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """The logarithm of ``sparse_softmax``."""
    return _softmax("log_softmax", log_softmax_op, input, dim, dtype)
