"""From dense tensors to sparse ones and back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core import layouts, state
from ..._lazy import set_methods
from ..._tensor import Tensor, elements
from ..arrays.sparse_array import at_places
from ..machine.public import public
from ..machine.write import needs_gradient
from .coo import Sparse, cannot_run, is_sparse, rule, size_text, sparse
from .kernels import gather_values_op, scatter_values_op

to_sparse_op = gather_values_op.under("sparse_of_all", "ToSparseBackward1")
to_hybrid_op = gather_values_op.under("sparse_of_some", "ToSparseBackward0")
mask_op = gather_values_op.under("sparse_mask_values", "SparseMaskBackward0")
to_dense_op = scatter_values_op.under("dense_of_sparse", "ToDenseBackward0")


@public("", "to_dense")
def to_dense(input: Tensor, dtype: Any = None, *, masked_grad: bool | None = None) -> Tensor:
    """The same with all zeros written out."""
    if not is_sparse(input):
        return input if dtype is None else input.to(dtype)
    if dtype is not None:
        raise RuntimeError("dtype argument is not supported by sparse_to_dense")
    t: Any = input
    return to_dense_op(t._rows, t._places(), tuple(t.shape), t.sparse_dim())


@public("", "to_sparse")
def to_sparse(
    input: Tensor, sparse_dim: Any = None, *, layout: Any = None, blocksize: Any = None, dense_dim: int | None = None
) -> Tensor:
    """The same as a sparse tensor of all elements that are not 0, or of rows that are not all 0."""
    state.refuse_capture("a sparse tensor")
    if isinstance(sparse_dim, layouts.layout):
        sparse_dim, layout = None, sparse_dim
    if layout not in (None, layouts.sparse_coo):
        if layout is layouts.strided:
            return to_dense(input)
        raise RuntimeError(f"facula has strided and sparse_coo tensors only, not {layout!r}")
    if is_sparse(input):
        if sparse_dim not in (None, input.sparse_dim()):
            raise RuntimeError(
                "to_sparse: conversion from Sparse to Sparse with sparse_dim argument !=self.sparse_dim() is not "
                "supported"
            )
        return input
    ndim = input._array.ndim
    lead = ndim if sparse_dim is None else int(sparse_dim)
    if not 0 <= lead <= ndim:
        raise RuntimeError(f"dense_to_sparse: sparse_dim argument must be in [0,{ndim}] range, but {lead} is given")
    if ndim and not lead:
        raise RuntimeError("dense_to_sparse: sparse_dim argument must be in >0 when self.dim()>0")
    array = elements(input)
    shape = array.shape[:lead]
    rows = array.reshape(math.prod(shape), -1) if array.size else np.zeros((0, 1), array.dtype)
    places = np.flatnonzero((rows != 0).any(1))
    op = to_sparse_op if sparse_dim is None else to_hybrid_op
    return sparse(at_places(places, shape), op(input, places, lead), input.shape, True)


@public("", "to_sparse_coo")
def to_sparse_coo(input: Tensor) -> Tensor:
    """``to_sparse`` under a longer name."""
    return to_sparse(input)


@public("", "sparse_mask")
def sparse_mask(input: Tensor, mask: Tensor) -> Tensor:
    """The elements at the places of a sparse tensor."""
    if not is_sparse(mask):
        raise cannot_run("sparse_mask", "CPU")
    if input._array.shape != mask._array.shape:
        raise RuntimeError(
            f"sparse_mask(): operands have incompatible sizes; self has size {size_text(input)} but mask has size "
            f"{size_text(mask)}"
        )
    if is_sparse(input):
        return _mask_of_sparse(input, mask)
    m: Any = mask
    return m._like(mask_op(input, m._places(), m.sparse_dim()))


def _mask_of_sparse(t: Any, mask: Any) -> Any:
    """Elements of a sparse tensor that are not there are 0 in the mask's places."""
    if mask.sparse_dim() != t.sparse_dim():
        raise RuntimeError(
            "sparse_mask(): the number of sparse dimensions in `self` should match that of the `mask`. Got "
            f"`self.sparse_dim() == {t.sparse_dim()}` != `mask.sparse_dim() == {mask.sparse_dim()}`."
        )
    source = t.coalesce()
    here, wanted = source._places(), mask._places()
    found, at = found_in(here, wanted)
    taken = gather_values_op(source._rows, at, 1)
    shape = (wanted.size, *source._rows._array.shape[1:])
    return mask._like(scatter_mask_op(taken, np.flatnonzero(found), shape, 1))


scatter_mask_op = scatter_values_op.under("sparse_mask_of_sparse", "SparseMaskBackward0")


def found_in(places: Any, wanted: Any) -> tuple[Any, Any]:
    """Which of some places are among others that are in order, and where those are."""
    at = np.searchsorted(places, wanted)
    inside = at < places.size
    found = inside.copy()
    found[inside] = places[at[inside]] == wanted[inside]
    return found, at[found]


