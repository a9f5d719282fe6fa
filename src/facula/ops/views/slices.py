"""Parts of a tensor as views: select, slice, narrow, diagonal, unfold; and the adjoints that put parts back."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.devices import MetaArray, empty_meta
from ..._tensor import Tensor
from ..arrays.meta import by_zeros
from ..arrays.strides import strided
from ..arrays.types import Array
from ..machine import batching
from ..machine.arguments import as_int, one_dim
from ..machine.primitive import primitive
from ..machine.public import linalg, public
from ..machine.rules import constant, raw
from ..machine.view import view_primitive

_ALL = slice(None)


def at_dim(dim: int, key: Any) -> tuple[Any, ...]:
    """A NumPy key that takes ``key`` of one dimension and everything of the others, and always gives an array."""
    return (_ALL,) * dim + (key, ...) if dim else (key, ...)


def zeros_beside(g: Any, shape: tuple[int, ...], xp: Any) -> Any:
    """Zeros in the dtype and the namespace of a gradient."""
    return constant(np.zeros(shape, raw(g).dtype), xp)


# ---- select


@view_primitive("SelectBackward0", "select", batch=batching.moved_dimensions)
def select_op(input: Array, dim: int, index: int) -> Any:
    return input[at_dim(dim, index)]


select_op.vjp(input=lambda g, dim, index, input_shape, xp: xp.select_backward(g, input_shape, dim, index))


@primitive(
    "SelectBackwardBackward0", name="select_backward", kind="linear", batch=batching.moved_dimensions,
    lowering="library",
)  # fmt: skip
def select_backward_op(input: Array, size: tuple[int, ...], dim: int, index: int) -> Any:
    """Zeros of a shape with ``input`` at one index of a dimension."""
    if input.__class__ is MetaArray:
        return empty_meta(size, input.dtype)
    whole = np.zeros(size, input.dtype)
    whole[at_dim(dim, index)] = input
    return whole


select_backward_op.vjp(input=lambda g, dim, index, xp: xp.select(g, dim, index))


@public("select", "select")
def select(input: Tensor, dim: int, index: Any) -> Tensor:
    """A view of one index of a dimension, which disappears."""
    shape = input._array.shape
    if not shape:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim = one_dim(dim, len(shape))
    if index.__class__ is not int:
        index = as_int(index)
    if not -shape[dim] <= index < shape[dim]:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(shape)} at dimension {dim}"
        )
    return select_op.call(input, dim, index)


# ---- slice


@view_primitive("SliceBackward0", "slice", batch=batching.moved_dimensions)
def slice_op(input: Array, dim: int, start: int, end: int, step: int) -> Any:
    return input[at_dim(dim, slice(start, end, step))]


@slice_op.vjp("input")
def slice_gradient_of_input(g: Any, dim: Any, start: Any, end: Any, step: Any, input_shape: Any, xp: Any) -> Any:
    return g if g.shape == input_shape else xp.slice_backward(g, input_shape, dim, start, end, step)


@primitive(
    "SliceBackwardBackward0", name="slice_backward", kind="linear", batch=batching.moved_dimensions,
    lowering="library",
)  # fmt: skip
def slice_backward_op(
    input: Array, size: tuple[int, ...], dim: int, start: int, end: int, step: int
) -> Any:
    """Zeros of a shape with ``input`` at a slice of a dimension."""
    if input.__class__ is MetaArray:
        return empty_meta(size, input.dtype)
    whole = np.zeros(size, input.dtype)
    whole[at_dim(dim, slice(start, end, step))] = input
    return whole


slice_backward_op.vjp(input=lambda g, dim, start, end, step, xp: xp.slice(g, dim, start, end, step))


def slice_along(input: Tensor, dim: int, start: int | None, end: int | None, step: int = 1) -> Tensor:
    """``input[start:end:step]`` along a dimension counted from the front."""
    size = input._array.shape[dim]
    first = 0 if start is None else start if start >= 0 else max(start + size, 0)
    last = size if end is None else end if end >= 0 else end + size
    return slice_op.call(input, dim, first, max(last, first), step)


@public("narrow", "narrow", looks_first=True)
def narrow(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """A view of ``length`` elements of a dimension, from ``start`` on."""
    shape = input._array.shape
    if not shape:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    dim = one_dim(dim, len(shape))
    if isinstance(start, Tensor):
        if start._array.ndim or start._array.dtype.kind not in "iu":
            raise RuntimeError("start must be an 0-dim integral Tensor.")
        start = int(start._array)
    size = shape[dim]
    if not -size <= start <= size:
        raise IndexError(f"start out of range (expected to be in range of [{-size}, {size}], but got {start})")
    if start < 0:
        start += size
    if start + length > size:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return slice_op.call(input, dim, start, start + length, 1)


# ---- diagonal


@view_primitive("DiagonalBackward0", "diagonal", batch=batching.moved_dimensions)
def diagonal_op(input: Array, offset: int, dim1: int, dim2: int) -> Any:
    return diagonal_array(input, offset, dim1, dim2)


def diagonal_array(array: Any, offset: int, dim1: int, dim2: int) -> Any:
    """A writeable view of a diagonal, as the last dimension."""
    if abs(offset) > array.size:  # NumPy takes none beyond 32 bits, PyTorch none beyond 64
        offset = max(-array.size, min(int(np.int64(offset)), array.size))
    found = array.diagonal(offset, dim1, dim2)
    if array.flags.writeable:
        found.flags.writeable = True
    return found


@diagonal_op.vjp("input")
def diagonal_gradient_of_input(g: Any, offset: Any, dim1: Any, dim2: Any, input_shape: Any, xp: Any) -> Any:
    return xp.diagonal_backward(g, input_shape, offset, dim1, dim2)


@primitive("DiagonalBackwardBackward0", name="diagonal_backward", kind="linear", batch=batching.moved_dimensions)
def diagonal_backward_op(
    input: Array, size: tuple[int, ...], offset: int, dim1: int, dim2: int
) -> Any:
    """Zeros of a shape with ``input`` on a diagonal."""
    if input.__class__ is MetaArray:
        return empty_meta(size, input.dtype)
    whole = np.zeros(size, input.dtype)
    diagonal_array(whole, offset, dim1, dim2)[...] = input
    return whole


diagonal_backward_op.vjp(input=lambda g, offset, dim1, dim2, xp: xp.diagonal(g, offset, dim1, dim2))


@public("diagonal", "diagonal")
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A view of a diagonal of two dimensions, as the last dimension."""
    first, second = two_dims("diagonal", input._array.ndim, dim1, dim2)
    return diagonal_op(input, offset, first, second)


