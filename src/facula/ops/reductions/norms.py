"""Norms of vectors and matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core import dtypes
from ..._core.dtypes import widened
from ..._core.strides import by_rows
from ..._tensor import Tensor
from ..arrays.sums import add_squares, maximum_reduce, minimum_reduce, total
from ..arrays.types import Array
from ..machine import batching
from ..machine.errors import WrongArgument
from ..machine.namespaces import TENSORS
from ..machine.primitive import primitive
from ..machine.public import linalg, public, write_out
from ..machine.rules import in_both_namespaces, in_dtype
from .reducing import axes, check_dim, check_dims, count, summed_tangent, unsqueeze_reduced

INF = math.inf


@primitive("LinalgVectorNormBackward0", batch=batching.reduced_dimensions)
def vector_norm_op(input: Array, ord: Any, dim: Any, keepdim: bool, dtype: Any) -> Any:
    x = input if dtype is None or input.dtype == dtype else input.astype(dtype)
    result = x.real.dtype
    x = widened(x)
    axis = axes(dim, x.ndim)
    if ord == 2:
        squares = _complex_squares(x, axis, keepdim) if x.dtype.kind == "c" else add_squares(x, axis, keepdim)
        return np.sqrt(squares).astype(result, copy=False)
    if ord == 0:
        return total((x != 0).astype(x.real.dtype), axis, keepdim).astype(result, copy=False)
    size = np.abs(x)
    if ord == 1:
        found = total(size, axis, keepdim)
    elif ord == INF:
        found = by_rows(maximum_reduce(size, axis, keepdims=keepdim))
    elif ord == -INF:
        found = by_rows(minimum_reduce(size, axis, keepdims=keepdim))
    else:
        found = total(size**ord, axis, keepdim) ** (1.0 / ord)
    return found.astype(result, copy=False)


def _complex_squares(x: Any, axis: Any, keepdim: bool) -> Any:
    return total(x.real**2 + x.imag**2, axis, keepdim)


@vector_norm_op.vjp("input")
def vector_norm_gradient_of_input(
    g: Any, input: Any, out: Any, ord: Any, dim: Any, keepdim: bool, input_dtype: Any, xp: Any
) -> Any:
    if ord == 0:
        return None
    g, out = (in_dtype(unsqueeze_reduced(t, input.shape, dim, keepdim, xp), _real(input_dtype), xp) for t in (g, out))
    return norm_gradient(g, input, out, ord, dim, xp)


@vector_norm_op.tangent
def vector_norm_tangent(op: Any, primals: Any, tangents: Any, attributes: Any, outs: Any) -> Any:
    ord, dim, keepdim, _ = attributes
    (x,), (out,) = primals, outs
    one = out.new_ones(out.shape)
    slopes = vector_norm_gradient_of_input(one, x, out, ord, dim, keepdim, x._array.dtype, TENSORS)
    return None if slopes is None else summed_tangent(slopes, tangents[0], dim, keepdim, out)


def norm_gradient(g: Any, x: Any, out: Any, ord: Any, dim: Any, xp: Any) -> Any:
    """The gradient of a norm, given with its dimensions of size 1 in place."""
    if ord == 1:
        return xp.sgn(x) * g
    if ord == 2:
        return g * xp.cleared(x / out, out == 0)
    size = xp.abs(x)
    if ord in (INF, -INF):
        return xp.sgn(x) * xp.shared_by_ties(g, size, out, dim)
    if ord < 1:
        scaled = xp.sgn(x) * xp.cleared(size ** (ord - 1), size == 0)
        return scaled * g * out ** (1 - ord)
    if ord < 2:
        scaled = xp.sgn(x) * size ** (ord - 1)
    else:
        scaled = x * size ** (ord - 2)
    return scaled * xp.cleared(g / out ** (ord - 1), out == 0)


def _real(d: np.dtype[Any]) -> np.dtype[Any]:
    return d if d.kind != "c" else np.dtype(f"f{d.itemsize // 2}")


def _share_or_none(x: Any, value: Any, dim: Any) -> Any:
    """Equal shares for the elements that are extreme; nothing if none is (all are NaN)."""
    same = x == value
    n = np.count_nonzero(same, axis=axes(dim, x.ndim), keepdims=True)
    return (same / np.maximum(n, 1)).astype(x.dtype)


def _shared_tensor(g: Any, x: Any, value: Any, dim: Any) -> Any:
    same = x.detach() == value.detach()
    n = same.sum(dim, keepdim=True) if dim else same.sum()
    return g / n.clamp(min=1) * same


in_both_namespaces("shared_by_ties", lambda g, x, value, dim: g * _share_or_none(x, value, dim), _shared_tensor)


def _check_empty(array: Any, ord: Any, dims: Any) -> None:
    """Norms that have no value for nothing."""
    if 0 <= ord < INF or count(array.shape, dims):
        return
    told = f"{ord:g}"
    if not dims:
        raise RuntimeError(
            f"linalg.vector_norm cannot compute the {told} norm on an empty tensor because the operation does not have "
            "an identity"
        )
    for d in dims:
        if array.shape[d] == 0:
            raise RuntimeError(
                f"linalg.vector_norm cannot compute the {told} norm on the dimension {d}because this dimension is "
                "empty and the operation does not have an identity"
            )


def no_norm(d: dtypes.dtype) -> RuntimeError:
    """What is said of a dtype that has no norms."""
    return RuntimeError(
        f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {dtypes.SCALAR_TYPE_NAMES[d]}"
    )


@linalg
def vector_norm(x: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """``sum(|x|**ord) ** (1 / ord)`` of all elements, or along ``dim``."""
    if isinstance(ord, (str, type(None))):
        raise WrongArgument("ord", ord, "Number")
    if isinstance(ord, complex):
        raise RuntimeError("linalg.vector_norm: Expected a non-complex scalar as the order of norm.")
    array = x._array
    if array.dtype.kind in "biu":
        raise no_norm(x.dtype)
    dims = check_dims(dim, array.ndim)
    if dtype is not None:
        _check_norm_dtype("linalg.vector_norm", x.dtype, dtype)
    _check_empty(array, ord, dims)
    return vector_norm_op(x, ord, dims, keepdim, None if dtype is None else dtype.numpy)


def _check_norm_dtype(name: str, have: dtypes.dtype, wanted: dtypes.dtype) -> None:
    names = dtypes.SCALAR_TYPE_NAMES
    if wanted.category < dtypes.FLOAT:
        raise RuntimeError(f"{name}: dtype should be floating point or complex, but got {names[wanted]}")
    if have.is_complex != wanted.is_complex:
        kind = "complex" if have.is_complex else "real"
        raise RuntimeError(f"{name}: dtype should be {kind} for {kind} inputs, but got {names[wanted]}")
    if wanted.itemsize < have.itemsize:
        raise RuntimeError(
            f"{name}: the dtype of the input ({names[have]}) should be convertible without narrowing to the specified "
            f"dtype ({names[wanted]})"
        )


@public("norm", "norm")
def norm(
    input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, out: Any = None, dtype: Any = None
) -> Any:
    """The norm of all elements, or along ``dim``; ``p`` as in ``linalg.vector_norm``."""
    if isinstance(p, Tensor):
        p = p.item()
    of_matrices = p == "nuc" or (isinstance(p, str) and p != "fro")
    if of_matrices or (p == "fro" and isinstance(dim, (list, tuple)) and len(dim) > 2):
        dims = dim if dim is not None else tuple(range(input._array.ndim))
        result = matrix_norm(input, p, dims, keepdim)
    else:
        result = vector_norm(input, 2 if p is None or p == "fro" else p, dim, keepdim, dtype=dtype)
    if out is None:
        return result
    kind = matrix_norm if p == "nuc" else vector_norm
    return write_out("norm", out, result, record=kind.public.record)


@linalg(out="exact", out_error="linalg.matrix_norm expected out tensor dtype {0} but got: {1}", looks_first=True)
def matrix_norm(
    A: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """The norm of matrices: "fro", "nuc", 1, -1, 2, -2, inf, -inf."""
    n = A._array.ndim
    if isinstance(ord, complex):
        raise RuntimeError("linalg.matrix_norm: Expected a non-complex scalar as the order of norm.")
    if ord not in ("fro", "nuc", 1, -1, 2, -2, INF, -INF):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    if n < 2:
        raise RuntimeError("linalg.matrix_norm: The input tensor A must have at least 2 dimensions.")
    if A.dtype.category < dtypes.FLOAT or ord in ("nuc", 2, -2):
        from ..linalg.matrices import check_float  # loaded when first used

        check_float(A, "linalg.matrix_norm")
    dims = _two_dims(dim, n)
    if dtype is not None:
        _check_norm_dtype("linalg.matrix_norm", A.dtype, dtype)
        A = A.to(dtype)
    if ord == "fro":
        return vector_norm(A, 2, dims, keepdim)
    rows, columns = dims
    if ord in ("nuc", 2, -2):
        from ..linalg.singular import svdvals  # loaded when first used

        values = svdvals(A.movedim((rows, columns), (-2, -1)))
        found: Tensor = (
            values.sum(-1, keepdim) if ord == "nuc" else _extremum(values, -1, keepdim, greatest=ord == 2)
        )
        return found.unsqueeze(-1).movedim((-2, -1), (rows, columns)) if keepdim else found
    if ord in (INF, -INF):
        rows, columns = columns, rows
    sums = vector_norm(A, 1, rows, keepdim)
    at = columns if keepdim or columns < rows else columns - 1
    return _extremum(sums, at, keepdim, greatest=ord > 0)


def _two_dims(dim: Any, n: int) -> tuple[int, int]:
    """The dimensions of matrices, counted from the front."""
    dims = dim if isinstance(dim, (tuple, list)) else check_dims(dim, n) or ()
    if len(dims) != 2:
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, dims))}")
    rows, columns = (check_dim(d, n) % n for d in dims)
    if rows == columns:
        raise RuntimeError(f"linalg.matrix_norm: dims must be different. Got ({rows}, {columns})")
    return rows, columns


def _extremum(norms: Tensor, dim: int, keepdim: bool, *, greatest: bool) -> Tensor:
    """The greatest or smallest of norms along a dimension; the greatest of none is 0, a constant."""
    if greatest and not norms._array.shape[dim]:
        return norms.detach().sum(dim, keepdim)
    return norms.amax(dim, keepdim) if greatest else norms.amin(dim, keepdim)


@linalg(name="norm", out="exact", out_error="linalg.norm expected out tensor dtype {0} but got: {1}", looks_first=True)
def linalg_norm(A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The norm of a vector, or of a matrix if there are two dimensions and an ``ord``."""
    pair = isinstance(dim, (tuple, list)) and len(dim) == 2
    if isinstance(dim, (tuple, list)) and len(dim) not in (1, 2):
        raise RuntimeError(
            f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got [{', '.join(map(str, dim))}]"
        )
    if ord is not None and dim is None and A._array.ndim not in (1, 2):
        raise RuntimeError(
            f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {A._array.ndim}D."
        )
    if ord is not None and (pair or (dim is None and A._array.ndim == 2)):
        return matrix_norm(A, ord, dim if pair else (0, 1), keepdim, dtype=dtype)
    if isinstance(ord, str):
        if A._array.ndim < 2:
            raise RuntimeError("linalg.matrix_norm: The input tensor A must have at least 2 dimensions.")
        at = dim[0] if isinstance(dim, (tuple, list)) else dim
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {at}")
    return vector_norm(A, 2 if ord is None else ord, dim, keepdim, dtype=dtype)
