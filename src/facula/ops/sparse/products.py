"""Products of sparse matrices with dense ones, and with each other: NOTE [pairs] in ``kernels``."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.dtypes import SCALAR_TYPE_NAMES
from ..._tensor import Tensor
from ..arrays.sparse_array import at_places, numbered
from ..arrays.types import Array
from ..machine import batching
from ..machine.primitive import primitive
from ..machine.public import public
from ..moving.joining import cat
from .coo import LAYOUTS, is_sparse, rule, sparse
from .create import empty
from .kernels import pair_products_op

mm_op = pair_products_op.under("sparse_dense_mm", "MmBackward0")
mv_op = pair_products_op.under("sparse_dense_mv", "MvBackward0")
bmm_op = pair_products_op.under("sparse_dense_bmm", "BmmBackward0")
both_op = pair_products_op.under("sparse_sparse_mm", "SparseSparseMatmulBackward0")


@primitive("SparseAddmmBackward0", name="sparse_addmm", kind="other", batch=batching.item_by_item)
def sparse_addmm_op(
    input: Array, values: Array, mat2: Array, rows: Any, columns: Any, beta: Any, alpha: Any
) -> Any:
    """``beta * input + alpha * (sparse @ mat2)``."""
    shape = (input.shape[0], mat2.shape[1])
    product = pair_products_op.on_arrays(values, mat2, None, columns, rows, shape, (1, 1, 1))
    if alpha != 1:
        product = (product * alpha).astype(product.dtype)
    return product if not beta else (input * beta + product).astype(product.dtype)


sparse_addmm_op.vjp(
    input=lambda g, beta: g * beta,
    values=lambda g, mat2, rows, columns, alpha, values_shape, xp: xp.pair_products(
        g * alpha, xp.conj(mat2), rows, columns, None, values_shape, (1, 1, 1)
    ),
    mat2=lambda g, values, rows, columns, alpha, mat2_shape, xp: xp.pair_products(
        g * alpha, xp.conj(values), rows, None, columns, mat2_shape, (1, 1, 1)
    ),
)
addmm_op = sparse_addmm_op.under("sparse_dense_addmm", "AddmmBackward0")


def _check(sparse_: Any, dense: Any, name: str = "addmm") -> None:
    if sparse_._at.shape[0] != 2 or sparse_.ndim != 2:
        raise RuntimeError(f"{name}: matrices expected, got {sparse_._at.shape[0]}D tensor")
    if dense.ndim != 2:
        raise RuntimeError(f"{name}: matrices expected, got {dense.ndim}D tensor")
    if sparse_.shape[1] != dense.shape[0]:
        raise RuntimeError(
            f"{name}: Argument #3 (dense): Expected dim 0 size {sparse_.shape[1]}, got {dense.shape[0]}"
        )
    _check_dtypes(sparse_, dense)


def _check_dtypes(a: Any, b: Any) -> None:
    if a.dtype is not b.dtype:
        names = SCALAR_TYPE_NAMES
        raise RuntimeError(f"expected scalar type {names[a.dtype]} but found {names[b.dtype]}")


@rule("mm")
def mm(op: Any, input: Any, mat2: Any) -> Any:
    if is_sparse(input) and is_sparse(mat2):
        return _both(input, mat2)
    if is_sparse(mat2):
        return mm(op, mat2.t(), input.t()).t()
    _check(input, mat2)
    shape = (input.shape[0], mat2.shape[1])
    return mm_op(input._rows, mat2, None, input._at[1], input._at[0], shape, (1, 1, 1))


@rule("mv")
def mv(op: Any, input: Any, vec: Any) -> Any:
    if is_sparse(vec):
        if is_sparse(input):
            return mv(op, input, vec.to_dense())
        return mm(op, vec.unsqueeze(0), input.t()).squeeze(0)
    if input.ndim != 2 or vec.ndim != 1:
        raise RuntimeError(
            f"mv: two tensor dim should be 2 and 1, but got SparseTensor Dim: {input.ndim} Tensor Dim: {vec.ndim}"
        )
    if input.shape[1] != vec.shape[0]:
        raise RuntimeError("mv: expected self.size(-1) == vec.size(-1)")
    _check_dtypes(input, vec)
    return mv_op(input._rows, vec, None, input._at[1], input._at[0], (input.shape[0],), (1, 1, 1))


@rule("bmm")
def bmm(op: Any, input: Any, mat2: Any) -> Any:
    if not is_sparse(input) or is_sparse(mat2):
        raise RuntimeError("bmm_sparse: Tensor 'mat2' must be dense")
    if input.sparse_dim() != 3:
        raise RuntimeError(f"bmm_sparse: Tensor 'self' must have 3 sparse dims, but has {input.sparse_dim()} dims")
    _check_dtypes(input, mat2)
    n, rows, inner = input.shape
    at = input._at
    return bmm_op(
        input._rows, mat2, None, at[0] * inner + at[2], at[0] * rows + at[1], (n, rows, mat2.shape[2]), (1, 2, 2)
    )


@rule("addmm")
def addmm(op: Any, input: Any, mat1: Any, mat2: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    return _added(addmm_op, input, mat1, mat2, beta, alpha)


def _added(op: Any, input: Any, mat1: Any, mat2: Any, beta: Any, alpha: Any) -> Any:
    if is_sparse(mat2) or is_sparse(input):
        raise RuntimeError(
            "addmm_sparse_dense: expected either 'mat1' to have sparse layout and 'mat2' to have strided layout, got "
            f"'mat1' with layout {LAYOUTS[mat1.layout]} and 'mat2' with layout {LAYOUTS[mat2.layout]}"
        )
    _check(mat1, mat2)
    wide = input.expand(mat1.shape[0], mat2.shape[1])
    return op(wide, mat1._rows, mat2, mat1._at[0], mat1._at[1], beta, alpha)


def _both(input: Any, other: Any) -> Any:
    """The product of two sparse matrices: every element of one meets the row of the other that it picks."""
    _check(input, other, "sparse_matmul")
    a, b = input.coalesce(), other.coalesce()
    starts = np.searchsorted(b._at[0], np.arange(b.shape[0] + 1))
    first, counts = starts[a._at[1]], np.diff(starts)[a._at[1]]
    mine = np.repeat(np.arange(a._nnz()), counts)
    before = np.cumsum(counts) - counts
    other_ = np.arange(mine.size) - np.repeat(before - first, counts)
    shape = (a.shape[0], b.shape[1])
    met = numbered(np.stack([a._at[0][mine], b._at[1][other_]]), shape)
    places, slots = np.unique(met, return_inverse=True)
    rows = both_op(a._rows, b._rows, mine, other_, slots.reshape(-1), (places.size,), (1, 1, 1))
    return sparse(at_places(places, shape), rows, shape, True)


# ---- torch.sparse, and functions for sparse matrices only


@public("_sparse_mm")
def sparse_mm(sparse: Tensor, dense: Tensor) -> Tensor:
    """The product of matrices of which one is sparse, or both."""
    if not is_sparse(sparse) or is_sparse(dense):
        return sparse.mm(dense)
    _check(sparse, dense)
    zeros = dense.detach().new_zeros((sparse.shape[0], dense.shape[1]))
    found: Tensor = _added(sparse_addmm_op, zeros, sparse, dense, 0, 1)
    return found


@public("_sparse_addmm")
def sparse_addmm(mat: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1.0, alpha: Any = 1.0) -> Tensor:
    """``beta * mat + alpha * (mat1 @ mat2)`` for a sparse ``mat1``."""
    if not is_sparse(mat1):
        return mat.addmm(mat1, mat2, beta=beta, alpha=alpha)
    found: Tensor = _added(sparse_addmm_op, mat, mat1, mat2, beta, alpha)
    return found


@public("hspmm")
def hspmm(mat1: Tensor, mat2: Tensor) -> Tensor:
    """The product of a sparse matrix and a dense one, sparse in its rows."""
    _check(mat1, mat2, "hspmm")
    rows, values = _rows_of_product(mat1, mat2)
    made: Tensor = sparse(rows[None], values, (mat1.shape[0], mat2.shape[1]))
    return made


def _rows_of_product(a: Any, mat2: Any) -> tuple[Any, Any]:
    """The rows of a product that are not 0, and their numbers."""
    rows, slots = np.unique(a._at[0], return_inverse=True)
    values = mm_op(a._rows, mat2, None, a._at[1], slots.reshape(-1), (rows.size, mat2.shape[1]), (1, 1, 1))
    return rows, values


@public("smm", "smm")
def smm(input: Tensor, mat: Tensor) -> Tensor:
    """The product of a sparse matrix and a dense one, as a sparse one."""
    return sspaddmm(empty((input.shape[0], mat.shape[1]), 2, input.dtype), input, mat)


@public("sspaddmm", "sspaddmm")
def sspaddmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """``beta * input + alpha * (mat1 @ mat2)``, all of it sparse but ``mat2``."""
    _check(mat1, mat2, "sspaddmm")
    a: Any = input
    rows, values = _rows_of_product(mat1, mat2)
    width = mat2.shape[1]
    new = np.stack([np.repeat(rows, width), np.tile(np.arange(width), rows.size)])
    joined = cat([a._rows * beta, (values * alpha).reshape(-1)])
    made: Tensor = sparse(np.concatenate([a._at, new], 1), joined, (mat1.shape[0], width))
    return made
