"""Sums, means, products, logical reductions, log-sum-exp."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import dtypes
from ..._core.dtypes import F32, F64, widened
from ..._core.missing import Missing
from ..._core.strides import by_rows
from ..._tensor import Tensor
from ..arrays.meta import by_zeros
from ..arrays.sums import accumulator, add_up, multiply_reduce, total, with_ones, without
from ..arrays.types import Array
from ..machine import batching
from ..machine.any_state import constant_of
from ..machine.deprecated import warn_of_lost_parts
from ..machine.errors import NoOverload, WrongArgument
from ..machine.namespaces import ARRAYS, TENSORS
from ..machine.primitive import Primitive, primitive
from ..machine.public import public
from ..machine.rules import in_both_namespaces, in_dtype, raw
from .recurrence import products_of_others
from .reducing import axes, check_dim, check_dims, count, expand_reduced, refuse_narrowing, unsqueeze_reduced

_FULL: Any = Missing()
"""Stands for an argument ``dim`` that was not given: that is another overload than None."""


def result_dtype(dtype: dtypes.dtype | None) -> Any:
    if dtype is None:
        return None
    if not isinstance(dtype, dtypes.dtype):
        raise WrongArgument("dtype", dtype, "torch.dtype")
    return dtype.numpy


# ---- sum


@primitive("SumBackward0", lowering="sum(input)", kind="linear")
def sum_all_op(input: Array, dtype: Any = None) -> Any:
    return total(input, None, False, dtype)


@sum_all_op.vjp("input")
def sum_all_gradient_of_input(g: Any, input_shape: Any, input_dtype: Any, xp: Any) -> Any:
    return expand_reduced(in_dtype(g, input_dtype, xp), input_shape, None, True, xp)


@sum_all_op.batch
def sum_all_batched(call: batching.Call) -> Any:
    if not call.ndim():
        return sum_dim_op(call.rows(), (1,), False, *call.attributes)
    return sum_dim_op(call.values[0], tuple(range(1, call.ndim() + 1)), False, *call.attributes)


@primitive("SumBackward1", lowering="sum(input)", kind="linear", batch=batching.reduced_dimensions)
def sum_dim_op(input: Array, dim: Any, keepdim: bool, dtype: Any = None) -> Any:
    if dtype is None and (input.dtype is F32 or input.dtype is F64):  # the first thing ``total`` would find out
        return add_up(input, dim if dim and input.ndim else None, keepdim)
    return total(input, axes(dim, input.ndim), keepdim, dtype)


@sum_dim_op.vjp("input")
def sum_dim_gradient_of_input(g: Any, input_shape: Any, dim: Any, keepdim: bool, input_dtype: Any, xp: Any) -> Any:
    return expand_reduced(in_dtype(g, input_dtype, xp), input_shape, dim, keepdim, xp)


@public("sum", "sum", out="dim leads", overloads=True)
def sum(input: Tensor, dim: Any = _FULL, keepdim: bool = _FULL, *, dtype: Any = None) -> Tensor:
    """The sum of all elements, or along ``dim``. Integers are summed in int64."""
    wanted = None
    if dtype is not None:
        wanted = result_dtype(dtype)
        refuse_narrowing(input, dtype)
    if dim is _FULL:
        if keepdim is not _FULL:
            raise NoOverload
        return sum_all_op.call(input, wanted)
    return sum_dim_op.call(input, check_dims(dim, input._array.ndim), flag(keepdim), wanted)


def flag(keepdim: Any) -> bool:
    if keepdim is _FULL:
        return False
    if keepdim.__class__ is not bool:
        if not isinstance(keepdim, (int, np.bool_)):
            raise WrongArgument("keepdim", keepdim, "bool")
        return bool(keepdim)
    found: bool = keepdim
    return found


# ---- nansum


@primitive("NansumBackward0", lowering="sum(where(isnan(input), 0, input))", batch=batching.reduced_dimensions)
def nansum_op(input: Array, dim: Any, keepdim: bool, dtype: Any) -> Any:
    if input.dtype.kind in "fV":
        input = np.where(np.isnan(input), input.dtype.type(0), input)
    return total(input, axes(dim, input.ndim), keepdim, dtype)


@nansum_op.vjp("input")
def nansum_gradient_of_input(g: Any, input: Any, dim: Any, keepdim: bool, input_dtype: Any, xp: Any) -> Any:
    return expand_reduced(in_dtype(g, input_dtype, xp), input.shape, dim, keepdim, xp) * xp.not_nan(input)


def _not_nan(x: Any) -> Any:
    return (x == x).astype(x.dtype)


in_both_namespaces("not_nan", _not_nan, lambda x: (x == x).to(x.dtype))


@nansum_op.tangent
def nansum_tangent(op: Any, primals: Any, tangents: Any, attributes: Any, outs: Any) -> Any:
    """What belongs to NaN is left out, not multiplied by 0: it may be NaN itself."""
    (input,), (tangent,), (dim, keepdim, dtype) = primals, tangents, attributes
    return sum_dim_op(tangent.masked_fill(input != input, 0), dim, keepdim, dtype)


@public("nansum", "nansum", out="leads")
def nansum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The sum with NaN counted as 0."""
    if input._array.dtype.kind == "c":
        raise RuntimeError("nansum on CPU does not support complex inputs")
    if input._array.dtype.kind in "biu":
        return sum(input, dim, keepdim, dtype=dtype)
    refuse_narrowing(input, dtype)
    if dtype is not None and dtype.is_complex:
        raise dtypes.not_for("nansum_cpu", dtype)
    return nansum_op(input, check_dims(dim, input._array.ndim), keepdim, result_dtype(dtype))


