"""Sorting and the greatest or least k elements; medians, modes and quantiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import return_types
from ..._core import dtypes, state
from ..._core.dtypes import not_for, widened
from ..._core.strides import by_rows, copied_as
from ..._tensor import Tensor, known
from ..arrays.meta import by_zeros
from ..arrays.tiles import each_rows
from ..arrays.types import Array
from ..indexing.gather import gather_op
from ..machine import batching
from ..machine.any_state import constant_of
from ..machine.arguments import as_int
from ..machine.errors import NoOverload, WrongArgument
from ..machine.operands import ask_histories
from ..machine.primitive import Primitive, primitive
from ..machine.public import FUNCTIONS, public
from ..products.matmul import squeeze_fresh_op
from .extrema import BY_INDEX, by_index, chosen_of_all, require_elements
from .reducing import check_dim
from .sums import _FULL

# ---- sort


def order_of(x: Any, dim: int, descending: bool) -> Any:
    """The stable order; NaN counts as greater than everything."""
    x = widened(x)
    if x.dtype.itemsize <= 4 and x.dtype.kind in "fiu" and x.size > _PACKED and x.__class__ is np.ndarray:
        return _order_packed(x, dim, descending)
    if not descending:
        return np.argsort(x, dim, kind="stable")
    # Equal elements keep their order if the reversed array is sorted and read backwards.
    n = x.shape[dim]
    return n - 1 - np.flip(np.argsort(np.flip(x, dim), dim, kind="stable"), dim).copy()


_PACKED = 2048
_AS_INTEGERS: dict[int, Any] = {2: np.int16, 4: np.int32}


def _order_packed(x: Any, dim: int, descending: bool) -> Any:
    """The same by sorting pairs of (element, place) as integers: far quicker than an order by comparisons."""
    x = np.ascontiguousarray(np.moveaxis(x, dim, -1))
    if x.dtype.kind == "f":
        bits = _AS_INTEGERS[x.dtype.itemsize]
        keys = np.add(x, x.dtype.type(0)).view(bits)  # -0 is 0
        keys ^= (keys >> (8 * x.dtype.itemsize - 1)) & np.iinfo(bits).max  # integers in the order of the floats
        nan = np.isnan(x)
        if nan.any():
            keys[nan] = np.iinfo(bits).max
    else:
        keys = x
    pairs = keys.astype(np.int64)
    if descending:
        np.invert(pairs, out=pairs)
    pairs <<= 32
    pairs |= np.arange(x.shape[-1])

    def sort(rows: slice) -> None:
        table[rows].sort(-1)

    table = pairs.reshape(-1, x.shape[-1])
    each_rows(table.shape[0], table.shape[1], sort)
    pairs &= 0xFFFFFFFF
    return np.ascontiguousarray(np.moveaxis(pairs, -1, dim))


def _sort_kernel(input: Any, dim: int, descending: bool) -> tuple[Any, Any]:
    if not input.ndim:
        return input.copy(), np.zeros((), np.int64)
    where = order_of(input, dim, descending)
    if input.size > _PACKED and input.__class__ is np.ndarray:
        values = gather_op.kernel(input, where, dim % input.ndim, False)
    else:
        values = np.take_along_axis(input, where, dim)
    return copied_as(input, values), copied_as(input, where)


def _sort_rule(g: Any, out1: Any, dim: int, input_shape: Any, xp: Any) -> Any:
    return xp.unpick(g, out1, dim, True, True, input_shape)


@primitive("SortBackward0", **BY_INDEX)
def sort_op(input: Array, dim: int, descending: bool) -> Any:
    return _sort_kernel(input, dim, descending)


sort_op.vjp(input=_sort_rule)
sort_stable_op = sort_op.under("sort_stable", "SortBackward1")


def _refuse_complex(what: str, input: Tensor) -> None:
    if input._array.dtype.kind == "c":
        raise RuntimeError(f" {what} does not support complex dtypes on CPU")


@public("sort", "sort", out=True, overloads=True)
def sort(input: Tensor, dim: int = -1, descending: bool = False, *, stable: Any = _FULL) -> Any:
    """(values, indices) in ascending order along ``dim``. Equal elements keep their order, asked or not."""
    if not isinstance(descending, (bool, int)):
        raise NoOverload
    at = check_dim(dim, input._array.ndim)
    _refuse_complex("Sort", input)
    op = sort_op if stable is _FULL else sort_stable_op
    return return_types.sort(op(input, at, bool(descending)))


@public("argsort", "argsort", overloads=True)
def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    """The indices that sort along ``dim``."""
    at = check_dim(dim, input._array.ndim)
    _refuse_complex("Sort", input)
    ask_histories((input,))
    if state.special and state.modes.saved_hooks and input.requires_grad:
        return sort_op(input, at, bool(descending))[1]  # PyTorch sorts, and saves where all went
    if not input._array.ndim:
        return Tensor._wrap(np.zeros((), np.int64))
    where = copied_as(input._array, order_of(input._array, at, bool(descending)))
    return constant_of(Tensor._wrap(where), "argsort", input)


@public("msort", "msort", out="exact")
def msort(input: Tensor) -> Tensor:
    """Sorted along the first dimension."""
    values: Tensor = sort(input, 0)[0]
    return values


# ---- topk


@primitive("TopkBackward0", **BY_INDEX)
def topk_op(input: Array, k: int, dim: int, largest: bool, sorted: bool) -> tuple[Array, ...]:
    if not input.ndim:
        return input.copy(), np.zeros((), np.int64)
    x = widened(input)
    n = x.shape[dim]
    first = [slice(None)] * x.ndim
    first[dim] = slice(0, k)
    if k * 8 < n and x.ndim and k:
        part = [slice(None)] * x.ndim
        part[dim] = slice(n - k, n) if largest else slice(0, k)
        where = np.argpartition(x, n - k if largest else k - 1, dim)[tuple(part)]
        order = np.argsort(np.take_along_axis(x, where, dim), dim)
        where = np.take_along_axis(where, np.flip(order, dim) if largest else order, dim)
    else:
        where = order_of(x, dim, largest)[tuple(first)].copy()
    return np.take_along_axis(input, where, dim), where


topk_op.vjp(input=lambda g, out1, dim, input_shape, xp: xp.unpick(g, out1, dim, True, True, input_shape))


@public("topk", "topk", out=True)
def topk(input: Tensor, k: Any, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """The ``k`` greatest (or least) elements along ``dim``, as (values, indices)."""
    if isinstance(k, (str, float)):
        raise WrongArgument("k", k, "int")
    k = as_int(k)
    array = input._array
    at = check_dim(dim, array.ndim)
    if not 0 <= k <= (array.shape[at] if array.ndim else 1):
        raise RuntimeError("selected index k out of range")
    _refuse_complex("topk", input)
    if input.dtype is dtypes.bool_:
        raise RuntimeError("topk does not support bool dtypes on CPU")
    return return_types.topk(topk_op(input, k, at, bool(largest), bool(sorted)))


# ---- median, kthvalue


_OF_NOTHING = {t: np.iinfo(t).min for t in ("i", "l", "q")}
"""What NaN becomes as an integer of PyTorch's; 0 in small ones."""