@linalg(name="diagonal")
def diagonal_of_matrices(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """A view of the diagonal of matrices."""
    return diagonal(A, offset, dim1, dim2)


def two_dims(name: str, ndim: int, dim1: int, dim2: int) -> tuple[int, int]:
    """Two dimensions that must differ."""
    first, second = one_dim(dim1, ndim), one_dim(dim2, ndim)
    if first == second:
        raise RuntimeError(f"{name} dimensions cannot be identical {dim1}, {dim2}")
    return first, second


# ---- unfold


@view_primitive("UnfoldBackward0", "unfold", batch=batching.moved_dimensions)
def unfold_op(input: Array, dimension: int, size: int, step: int) -> Any:
    if not input.ndim:
        return input.reshape((1,))[:size]
    shape, strides = list(input.shape), list(input.strides)
    stride = strides[dimension]
    shape[dimension] = (shape[dimension] - size) // step + 1
    strides[dimension] = stride * step
    return strided(input, (*shape, size), (*strides, stride))


@unfold_op.vjp("input")
def unfold_gradient_of_input(g: Any, dimension: Any, size: Any, step: Any, input_shape: Any, xp: Any) -> Any:
    return xp.unfold_backward(g, input_shape, dimension, size, step)


@primitive("UnfoldBackwardBackward0", name="unfold_backward", kind="linear", batch=batching.moved_dimensions)
@by_zeros
def unfold_backward_op(
    input: Array, input_sizes: tuple[int, ...], dim: int, size: int, step: int
) -> Any:
    """Windows added back to where they were taken from."""
    if not input_sizes:
        return input.reshape(()).copy() if input.size else np.zeros((), input.dtype)
    whole = np.zeros(input_sizes, input.dtype)
    count = input.shape[dim]
    for i in range(size):
        whole[at_dim(dim, slice(i, i + (count - 1) * step + 1, step))] += input[..., i]
    return whole


unfold_backward_op.vjp(input=lambda g, dim, size, step, xp: xp.unfold(g, dim, size, step))


@public("", "unfold")
def unfold(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """A view of all windows of ``size`` along a dimension, ``step`` apart, as a new last dimension."""
    array = input._array
    dim = one_dim(dimension, array.ndim)
    limit = array.shape[dim] if array.ndim else 1
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > limit:
        raise RuntimeError(f"maximum size for tensor at dimension {dim} is {limit} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    return unfold_op(input, dim, size, step)