@public("nanmean", "nanmean", out=True)
def nanmean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The mean of the elements that are no NaN."""
    if input._array.dtype.kind in "biu":
        raise RuntimeError(
            "nanmean(): expected input to have floating point or complex dtype but got "
            f"{dtypes.SCALAR_TYPE_NAMES[input.dtype]}"
        )
    if isinstance(dtype, dtypes.dtype) and dtype.category < dtypes.FLOAT:
        raise RuntimeError(
            "nanmean(): could not infer output dtype. Optional dtype must be either a floating point or complex dtype. "
            f"Got: {dtypes.SCALAR_TYPE_NAMES[dtype]}"
        )
    count = sum(input == input, dim, keepdim)
    return nansum(input, dim, keepdim, dtype=dtype) / count


# ---- mean


def mean_array(x: Any, dim: Any, keepdim: bool, wanted: Any = None) -> Any:
    if wanted is not None and x.dtype != wanted:
        x = dtypes.cast(x, wanted)
    result = x.dtype
    n = count(x.shape, dim) if dim is not None else x.size
    if n == 0:
        return (total(widened(x), dim, keepdim) * np.nan).astype(result, copy=False)
    if result is F32 or result is F64:
        return add_up(x, dim, keepdim) / n
    return (total(widened(x), dim, keepdim) / n).astype(result, copy=False)


@primitive("MeanBackward0", lowering="mean(input)", kind="linear")
def mean_all_op(input: Array, dtype: Any = None) -> Any:
    return mean_array(input, None, False, dtype)


@mean_all_op.vjp("input")
def mean_all_gradient_of_input(g: Any, input_shape: Any, input_size: int, input_dtype: Any, xp: Any) -> Any:
    return xp.share_of_mean(in_dtype(g, input_dtype, xp), input_shape, None, True, input_size or 1)


def _share_on_arrays(g: Any, shape: tuple[int, ...], dim: Any, keepdim: bool, n: int) -> Any:
    """Few numbers are divided, before they are spread; whoever sees them gets a copy, see ``watched.as_tensor``."""
    spread = expand_reduced(g / n if g.dtype.itemsize > 2 else (g / n).astype(g.dtype), shape, dim, keepdim, ARRAYS)
    if spread.__class__ is np.ndarray and spread.ndim:
        spread.flags.writeable = False
    return spread


def _share_on_tensors(g: Any, shape: tuple[int, ...], dim: Any, keepdim: bool, n: int) -> Any:
    return TENSORS.over(expand_reduced(g, shape, dim, keepdim, TENSORS), n)


in_both_namespaces("share_of_mean", _share_on_arrays, _share_on_tensors)


@mean_all_op.batch
def mean_all_batched(call: batching.Call) -> Any:
    if not call.ndim():
        return mean_dim_op(call.rows(), (1,), False, *call.attributes)
    return mean_dim_op(call.values[0], tuple(range(1, call.ndim() + 1)), False, *call.attributes)


@primitive("MeanBackward1", lowering="mean(input)", kind="linear", batch=batching.reduced_dimensions)
def mean_dim_op(input: Array, dim: Any, keepdim: bool, dtype: Any = None) -> Any:
    return mean_array(input, axes(dim, input.ndim), keepdim, dtype)


@mean_dim_op.vjp("input")
def mean_dim_gradient_of_input(
    g: Any, input_shape: Any, dim: Any, keepdim: bool, input_size: int, input_dtype: Any, xp: Any
) -> Any:
    n = count(input_shape, dim) or 1
    return xp.share_of_mean(in_dtype(g, input_dtype, xp), input_shape, dim, keepdim, n)


@public("mean", "mean", out=True, overloads=True)
def mean(input: Tensor, dim: Any = _FULL, keepdim: bool = _FULL, *, dtype: Any = None) -> Tensor:
    """The mean of all elements, or along ``dim``."""
    wanted = None if dtype is None else result_dtype(dtype)
    if wanted is None:
        if input._array.dtype.kind in "biu":
            raise _no_mean("Input", input.dtype)
    elif wanted.kind in "biu":
        raise _no_mean("Optional", dtype)
    else:
        warn_of_lost_parts(input._array.dtype, wanted)
    if dim is _FULL:
        if keepdim is not _FULL:
            raise NoOverload
        return mean_all_op.call(input, wanted)
    return mean_dim_op.call(input, check_dims(dim, input._array.ndim), flag(keepdim), wanted)


def _no_mean(which: str, d: dtypes.dtype) -> RuntimeError:
    return RuntimeError(
        f"mean(): could not infer output dtype. {which} dtype must be either a floating point or complex dtype. Got: "
        f"{dtypes.SCALAR_TYPE_NAMES[d]}"
    )


# ---- prod


def multiply_up(x: Any, dim: int | None, keepdim: bool, wanted: Any) -> Any:
    if wanted is not None and x.dtype != wanted:
        x = x.real.astype(wanted) if x.dtype.kind == "c" and wanted.kind not in "cb" else x.astype(wanted)
    inner = accumulator(x.dtype)
    if x.ndim == 0:
        dim = None
    if inner is F32 and x.dtype != F32:
        return by_rows(multiply_reduce(x.astype(F32), dim, keepdims=keepdim).astype(x.dtype))
    last = dim is None or dim in (-1, x.ndim - 1)
    if x.size >= 65536 and inner is x.dtype and last and x.flags.c_contiguous and x.__class__ is np.ndarray:
        dims = None if dim is None else (dim,)
        shape = with_ones(x.shape, dims) if keepdim else without(x.shape, dims)
        return _multiply_rows(x.reshape(-1, x.size if dim is None else x.shape[-1])).reshape(shape)
    result = by_rows(multiply_reduce(x, dim, dtype=inner, keepdims=keepdim))
    return result if wanted is None or result.dtype == wanted else result.astype(wanted)


def _multiply_rows(rows: Any) -> Any:
    """Products of rows by halves: whole arrays at a time, and fewer roundings in a row."""
    n = rows.shape[1]
    while n > 8:
        half = n // 2
        product = rows[:, :half] * rows[:, half : 2 * half]
        if n % 2:
            product[:, 0] *= rows[:, n - 1]
        rows, n = product, half
    return multiply_reduce(rows, 1)


@primitive("ProdBackward0", lowering="prod(input)")
def prod_all_op(input: Array, dtype: Any = None) -> Any:
    return multiply_up(input, None, False, dtype)


@prod_all_op.vjp("input")
def prod_all_gradient_of_input(g: Any, input: Any, out: Any, input_dtype: Any, xp: Any) -> Any:
    if not input.shape:
        return in_dtype(g, input_dtype, xp)
    if has_no_zero(input):
        return in_dtype(g * xp.conj(out / input), input_dtype, xp)
    flat = xp.reshape(input, (-1,))
    return in_dtype(g * xp.reshape(xp.conj(products_of_others(flat, 0, xp)), input.shape), input_dtype, xp)


@prod_all_op.batch
def prod_all_batched(call: batching.Call) -> Any:
    if not call.ndim() and call.values[0].is_floating_point():
        return _product_of_one(call)
    return prod_dim_op(call.rows(), 1, False, *call.attributes)


def _product_of_one(call: batching.Call) -> Any:
    """Of items without dimensions: the items themselves, whose derivative does not depend on them."""
    dtype = call.attributes[-1]
    return call.values[0].clone() if dtype is None else call.values[0].to(dtypes.of_numpy(dtype), copy=True)


def _product_batched(call: batching.Call) -> Any:
    is_one = not call.ndim() and call.values[0].is_floating_point()
    return _product_of_one(call) if is_one else batching.moved_dimensions(call)


@primitive("ProdBackward1", lowering="prod(input)", batch=_product_batched)
@by_zeros
def prod_dim_op(input: Array, dim: int, keepdim: bool, dtype: Any = None) -> Any:
    return multiply_up(input, dim, keepdim, dtype)


@prod_dim_op.vjp("input")
def prod_dim_gradient_of_input(g: Any, input: Any, out: Any, dim: int, keepdim: bool, input_dtype: Any, xp: Any) -> Any:
    if not input.shape:
        return in_dtype(g, input_dtype, xp)
    g = unsqueeze_reduced(g, input.shape, (dim,), keepdim, xp)
    if has_no_zero(input):
        others = unsqueeze_reduced(out, input.shape, (dim,), keepdim, xp) / input
    else:
        others = products_of_others(input, dim, xp)
    return in_dtype(g * xp.conj(others), input_dtype, xp)


@prod_all_op.tangent
@prod_dim_op.tangent
def prod_tangent(op: Any, primals: Any, tangents: Any, attributes: Any, outs: Any) -> Any:
    """Not by the product itself, which a program may change in place before the tangent is differentiated."""
    (x,), (t,), (out,) = primals, tangents, outs
    if not x.shape:
        return t.to(out.dtype)
    x, t = x.to(out.dtype), t.to(out.dtype)
    if op is prod_all_op:
        return (products_of_others(x.reshape(-1), 0, TENSORS) * t.reshape(-1)).sum()
    dim, keepdim, _ = attributes
    return (products_of_others(x, dim, TENSORS) * t).sum(dim, keepdim)


def has_no_zero(x: Any) -> bool:
    """Whether products of others are quotients; never inside transforms, where it may be so for some items only."""
    array = raw(x)
    return array.__class__ is np.ndarray and bool(array.all())


@public("prod", "prod", out="dim leads", overloads=True, autocast="full")
def prod(input: Tensor, dim: Any = _FULL, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The product of all elements, or along ``dim``. Integers are multiplied in int64."""
    wanted = result_dtype(dtype)
    refuse_narrowing(input, dtype)
    if dim is _FULL:
        return prod_all_op(input, wanted)
    return prod_dim_op(input, check_dim(dim, input._array.ndim), keepdim, wanted)


