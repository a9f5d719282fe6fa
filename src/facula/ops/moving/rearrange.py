"""Copies with the elements in other places: repeated, rolled, flipped, cut to triangles, laid on diagonals."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ..._core import dtypes
from ..._core.devices import MetaArray, empty_meta
from ..._core.devices import parse as parse_device
from ..._core.dtypes import not_for
from ..._core.strides import empty_as
from ..._core.unresolved import resolved
from ..._tensor import Tensor
from ..arrays.strides import lying_as
from ..arrays.types import Array
from ..machine import batching
from ..machine.arguments import as_int, one_dim, size_tuple
from ..machine.errors import NoOverload, WrongArgument
from ..machine.primitive import Primitive, primitive
from ..machine.public import public
from ..machine.refusals import no_dimensions
from ..machine.write import change, inplace_form
from ..views.shape import contiguous, dense_copy_op, expand_op, flatten, reshape, unsqueeze_op
from ..views.slices import diagonal_array, two_dims, zeros_beside
from ..views.strided import as_pytorch_makes_it

ndarray = np.ndarray


# ---- repeat


@primitive("RepeatBackward0", name="repeat", kind="linear")
def repeat_op(input: Array, repeats: tuple[int, ...]) -> Any:
    old = (1,) * (len(repeats) - input.ndim) + input.shape
    total = tuple(n * r for n, r in zip(old, repeats))
    if isinstance(input, MetaArray):
        return empty_meta(total, input.dtype)
    if all(r == 1 for r in repeats):
        return input.copy().reshape(total)
    spread = input.reshape([m for n in old for m in (1, n)])
    return expand_op.kernel(spread, tuple(m for r, n in zip(repeats, old) for m in (r, n))).copy().reshape(total)


@repeat_op.vjp("input")
def repeat_gradient_of_input(g: Any, repeats: Any, input_shape: Any, xp: Any) -> Any:
    if 0 in repeats:
        return zeros_beside(g, input_shape, xp)
    lead = len(repeats) - len(input_shape)
    for _ in range(lead):
        g = xp.sum_dim(g, (0,), False)
    split: list[int] = []
    copies = []
    for r, n in zip(repeats[lead:], input_shape):
        if r != 1:
            copies.append(len(split))
            split.append(r)
        split.append(n)
    return xp.sum_dim(xp.reshape(g, tuple(split)), tuple(copies), False) if copies else g


@repeat_op.batch
def repeat_batched(call: batching.Call) -> Any:
    repeats = call.attribute("repeats")
    return batching.padded(call.values[0], len(repeats)).repeat(1, *repeats)


@public("", "repeat")
def repeat(input: Tensor, *times: Any, repeats: Any = None) -> Tensor:
    """Copies of a tensor beside each other, so many along each dimension."""
    if not times and repeats is None:
        raise TypeError('repeat() missing 1 required positional arguments: "repeats"')
    counts = size_tuple(times if repeats is None else (repeats,))
    shape = input._array.shape
    if len(counts) < len(shape):
        raise RuntimeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"
        )
    if min(counts, default=0) < 0:
        total = [r * n for r, n in zip(counts, (1,) * (len(counts) - len(shape)) + shape)]
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(total)}: {total}")
    return as_pytorch_makes_it(repeat_op(input, counts), (input,), flat=False)


def _given(name: str, dims: tuple[Any, ...]) -> tuple[Any, ...]:
    if not dims:
        raise TypeError(f'{name}() missing 1 required positional arguments: "dims"')
    return dims


@public("tile", "")
def tile_function(input: Tensor, dims: Any) -> Tensor:
    """``repeat``, with missing counts in front taken as 1."""
    if not isinstance(dims, (tuple, list)):
        raise WrongArgument("dims", dims, "tuple of ints")
    return tile(input, dims)


@public("", "tile")
def tile(input: Tensor, *times: Any, dims: Any = None) -> Tensor:
    """``repeat``, with missing counts in front taken as 1."""
    counts = size_tuple(_given("tile", times) if dims is None else (dims,))
    return repeat(input, (1,) * (input._array.ndim - len(counts)) + counts)


@public("repeat_interleave", "repeat_interleave", overloads=True, looks_first=True)
def repeat_interleave(
    input: Tensor, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None
) -> Tensor:
    """Each element (or each index of a dimension) repeated, side by side."""
    if repeats is None:
        return _indices_repeated(input, output_size)
    if not isinstance(repeats, (Tensor, int)):
        raise NoOverload
    if dim is None:
        input = flatten(input)
        dim = 0
    dim = one_dim(dim, input._array.ndim)
    if input._array.ndim == 0:
        input = reshape(input, (1,))
    if isinstance(repeats, Tensor):
        return _repeat_by_tensor(input, repeats, dim, output_size)
    times = as_int(repeats)
    if times < 0:
        raise RuntimeError("Repeats must be non-negative")
    shape = input._array.shape
    size = times * shape[dim]
    if output_size is not None and output_size != size:
        raise RuntimeError(f"repeat_interleave: Invalid output_size, expected {size} but got {output_size}")
    wider = expand_op(unsqueeze_op(input, dim + 1), (*shape[: dim + 1], times, *shape[dim + 1 :]))
    return flatten(dense_copy_op(wider), dim, dim + 1)


def _repeat_by_tensor(input: Tensor, repeats: Tensor, dim: int, output_size: int | None) -> Tensor:
    counts = repeats._array
    if counts.ndim > 1:
        raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
    size = input._array.shape[dim]
    if counts.ndim == 0 or counts.size == 1:
        repeats = Tensor._wrap(np.broadcast_to(counts.reshape(-1), (size,)))
    elif counts.size != size:
        raise RuntimeError(
            f"repeats must have the same size as input along dim, but got repeats.size(0) = {counts.size} and "
            f"input.size({dim}) = {size}"
        )
    return input.index_select(dim, _indices_repeated(repeats, output_size))


def _indices_repeated(repeats: Tensor, output_size: int | None) -> Tensor:
    counts = resolved(repeats._array)
    if counts.ndim != 1:
        raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
    if counts.dtype.name not in ("int32", "int64"):
        raise not_for("repeat_interleave_cpu", repeats.dtype)
    if (counts < 0).any():
        raise RuntimeError("repeats can not be negative")
    if output_size is not None and output_size != counts.sum():
        raise RuntimeError("allocated size does not match required size")
    return Tensor._wrap(np.repeat(np.arange(counts.size, dtype=counts.dtype), counts))


# ---- roll, flip, rot90


@primitive("RollBackward0", name="roll", kind="linear", lowering="library")
def roll_op(input: Array, shifts: tuple[int, ...], dims: tuple[int, ...]) -> Any:
    if not input.ndim or not input.size:
        return input.copy()
    rolled = np.roll(input, shifts, dims) if dims else np.roll(input, shifts[0])
    if isinstance(rolled, MetaArray):
        return rolled
    rows = np.ascontiguousarray(rolled)
    moves = any(shift % input.shape[d] for shift, d in zip(shifts, dims))
    return lying_as(rows, input) if moves else rows


roll_op.vjp(input=lambda g, shifts, dims, xp: xp.roll(g, tuple(-s for s in shifts), dims))


@roll_op.batch
def roll_batched(call: batching.Call) -> Any:
    shifts, dims = call.attributes
    x = call.values[0]
    if not dims:
        shift = shifts[0] if isinstance(shifts, (tuple, list)) else shifts
        return call.rows().roll(shift, 1).reshape(x.shape)
    n = call.ndim()
    dims = dims if isinstance(dims, (tuple, list)) else (dims,)
    return x.roll(shifts, tuple([d % n + 1 for d in dims]))


def _ints(value: Any) -> tuple[int, ...]:
    return size_tuple((value,)) if isinstance(value, (tuple, list)) else (as_int(value),)


@public("roll", "roll")
def roll(input: Tensor, shifts: Any, dims: Any = ()) -> Tensor:
    """Elements moved along dimensions (or along all of them as one), those that leave come in at the other end."""
    by, along = _ints(shifts), _ints(() if dims is None else dims)
    if not by:
        raise RuntimeError("`shifts` required")
    if len(by) != len(along) and not (len(by) == 1 and not along):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(by)}, dims:{len(along)}")
    ndim = input._array.ndim
    if along and not ndim:
        raise no_dimensions(along[0])
    found: Tensor = roll_op(input, by, tuple(one_dim(d, ndim) for d in along))
    return found if along else as_pytorch_makes_it(found, (input,))


@primitive("FlipBackward0", name="flip", kind="linear", batch=batching.moved_dimensions, lowering="library")
def flip_op(input: Array, dims: tuple[int, ...]) -> Any:
    return flipped(input, dims)


def flipped(array: Any, dims: tuple[int, ...]) -> Any:
    """A copy with some dimensions reversed, in the order of the original in memory."""
    if not array.ndim or isinstance(array, MetaArray):
        return array.copy()
    out = empty_as(array)
    out[...] = array[tuple(slice(None, None, -1) if d in dims else slice(None) for d in range(array.ndim))]
    return out


flip_op.vjp(input=lambda g, dims, xp: xp.flip(g, dims))


@public("flip", "")
def flip_function(input: Tensor, dims: Any) -> Tensor:
    """Some dimensions reversed."""
    if not isinstance(dims, (tuple, list)):
        raise WrongArgument("dims", dims, "tuple of ints")
    return flip(input, dims)


@public("", "flip")
def flip(input: Tensor, *which: Any, dims: Any = None) -> Tensor:
    """Some dimensions reversed."""
    ndim = input._array.ndim
    found = tuple(one_dim(d, ndim) for d in size_tuple(_given("flip", which) if dims is None else (dims,)))
    for i, d in enumerate(found):
        if d in found[:i]:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
    return flip_op(input, found)


@public("fliplr", "fliplr")
def fliplr(input: Tensor) -> Tensor:
    """The columns reversed."""
    if input._array.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flip_op(input, (1,))


@public("flipud", "flipud")
def flipud(input: Tensor) -> Tensor:
    """The rows reversed."""
    if input._array.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return flip_op(input, (0,))


@primitive("Rot90Backward0", name="rot90", kind="linear", batch=batching.moved_dimensions)
def rot90_op(input: Array, k: int, dims: tuple[int, int]) -> Any:
    turns = k % 4
    if turns == 0:
        return input.copy()
    if turns == 2:
        return flipped(input, dims)
    return flipped(input, (dims[1],) if turns == 1 else (dims[0],)).swapaxes(*dims)


rot90_op.vjp(input=lambda g, k, dims, xp: xp.rot90(g, -k, dims))


@public("rot90", "rot90")
def rot90(input: Tensor, k: int = 1, dims: Any = (0, 1)) -> Tensor:
    """A plane of two dimensions turned ``k`` times by 90 degrees."""
    k = as_int(k)
    ndim = input._array.ndim
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {ndim}")
    first, second = one_dim(dims[0], ndim), one_dim(dims[1], ndim)
    if first == second:
        raise RuntimeError(
            f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}"
        )
    return rot90_op(input, k, (first, second))


# ---- triangles


@lru_cache(maxsize=32)
def _small_triangle(rows: int, columns: int, diagonal: int) -> Any:
    return np.tri(rows, columns, diagonal, dtype=bool)


def lower_triangle(shape: tuple[int, ...], diagonal: int) -> Any:
    """True on and below a diagonal of matrices."""
    rows, columns = shape[-2:]
    make = _small_triangle if rows * columns <= 1 << 16 else _small_triangle.__wrapped__
    return make(rows, columns, diagonal)


def _only_where(mask: Any, array: Any) -> Any:
    """A copy with zeros where the mask is False."""
    if isinstance(array, MetaArray):
        return empty_meta(array.shape, array.dtype)
    out = np.zeros(array.shape, array.dtype)
    np.copyto(out, array, where=mask)
    return out


@primitive("TrilBackward0", name="tril", kind="linear", batch=batching.last_dimensions)
def tril_op(input: Array, diagonal: int) -> Any:
    return _only_where(lower_triangle(input.shape, diagonal), input)


tril_op.vjp(input=lambda g, diagonal, xp: xp.tril(g, diagonal))


@primitive("TriuBackward0", name="triu", kind="linear", batch=batching.last_dimensions)
def triu_op(input: Array, diagonal: int) -> Any:
    return _only_where(~lower_triangle(input.shape, diagonal - 1), input)


triu_op.vjp(input=lambda g, diagonal, xp: xp.triu(g, diagonal))


def _check_matrices(name: str, input: Tensor) -> None:
    if input._array.ndim < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")


@public("tril", "tril", out="exact")
def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    """Zeros above a diagonal."""
    _check_matrices("tril", input)
    return tril_op(input, diagonal)


@public("triu", "triu", out="exact")
def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    """Zeros below a diagonal."""
    _check_matrices("triu", input)
    return triu_op(input, diagonal)


_tril_inplace, _triu_inplace = inplace_form(tril_op), inplace_form(triu_op)


def _is_expanded(array: Any) -> bool:
    return 0 in array.strides and any(n > 1 and not s for n, s in zip(array.shape, array.strides))


def _zero(op: Primitive, input: Tensor, diagonal: int, outside: Any) -> Tensor:
    """Write the zeros alone: PyTorch does not refuse it where elements share their memory."""

    def write(target: Any) -> None:
        target[..., outside] = 0

    result: Tensor = change(op, input, (), write, (diagonal,), overlap=True)
    return result


@public("", "tril_")
def tril_(input: Tensor, diagonal: int = 0) -> Any:
    """``tril`` in place."""
    _check_matrices("tril", input)
    if _is_expanded(input._array):
        return _zero(tril_op, input, diagonal, ~lower_triangle(input._array.shape[-2:], diagonal))
    return _tril_inplace(input, diagonal)


@public("", "triu_")
def triu_(input: Tensor, diagonal: int = 0) -> Any:
    """``triu`` in place."""
    _check_matrices("triu", input)
    if _is_expanded(input._array):
        return _zero(triu_op, input, diagonal, lower_triangle(input._array.shape[-2:], diagonal - 1))
    return _triu_inplace(input, diagonal)


def _triangle_indices(name: str, row: int, col: int, offset: int, dtype: Any, device: Any, lower: bool) -> Tensor:
    for what, n in (("row", row), ("col", col)):
        if n < 0:
            raise RuntimeError(f"{what} must be non-negative, got{n}")
    if dtype is not None and dtype.category != dtypes.INT:
        raise not_for(name, dtype)
    kind = np.dtype(np.int64) if dtype is None else dtype.numpy
    inside = lower_triangle((row, col), offset) if lower else ~lower_triangle((row, col), offset - 1)
    if device is not None and parse_device(device).type == "meta":
        return Tensor._wrap(empty_meta((2, int(inside.sum())), kind))
    return Tensor._wrap(np.array(inside.nonzero(), kind))


@public("tril_indices")
def tril_indices(
    row: int, col: int, offset: int = 0, *, dtype: Any = None, device: Any = None, layout: Any = None
) -> Tensor:
    """The row and column numbers on and below a diagonal."""
    return _triangle_indices("tril_indices", row, col, offset, dtype, device, True)


@public("triu_indices")
def triu_indices(
    row: int, col: int, offset: int = 0, *, dtype: Any = None, device: Any = None, layout: Any = None
) -> Tensor:
    """The row and column numbers on and above a diagonal."""
    return _triangle_indices("triu_indices", row, col, offset, dtype, device, False)


# ---- diagonals


@primitive("DiagEmbedBackward0", name="diag_embed", kind="linear")
def diag_embed_op(input: Array, offset: int, dim1: int, dim2: int) -> Any:
    n = input.shape[-1] + abs(offset)
    shape = list(input.shape[:-1])
    for d in sorted((dim1, dim2)):
        shape.insert(d, n)
    if isinstance(input, MetaArray):
        return empty_meta(shape, input.dtype)
    whole = np.zeros(shape, input.dtype)
    diagonal_array(whole, offset, dim1, dim2)[...] = input
    return whole


diag_embed_op.vjp(input=lambda g, offset, dim1, dim2, xp: xp.diagonal(g, offset, dim1, dim2))


diag_embed_op.batch(lambda call: batching.moved_dimensions(call, added=1))


@public("diag_embed", "diag_embed")
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Matrices of zeros with the last dimension on a diagonal."""
    ndim = input._array.ndim
    if not ndim:
        raise IndexError(f"Dimension out of range (expected to be in range of [-1, 0], but got {dim1})")
    return diag_embed_op(input, offset, *two_dims("diagonal", ndim + 1, dim1, dim2))


