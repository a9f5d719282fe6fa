"""Running sums, products, maxima and minima; differences and integrals along a dimension."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import return_types
from ..._core import dtypes
from ..._core.dtypes import F32, F64, not_for, widened
from ..._core.strides import by_rows
from ..._tensor import Tensor
from ..arrays.complex_logs import log_sum
from ..arrays.running_sums import running_sums
from ..arrays.sums import accumulator
from ..arrays.types import Array
from ..machine import batching
from ..machine.arguments import as_int
from ..machine.errors import NoOverload
from ..machine.namespaces import TENSORS
from ..machine.primitive import Primitive, primitive
from ..machine.public import FUNCTIONS, OTHER_SCALAR_TYPE, public
from ..machine.refusals import no_dimensions
from ..machine.rules import in_both_namespaces, in_dtype, raw
from ..machine.write import inplace_form
from ..pointwise.with_numbers import div_number_op, mul_number_op
from .recurrence import products_before
from .reducing import check_dim, refuse_narrowing
from .sums import has_no_zero, result_dtype

# ---- cumsum, cumprod


def _accumulate(x: Any, dim: int, add: Any, wanted: Any = None) -> Any:
    if wanted is not None and x.dtype != wanted:
        x = x.real.astype(wanted) if x.dtype.kind == "c" and wanted.kind not in "cb" else x.astype(wanted)
    inner = accumulator(x.dtype)
    if inner is F32 and x.dtype != F32:
        return add.accumulate(x.astype(F32), dim).astype(x.dtype) if x.ndim else x.copy()
    if x.dtype is F32 and x.ndim:
        return running_sums(x, dim) if add is np.add else add.accumulate(x, dim, dtype=F64).astype(F32)
    result = add.accumulate(x, dim, dtype=inner) if x.ndim else x.astype(inner)
    return result if wanted is None or result.dtype == wanted else result.astype(wanted)


@primitive("CumsumBackward0", kind="linear", batch=batching.moved_dimensions)
def cumsum_op(input: Array, dim: int, dtype: Any = None) -> Any:
    return by_rows(_accumulate(input, dim, np.add, dtype))


def _array_from_end(x: Any, dim: int) -> Any:
    if x.dtype is F32:
        return running_sums(x, dim, reverse=True)
    return np.flip(_accumulate(np.flip(x, dim), dim, np.add), dim).copy()


def _tensor_from_end(x: Any, dim: int) -> Any:
    dims = (dim % x._array.ndim,)
    return TENSORS.flip(TENSORS.cumsum(TENSORS.flip(x, dims), dim), dims)


in_both_namespaces("cumsum_from_end", _array_from_end, _tensor_from_end)
"""Sums of the elements from each on."""


@cumsum_op.vjp("input")
def cumsum_gradient_of_input(g: Any, dim: int, input_dtype: Any, xp: Any) -> Any:
    g = in_dtype(g, input_dtype, xp)
    return xp.cumsum_from_end(g, dim) if raw(g).shape else g


@primitive("CumprodBackward0", batch=batching.moved_dimensions)
def cumprod_op(input: Array, dim: int, dtype: Any = None) -> Any:
    return by_rows(_accumulate(input, dim, np.multiply, dtype))


@cumprod_op.vjp("input")
def cumprod_gradient_of_input(g: Any, input: Any, out: Any, dim: int, input_dtype: Any, xp: Any) -> Any:
    g = in_dtype(g, input_dtype, xp)
    if raw(input).size <= 1 or raw(input).shape[dim] == 1:
        return g
    if has_no_zero(input):
        return in_dtype(xp.cumsum_from_end(xp.conj(out) * g, dim) / xp.conj(input), input_dtype, xp)
    onward = xp.recur(g, xp.conj(input), dim, True)
    return xp.conj(products_before(input, dim, xp)) * onward


def _scan(op: Primitive, input: Tensor, dim: Any, dtype: Any) -> Tensor:
    refuse_narrowing(input, dtype)
    if dtype is not None and dtype.category == dtypes.BOOL:
        raise not_for(f"{op.name}_out_cpu", dtype)
    return op(input, check_dim(dim, input._array.ndim), result_dtype(dtype))


@public("cumsum", "cumsum", out="leads")
def cumsum(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Sums of the elements up to each."""
    return _scan(cumsum_op, input, dim, dtype)


