"""Distinct values, places in sorted sequences, counts and histograms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core import dtypes
from ..._core.devices import MetaArray, no_meta_kernel
from ..._core.dtypes import not_for, widened
from ..._tensor import Tensor, known
from ..arrays.types import Array
from ..machine import batching
from ..machine.any_state import constant_of
from ..machine.arguments import one_dim
from ..machine.deprecated import warn_once
from ..machine.errors import NoOverload, WrongArgument
from ..machine.primitive import primitive
from ..machine.public import public
from ..machine.refusals import no_aten_derivative, no_derivative, no_dimensions

# ---- unique


def _runs(ranked: Any, order: Any) -> tuple[Any, Any, Any]:
    """Of rows in sequence: where each run of equal ones starts, each row's run number, and the runs' lengths."""
    if ranked.__class__ is MetaArray:
        raise NotImplementedError(no_meta_kernel("_unique2"))
    n = len(ranked)
    starts = np.ones(n, bool)
    if n > 1:
        changed = ranked[1:] != ranked[:-1]
        starts[1:] = changed.reshape(n - 1, -1).any(1) if ranked.ndim > 1 else changed
    number = np.cumsum(starts) - 1
    inverse = np.empty(n, np.int64)
    inverse[order] = number
    first = np.flatnonzero(starts)
    return first, inverse, np.diff(np.append(first, n))


@primitive("Unique2Backward0", outputs=3, differentiable_outputs="first", batch=batching.item_by_item)
def unique_all_op(input: Array) -> tuple[Array, ...]:
    flat = input.reshape(-1)
    order = np.argsort(widened(flat), kind="stable")
    ranked = flat[order]
    first, inverse, counts = _runs(ranked, order)
    return ranked[first], inverse.reshape(input.shape), counts


def _unique_rows(input: Any, dim: int, ordered: bool) -> tuple[Any, Any, Any]:
    rows = np.moveaxis(input, dim, 0)
    flat = np.ascontiguousarray(rows).reshape(len(rows), input.size // len(rows) if len(rows) else 1)
    order = np.lexsort(widened(flat).T[::-1]) if ordered else np.arange(len(rows))
    first, inverse, counts = _runs(flat[order], order)
    found = flat[order[first]].reshape(len(first), *rows.shape[1:])
    return np.moveaxis(found, 0, dim), inverse, counts


@primitive("UniqueDimBackward0", outputs=3, differentiable_outputs="first", batch=batching.item_by_item)
def unique_along_op(input: Array, dim: int) -> Any:
    return _unique_rows(input, dim, True)


@primitive("UniqueConsecutiveBackward0", outputs=3, differentiable_outputs="first", batch=batching.item_by_item)
def unique_consecutive_op(input: Array, dim: Any) -> tuple[Array, ...]:
    if dim is not None:
        return _unique_rows(input, dim, False)
    flat = input.reshape(-1)
    first, inverse, counts = _runs(flat, np.arange(flat.size))
    return flat[first], inverse.reshape(input.shape), counts


unique_all_op.vjp(input=no_derivative("_unique2"))
unique_along_op.vjp(input=no_derivative("unique_dim"))
unique_consecutive_op.vjp(input=no_derivative("unique_consecutive"))


def _asked_for(found: Any, return_inverse: bool, return_counts: bool) -> Any:
    chosen = [found[0], *([found[1]] if return_inverse else []), *([found[2]] if return_counts else [])]
    return chosen[0] if len(chosen) == 1 else tuple(chosen)


def _check_unique(input: Any, dim: Any) -> int:
    at = one_dim(dim, input._array.ndim)
    if not input._array.ndim:
        raise no_dimensions(dim)
    if 0 in input._array.shape and input._array.shape[at] != 0:
        raise RuntimeError("There are 0 sized dimensions, and they aren't selected, so unique cannot be applied")
    return at


@public("unique", "unique", name="_unique2")
def unique(
    input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: Any = None
) -> Any:
    """The distinct elements (or slices along ``dim``) in order, where each element went, how many there were."""
    if input._array.dtype.kind == "c":
        raise not_for("unique", input.dtype)
    if dim is None:
        return _asked_for(unique_all_op(input), return_inverse, return_counts)
    return _asked_for(unique_along_op(input, _check_unique(input, dim)), return_inverse, return_counts)


@public("_unique")
def _unique(input: Tensor, sorted: bool = True, return_inverse: bool = False) -> tuple[Tensor, Tensor]:
    """The different elements, and, if asked for, which of them each element is."""
    values, inverse = unique(input, sorted, True)
    return values, inverse if return_inverse else inverse.reshape(-1)[:0]


@public("_unique2")
def _unique2(
    input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    """The different elements, and, if asked for, which of them each element is, and how often each is there."""
    values, inverse, counts = unique(input, sorted, True, True)
    return values, inverse if return_inverse else inverse.reshape(-1)[:0], counts if return_counts else counts[:0]


@public("unique_consecutive", "unique_consecutive")
def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: Any = None
) -> Any:
    """Without repetitions of the element (or slice) before."""
    at = None if dim is None else _check_unique(input, dim)
    return _asked_for(unique_consecutive_op(input, at), return_inverse, return_counts)


# ---- searchsorted, bucketize


def _places(edges: Any, values: Any, right: bool, out_int32: bool) -> Tensor:
    side: Any = "right" if right else "left"
    if edges.dtype.kind == "f" and np.isnan(edges).any():
        found = _bisected(edges, values, right)
    elif edges.ndim == 1:
        found = np.searchsorted(edges, values, side)
    else:
        count = math.prod(edges.shape[:-1])
        rows, wanted = edges.reshape(count, edges.shape[-1]), values.reshape(count, values.shape[-1])
        found = np.empty(wanted.shape, np.int64)
        for i, row in enumerate(rows):
            found[i] = np.searchsorted(row, wanted[i], side)
        found = found.reshape(values.shape)
    return Tensor._wrap(np.asarray(found, np.int32 if out_int32 else np.int64))


def _bisected(edges: Any, values: Any, right: bool) -> Any:
    """Bisection as PyTorch does it, for rows with NaN in them: which NumPy would sort to the end."""
    low = np.zeros(values.shape, np.int64)
    high = np.full(values.shape, edges.shape[-1], np.int64)
    while (open := low < high).any():
        middle = np.minimum((low + high) // 2, edges.shape[-1] - 1)
        there = edges[middle] if edges.ndim == 1 else np.take_along_axis(edges, middle, -1)
        beyond = there > values if right else there >= values
        high = np.where(open & beyond, middle, high)
        low = np.where(open & ~beyond, middle + 1, low)
    return low


def _other_places(wanted: dtypes.dtype, given: dtypes.dtype, field: str) -> str:
    return (
        "torch.searchsorted(): output tensor's dtype is wrong, it can only be Int(int32) or Long(int64) depending on "
        "whether out_int32 flag is True, but we got output tensor's dtype "
        f"{dtypes.SCALAR_TYPE_NAMES[given]} and out_int32 flag is {wanted is dtypes.int32}"
    )


def _warn_of_copy(**given: Any) -> None:
    """Say once what PyTorch says of tensors that it has to copy."""
    for name, array in given.items():
        if not array.flags.c_contiguous:
            what = name.replace("_", " ")
            warn_once(
                f"torch.searchsorted(): {what} tensor is non-contiguous, this will lower the performance due to extra "
                f"data copy when converting non-contiguous tensor to contiguous, please use contiguous {what} tensor "
                "if possible. This message will only appear once per program."
            )


@public("searchsorted", "", out="exact constant", out_error=_other_places, overloads=True, looks_first=True)
def searchsorted(
    sorted_sequence: Tensor, input: Any, *, out_int32: bool = False, right: bool = False, side: str | None = None,
    sorter: Any = None,
) -> Tensor:  # fmt: skip
    """Where values would be inserted into rows that are sorted."""
    edges = sorted_sequence._array
    if not isinstance(input, (Tensor, int, float)):
        raise NoOverload
    values = input._array if isinstance(input, Tensor) else np.asarray(input)
    if side not in (None, "left", "right"):
        raise RuntimeError(f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}")
    if side == "left" and right:
        raise RuntimeError(
            "torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True"
        )
    if edges.ndim == 0:
        raise RuntimeError(
            "torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 dimension"
        )
    if edges.ndim > 1 and values.ndim == 0:
        raise RuntimeError(
            "torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1, but we got "
            f"boundaries tensor dim({edges.ndim}) and input value's dim(0) numel(1)"
        )
    if edges.ndim > 1 and edges.shape[:-1] != values.shape[:-1]:
        raise RuntimeError(
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries "
            f"tensor and input value tensor must match, but we got boundaries tensor {list(edges.shape)} and input "
            f"value tensor {list(values.shape)}"
        )
    _warn_of_copy(input_value=values, boundary=edges)
    if sorter is not None:
        edges = _in_order(edges, sorter)
    if edges.dtype.kind == "c":
        raise not_for("searchsorted_out_cpu", sorted_sequence.dtype)
    found = _places(edges, values, right or side == "right", out_int32)
    return constant_of(found, "searchsorted", input) if isinstance(input, Tensor) else found


def _in_order(edges: Any, sorter: Any) -> Any:
    order = sorter._array
    if order.shape != edges.shape:
        raise RuntimeError(
            "torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor "
            f"{list(edges.shape)}and got sorter tensor {list(order.shape)}"
        )
    if sorter.dtype is not dtypes.int64:
        raise RuntimeError(
            "torch.searchsorted(): sorter must be a tensor of long dtype but got dtype "
            f"{dtypes.SCALAR_TYPE_NAMES[sorter.dtype]}"
        )
    if order.size and (order.min() < 0 or order.max() >= edges.shape[-1]):
        raise RuntimeError("torch.searchsorted(): sorter index out of range")
    return np.take_along_axis(edges, order, -1)


@public("bucketize", "", out="constant", overloads=True, looks_first=True)
def bucketize(input: Any, boundaries: Any, *, out_int32: bool = False, right: bool = False) -> Tensor:
    """Between which boundaries values lie. ``right`` says that a boundary belongs to the bucket on its left."""
    if not isinstance(boundaries, Tensor):
        raise NoOverload
    if boundaries._array.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries._array.ndim})")
    values = input._array if isinstance(input, Tensor) else np.asarray(input)
    found = _places(boundaries._array, values, right, out_int32)
    return constant_of(found, "bucketize", input) if isinstance(input, Tensor) else found


# ---- bincount, histc, isin


@primitive("NotImplemented", name="weighted_bincount", batch=batching.item_by_item)
def weighted_bincount_op(input: Array, places: Any, minlength: int) -> Any:
    result = np.bincount(places, input, minlength)
    return result.astype(np.float32) if input.dtype == np.float32 else result


weighted_bincount_op.vjp(input=no_aten_derivative("bincount"))


@public("bincount", "bincount")
def bincount(input: Tensor, weights: Any = None, minlength: int = 0) -> Tensor:
    """How often each number from 0 on occurs, or the sum of its weights."""
    x = input._array
    if x.dtype.kind not in "iu":
        raise not_for("bincount_cpu", input.dtype)
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if x.ndim == 1 and x.size == 0:
        return Tensor._wrap(np.zeros(minlength, np.int64))
    if x.__class__ is MetaArray:
        raise NotImplementedError(no_meta_kernel("bincount"))
    if x.ndim != 1 or x.min() < 0:
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if weights is None:
        counts = Tensor._wrap(np.bincount(x, minlength=minlength).astype(np.int64, copy=False))
        return constant_of(counts, "bincount", input)
    if weights._array.shape != x.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    return weighted_bincount_op(weights, x, minlength)


@public(
    "histc", "histc", out="exact",
    out_error="torch.histogram: input tensor and hist tensor should have the same dtype, but got input {3} and hist "
    "{4}",
)  # fmt: skip
def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many elements fall into each of ``bins`` equal parts of [min, max] (of what there is, if both are equal)."""
    x = known(input)
    if min > max:
        raise RuntimeError("torch.histc: max must be larger than min")
    if x.dtype.kind in "biu" or x.dtype.kind == "c":
        raise not_for("histogram_cpu", input.dtype)
    if not isinstance(bins, int):
        raise WrongArgument("bins", bins, "int")
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    values = x.reshape(-1).astype(np.float64)
    low, high = float(min), float(max)
    if low == high and values.size:
        low, high = float(values.min()), float(values.max())
    if low == high:
        low, high = low - 1, high + 1
    if not (np.isfinite(low) and np.isfinite(high)):
        raise RuntimeError(f"torch.histc: range of [{low:g}, {high:g}] is not finite")
    if low > high:
        raise RuntimeError("torch.histc: max must be larger than min")
    values = values[(values >= low) & (values <= high)]
    if low == high:  # not even a step of 1 changes numbers as large as these
        return Tensor._wrap(np.bincount(np.full(values.size, bins - 1), minlength=bins).astype(x.dtype))
    share = np.divide(values / 2 - low / 2, high / 2 - low / 2)  # by halves, which do not overflow
    places = np.minimum((share * bins).astype(np.int64), bins - 1)
    return constant_of(Tensor._wrap(np.bincount(places, minlength=bins).astype(x.dtype)), "histc", input)


@public("isin", "", out="constant exact", looks_first=True)
def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False) -> Tensor:
    """Which elements are among others."""
    a, b = (t._array if isinstance(t, Tensor) else np.asarray(t) for t in (elements, test_elements))
    for t in (elements, test_elements):
        if isinstance(t, Tensor) and t._array.dtype.kind in "bc":
            raise RuntimeError(f"Unsupported input type encountered for isin(): {dtypes.SCALAR_TYPE_NAMES[t.dtype]}")
    return Tensor._wrap(np.asarray(np.isin(a, b, assume_unique=assume_unique, invert=invert)))