# ---- copies


@rule("clone")
def clone(op: Any, t: Any, memory_format: Any = None) -> Any:
    if memory_format not in (None, layouts.preserve_format):
        raise RuntimeError("unsupported memory format option Contiguous")
    return sparse(t._at.copy(), op(t._rows), t.shape, t._sorted)


@rule("cast")
def cast(op: Any, t: Any, dtype: Any, memory_format: Any = None) -> Any:
    return t._like(op(t._rows, dtype))


@rule("alias")
def alias(op: Any, t: Any) -> Any:
    return t._like(op(t._rows))


@rule("copy")
def copy(op: Any, target: Any, source: Any) -> Any:
    if not (is_sparse(target) and is_sparse(source)):
        raise RuntimeError(
            f"copy_() between dense and sparse Tensors is not implemented! Found self type = {target.type()} and src "
            f"type = {source.type()}"
        )
    _check_resize(target, tuple(source.shape), source.sparse_dim(), source.dense_dim())
    copied = source.to(target.dtype) if source.dtype is not target.dtype else source.clone()
    return sparse(copied._at.copy(), copied._rows, source.shape, source._sorted)


@rule("zero")
def zero(op: Any, t: Any) -> Any:
    from .create import empty  # it imports modules that need this one

    return empty(t.shape, t.sparse_dim(), t.dtype)


# ---- sizes


def _check_resize(t: Any, shape: tuple[int, ...], sparse_dim: int, dense_dim: int) -> None:
    if not t._nnz():
        return
    lead = t.sparse_dim()
    old, new = tuple(t.shape), shape
    what = None
    if sparse_dim != lead:
        what = f"changing the number of sparse dimensions (from {lead} to {sparse_dim})"
    elif dense_dim != t.dense_dim():
        what = f"changing the number of dense dimensions (from {t.dense_dim()} to {dense_dim})"
    elif any(n < m for n, m in zip(new[:lead], old[:lead])):
        what = f"shrinking the size of sparse dimensions (from {list(old[:lead])} to {list(new[:lead])})"
    elif any(n < m for n, m in zip(new[lead:], old[lead:])):
        what = f"shrinking the size of dense dimensions (from {list(old[lead:])} to {list(new[lead:])})"
    if what is not None:
        raise RuntimeError(
            f"{what} on a non-empty sparse tensor is not supported.\nAn empty sparse tensor of this size is "
            "`torch.sparse_coo_tensor(size)`."
        )


def _resize(self: Any, size: Any, sparse_dim: int, dense_dim: int) -> Any:
    shape = tuple(size)
    _check_resize(self, shape, sparse_dim, dense_dim)
    if self.requires_grad and needs_gradient(self):
        raise RuntimeError("sparse_resize_: a sparse tensor that requires grad cannot be resized")
    if not self._nnz():
        return _clear(self, size, sparse_dim, dense_dim)
    lead = self.sparse_dim()
    rows = self._rows
    if shape[lead:] != tuple(self.shape[lead:]):
        wider = rows.new_zeros((rows.shape[0], *shape[lead:]))
        wider[tuple(slice(n) for n in rows.shape)] = rows
        rows = wider
    return self._become(sparse(self._at, rows, shape, self._sorted))


def _clear(self: Any, size: Any, sparse_dim: int, dense_dim: int) -> Any:
    from .create import empty  # it imports modules that need this one

    if len(size) != sparse_dim + dense_dim:
        raise RuntimeError(
            f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(size)}, sparse_dim = "
            f"{sparse_dim}, dense_dim = {dense_dim}"
        )
    return self._become(empty(tuple(size), sparse_dim, self.dtype))


def _resize_as(self: Any, other: Any) -> Any:
    return _resize(self, other.shape, other.sparse_dim(), other.dense_dim())


Sparse.sparse_resize_, Sparse.sparse_resize_and_clear_, Sparse.resize_as_sparse_ = (  # type: ignore[method-assign]
    _resize, _clear, _resize_as,
)  # fmt: skip


# ---- what only sparse tensors have


def _refused(name: str, expected: str = "") -> Any:
    def method(self: Any, *args: Any) -> Any:
        if not expected:
            raise cannot_run(name, "CPU")
        raise RuntimeError(f"{name} expected {expected} layout but got Strided")

    method.__name__ = method.__qualname__ = name
    method.__doc__ = "For sparse tensors only."
    return method


set_methods(
    values=_refused("values", "sparse tensor"),
    **{name: _refused(name, "sparse coordinate tensor") for name in ("coalesce", "indices", "is_coalesced")},
    **{name: _refused(name) for name in (
        "_indices", "_values", "_nnz", "_coalesced_", "sparse_resize_", "sparse_resize_and_clear_", "_dimI", "_dimV",
        "resize_as_sparse_",
    )},
)  # fmt: skip