@primitive("DiagonalBackward0_copy", name="diagonal_copy", kind="linear", batch=batching.moved_dimensions)
def diagonal_copy_op(input: Array, offset: int, dim1: int, dim2: int) -> Any:
    return input.diagonal(offset, dim1, dim2).copy()


@diagonal_copy_op.vjp("input")
def diagonal_copy_gradient_of_input(g: Any, offset: Any, dim1: Any, dim2: Any, input_shape: Any, xp: Any) -> Any:
    return xp.diagonal_backward(g, input_shape, offset, dim1, dim2)


@public("diagonal_copy", "", out=True)
def diagonal_copy(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A copy of a diagonal."""
    return diagonal_copy_op(input, offset, *two_dims("diagonal", input._array.ndim, dim1, dim2))


@public("diag", "diag", out=True, looks_first=True)
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """A vector as the diagonal of a matrix, or the diagonal of a matrix as a vector."""
    ndim = input._array.ndim
    if ndim == 1:
        return diag_embed_op(input, diagonal, 0, 1)
    if ndim != 2:
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {ndim}D")
    return diagonal_copy_op(input, diagonal, 0, 1)


@public("diagflat", "diagflat")
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """All elements on the diagonal of a matrix."""
    return diag_embed_op(reshape(contiguous(input), (input._array.size,)), offset, 0, 1)