@public("cumprod", "cumprod", out="leads")
def cumprod(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Products of the elements up to each."""
    return _scan(cumprod_op, input, dim, dtype)


def _in_place(op: Primitive) -> Any:
    change = inplace_form(op)

    def method(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
        result: Tensor = change(input, check_dim(dim, input._array.ndim), result_dtype(dtype))
        return result

    return method


public("", "cumsum_")(_in_place(cumsum_op))
public("", "cumprod_")(_in_place(cumprod_op))


# ---- logcumsumexp


def _complex_log_sums(rows: Any, dim: int) -> Any:
    """One row after the other."""
    out = np.empty_like(rows)
    last = np.full(rows.shape[1:], -np.inf, rows.dtype)
    for i, row in enumerate(rows):
        last = out[i] = log_sum(row, last)
    return np.ascontiguousarray(np.moveaxis(out, 0, dim))


@primitive("LogcumsumexpBackward0", batch=batching.moved_dimensions)
def logcumsumexp_op(input: Array, dim: int) -> Any:
    if not input.ndim:
        return input.copy()
    if input.dtype.kind == "c":
        return _complex_log_sums(np.moveaxis(input, dim, 0), dim)
    return by_rows(np.logaddexp.accumulate(widened(input), dim).astype(input.dtype, copy=False))


@logcumsumexp_op.vjp("input")
def logcumsumexp_gradient_of_input(g: Any, input: Any, out: Any, dim: int, xp: Any) -> Any:
    """Sum over i >= k of g[i] exp(x[k] - out[i]), by a recurrence whose factors are at most 1.

    The first factor is not used; it is 1, so that it does not overflow. Between equal infinities it is 1, too.
    """
    if not input.shape:
        return g
    before, now = xp.shift(out, dim, 1), xp.shift(xp.shift(out, dim, -1), dim, 1)
    factor = xp.conj(xp.exp(xp.either(before == now, 0.0, before - now)))
    return xp.conj(xp.exp(input - out)) * xp.recur(g, factor, dim, True)


@public("logcumsumexp", "logcumsumexp", out="exact", out_error="expected scalar_type {0} but found {1}")
def logcumsumexp(input: Tensor, dim: int) -> Tensor:
    """Logarithms of the sums of exponentials up to each element."""
    at = check_dim(dim, input._array.ndim)
    if input._array.dtype.kind in "biu":
        raise not_for("logcumsumexp_out_cpu", input.dtype)
    return logcumsumexp_op(input, at)


# ---- cummax, cummin


def _running(name: str, node: str, extreme: Any) -> Primitive:
    def kernel(input: Array, dim: int) -> tuple[Array, ...]:
        """The extreme so far and where it was last seen."""
        if not input.ndim:
            return input.copy(), np.zeros((), np.int64)
        values = extreme.accumulate(input, dim)
        places = np.arange(input.shape[dim]).reshape([-1 if i == dim % input.ndim else 1 for i in range(input.ndim)])
        seen = (input == values) | (input != input)
        return by_rows(values), by_rows(np.maximum.accumulate(np.where(seen, places, 0), dim))

    op = Primitive(
        name, kernel, node, outputs=2, differentiable_outputs="first", batch=batching.moved_dimensions,
        saved_names={"out1": "indices"},
    )  # fmt: skip
    op.vjp(
        input=lambda g, input, out1, dim, xp: xp.unpick(g, out1, dim, True, False, input.shape)
    )
    return op


cummax_op = _running("cummax", "CummaxBackward0", np.maximum)
cummin_op = _running("cummin", "CumminBackward0", np.minimum)


def _running_extreme(name: str, op: Primitive, input: Tensor, dim: Any) -> Any:
    if not input._array.ndim and dim not in (0, -1):
        raise IndexError(f"{name}(): Expected reduction dim -1 or 0 for scalar but got {dim}")
    empty = input._array.ndim and not input._array.size  # then PyTorch asks for nothing
    at = 0 if empty else check_dim(dim, input._array.ndim)
    if input._array.dtype.kind == "c" and input._array.ndim and not empty:
        raise not_for(f"{name}_cpu", input.dtype)
    return getattr(return_types, name)(op(input, at))


@public("cummax", "cummax", out="exact", out_error=OTHER_SCALAR_TYPE)
def cummax(input: Tensor, dim: int) -> Any:
    """The greatest element so far, and its place."""
    return _running_extreme("cummax", cummax_op, input, dim)


@public("cummin", "cummin", out="exact", out_error=OTHER_SCALAR_TYPE)
def cummin(input: Tensor, dim: int) -> Any:
    """The least element so far, and its place."""
    return _running_extreme("cummin", cummin_op, input, dim)


# ---- diff, trapezoid


@public("diff", "diff", out=True, looks_first=True)
def diff(input: Tensor, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Tensor:
    """Differences between neighbours along ``dim``, ``n`` times."""
    n = as_int(n)
    if not input._array.ndim:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    at = check_dim(dim, input._array.ndim)
    for extra in (prepend, append):
        if extra is not None and extra._array.ndim != input._array.ndim:
            raise RuntimeError("diff expects prepend or append to be the same dimension as input")
        for i, n_of in enumerate(() if extra is None else extra._array.shape):
            if i != at % input._array.ndim and n_of != input._array.shape[i]:
                raise RuntimeError(
                    "diff expects the shape of tensor to prepend or append to match that of input except along the "
                    f"differencing dimension; input.size({i}) = {input._array.shape[i]}, but got tensor.size({i}) = "
                    f"{n_of}"
                )
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    if n == 0:
        copy: Tensor = FUNCTIONS["empty_like"](input).copy_(input)
        return copy
    if prepend is not None or append is not None:
        input = FUNCTIONS["cat"]([t for t in (prepend, input, append) if t is not None], at)
    for _ in range(min(n, input._array.shape[at])):
        length = input._array.shape[at] - 1
        below, above = input.narrow(at, 0, length), input.narrow(at, 1, length)
        input = FUNCTIONS["logical_xor"](above, below) if input.dtype is dtypes.bool_ else above - below
    return input


def _neighbours(y: Tensor, dim: int) -> Tensor:
    """The sums of neighbouring samples."""
    n = y._array.shape[dim]
    length = max(n - 1, 0)
    return y.narrow(dim, min(1, n), length) + y.narrow(dim, 0, length)


def _dim_of_samples(y: Tensor, dim: int) -> int:
    return check_dim(dim, y._array.ndim) % y._array.ndim


def _widths(name: str, y: Tensor, x: Tensor, at: int) -> Tensor:
    """The distances between neighbouring sample points, to be multiplied with what is between them."""
    n = y._array.shape[at]
    along = at
    if x._array.ndim != 1:
        along += x._array.ndim - y._array.ndim
    if x._array.shape[along if x._array.ndim != 1 else 0] != n:
        raise RuntimeError(f"{name}: There must be one `x` value for each sample point")
    if x._array.ndim == 1:
        x = x.reshape([n if i == at else 1 for i in range(y._array.ndim)])
    return diff(x, dim=along)


@public("trapezoid", "", looks_first=True)
def trapezoid(y: Tensor, x: Any = None, *, dx: Any = None, dim: int = -1) -> Tensor:
    """The integral along ``dim`` by the trapezoidal rule."""
    if x is not None and dx is not None:
        raise NoOverload
    shape = y._array.shape
    if not shape:
        raise no_dimensions(dim if x is None else 0)
    at = _dim_of_samples(y, dim)
    if not shape[at]:
        return y.new_zeros((*shape[:at], *shape[at + 1 :]))
    if x is not None:
        return div_number_op((_neighbours(y, at) * _widths("trapezoid", y, x, at)).sum(at), 2.0)
    ends = y.select(at, 0) + y.select(at, shape[at] - 1)
    return mul_number_op(y.sum(at) - mul_number_op(ends, 0.5), 1 if dx is None else dx)


@public("trapz", "", looks_first=True)
def trapz(y: Tensor, x: Any = None, *, dx: Any = None, dim: int = -1) -> Tensor:
    """The integral along ``dim`` by the trapezoidal rule."""
    return trapezoid(y, x, dx=dx, dim=dim)



@public("cumulative_trapezoid", "")
def cumulative_trapezoid(y: Tensor, x: Any = None, *, dx: Any = None, dim: int = -1) -> Tensor:
    """The integral up to each sample point."""
    if x is not None and dx is not None:
        raise NoOverload
    if not y._array.ndim:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    at = _dim_of_samples(y, dim)
    if x is not None:
        return div_number_op(cumsum(_neighbours(y, at) * _widths("cumulative_trapezoid", y, x, at), at), 2.0)
    return cumsum(mul_number_op(_neighbours(y, at), (1 if dx is None else dx) / 2.0), at)