@by_zeros
def _median_value(x: Any, ignore_nan: bool) -> Any:
    if x.size == 0:
        return np.array(_OF_NOTHING.get(x.dtype.char, 0) if x.dtype.kind in "iu" else np.nan).astype(x.dtype)
    flat = widened(x.reshape(-1))
    if flat.dtype.kind == "f":
        bad = np.isnan(flat)
        if ignore_nan and not bad.all():
            flat = flat[~bad]
        elif bad.any():
            return np.array(np.nan).astype(x.dtype)
    k = (flat.size - 1) // 2
    return np.partition(flat, k)[k].astype(x.dtype)


median_all_op = chosen_of_all("median_all", "MedianBackward0", lambda x: _median_value(x, False))
nanmedian_all_op = chosen_of_all("nanmedian_all", "NanmedianBackward0", lambda x: _median_value(x, True))


@median_all_op.batch
def median_all_batched(call: batching.Call) -> Any:
    return median_dim_op(call.rows(), 1, False)[0]


@nanmedian_all_op.batch
def nanmedian_all_batched(call: batching.Call) -> Any:
    return nanmedian_dim_op(call.rows(), 1, False)[0]


def _pick_ranked(x: Any, rank: Any, dim: int, keepdim: bool) -> tuple[Any, Any]:
    """The elements of given ranks (0 is the least) along a dimension; ``rank`` has size 1 there."""
    where = np.take_along_axis(np.argsort(widened(x), dim, kind="stable"), rank, dim)
    values = np.take_along_axis(x, where, dim)
    return (values, where) if keepdim else (values.squeeze(dim), where.squeeze(dim))


def _reduced_shape(x: Any, dim: int) -> tuple[int, ...]:
    return tuple(1 if i == dim % x.ndim else n for i, n in enumerate(x.shape))


