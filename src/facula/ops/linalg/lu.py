"""The LU decomposition: a permutation, a lower and an upper triangular matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.devices import MetaArray, stay_meta
from ..._core.strides import by_columns
from ..._tensor import Tensor, elements, learned
from ..arrays import lapack
from ..arrays.elimination import eliminated, lower_part, permutation, upper_part
from ..arrays.types import Array
from ..machine import batching
from ..machine.deprecated import warn_once
from ..machine.primitive import primitive
from ..machine.public import linalg, public, write_out
from ..machine.rules import raw
from .matrices import (
    adjoint,
    also_meta,
    broadcast_batches,
    check_equation,
    check_float,
    check_matrix,
    check_same_dtype,
    check_square,
    first_failure,
    lower,
    named,
    total,
    upper,
)

# ---- derivatives


def _gradient(to_l: Any, to_u: Any, p: Any, l: Any, u: Any, xp: Any) -> Any:  # noqa: E741
    """The gradient of the matrix, given those of its factors."""
    m, k = l.shape[-2:]
    n = u.shape[-1]
    rows, columns = l.ndim - 2, l.ndim - 1
    low = l if m == k else xp.slice(l, rows, 0, k, 1)
    up = u if n == k else xp.slice(u, columns, 0, k, 1)
    below = right = None
    if m > k and to_l is not None:
        below = xp.linalg_solve_triangular(adjoint(up, xp), xp.slice(to_l, rows, k, m, 1), False, False, False)
        back = -xp.matmul(adjoint(xp.slice(l, rows, k, m, 1), xp), below)
        to_u = total(to_u, back)
        to_l = xp.slice(to_l, rows, 0, k, 1)
    elif n > k and to_u is not None:
        right = xp.linalg_solve_triangular(adjoint(low, xp), xp.slice(to_u, columns, k, n, 1), True, True, True)
        back = -xp.matmul(right, adjoint(xp.slice(u, columns, k, n, 1), xp))
        to_l = total(to_l, back)
        to_u = xp.slice(to_u, columns, 0, k, 1)
    inner = None
    if to_l is not None:
        inner = xp.matmul(adjoint(low, xp), to_l) * lower(k, k, l, xp, 0.0)
    if to_u is not None:
        inner = total(inner, xp.matmul(to_u, adjoint(up, xp)) * upper(k, k, l, xp))
    found = xp.linalg_solve_triangular(adjoint(low, xp), inner, True, True, True)
    found = xp.linalg_solve_triangular(adjoint(up, xp), found, False, False, False)
    shape = (*l.shape[:-2], m, n)
    if m > k:
        found = xp.slice_backward(found, shape, rows, 0, k, 1)
        if below is not None:
            found = found + xp.slice_backward(below, shape, rows, k, m, 1)
    elif n > k:
        found = xp.slice_backward(found, shape, columns, 0, k, 1)
        if right is not None:
            found = found + xp.slice_backward(right, shape, columns, k, n, 1)
    return xp.matmul(p, found)


def _parts(lu: Any, xp: Any) -> tuple[Any, Any]:
    """The factors of the combined form."""
    m, n = lu.shape[-2:]
    k = min(m, n)
    low = lu if n == k else xp.slice(lu, lu.ndim - 1, 0, k, 1)
    up = lu if m == k else xp.slice(lu, lu.ndim - 2, 0, k, 1)
    one = xp.constant(np.eye(m, k, dtype=raw(lu).dtype))
    return low * lower(m, k, lu, xp, 0.0) + one, up * upper(k, n, lu, xp)


def _combined(to_l: Any, to_u: Any, shape: tuple[int, ...], xp: Any) -> Any:
    """The gradient of the combined form, given those of the factors."""
    m, n = shape[-2:]
    k = min(m, n)
    found = None
    if to_l is not None:
        found = to_l * lower(m, k, to_l, xp, 0.0)
        found = found if n == k else xp.slice_backward(found, shape, len(shape) - 1, 0, k, 1)
    if to_u is not None:
        part = to_u * upper(k, n, to_u, xp)
        found = total(found, part if m == k else xp.slice_backward(part, shape, len(shape) - 2, 0, k, 1))
    return found


def _uncombined(to_lu: Any, xp: Any) -> tuple[Any, Any]:
    m, n = to_lu.shape[-2:]
    k = min(m, n)
    to_l = to_lu if n == k else xp.slice(to_lu, to_lu.ndim - 1, 0, k, 1)
    to_u = to_lu if m == k else xp.slice(to_lu, to_lu.ndim - 2, 0, k, 1)
    return to_l * lower(m, k, to_lu, xp, 0.0), to_u * upper(k, n, to_lu, xp)


# ---- the decomposition


@primitive(
    "LinalgLuFactorExBackward0", name="linalg_lu_factor", outputs=3, batch=batching.last_dimensions,
    saved_names={"out0": "LU", "out1": "pivots"},
)  # fmt: skip
@also_meta
def lu_factor_op(input: Array) -> Any:
    lu, pivots, infos = eliminated(input)
    return by_columns(lu), pivots, infos


@lu_factor_op.vjp("input")
def lu_factor_gradient_of_input(g: Any, out0: Any, out1: Any, xp: Any) -> Any:
    p = xp.constant(permutation(raw(out1), raw(out0).shape[-2], raw(out0).dtype))
    return _gradient(*_uncombined(g[0], xp), p, *_parts(out0, xp), xp)


@primitive(
    "LinalgLuBackward0", name="linalg_lu", outputs=3, differentiable_outputs=2, batch=batching.last_dimensions,
    saved_names={"out0": "L", "out1": "U", "out2": "P"},
)  # fmt: skip
@also_meta
def lu_op(input: Array) -> tuple[Array, ...]:
    lu, pivots, _ = eliminated(input)
    return lower_part(lu), upper_part(lu), permutation(pivots, input.shape[-2], input.dtype)


@lu_op.vjp("input")
def lu_gradient_of_input(g: Any, out0: Any, out1: Any, out2: Any, xp: Any) -> Any:
    return _gradient(g[0], g[1], out2, out0, out1, xp)


lu_factor_op.shown["pivot"] = lu_op.shown["pivot"] = True


def _require_pivoting(pivot: bool) -> None:
    if not pivot:
        raise RuntimeError("linalg.lu_factor: LU without pivoting is not implemented on the CPU")


def without_history(t: Tensor) -> Tensor:
    """An output that is constant wherever it is differentiable."""
    t._node = None
    t._meta = None
    return t


@linalg
def lu(A: Tensor, *, pivot: bool = True) -> Any:
    """The factors of ``A = P @ L @ U``."""
    check_matrix(A, "linalg.lu")
    check_float(A, "linalg.lu")
    _require_pivoting(pivot)
    L, U, P = lu_op(A)
    return named("linalg_lu", (without_history(P), L, U))


def _factored(A: Tensor, pivot: bool, name: str, check: bool) -> Any:
    check_matrix(A, "torch.lu_factor")
    check_float(A, "linalg.lu_factor")
    _require_pivoting(pivot)
    LU, pivots, info = lu_factor_op(A)
    if check and learned(info, np.any):
        which, k = first_failure(elements(info))
        raise RuntimeError(
            f"torch.linalg.{name}: {which}U[{k},{k}] is zero and using it on lu_solve would result in a division by "
            "zero. If you still want to perform the factorization, consider calling linalg.lu(A, pivot) or "
            "linalg.lu_factor_ex(A, pivot)"
        )
    return LU, pivots, info


@linalg(autocast="full")
def lu_factor(A: Tensor, *, pivot: bool = True) -> Any:
    """The factors in one matrix, and the exchanges of rows."""
    return named("linalg_lu_factor", _factored(A, pivot, "lu_factor", True)[:2])


@linalg(autocast="full")
def lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False) -> Any:
    """``lu_factor``, and for each matrix 0 or where U has its first 0 on the diagonal."""
    return named("linalg_lu_factor_ex", _factored(A, pivot, "lu_factor_ex", check_errors))


@public("lu", "lu")
def old_lu(A: Tensor, pivot: bool = True, get_infos: bool = False, out: Any = None) -> Any:
    """``linalg.lu_factor`` under its old name."""
    warn_once(
        "torch.lu is deprecated in favor of torch.linalg.lu_factor / torch.linalg.lu_factor_ex and will be removed in "
        "a future PyTorch release.\nLU, pivots = torch.lu(A, compute_pivots)\nshould be replaced with\nLU, pivots = "
        "torch.linalg.lu_factor(A, compute_pivots)\nand\nLU, pivots, info = torch.lu(A, compute_pivots, get_infos=True)"
        "\nshould be replaced with\nLU, pivots, info = torch.linalg.lu_factor_ex(A, compute_pivots)",
    )
    found = _factored(A, pivot, "lu_factor", not get_infos)
    result = tuple(found) if get_infos else tuple(found[:2])
    return result if out is None else write_out("lu", out, result, (A,))


# ---- unpacking


@primitive(
    "LuUnpackBackward0", name="lu_unpack", outputs=2, batch=batching.last_dimensions, saved_names={"LU_data_shape": ""}
)
@also_meta
def lu_unpack_op(LU_data: Array, data: bool) -> tuple[Array, ...]:
    if not data:
        return np.empty(0, LU_data.dtype), np.empty(0, LU_data.dtype)
    return lower_part(LU_data), upper_part(LU_data)


@lu_unpack_op.vjp("LU_data")
def lu_unpack_gradient_of_LU_data(g: Any, LU_data_shape: Any, data: bool, xp: Any) -> Any:
    return _combined(g[0], g[1], LU_data_shape, xp) if data else None


@public("lu_unpack", out=True)
def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True) -> Any:
    """``P``, ``L`` and ``U`` of what ``linalg.lu_factor`` returns."""
    lu_array, pivots = LU_data._array, LU_pivots._array
    if lu_array.ndim < 2:
        raise RuntimeError("torch.lu_unpack: The input tensor LU_data must have at least 2 dimensions.")
    if unpack_pivots and pivots.dtype != np.int32:
        raise RuntimeError(
            "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.\nNote: this "
            "function is intended to be used with the output produced by torch.linalg.lu_factor"
        )
    if LU_pivots.wraps:
        pivots = elements(LU_pivots)
    if unpack_pivots and pivots.size and pivots.__class__ is np.ndarray and not (
        (pivots >= 1) & (pivots <= lu_array.shape[-2])
    ).all():  # fmt: skip
        raise RuntimeError(
            "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive.Did you properly pass the result "
            "of lu_factor?"
        )
    L, U = lu_unpack_op(LU_data, unpack_data)
    n, dtype = lu_array.shape[-2], lu_array.dtype
    P = _permutation_by(LU_pivots, n, dtype) if unpack_pivots else Tensor._wrap(np.empty(0, dtype))
    return named("lu_unpack", (P, L, U))


def _permutation_by(pivots: Tensor, n: int, dtype: Any) -> Tensor:
    if pivots._array.__class__ is MetaArray:
        return Tensor._wrap(stay_meta(np.empty((*pivots._array.shape[:-1], n, n), dtype)))
    if not pivots.wraps:
        return Tensor._wrap(permutation(pivots._array, n, dtype))
    from ..._levels.batched import batch  # loaded when first used

    whole: Any = pivots
    return batch(_permutation_by(whole._value, n, dtype), whole._level)


# ---- solving


def _whole(lu: Any, pivots: Any) -> Any:
    return permutation(pivots, lu.shape[-1], lu.dtype) @ (lower_part(lu) @ upper_part(lu))


@primitive(
    "LinalgLuSolveBackward0", name="linalg_lu_solve",
    saved_names={"LU_shape": "", "B_shape": "", "out": "result"},
)  # fmt: skip
@also_meta
def lu_solve_op(LU: Array, pivots: Array, B: Array, left: bool, adjoint: bool) -> Any:
    a = _whole(LU, pivots)
    if adjoint:
        a = np.conjugate(a.swapaxes(-1, -2))
    if left:
        return by_columns(lapack.solve(a, B))
    return np.ascontiguousarray(lapack.solve(a.swapaxes(-1, -2), B.swapaxes(-1, -2)).swapaxes(-1, -2))


@lu_solve_op.vjp("B")
def lu_solve_gradient_of_B(g: Any, LU: Any, pivots: Any, left: bool, adjoint: bool, B_shape: Any, xp: Any) -> Any:
    return xp.sum_to(xp.linalg_lu_solve(LU, pivots, g, left, not adjoint), B_shape)


def _lu_of_lu_solve(
    g: Any, LU: Any, pivots: Any, out: Any, left: bool, is_adjoint: bool, LU_shape: Any, xp: Any
) -> Any:
    back = xp.linalg_lu_solve(LU, pivots, g, left, not is_adjoint)
    first, second = (back, out) if left != is_adjoint else (out, back)
    to_a = -(
        xp.matmul(first, adjoint(second, xp)) if left else xp.matmul(adjoint(first, xp), second)
    )
    p = xp.constant(permutation(raw(pivots), raw(LU).shape[-1], raw(LU).dtype))
    to_a = xp.matmul(adjoint(p, xp), to_a)
    low, up = _parts(LU, xp)
    n = LU_shape[-1]
    found = xp.matmul(to_a, adjoint(up, xp)) * lower(n, n, LU, xp, 0.0)
    return xp.sum_to(found + xp.matmul(adjoint(low, xp), to_a) * upper(n, n, LU, xp), LU_shape)


@lu_solve_op.vjp("LU")
def lu_solve_gradient_of_LU(
    g: Any, LU: Any, pivots: Any, out: Any, left: bool, adjoint: bool, LU_shape: Any, xp: Any
) -> Any:
    return _lu_of_lu_solve(g, LU, pivots, out, left, adjoint, LU_shape, xp)


@lu_solve_op.batch
def lu_solve_batched(call: batching.Call) -> Any:
    ndim = max(call.ndim(i) for i, name in enumerate(call.op.tensor_names) if name != "pivots")
    values = [
        batching.padded(v, ndim - (name == "pivots")) for v, name in zip(call.all_full(), call.op.tensor_names)
    ]
    return call.run(values)


@linalg
def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False) -> Tensor:
    """The solution of a system of which ``lu_factor`` is known."""
    name = "linalg.lu_solve"
    check_square(LU, "torch.linalg.lu_solve")
    check_same_dtype(LU, B, name)
    if pivots._array.dtype != np.int32:
        raise RuntimeError("linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32")
    check_matrix(B, name, "B")
    check_equation(LU, B, left, name)
    if pivots._array.shape != LU._array.shape[:-1]:
        raise RuntimeError(
            "linalg.lu_solve: Number of pivots per batch should be same as the dimension of the matrix"
            if pivots._array.shape[-1:] != LU._array.shape[-1:]
            else "linalg.lu_solve: Expected LU.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
            f"{list(pivots._array.shape)} instead"
        )
    broadcast_batches(LU, B, name)
    _check_exchanges(pivots, LU._array.shape[-2])
    return lu_solve_op(LU, pivots, B, left, adjoint)


def _check_exchanges(pivots: Tensor, size: int) -> None:
    """Refuse pivots that are no numbers of rows."""
    rows = elements(pivots) if pivots.wraps else pivots._array
    if rows.__class__ is not np.ndarray or not rows.size:
        return
    for wrong, bound in ((rows < 1, "greater or equal to 1"), (rows > size, "smaller or equal to LU.size(-2)")):
        if wrong.any():
            raise RuntimeError(
                f"Pivots given to lu_solve must all be {bound}. Did you properly pass the result of lu_factor?"
            )


@public("lu_solve", "lu_solve", out=True, autocast="full")
def old_lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    """``linalg.lu_solve`` under its old name and with its arguments reversed."""
    warn_once(
        "torch.lu_solve is deprecated in favor of torch.linalg.lu_solveand will be removed in a future PyTorch release."
        "\nNote that torch.linalg.lu_solve has its arguments reversed.\nX = torch.lu_solve(B, LU, pivots)\nshould be "
        "replaced with\nX = torch.linalg.lu_solve(LU, pivots, B)",
    )
    return lu_solve(LU_data, LU_pivots, input)
