"""Histograms of one and of many dimensions, and a hash."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import return_types
from ..._core.dtypes import cpp_name, dtype, not_for, widened
from ..._tensor import Tensor
from ..arrays.types import Array
from ..machine import batching
from ..machine.errors import NoOverload
from ..machine.primitive import primitive
from ..machine.public import public
from ..machine.refusals import no_aten_derivative
from .reducing import check_dims

return_types.define("histogram", "hist", "bin_edges")
return_types.define("histogramdd", "hist", "bin_edges")


def _checked(input: Tensor, bins: list[Any], limits: Any, weight: Tensor | None) -> None:
    if input._array.dtype.kind not in "f" or input._array.itemsize < 4:
        raise not_for("histogramdd", input.dtype)
    for i, each in enumerate(bins):
        if isinstance(each, Tensor):
            if each.dtype is not input.dtype:
                raise RuntimeError(
                    "torch.histogramdd: input tensor and bins tensors should have the same dtype, but got input with dtype "  # noqa: E501
                    f"{cpp_name(input.dtype)} and bins for dimension {i} with dtype {cpp_name(each.dtype)}"
                )
            if each._array.ndim != 1:
                raise RuntimeError(
                    f"torch.histogramdd: bins tensor should have one dimension, but got {each._array.ndim} dimensions in "  # noqa: E501
                    f"the bins tensor for dimension {i}"
                )
            if not each._array.size:
                raise RuntimeError(
                    "torch.histogramdd: bins tensor should have at least 1 element, but got 0 elements in the bins tensor "  # noqa: E501
                    f"for dimension {i}"
                )
        elif each <= 0:
            raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {each} for dimension {i}")
    shape = input._array.shape
    if weight is not None and weight.dtype is not input.dtype:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor should have the same "
            f"dtype, but got input({cpp_name(input.dtype)}), and weight({cpp_name(weight.dtype)})"
        )
    if weight is not None and weight._array.shape != shape[:-1]:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided it should have the same shape as the input tensor excluding "  # noqa: E501
            f"its innermost dimension, but got input with shape {list(shape)} and weight with shape "
            f"{list(weight._array.shape)}"
        )
    if limits is not None and len(limits) != 2 * len(bins):
        raise RuntimeError(
            f"torch.histogramdd: for a {len(bins)}-dimensional histogram range should have {2 * len(bins)} elements, but "  # noqa: E501
            f"got {len(limits)}"
        )


def _edges(points: Any, bins: list[Any], limits: Any) -> list[Any]:
    """The borders of the bins of each dimension."""
    found = []
    for i, each in enumerate(bins):
        if isinstance(each, Tensor):
            found.append(each._array)
            continue
        column = points[:, i]
        if limits is not None:
            low, high = limits[2 * i], limits[2 * i + 1]
        else:
            low, high = (column.min(), column.max()) if column.size else (0.0, 1.0)
        if not (np.isfinite(low) and np.isfinite(high)):
            raise RuntimeError(f"torch.histogramdd: dimension {i}'s range [{low:g}, {high:g}] is not finite")
        if low > high:
            raise RuntimeError(
                f"torch.histogramdd: min should not exceed max, but got min {low:g} max {high:g} for dimension {i}"
            )
        if low == high:
            low, high = low - 0.5, high + 0.5
        found.append(np.linspace(low, high, each + 1).astype(points.dtype))
    return found


def _count(points: Any, edges: list[Any], weight: Any, density: bool) -> Any:
    """How many points lie in each cell; the last edge of a dimension belongs to its last bin."""
    shape = tuple(len(e) - 1 for e in edges)
    if not shape:
        return np.zeros((), points.dtype)
    inside = np.ones(len(points), bool)
    cell = np.zeros(len(points), np.intp)
    for i, e in enumerate(edges):
        column = points[:, i]
        at = np.searchsorted(e, column, "right") - 1
        at[column == e[-1]] = len(e) - 2
        inside &= (column >= e[0]) & (column <= e[-1])
        cell = cell * shape[i] + at
    weights = None if weight is None else weight.reshape(-1)[inside]
    total = np.bincount(cell[inside], weights, int(np.prod(shape))).astype(points.dtype).reshape(shape)
    if density:
        total = total / total.sum()
        for i, e in enumerate(edges):
            total = total / np.diff(e).reshape([-1 if j == i else 1 for j in range(len(edges))])
    return np.asarray(total, points.dtype)


def _histogram(input: Tensor, bins: list[Any], limits: Any, weight: Tensor | None, density: bool) -> Any:
    _checked(input, bins, limits, weight)
    *outer, width = input._array.shape
    points = input._array.reshape(math.prod(outer), width)
    edges = _edges(points, bins, limits)
    return _count(points, edges, None if weight is None else weight._array, density), edges


@primitive("NotImplemented", name="histogram", outputs=2, batch=batching.item_by_item)
def histogram_op(input: Array, bins: Any, limits: Any, weight: Any, density: bool) -> tuple[Array, ...]:
    hist, edges = _histogram(Tensor._wrap(input.reshape(-1, 1)), [bins], limits, weight, density)
    return hist, edges[0].copy()


histogram_op.vjp(input=no_aten_derivative("histogram"))


def _other_out(wanted: dtype, given: dtype, field: str) -> str:
    place = " for dimension 0" if field == "bin_edges" else ""
    return (
        f"torch.histogram: input tensor and {field} tensor should have the same dtype, but got input "
        f"{cpp_name(wanted)} and {field} {cpp_name(given)}{place}"
    )


@public("histogram", "histogram", out="exact", out_error=_other_out, overloads=True)
def histogram(
    input: Tensor, bins: Any, *, range: Any = None, weight: Tensor | None = None, density: bool = False
) -> Any:
    """How many elements (or how much weight) fall into each bin, and the bins' edges."""
    if isinstance(bins, Tensor) and range is not None:
        raise NoOverload
    if weight is not None:
        weight = Tensor._wrap(weight._array.reshape(-1))
    return return_types.histogram(histogram_op(input, bins, range, weight, density))