# ---- any, all, count_nonzero


def _logical(name: str, reduce: Any) -> Primitive:
    @primitive(name=name, batch=batching.reduced_dimensions, lowering=f"{name}(input)")
    def kernel(input: Array, dim: Any, keepdim: bool) -> Any:
        x = input if input.dtype.kind in "biuf" else input != 0
        found = reduce(x, dim if x.ndim else None, dtype=bool, keepdims=keepdim)  # by no dimension: each for itself
        return by_rows(np.asanyarray(found).astype(np.uint8 if input.dtype == np.uint8 else bool, copy=False))

    return kernel


any_op, all_op = _logical("any", np.logical_or.reduce), _logical("all", np.logical_and.reduce)


def _reduced(op: Primitive, input: Tensor, dim: Any, keepdim: bool) -> Any:
    ndim = input._array.ndim
    dims = check_dims(dim, ndim)
    return op(input, tuple(range(ndim)) if dims is None else dims, keepdim)


@public("any", "any", out="bool constant", overloads=True, looks_first=True)
def any(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Whether any element (along ``dim``) is not 0."""
    return _reduced(any_op, input, dim, keepdim)


@public("all", "all", out="bool constant", overloads=True, looks_first=True)
def all(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Whether every element (along ``dim``) is not 0."""
    return _reduced(all_op, input, dim, keepdim)


@public("count_nonzero", "", overloads=True, looks_first=True)
def count_nonzero_function(input: Tensor, dim: Any = None) -> Tensor:
    """How many elements (along ``dim``) are not 0."""
    return count_nonzero(input, dim)


@public("", "count_nonzero", overloads=True, looks_first=True)
def count_nonzero(input: Tensor, dim: Any = None, *more: Any) -> Tensor:
    """How many elements (along ``dim``) are not 0."""
    if more:
        dim = (dim, *more)
    x = input._array
    counted = total(x != 0, axes(check_dims(dim, x.ndim), x.ndim), False)
    return constant_of(Tensor._wrap(np.asanyarray(counted)), "count_nonzero", input)


# ---- logsumexp


@primitive("LogsumexpBackward0", batch=batching.reduced_dimensions)
def logsumexp_op(input: Array, dim: Any, keepdim: bool) -> Any:
    result = input.dtype
    x = widened(input)
    axis = axes(dim, x.ndim)
    if count(x.shape, dim) == 0:
        return np.log(total(x, axis, keepdim)).astype(result, copy=False)
    top = np.maximum.reduce(x.real if x.dtype.kind == "c" else x, axis, keepdims=True)
    finite = np.isfinite(top)
    if not np.logical_and.reduce(finite, None):
        top = np.where(finite, top, top.dtype.type(0))
    x = np.subtract(x, top)
    summed = np.log(total(np.exp(x, x) if x.ndim else np.exp(x), axis, True)) + top
    if not keepdim and x.ndim:
        summed = summed.reshape(without(x.shape, dim))
    return summed.astype(result, copy=False)


@logsumexp_op.vjp("input")
def logsumexp_gradient_of_input(g: Any, input: Any, out: Any, dim: Any, keepdim: bool, xp: Any) -> Any:
    g = unsqueeze_reduced(g, input.shape, dim, keepdim, xp)
    return g * xp.conj(xp.exp(input - unsqueeze_reduced(out, input.shape, dim, keepdim, xp)))


@logsumexp_op.tangent
def logsumexp_tangent(op: Any, primals: Any, tangents: Any, attributes: Any, outs: Any) -> Any:
    (x,), (t,), (dim, keepdim) = primals, tangents, attributes
    return (t * TENSORS.exp(x - op(x, dim, True))).sum(dim, keepdim)


def _not_floating(wanted: dtypes.dtype, given: dtypes.dtype, field: str) -> str:
    names = dtypes.SCALAR_TYPE_NAMES
    if given.is_floating_point:
        return f"result type {names[wanted]} can't be cast to the desired output type {names[given]}"
    return f"logsumexp(): Expected floating point type for result tensor, but got: {names[given]}"


@public("logsumexp", "logsumexp", out=True, out_error=_not_floating)
def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    """The logarithm of the sum of exponentials, without overflow."""
    dims = check_dims(dim, input._array.ndim)
    if input._array.dtype.kind in "biu":
        input = input.to(dtypes.default)
    return logsumexp_op.call(input, dims, keepdim)
