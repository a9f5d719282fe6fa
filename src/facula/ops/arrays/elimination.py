"""Elimination: LU decompositions of matrices, and solutions by triangular matrices."""

from __future__ import annotations

from functools import cache
from math import prod
from typing import Any

import numpy as np

from . import lapack

# ---- decompositions


@cache
def scipy_routine(name: str, dtype: Any) -> Any:
    """A routine of LAPACK, by scipy; None if that is not there."""
    try:
        from scipy.linalg import get_lapack_funcs  # type: ignore[import-untyped]  # optional
    except ImportError:
        return None
    return get_lapack_funcs((name,), dtype=dtype)[0]


LARGE = 48
"""From this size on a loop in Python shows, and LAPACK is asked for, however many matrices there are."""


def eliminated(a: Any) -> tuple[Any, Any, Any]:
    """(L below and U above the diagonal, which row was exchanged with each one, where U has its first 0 or 0).

    Rows and the last are counted from 1, as LAPACK does.
    """
    work = np.array(a, order="C")
    m, n = work.shape[-2:]
    k = min(m, n)
    batch = work.shape[:-2]
    if (k >= LARGE or 0 < prod(batch) <= 8 * k) and (routine := scipy_routine("getrf", work.dtype)) is not None:
        return _by_lapack(routine, work, k)
    flat = work.reshape(prod(batch), m, n)
    pivots = np.empty((flat.shape[0], k), np.int32)
    info = np.zeros(flat.shape[0], np.int32)
    every = np.arange(flat.shape[0])
    for i in range(k):
        column = flat[:, i:, i]
        size = np.abs(column.real) + np.abs(column.imag) if column.dtype.kind == "c" else np.abs(column)
        at = i + np.argmax(size, -1)
        pivots[:, i] = at + 1
        row = flat[every, at].copy()
        flat[every, at] = flat[:, i]
        flat[:, i] = row
        pivot = row[:, i]
        info[(pivot == 0) & (info == 0)] = i + 1
        if i + 1 < m:
            flat[:, i + 1 :, i] /= np.where(pivot == 0, 1, pivot)[:, None]
            if i + 1 < n:
                flat[:, i + 1 :, i + 1 :] -= flat[:, i + 1 :, i, None] * flat[:, i, None, i + 1 :]
    return work, pivots.reshape(*batch, k), info.reshape(batch)


def _by_lapack(routine: Any, work: Any, k: int) -> tuple[Any, Any, Any]:
    batch = work.shape[:-2]
    pivots, info = np.empty((*batch, k), np.int32), np.zeros(batch, np.int32)
    for at in np.ndindex(*batch):
        work[at], pivots[at], info[at] = routine(work[at])
    return work, pivots + 1, info


def permutation(pivots: Any, m: int, dtype: Any) -> Any:
    """The matrix that the exchanges of rows amount to."""
    flat = pivots.reshape(prod(pivots.shape[:-1]), pivots.shape[-1]) - 1
    every = np.arange(len(flat))
    order = np.tile(np.arange(m), (len(flat), 1))
    for i, at in enumerate(flat.T):
        row = order[every, at].copy()
        order[every, at] = order[:, i]
        order[:, i] = row
    found = np.zeros((len(flat), m, m), dtype)
    found[every[:, None], order, np.arange(m)] = 1
    return found.reshape(*pivots.shape[:-1], m, m)


def lower_part(lu: Any) -> Any:
    m, n = lu.shape[-2:]
    k = min(m, n)
    return np.tril(lu[..., :k], -1) + np.eye(m, k, dtype=lu.dtype)


def upper_part(lu: Any) -> Any:
    return np.triu(lu[..., : min(lu.shape[-2:]), :])


# ---- solutions


_SMALL = 48


def by_halves(a: Any, b: Any, upper: bool) -> Any:
    """Solved for one half of the unknowns, then for the other: most of it is products of matrices."""
    n = a.shape[-1]
    if n <= _SMALL:
        try:
            return lapack.solve(a, b)
        except np.linalg.LinAlgError:
            return _substituted(a, b, upper)
    middle = n // 2
    parts = [slice(None, middle), slice(middle, None)]
    first, second = reversed(parts) if upper else parts
    x = np.empty(np.broadcast_shapes(a.shape[:-2], b.shape[:-2]) + b.shape[-2:], a.dtype)
    x[..., first, :] = by_halves(a[..., first, first], b[..., first, :], upper)
    rest = b[..., second, :] - a[..., second, first] @ x[..., first, :]
    x[..., second, :] = by_halves(a[..., second, second], rest, upper)
    return x


def _substituted(a: Any, b: Any, upper: bool) -> Any:
    """Of singular systems: divisions by zero give infinities, as they come."""
    n = a.shape[-1]
    x = np.zeros(np.broadcast_shapes(a.shape[:-2], b.shape[:-2]) + b.shape[-2:], a.dtype)
    for i in range(n - 1, -1, -1) if upper else range(n):
        x[..., i, :] = (b[..., i, :] - (a[..., i : i + 1, :] @ x)[..., 0, :]) / a[..., i, i, None]
    return x


def solved_by_factors(lu: Any, pivots: Any, b: Any, adjoint: bool = False) -> Any:
    """The solution of a system by what ``eliminated`` gives of its matrix; of that of its adjoint, if asked for."""
    order = permutation(pivots, lu.shape[-1], lu.dtype)
    low, up = lower_part(lu), upper_part(lu)
    if not adjoint:
        return by_halves(up, by_halves(low, order.swapaxes(-1, -2) @ b, False), True)
    low, up = (np.conjugate(each.swapaxes(-1, -2)) for each in (low, up))
    return order @ by_halves(low, by_halves(up, b, False), True)


def is_singular(lu: Any) -> Any:
    """Whether a decomposition has a pivot of 0."""
    return (lu.diagonal(0, -2, -1) == 0).any()