@public("histogramdd")
def histogramdd(
    input: Tensor, bins: Any, range: Any = None, weight: Tensor | None = None, density: bool = False
) -> Any:
    """How many points (rows of the last dimension) fall into each cell of a grid, and the grid."""
    count = input._array.shape[-1] if input._array.ndim else 1
    if input._array.ndim < 2:
        raise RuntimeError("torch.histogramdd: input tensor should have at least 2 dimensions")
    given = [bins] * count if isinstance(bins, int) else list(bins)
    if len(given) != count:
        raise RuntimeError("histogramdd: The size of bins must be equal to the innermost dimension of the input.")
    hist, edges = _histogram(input, given, range, weight, density)
    grid = tuple(b if isinstance(b, Tensor) else Tensor._wrap(e) for b, e in zip(given, edges))
    return return_types.histogramdd((Tensor._wrap(hist), grid))


@public("hash_tensor", "hash_tensor", out=True)
def hash_tensor(input: Tensor, dim: Any = (), *, keepdim: bool = False, mode: int = 0) -> Tensor:
    """The bits of all elements, each as 64 of them, combined by exclusive or."""
    array = input._array
    if not array.size and not dim and dim != 0:
        raise RuntimeError(
            "hash_tensor: Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the "  # noqa: E501
            "'dim' argument."
        )
    wide: Any = widened(array).astype(np.float64) if array.dtype.kind in "fV" else array.astype(np.int64)
    dims = check_dims(dim, array.ndim)
    for d in dims or ():
        if array.ndim and not array.shape[d]:
            raise IndexError(f"hash_tensor: Expected reduction dim {d} to have non-zero size.")
    xor: Any = np.bitwise_xor.reduce
    result = xor(wide.view(np.uint64), dims if dims and array.ndim else None, keepdims=keepdim)
    return Tensor._wrap(np.asarray(result))
