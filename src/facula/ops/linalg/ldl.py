"""The LDL decomposition of symmetric and Hermitian matrices, as LAPACK stores it (Bunch-Kaufman, lower triangle).

PyTorch has no derivatives for it, and so has facula.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core.strides import by_columns
from ..._tensor import Tensor
from ..arrays import lapack
from ..arrays.types import Array
from ..machine import batching
from ..machine.primitive import primitive
from ..machine.public import linalg
from ..machine.refusals import scalar_type
from .matrices import check_equation, check_float, check_matrix, check_square, named

_GROWTH = (1 + math.sqrt(17)) / 8


def _size(x: Any) -> Any:
    return np.abs(x.real) + np.abs(x.imag) if x.dtype.kind == "c" else np.abs(x)


def _adjoint(x: Any, hermitian: bool) -> Any:
    return np.conjugate(x.T) if hermitian else x.T


def _pivot(a: Any, k: int, diagonal: Any) -> tuple[int, int]:
    """(what to exchange with, whether the block is 1 or 2 wide); a width of 0 for a column of zeros."""
    here = diagonal(a[k, k])
    column = _size(a[k + 1 :, k])
    largest = column.max(initial=0)
    if max(here, largest) == 0:
        return k, 0
    if here >= _GROWTH * largest or not column.size:  # or NaN
        return k, 1
    at = k + 1 + int(np.argmax(column))
    row = max(_size(a[at, k:at]).max(initial=0), _size(a[at + 1 :, at]).max(initial=0))
    if here >= _GROWTH * largest * (largest / row):
        return k, 1
    return (at, 1) if diagonal(a[at, at]) >= _GROWTH * row else (at, 2)


def _exchange(a: Any, k: int, i: int, at: int, hermitian: bool) -> None:
    """Exchange row and column ``i`` with ``at`` in what is left from ``k`` on; only the lower triangle is there."""
    a[at + 1 :, [i, at]] = a[at + 1 :, [at, i]]
    column, row = a[i + 1 : at, i].copy(), a[at, i + 1 : at].copy()
    if hermitian:
        column, row = column.conj(), row.conj()
        a[at, i] = a[at, i].conj()
    a[i + 1 : at, i], a[at, i + 1 : at] = row, column
    a[i, i], a[at, at] = a[at, at], a[i, i].copy()
    if i > k:
        a[i, k], a[at, k] = a[at, k], a[i, k].copy()


def _decomposed(a: Any, hermitian: bool) -> tuple[Any, Any, int]:
    a = np.tril(a)
    n = a.shape[0]
    pivots = np.zeros(n, np.int32)
    info = 0
    diagonal = (lambda x: abs(x.real)) if hermitian else _size
    if hermitian:
        np.fill_diagonal(a, a.diagonal().real)
    k = 0
    while k < n:
        at, width = _pivot(a, k, diagonal)
        if width == 0:
            info = info or k + 1
        elif at != k + width - 1:
            _exchange(a, k, k + width - 1, at, hermitian)
        if width == 2:
            pivots[k : k + 2] = -(at + 1)
        else:
            pivots[k] = at + 1
        if width:
            _eliminate(a, k, width, hermitian)
        k += max(width, 1)
    return a, pivots, info


def _block(a: Any, k: int, width: int, hermitian: bool) -> Any:
    d = a[k : k + width, k : k + width].copy()
    if width == 2:
        d[0, 1] = d[1, 0].conj() if hermitian else d[1, 0]
    return d


def _eliminate(a: Any, k: int, width: int, hermitian: bool) -> None:
    end = k + width
    column = a[end:, k:end]
    factor = column @ lapack.inv(_block(a, k, width, hermitian))
    a[end:, end:] -= np.tril(factor @ _adjoint(column, hermitian))
    if hermitian:
        rest = a[end:, end:]
        np.fill_diagonal(rest, rest.diagonal().real)
    a[end:, k:end] = factor


def _solved(a: Any, pivots: Any, b: Any, hermitian: bool) -> Any:
    """The solution, from what ``_decomposed`` returns."""
    x = np.array(b)
    n = a.shape[0]
    steps = []
    k = 0
    while k < n:
        width = 1 if pivots[k] > 0 else 2
        at, i = abs(int(pivots[k])) - 1, k + width - 1
        steps.append((k, width, i, at))
        x[[i, at]] = x[[at, i]]
        x[k + width :] -= a[k + width :, k : k + width] @ x[k : k + width]
        x[k : k + width] = lapack.solve(_block(a, k, width, hermitian), x[k : k + width])
        k += width
    for k, width, i, at in reversed(steps):
        x[k : k + width] -= _adjoint(a[k + width :, k : k + width], hermitian) @ x[k + width :]
        x[[i, at]] = x[[at, i]]
    return x


# ---- the operators


def _no_derivative(name: str) -> Any:
    def refuse(g: Any) -> Any:
        raise RuntimeError(f"derivative for aten::{name} is not implemented")

    return refuse


@primitive("NotImplemented", name="linalg_ldl_factor", outputs=3, batch=batching.item_by_item)
def ldl_factor_op(input: Array, hermitian: bool) -> tuple[Array, ...]:
    n = input.shape[-1]
    batch = input.shape[:-2]
    factors, pivots = np.empty_like(input, order="C"), np.empty((*batch, n), np.int32)
    infos = np.zeros(batch, np.int32)
    for at in np.ndindex(*batch):
        factors[at], pivots[at], infos[at] = _decomposed(input[at], hermitian and input.dtype.kind == "c")
    return by_columns(factors), pivots, infos


ldl_factor_op.vjp(input=_no_derivative("linalg_ldl_factor_ex"))


@linalg
def ldl_factor_ex(input: Tensor, *, hermitian: bool = False, check_errors: bool = False) -> Any:
    """``L`` and ``D`` in one matrix, the exchanges of rows, and for each matrix 0 or where ``D`` is 0."""
    check_square(input, "torch.linalg.ldl_factor_ex")
    check_float(input, "torch.linalg.ldl_factor_ex")
    found = ldl_factor_op(input, hermitian)
    if check_errors and found[2]._array.any():
        raise RuntimeError(f"torch.linalg.ldl_factor_ex: D has a zero on its diagonal: {int(found[2]._array.max())}.")
    return named("linalg_ldl_factor_ex", found)


@linalg
def ldl_factor(input: Tensor, *, hermitian: bool = False) -> Any:
    """``L`` and ``D`` in one matrix, and the exchanges of rows."""
    check_square(input, "torch.linalg.ldl_factor_ex")
    check_float(input, "torch.linalg.ldl_factor_ex")
    found = ldl_factor_op(input, hermitian)
    if found[2]._array.any():
        raise RuntimeError(f"torch.linalg.ldl_factor: D has a zero on its diagonal: {int(found[2]._array.max())}.")
    return named("linalg_ldl_factor", found[:2])


@primitive("NotImplemented", name="linalg_ldl_solve", batch=batching.item_by_item)
def ldl_solve_op(LD: Array, B: Array, pivots: Array, hermitian: bool) -> Any:
    batch = np.broadcast_shapes(LD.shape[:-2], B.shape[:-2])
    a = np.broadcast_to(LD, (*batch, *LD.shape[-2:]))
    p = np.broadcast_to(pivots, (*batch, pivots.shape[-1]))
    b = np.broadcast_to(B, (*batch, *B.shape[-2:]))
    result = np.empty(b.shape, B.dtype)
    for at in np.ndindex(*batch):
        result[at] = _solved(a[at], p[at], b[at], hermitian and LD.dtype.kind == "c")
    return result


ldl_solve_op.vjp(LD=_no_derivative("linalg_ldl_solve"), B=_no_derivative("linalg_ldl_solve"))


@linalg
def ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: bool = False) -> Tensor:
    """The solution of a system of which ``ldl_factor`` is known."""
    name = "torch.linalg.ldl_solve"
    check_square(LD, name, "LD")
    check_matrix(B, name, "B")
    expected = LD._array.shape[:-1]
    if pivots._array.shape != expected:
        raise RuntimeError(
            f"{name}: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
            f"{list(pivots._array.shape)} instead"
        )
    if pivots._array.dtype.kind not in "iu":
        raise RuntimeError(
            f"{name}: Expected pivots to be integers. Got {scalar_type(pivots)}"
        )
    if LD.dtype is not B.dtype:
        raise RuntimeError(f"{name}: LD dtype {scalar_type(LD)} does not match b dtype {scalar_type(B)}")
    check_equation(LD, B, True, name)
    return ldl_solve_op(LD, B, pivots, hermitian)
