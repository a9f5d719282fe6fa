"""Dimensions of sparse tensors: exchanged, added, taken from, joined.

A dimension is a sparse one, which places tell, or a dense one, which the rows of values have; sparse ones come first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...autograd.views import check_inplace
from ..machine.namespaces import TENSORS
from ..machine.write import needs_gradient
from ..moving.joining import cat_op
from ..views.transpose import more_than_a_matrix
from .coo import cannot_run, dtype_of, is_sparse, rule, size_text, sparse
from .kernels import gather_values_op, same_values_op, scatter_values_op

_same = {
    name: same_values_op.under(f"sparse_{name}", node)
    for name, node in {
        "t": "TBackward0", "transpose": "TransposeBackward0", "permute": "PermuteBackward0",
        "unsqueeze": "UnsqueezeBackward0", "t_inplace": "TBackward1", "transpose_inplace": "TransposeBackward1",
    }.items()
}  # fmt: skip
_select_op = gather_values_op.under("sparse_select", "SelectBackward0")
_single_op = scatter_values_op.under("sparse_single", "SelectBackward0")
_index_select_op = gather_values_op.under("sparse_index_select", "IndexSelectBackward0")
_narrow_op = gather_values_op.under("sparse_narrow_copy", "NarrowCopyBackward0")
_stack_op = cat_op.under("sparse_stack", "StackBackward0")


# ---- order


@rule("t", "t_inplace")
def t(op: Any, input: Any) -> Any:
    if input.dense_dim():
        raise more_than_a_matrix(input, op.name.replace("_inplace", "_"))
    return _permuted(input, tuple(range(input.ndim))[::-1], op.name)


@rule("transpose", "transpose_inplace")
def transpose(op: Any, input: Any, dim0: int, dim1: int) -> Any:
    order = list(range(input.ndim))
    order[dim0], order[dim1] = order[dim1], order[dim0]
    lead = input.sparse_dim()
    if (dim0 < lead) != (dim1 < lead):
        raise RuntimeError(
            "transpose: can only transpose between sparse dimensions or between dense dimensions: "
            f"got dimensions {dim0} and {dim1} with {lead} sparse dimensions"
        )
    return _permuted(input, tuple(order), op.name)


@rule("permute")
def permute(op: Any, input: Any, dims: tuple[int, ...]) -> Any:
    if any((d < input.sparse_dim()) != (i < input.sparse_dim()) for i, d in enumerate(dims)):
        raise RuntimeError(
            "permute(sparse_coo): transpositions between sparse and dense dimensions are not allowed.Only "
            "transpositions within sparse and dense dimensions are supported."
        )
    return _permuted(input, dims, "permute")


def _permuted(input: Any, dims: tuple[int, ...], name: str) -> Any:
    if name.endswith("_inplace"):
        check_inplace(input._rows, needs_gradient(input))
    lead = input.sparse_dim()
    within, behind = dims[:lead], [d - lead + 1 for d in dims[lead:]]
    rows = input._rows
    if behind != sorted(behind):
        rows = rows.permute(0, *behind)
    rows = _same[name](rows)
    is_sorted = input._sorted and list(within) == sorted(within)
    return sparse(input._at[list(within)], rows, tuple(input.shape[d] for d in dims), is_sorted)


@rule("unsqueeze")
def unsqueeze(op: Any, input: Any, dim: int) -> Any:
    dim = dim if dim >= 0 else dim + input.ndim + 1
    shape = list(input.shape)
    shape.insert(dim, 1)
    lead = input.sparse_dim()
    if dim > lead or (dim == lead and input.dense_dim()):
        return sparse(input._at, op(input._rows, dim - lead + 1), shape, input._sorted)
    at = np.insert(input._at, dim, 0, 0)
    return sparse(at, _same["unsqueeze"](input._rows), shape)


@rule("expand", "expand_copy")
def expand(op: Any, input: Any, *args: Any) -> Any:
    raise RuntimeError("expand is unsupported for Sparse tensors")


# ---- parts


@rule("select", "select_copy")
def select(op: Any, input: Any, dim: int, index: int) -> Any:
    size = input.shape[dim]
    if not -size <= index < size:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {size_text(input)} at dimension {dim}"
        )
    index %= size
    shape = tuple(n for d, n in enumerate(input.shape) if d != dim)
    lead = input.sparse_dim()
    if dim >= lead:
        return sparse(input._at, input._rows.select(dim - lead + 1, index), shape, input._sorted)
    here = np.flatnonzero(input._at[dim] == index)
    if lead == 1:
        taken = gather_values_op(input._rows, here, 1)
        return _single_op(taken, np.zeros(here.size, np.int64), (1, *shape), 1).reshape(shape)
    at = np.delete(input._at[:, here], dim, 0)
    return sparse(at, _select_op(input._rows, here, 1), shape, input._sorted)


@rule("unbind")
def unbind(op: Any, input: Any, dim: int) -> Any:
    return [input.select(dim, i) for i in range(input.shape[dim])]


@rule("index_select")
def index_select(op: Any, input: Any, index: Any, dim: int) -> Any:
    wanted = index._array.reshape(-1)
    size = input.shape[dim]
    for i in wanted.tolist():
        if not -size <= i < size:
            raise IndexError(
                f"index_select(): index contains {i} that is out of range for tensor of size {size_text(input)} at "
                f"dimension {dim}"
            )
    wanted = wanted % size if size else wanted
    shape = tuple(wanted.size if d == dim else n for d, n in enumerate(input.shape))
    lead = input.sparse_dim()
    if dim >= lead:
        return sparse(input._at, op(input._rows, index, dim - lead + 1), shape, input._sorted)
    order = np.argsort(input._at[dim], kind="stable")
    ordered = input._at[dim][order]
    first, last = np.searchsorted(ordered, wanted), np.searchsorted(ordered, wanted, "right")
    counts = last - first
    before = np.cumsum(counts) - counts
    which = order[np.arange(counts.sum()) - np.repeat(before - first, counts)]
    at = input._at[:, which]
    at[dim] = np.repeat(np.arange(wanted.size), counts)
    return sparse(at, _index_select_op(input._rows, which, 1), shape)


@rule("narrow_copy")
def narrow_copy(op: Any, input: Any, dim: int, start: int, end: int, step: int = 1) -> Any:
    length = end - start
    shape = tuple(length if d == dim else n for d, n in enumerate(input.shape))
    lead = input.sparse_dim()
    if dim >= lead:
        return sparse(input._at, op(input._rows, dim - lead + 1, start, end, 1), shape, input._sorted)
    here = np.flatnonzero((input._at[dim] >= start) & (input._at[dim] < start + length))
    at = input._at[:, here]
    at[dim] -= start
    return sparse(at, _narrow_op(input._rows, here, 1), shape, input._sorted)


# ---- joined


@rule("cat_op")
def cat(op: Any, tensors: Any, dim: int, ends: Any = None, dtypes: Any = None) -> Any:
    first = tensors[0]
    if not is_sparse(first):
        raise cannot_run("_values", "CPU")
    for i, each in enumerate(tensors):
        if not is_sparse(each):
            raise RuntimeError(f"Concatenating sparse tensors, but a dense tensor was found at position {i}.")
        others = [n for d, n in enumerate(each.shape) if d != dim]
        if each.ndim != first.ndim or others != [n for d, n in enumerate(first.shape) if d != dim]:
            raise RuntimeError(
                f"All tensors must have the same shape: {size_text(first)} (except in the concatenating dimension), "
                f"but found shape: {size_text(each)} at position {i}."
            )
        if each.sparse_dim() != first.sparse_dim():
            raise RuntimeError(
                f"All tensors must have the same sparse_dim and dense_dim: {first.sparse_dim()}, {first.dense_dim()}, "
                f"but tensor at position {i} has {each.sparse_dim()}, {each.dense_dim()}."
            )
    dtype = dtype_of(*tensors)
    sizes = [each.shape[dim] for each in tensors]
    starts = np.cumsum([0, *sizes])
    shape = tuple(int(starts[-1]) if d == dim else n for d, n in enumerate(first.shape))
    lead = first.sparse_dim()
    places, rows = [], []
    for each, start, size in zip(tensors, starts.tolist(), sizes):
        values = each._rows.to(dtype)
        at = each._at
        if dim < lead:
            at = at.copy()
            at[dim] += start
        else:
            behind = int(starts[-1]) - start - size
            padding = [0, 0] * (first.ndim - 1 - dim) + [start, behind]
            values = TENSORS.constant_pad_nd(values, tuple(padding), 0)
        places.append(at)
        rows.append(values)
    return sparse(np.concatenate(places, 1), _joined(op, rows), shape)


def _joined(op: Any, rows: list[Any]) -> Any:
    ends = tuple(np.cumsum([each._array.shape[0] for each in rows]).tolist())
    return op(tuple(rows), 0, ends, None)


@rule("stack_op")
def stack(op: Any, tensors: Any, dim: int, dtypes: Any = None) -> Any:
    first = tensors[0]
    for i, each in enumerate(tensors):
        if not is_sparse(each):
            raise RuntimeError(f"Concatenating sparse tensors, but a dense tensor was found at position {i}.")
        if tuple(each.shape) != tuple(first.shape):
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {size_text(first)} at entry 0 and "
                f"{size_text(each)} at entry {i}"
            )
    dtype = dtype_of(*tensors)
    lead = first.sparse_dim()
    shape = list(first.shape)
    shape.insert(dim, len(tensors))
    if dim > lead:
        return cat(cat_op, tuple([each.unsqueeze(dim) for each in tensors]), dim)
    places = [np.insert(each._at, dim, i, 0) for i, each in enumerate(tensors)]
    return sparse(np.concatenate(places, 1), _joined(_stack_op, [each._rows.to(dtype) for each in tensors]), shape)