def _median_along(name: str, node: str, ignore_nan: bool) -> Primitive:
    def kernel(input: Array, dim: int, keepdim: bool) -> tuple[Array, ...]:
        if not input.ndim:
            return input.copy(), np.zeros((), np.int64)
        n = input.shape[dim]
        rank = np.full(_reduced_shape(input, dim), (n - 1) // 2)
        if input.dtype.kind in "fV":
            good = np.add.reduce(input == input, dim, keepdims=True, dtype=np.int64)
            if ignore_nan:
                rank = by_rows(np.maximum(good - 1, 0) // 2)
            else:
                rank = np.where(good < n, good, rank)  # the first NaN
        return _pick_ranked(input, rank, dim, keepdim)

    return by_index(Primitive(name, kernel, node, **BY_INDEX))


median_dim_op = _median_along("median_dim", "MedianBackward1", False)
nanmedian_dim_op = _median_along("nanmedian_dim", "NanmedianBackward1", True)


def _median(name: str, full: Primitive, along: Primitive, input: Tensor, dim: Any, keepdim: Any) -> Any:
    kind = input._array.dtype.kind
    if dim is _FULL:
        if keepdim is not _FULL:
            raise NoOverload
        if kind in "bc" and input._array.size:
            raise not_for("median_cpu", input.dtype)
        return full(input)
    at = check_dim(dim, input._array.ndim)
    require_elements("median", input._array.shape, at)
    if kind in "bc":
        raise not_for("median_out", input.dtype)
    return getattr(return_types, name)(along(input, at, keepdim is not _FULL and bool(keepdim)))


def _other_out(wanted: dtypes.dtype, given: dtypes.dtype, field: str) -> str:
    kind = dtypes.type_name(given)
    if field == "indices":
        return (
            f"Expected tensor for argument #1 'indices' to have scalar type Long; but got {kind} instead (while "
            "checking arguments for median)"
        )
    return (
        f"Expected tensor for 'values' to have the same type as tensor for argument #2 'self'; but type {kind} does "
        f"not equal {dtypes.type_name(wanted)} (while checking arguments for median)"
    )


@public("median", "median", out="dim", out_error=_other_out)
def median(input: Tensor, dim: Any = _FULL, keepdim: Any = _FULL) -> Any:
    """The median; of two in the middle the lower. Along ``dim`` as (values, indices)."""
    return _median("median", median_all_op, median_dim_op, input, dim, keepdim)


@public("nanmedian", "nanmedian", out="dim", out_error=_other_out)
def nanmedian(input: Tensor, dim: Any = _FULL, keepdim: Any = _FULL) -> Any:
    """The median of what is no NaN."""
    return _median("nanmedian", nanmedian_all_op, nanmedian_dim_op, input, dim, keepdim)


@primitive("KthvalueBackward0", **BY_INDEX)
def kthvalue_op(input: Array, k: int, dim: int, keepdim: bool) -> tuple[Array, ...]:
    if not input.ndim:
        return input.copy(), np.zeros((), np.int64)
    return _pick_ranked(input, np.full(_reduced_shape(input, dim), k - 1), dim, keepdim)


by_index(kthvalue_op)


def _other_kth_out(wanted: dtypes.dtype, given: dtypes.dtype, field: str) -> str:
    if field == "indices":
        return "output indices must be of scalar type Long"
    return "output values must be of same type as input"


@public("kthvalue", "kthvalue", out="separate", out_error=_other_kth_out)
def kthvalue(input: Tensor, k: Any, dim: int = -1, keepdim: bool = False) -> Any:
    """The ``k``-th least element along ``dim``, as (value, index)."""
    if isinstance(k, (str, float)):
        raise WrongArgument("k", k, "int")
    array = input._array
    at = check_dim(dim, array.ndim)
    require_elements("kthvalue", array.shape, at)
    if not 1 <= as_int(k) <= (array.shape[at] if array.ndim else 1):
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {at % max(array.ndim, 1)}")
    if array.dtype.kind in "bc" and array.ndim:
        raise not_for("kthvalue_cpu", input.dtype)
    return return_types.kthvalue(kthvalue_op(input, as_int(k), at, keepdim))


# ---- mode


@primitive("ModeBackward0", **BY_INDEX)
def mode_op(input: Array, dim: int, keepdim: bool) -> tuple[Array, ...]:
    if not input.ndim:
        return input.copy(), np.zeros((), np.int64)
    x = np.moveaxis(widened(input), dim, -1)
    order = np.argsort(x, -1, kind="stable")
    ranked = np.take_along_axis(x, order, -1)
    n = x.shape[-1]
    starts = np.ones(x.shape, bool)
    starts[..., 1:] = ranked[..., 1:] != ranked[..., :-1]
    places = np.arange(n)
    run = places - np.maximum.accumulate(np.where(starts, places, 0), -1)
    last = np.argmax(run, -1, keepdims=True)  # the first run that gets longest is that of the least value
    where = np.moveaxis(np.take_along_axis(order, last, -1), -1, dim).copy()
    values = np.take_along_axis(input, where, dim)
    return (values, where) if keepdim else (values.squeeze(dim), where.squeeze(dim))


by_index(mode_op)


@public("mode", "mode", out="exact", out_error="expected scalar type '{0}' but got '{1}' for {2} output")
def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> Any:
    """The most frequent value along ``dim`` (the least of several), and its last place."""
    at = check_dim(dim, input._array.ndim)
    require_elements("mode", input._array.shape, at)
    if input._array.dtype.kind == "c" and input._array.ndim and input._array.size:
        raise not_for("mode_cpu", input.dtype)
    return return_types.mode(mode_op(input, at, keepdim))


# ---- quantiles


def _quantile(
    input: Tensor, q: Any, dim: Any, keepdim: bool, interpolation: str, ignore_nan: bool
) -> Tensor:
    array = input._array
    if not isinstance(q, (Tensor, float, int)):
        raise NoOverload
    if not isinstance(q, Tensor) and not 0 <= q <= 1:
        raise RuntimeError(f"quantile() q must be in the range [0, 1] but got {q:g}")
    if array.size == 0:
        raise RuntimeError("quantile() input tensor must be non-empty")
    if input.dtype not in (dtypes.float32, dtypes.float64):
        raise RuntimeError("quantile() input tensor must be either float or double dtype")
    if interpolation not in ("linear", "lower", "higher", "midpoint", "nearest"):
        raise RuntimeError(
            "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got "
            f"{interpolation}"
        )
    if isinstance(q, Tensor):
        if q._array.ndim > 1:
            raise RuntimeError("quantile() q must be a scalar or 1D tensor")
        if q.dtype is not input.dtype:
            raise RuntimeError("quantile() q tensor must be same dtype as the input tensor")
        levels = known(q)
        if not ((levels >= 0) & (levels <= 1)).all():
            raise RuntimeError("quantile() q values must be in the range [0, 1]")
    else:
        levels = np.asarray(q, array.dtype)
    at = 0 if dim is None else check_dim(dim, array.ndim) % max(array.ndim, 1)
    shape = array.shape
    flat = input.flatten() if dim is None or not shape else input if at == len(shape) - 1 else input.movedim(at, -1)
    if dim is None or not shape:
        kept = (1,) * len(shape) if keepdim else ()
    else:
        kept = (*shape[:at], *((1,) if keepdim else ()), *shape[at + 1 :])
    ranked = sort(flat)[0].reshape(*kept, flat._array.shape[-1])
    last: Any = array.dtype.type(ranked._array.shape[-1] - 1)
    ordered = known(ranked)
    good = (ordered == ordered).sum(-1, keepdims=True)
    if ignore_nan:
        last = np.maximum(good - 1, 0).astype(array.dtype)
    rank = _ranks(levels.reshape(-1), last, good, ignore_nan, interpolation)
    below = np.floor(rank)
    result = ranked.gather(-1, Tensor._wrap(below.astype(np.int64)))
    if interpolation in ("linear", "midpoint"):
        above = ranked.gather(-1, Tensor._wrap(np.ceil(rank).astype(np.int64)))
        weight = Tensor._wrap(np.full_like(rank, 0.5) if interpolation == "midpoint" else rank - below)
        if interpolation == "linear" and isinstance(q, Tensor) and (q.requires_grad or q.wraps):
            moving = q.reshape(-1) * Tensor._wrap(np.asarray(last)) - Tensor._wrap(below)
            weight = FUNCTIONS["where"](Tensor._wrap((good > last) | ignore_nan), moving, weight)
        result = FUNCTIONS["lerp"](result, above, weight)
    if levels.ndim:
        result = result.unsqueeze(0).transpose(0, -1)
    return squeeze_fresh_op(result, result._array.ndim - 1)


def _ranks(levels: Any, last: Any, good: Any, ignore_nan: bool, interpolation: str) -> Any:
    """Which places among the sorted ones are asked for."""
    rank = levels * last
    if not ignore_nan:
        rank = np.where(good < last + 1, last, rank)
    rounding: dict[str, Any] = {"lower": np.floor, "higher": np.ceil, "nearest": np.round}
    return rounding[interpolation](rank) if interpolation in rounding else rank


@public(
    "quantile", "quantile", out="exact", out_error="quantile() out tensor must be same dtype as the input tensor",
    overloads=True, autocast="full", looks_first=True,
)  # fmt: skip
def quantile(input: Tensor, q: Any, dim: Any = None, keepdim: bool = False, *, interpolation: str = "linear") -> Tensor:
    """The values below which given shares of the elements lie."""
    return _quantile(input, q, dim, keepdim, interpolation, False)


@public(
    "nanquantile", "nanquantile", out="exact",
    out_error="nanquantile() out tensor must be same dtype as the input tensor", overloads=True, autocast="full",
    looks_first=True,
)  # fmt: skip
def nanquantile(
    input: Tensor, q: Any, dim: Any = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Tensor:
    """``quantile`` of what is no NaN."""
    return _quantile(input, q, dim, keepdim, interpolation, True)
