"""Copies with a part replaced: select_scatter, slice_scatter, diagonal_scatter, as_strided_scatter."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.devices import empty_meta
from ..._core.strides import bytes_of, copied, element_strides, geometry_of, root_of, storage_offset
from ..._tensor import Tensor
from ..arrays.types import Array
from ..machine import batching
from ..machine.arguments import as_int, one_dim, size_tuple
from ..machine.primitive import primitive
from ..machine.public import public
from ..machine.rules import constant, in_dtype
from ..views.slices import at_dim, diagonal_array, two_dims, zeros_beside
from ..views.strided import as_pytorch_makes_it, as_strided, as_strided_op, lie_apart, restride_op


def _copied(array: Any) -> Any:
    """A copy of all the memory that a tensor lies in, unless elements share it."""
    if array.__class__ is not np.ndarray or not array.size or min(array.strides, default=0) < 0:
        return array.copy()
    if not lie_apart(array.shape, element_strides(array)):
        return copied(array)
    memory = bytes_of(root_of(array)).copy()
    return np.ndarray(array.shape, array.dtype, memory, storage_offset(array) * array.itemsize, array.strides)


def _check_part(src: Tensor, part: tuple[int, ...]) -> None:
    if src._array.shape != part:
        raise RuntimeError(
            "expected src to have a size equal to the slice of self. src size = "
            f"{list(src._array.shape)}, slice size = {list(part)}"
        )


# ---- select_scatter


@primitive("SelectScatterBackward0", name="select_scatter", kind="linear", batch=batching.moved_dimensions)
def select_scatter_op(input: Array, src: Array, dim: int, index: int) -> Any:
    out = _copied(input)
    out[at_dim(dim, index)] = src
    return out


@select_scatter_op.vjp("input")
def select_scatter_gradient_of_input(g: Any, src_shape: Any, dim: Any, index: Any, xp: Any) -> Any:
    return xp.select_scatter(g, zeros_beside(g, src_shape, xp), dim, index)


@select_scatter_op.vjp("src")
def select_scatter_gradient_of_src(g: Any, dim: Any, index: Any, src_dtype: Any, xp: Any) -> Any:
    return in_dtype(xp.select(g, dim, index), src_dtype, xp)


@public("select_scatter", "select_scatter", out=True)
def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """A copy with one index of a dimension replaced."""
    shape = input._array.shape
    if not shape:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim = one_dim(dim, len(shape))
    if not -shape[dim] <= index < shape[dim]:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(shape)} at dimension {dim}"
        )
    _check_part(src, shape[:dim] + shape[dim + 1 :])
    return as_pytorch_makes_it(select_scatter_op(input, src, dim, index), (input, src))


# ---- slice_scatter


@primitive("SliceScatterBackward0", name="slice_scatter", kind="linear", batch=batching.moved_dimensions)
def slice_scatter_op(input: Array, src: Array, dim: int, start: int, end: int, step: int) -> Any:
    out = _copied(input)
    out[at_dim(dim, slice(start, end, step))] = src
    return out


@slice_scatter_op.vjp("input")
def slice_scatter_gradient_of_input(g: Any, src_shape: Any, dim: Any, start: Any, end: Any, step: Any, xp: Any) -> Any:
    return xp.slice_scatter(g, zeros_beside(g, src_shape, xp), dim, start, end, step)


@slice_scatter_op.vjp("src")
def slice_scatter_gradient_of_src(g: Any, dim: Any, start: Any, end: Any, step: Any, src_dtype: Any, xp: Any) -> Any:
    return in_dtype(xp.slice(g, dim, start, end, step), src_dtype, xp)


@public("slice_scatter", "slice_scatter", out=True)
def slice_scatter(
    input: Tensor, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    """A copy with a slice of a dimension replaced."""
    shape = input._array.shape
    start, end = (None if n is None else as_int(n) for n in (start, end))
    dim = one_dim(dim, len(shape))
    if not shape:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    if as_int(step) <= 0:
        raise RuntimeError("slice step must be positive")
    first, last, _ = slice(start, end).indices(shape[dim])
    last = max(first, last)
    count = -(-(last - first) // step)
    _check_part(src, (*shape[:dim], count, *shape[dim + 1 :]))
    return as_pytorch_makes_it(slice_scatter_op(input, src, dim, first, last, step), (input, src))


# ---- diagonal_scatter


@primitive("DiagonalScatterBackward0", name="diagonal_scatter", kind="linear", batch=batching.moved_dimensions)
def diagonal_scatter_op(input: Array, src: Array, offset: int, dim1: int, dim2: int) -> Any:
    out = _copied(input)
    diagonal_array(out, offset, dim1, dim2)[...] = src
    return out


@diagonal_scatter_op.vjp("input")
def diagonal_scatter_gradient_of_input(g: Any, src_shape: Any, offset: Any, dim1: Any, dim2: Any, xp: Any) -> Any:
    return xp.diagonal_scatter(g, zeros_beside(g, src_shape, xp), offset, dim1, dim2)


@diagonal_scatter_op.vjp("src")
def diagonal_scatter_gradient_of_src(g: Any, offset: Any, dim1: Any, dim2: Any, src_dtype: Any, xp: Any) -> Any:
    return in_dtype(xp.diagonal(g, offset, dim1, dim2), src_dtype, xp)


@public("diagonal_scatter", "diagonal_scatter", out=True)
def diagonal_scatter(input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A copy with a diagonal replaced."""
    first, second = two_dims("diagonal", input._array.ndim, dim1, dim2)
    _check_part(src, diagonal_array(empty_meta(input.shape, input._array.dtype), offset, first, second).shape)
    return as_pytorch_makes_it(diagonal_scatter_op(input, src, offset, first, second), (input, src))


