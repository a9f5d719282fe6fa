"""Elementwise operators on sparse tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import dtypes
from ..._tensor import Tensor
from ..arrays.scatter_add import add_rows
from ..arrays.sparse_array import joined_places, numbered
from ..machine.operands import common_shape
from .convert import found_in
from .coo import RULES, cannot_run, dtype_of, in_place, is_sparse, rule, size_text, sparse
from .kernels import gather_values_op, pair_products_op, scaled, sum_at_places_op

_OF_ZERO_ZERO = (
    "abs asin asinh atan atanh ceil deg2rad erf erfinv expm1 floor frac isinf isnan isneginf isposinf log1p nan_to_num "
    "rad2deg relu round sgn sign signbit sin sinh sqrt tan tanh trunc"
).split()
"""What gives 0 for 0. Values of one place are added first."""


@rule(*_OF_ZERO_ZERO)
def of_values(op: Any, t: Any, *attributes: Any) -> Any:
    t = t.coalesce()
    return t._like(op(t._rows, *attributes))


@in_place(*_OF_ZERO_ZERO)
def require_coalesced(op: Any, t: Any, *others: Any) -> None:
    if not t._sorted:
        raise RuntimeError(f"{op.name}_ requires coalesced input")


@rule("neg", "conj_physically")
def linear(op: Any, t: Any) -> Any:
    return t._like(op(t._rows))


@rule("pow_number")
def power(op: Any, t: Any, exponent: Any) -> Any:
    if not exponent:
        raise RuntimeError("pow: cannot raise to zeroth power on sparse tensor; it would make the result tensor dense")
    return of_values(op, t, exponent)


@in_place("pow_number")
def no_power_in_place(op: Any, t: Any, *others: Any) -> None:
    raise cannot_run("pow_.Scalar")


# ---- sums

sub_at_places_op = sum_at_places_op.under("difference_at_places", "SubBackward0")


@rule("add", "add_number", "add_scaled")
def add(op: Any, input: Any, other: Any, alpha: Any = 1) -> Any:
    return _sum(sum_at_places_op, input, other, alpha)


@rule("sub", "sub_number", "sub_scaled")
def sub(op: Any, input: Any, other: Any, alpha: Any = 1) -> Any:
    return _sum(sub_at_places_op, input, other, -alpha)


@rule("rsub_number")
def rsub(op: Any, input: Any, other: Any, alpha: Any = 1) -> Any:
    return _sum(sum_at_places_op, other, input, -alpha)


def _sum(op: Any, input: Any, other: Any, alpha: Any) -> Any:
    if not is_sparse(other):
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    shape = tuple(input.shape) if isinstance(input, Tensor) else ()
    if shape != tuple(other.shape):
        what = "" if is_sparse(input) else " (FYI: dense-sparse addition does not currently support broadcasting)"
        raise RuntimeError(
            f"add: expected 'self' and 'other' to have same size, but self has size {list(shape)} while other has size "
            f"{size_text(other)}{what}"
        )
    dtype = dtype_of(input, other)
    lead = other.sparse_dim()
    rows = other._rows.to(dtype)
    if not is_sparse(input):
        return op(input.to(dtype), rows, None, other._places(), shape, lead, alpha)
    if lead != input.sparse_dim():
        raise RuntimeError(
            f"add: expected 'self' and 'other' to have same number of sparse dimensions, but self has "
            f"{input.sparse_dim()} while other has {lead}"
        )
    _refuse_bools("cadd_sparse", dtype)
    at, mine, others = joined_places(input._at, other._at, shape[:lead])
    if mine is None:
        mine, others = np.split(np.arange(at.shape[1]), [input._nnz()])
    result = op(input._rows.to(dtype), rows, mine, others, (at.shape[1], *shape[lead:]), 1, alpha)
    return sparse(at, result, shape, input._sorted and other._sorted)


def _refuse_bools(kernel: str, dtype: Any) -> None:
    if dtype is dtypes.bool_:
        raise NotImplementedError(f'"{kernel}" not implemented for \'Bool\'')


@in_place("add", "add_scaled", "sub", "sub_scaled")
def sum_fits(op: Any, t: Any, other: Any = None) -> None:
    if is_sparse(other):
        check_fits(t, other, "add")


def check_fits(target: Any, other: Any, operation: str) -> None:
    """What is computed must have a dtype that the target can have."""
    result = dtype_of(target, other)
    if not dtypes.can_cast(result, target.dtype):
        names = dtypes.SCALAR_TYPE_NAMES
        raise RuntimeError(
            f"Can't convert result type {names[result]} to output {names[target.dtype]} in {operation} operation"
        )


def changed_dense(op: Any, target: Any, others: tuple[Any, ...], attributes: tuple[Any, ...], requires: bool) -> Any:
    """Change a dense tensor in place by a sparse one. A sum touches only the rows that have something to add."""
    array = target._array
    other: Any = others[0] if others else None
    sign = {"add": 1, "add_scaled": 1, "sub": -1, "sub_scaled": -1}.get(op.name)
    if is_sparse(other):
        check_fits(target, other, "add")
    if sign is None or requires or not is_sparse(other) or not _is_plain(target, other):
        result = RULES[op.name](op, target, *others, *attributes) if op.name in RULES else None
        if result is None:
            raise cannot_run(f"{op.name}_")
        return target.copy_(result.to_dense())
    alpha = sign * (attributes[0] if attributes else 1)
    lead = other.sparse_dim()
    rows = other._rows._array
    flat = array.reshape(-1, *array.shape[lead:])
    add_rows(flat, other._places(), scaled(rows.astype(array.dtype), alpha))
    target._bump_version()
    return target


def _is_plain(target: Any, other: Any) -> bool:
    """Whether rows can be added to an array, without any further question."""
    if target._array.shape != other._array.shape or not target._array.flags.c_contiguous:
        return False
    return not target.wraps and not other._rows.wraps and dtype_of(target, other) is target.dtype


# ---- products


@rule("mul", "mul_number")
def mul(op: Any, input: Any, other: Any) -> Any:
    if _is_number(other):
        return input._like(op(input._rows, other))
    if _is_number(input):
        return other._like(op(input, other._rows))
    if is_sparse(input) and is_sparse(other):
        return _intersection(input, other)
    return _times_dense(input, other) if is_sparse(input) else _times_dense(other, input, True)


@in_place("mul", "mul_number")
def factor_fits(op: Any, t: Any, other: Any = None) -> None:
    if is_sparse(other):
        check_fits(t, other, "mul")
    elif not _is_number(other) and dtype_of(t, other) is not t.dtype:
        names = dtypes.SCALAR_TYPE_NAMES
        raise RuntimeError(
            f"dtype of values ({names[dtype_of(t, other)]}) must match dtype of sparse tensor ({names[t.dtype]})"
        )


def _is_number(value: Any) -> bool:
    return not isinstance(value, Tensor) or (not is_sparse(value) and not value._array.ndim)


def _times_dense(t: Any, dense: Any, is_reversed: bool = False) -> Any:
    """Values times the elements of a dense tensor at their places; a larger one repeats the sparse one."""
    shape = common_shape(tuple(t.shape), tuple(dense.shape))
    if shape != tuple(t.shape):
        t = _repeated(t, shape)
    lead = t.sparse_dim()
    own = (1,) * (len(shape) - dense.ndim) + tuple(dense.shape)
    at = np.zeros((lead, t._nnz()), np.int64)
    for d, n in enumerate(own[:lead]):
        if n != 1:
            at[d] = t._at[d]
    places = numbered(at, own[:lead])
    dtype = dtype_of(t, dense)
    values, factor = t._rows.to(dtype), dense.to(dtype).reshape(own)
    out = (t._nnz(), *shape[lead:])
    if is_reversed:
        rows = pair_products_op(factor, values, places, None, None, out, (lead, 1, 1))
    else:
        rows = pair_products_op(values, factor, None, places, None, out, (1, lead, 1))
    return t._like(rows)


def _repeated(t: Any, shape: tuple[int, ...]) -> Any:
    """A sparse tensor broadcast to a shape with more dimensions, or larger ones; in order."""
    t = t.coalesce()
    lead, extra = t.sparse_dim(), len(shape) - t.ndim
    dense = shape[lead + extra :]
    if dense != tuple(t.shape[lead:]):
        raise RuntimeError("broadcasting of dense dimensions of a sparse tensor is not supported")
    old = (1,) * extra + tuple(t.shape[:lead])
    grown = [d for d, (n, m) in enumerate(zip(old, shape)) if n != m]
    copies = np.indices([shape[d] for d in grown]).reshape(len(grown), -1)
    at = np.zeros((lead + extra, copies.shape[1], t._nnz()), np.int64)
    at[extra:] = t._at[:, None]
    for d, places in zip(grown, copies):
        at[d] = places[:, None]
    which = np.tile(np.arange(t._nnz()), copies.shape[1])
    flat = at.reshape(lead + extra, -1)
    order = np.argsort(numbered(flat, shape[: lead + extra]), kind="stable")
    return sparse(flat[:, order], gather_values_op(t._rows, which[order], 1), shape, True)


def _intersection(input: Any, other: Any) -> Any:
    """Products at places that both have; if one is not coalesced, at those of the one with fewer."""
    if tuple(input.shape) != tuple(other.shape):
        raise RuntimeError(
            f"mul: expected 'self' and 'other' to have same sizes, but {size_text(input)} != {size_text(other)}"
        )
    if input.sparse_dim() != other.sparse_dim():
        raise RuntimeError(
            f"mul: expected 'self' and 'other' to have same sparse_dim, but {input.sparse_dim()} != "
            f"{other.sparse_dim()}"
        )
    dtype = dtype_of(input, other)
    _refuse_bools("mul_out_sparse", dtype)
    both_sorted = input._sorted and other._sorted
    probe, source = (input, other) if input._nnz() <= other._nnz() else (other, input)
    source = source.coalesce()
    found, at = found_in(source._places(), probe._places())
    mine = np.flatnonzero(found)
    out, kept = (None, probe._at[:, mine]) if both_sorted else (mine, probe._at)
    shape = (kept.shape[1], *input.shape[input.sparse_dim() :])
    pair = [(probe._rows.to(dtype), mine), (source._rows.to(dtype), at)]
    if probe is other and probe is not input:
        pair.reverse()
    (a, at_a), (b, at_b) = pair
    return sparse(kept, pair_products_op(a, b, at_a, at_b, out, shape, (1, 1, 1)), input.shape, both_sorted)


@rule("div", "div_number", "div_unrounded", "div_floor", "div_trunc", "floor_divide")
def div(op: Any, input: Any, other: Any) -> Any:
    if not is_sparse(input) or not _is_number(other):
        what = size_text(other) if isinstance(other, Tensor) else "[]"
        raise RuntimeError(
            f"Sparse division requires a scalar or zero-dim dense tensor divisor (got shape {what} for divisor)"
        )
    if op.name in ("div_floor", "div_trunc", "floor_divide"):
        input = input.coalesce()
    return input._like(op(input._rows, other))