# ---- as_strided_scatter


Geometry = tuple[tuple[int, ...], tuple[int, ...], int]


@primitive("AsStridedScatterBackward0", name="as_strided_scatter", kind="linear", batch=batching.item_by_item)
def as_strided_scatter_op(input: Array, src: Array, part: Geometry, whole: Geometry) -> Any:
    """A copy of ``input`` that lies in memory as ``whole`` says, with the elements that ``part`` shows replaced."""
    out = _copied(input)
    if geometry_of(out) != whole:  # of a tangent, or a gradient
        shape, strides, offset = whole
        reach = 1 + offset + sum((n - 1) * s for n, s in zip(shape, strides) if n)
        memory = np.zeros(max(reach, 1), input.dtype)
        out = as_strided_op.kernel(memory, shape, strides, offset, ())
        out[...] = input
    as_strided_op.kernel(out, *part, ())[...] = src
    return out


@as_strided_scatter_op.vjp("input")
def as_strided_scatter_gradient_of_input(g: Any, part: Any, whole: Any, xp: Any) -> Any:
    shown = restride_op.kernel(np.ones(part[0]), *part, *whole)
    return xp.keep(g, constant(shown == 0, xp))


@as_strided_scatter_op.vjp("src")
def as_strided_scatter_gradient_of_src(g: Any, part: Any, whole: Any, xp: Any) -> Any:
    return xp.restride(g, *whole, *part)


@public("as_strided_scatter", "as_strided_scatter", out=True)
def as_strided_scatter(
    input: Tensor, src: Tensor, size: Any, stride: Any, storage_offset: int | None = None
) -> Tensor:
    """A copy with the elements that sizes, strides and offset show replaced."""
    array = input._array
    is_plain = array.__class__ is np.ndarray
    copy = _copied(array) if is_plain else empty_meta(array.shape, array.dtype)
    whole = geometry_of(copy)
    at = whole[2] if storage_offset is None else as_int(storage_offset)
    _check_part(src, as_strided(Tensor._wrap(copy), size, stride, at)._array.shape)
    return as_strided_scatter_op(input, src, (size_tuple(size), size_tuple(stride), at), whole)
