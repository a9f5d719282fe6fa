"""A tensor split into several views: split, chunk, unbind and their relatives.

The outputs of split, split_with_sizes and unbind come from one node, and are views that may not be written to while
gradients are recorded. tensor_split and its relatives give independent slices.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import dtypes, state
from ..._tensor import Tensor
from ..arrays.types import Array
from ..machine import batching
from ..machine.arguments import as_int, one_dim
from ..machine.errors import NoOverload
from ..machine.primitive import Primitive
from ..machine.public import public
from ..machine.refusals import no_dimensions
from ..machine.rules import in_both_namespaces
from ..machine.view import view_primitive
from ..moving.joining import cat, joined, stack
from .slices import at_dim, slice_along

# ---- gradients of parts put together


def _put_together_arrays(parts: Any, sizes: tuple[int, ...], dim: int) -> Any:
    if all(p is not None for p in parts):
        return joined(parts, dim)
    some = next(p for p in parts if p is not None)
    shape = list(some.shape)
    shape[dim] = sum(sizes)
    whole = np.zeros(shape, some.dtype)
    start = 0
    for p, n in zip(parts, sizes):
        if p is not None:
            whole[at_dim(dim, slice(start, start + n))] = p
        start += n
    return whole


def _put_together_tensors(parts: Any, sizes: tuple[int, ...], dim: int) -> Tensor:
    some = next(p for p in parts if p is not None)._array
    shape = list(some.shape)
    filled = []
    for p, n in zip(parts, sizes):
        shape[dim] = n
        filled.append(Tensor._wrap(np.zeros(shape, some.dtype)) if p is None else p)
    return cat(filled, dim)


in_both_namespaces("put_together", _put_together_arrays, _put_together_tensors)


def _stack_arrays(parts: Any, dim: int) -> Any:
    some = np.asarray(next(p for p in parts if p is not None))
    shape = (*some.shape[:dim], len(parts), *some.shape[dim:])
    whole = np.zeros(shape, some.dtype)
    for i, p in enumerate(parts):
        if p is not None:
            whole[at_dim(dim, i)] = p
    return whole


def _stack_tensors(parts: Any, dim: int) -> Tensor:
    some = next(p for p in parts if p is not None)._array
    return stack([Tensor._wrap(np.zeros(some.shape, some.dtype)) if p is None else p for p in parts], dim)


in_both_namespaces("stack_some", _stack_arrays, _stack_tensors)


# ---- split


def equal_sizes(total: int, size: int) -> tuple[int, ...]:
    """``total`` in steps of ``size``; the last may be smaller."""
    if total == 0 or size == 0:
        return (total,)
    full, rest = divmod(total, size)
    return (size,) * full + ((rest,) if rest else ())


def parts_of(array: Any, sizes: tuple[int, ...], dim: int) -> list[Any]:
    """Views of consecutive parts of an array."""
    parts = []
    start = 0
    for n in sizes:
        parts.append(array[at_dim(dim, slice(start, start + n))])
        start += n
    return parts


@view_primitive("SplitBackward0", "split", "many", batch=batching.moved_dimensions)
def split_op(input: Array, split_size: int, dim: int) -> Any:
    return parts_of(input, equal_sizes(input.shape[dim], split_size), dim)


@split_op.vjp("input")
def _split_rule(g: Any, dim: Any, input_shape: Any, split_size: Any, xp: Any) -> Any:
    return xp.put_together(g, equal_sizes(input_shape[dim], split_size), dim)


@view_primitive("SplitWithSizesBackward0", "split_with_sizes", "many", batch=batching.moved_dimensions)
def split_sizes_op(input: Array, split_sizes: tuple[int, ...], dim: int) -> Any:
    return parts_of(input, split_sizes, dim)


@split_sizes_op.vjp("input")
def _split_sizes_rule(g: Any, dim: Any, input_shape: Any, split_sizes: Any, xp: Any) -> Any:
    return xp.put_together(g, split_sizes, dim)


@view_primitive("UnbindBackward0", "unbind", "many", batch=batching.moved_dimensions)
def unbind_op(input: Array, dim: int) -> Any:
    return [input[at_dim(dim, i)] for i in range(input.shape[dim])]


unbind_op.vjp(input=lambda g, dim, xp: xp.stack_some(g, dim))


def _check_split(input: Tensor, split_size: int, dim: int, name: str = "split") -> int:
    if input._array.ndim == 0:
        raise RuntimeError(f"{name} expects at least a 1-dimensional tensor")
    dim = one_dim(dim, input._array.ndim)
    if split_size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={split_size}")
    size = input._array.shape[dim]
    if split_size == 0 and size:
        raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {size}")
    return dim


def _split(input: Tensor, given: Any, dim: int, by_size: Primitive, by_sizes: Primitive) -> tuple[Tensor, ...]:
    if isinstance(given, (tuple, list)):
        return _split_sizes(input, given, dim, by_sizes)
    if isinstance(given, float):
        raise TypeError("split_with_sizes(): argument 'split_sizes' (position 2) must be tuple of ints, not float")
    size = as_int(given)
    dim = _check_split(input, size, dim)
    return tuple(by_size(input, size, dim))


def _split_sizes(input: Tensor, sizes: Any, dim: int, op: Primitive) -> tuple[Tensor, ...]:
    if input._array.ndim == 0:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    dim = one_dim(dim, input._array.ndim)
    parts = tuple(as_int(n) for n in sizes)
    if any(n < 0 for n in parts):
        raise RuntimeError(
            f"split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={list(parts)}"
        )
    total = input._array.shape[dim]
    if sum(parts) != total:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {total} (input tensor's size at dimension {dim}), "
            f"but got split_sizes={list(parts)}"
        )
    return tuple(op(input, parts, dim))


@public("split", "")
def split(tensor: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of parts of one size, or of the given sizes, along a dimension."""
    return _split(tensor, split_size_or_sections, dim, split_op, split_sizes_op)


@public("", "split")
def split_method(input: Tensor, split_size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of parts of one size, or of the given sizes, along a dimension."""
    return _split(input, split_size, dim, split_op, split_sizes_op)


@public("split_with_sizes", "split_with_sizes")
def split_with_sizes(input: Tensor, split_sizes: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of parts of the given sizes along a dimension."""
    return _split_sizes(input, split_sizes, dim, split_sizes_op)


def _chunk(input: Tensor, chunks: int, dim: int, by_size: Primitive, by_sizes: Primitive) -> tuple[Tensor, ...]:
    if input._array.ndim == 0:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    dim = one_dim(dim, input._array.ndim)
    total = input._array.shape[dim]
    if total == 0:
        return tuple(by_sizes(input, (0,) * chunks, dim))
    return tuple(by_size(input, -(-total // chunks), dim))


@public("chunk", "chunk", looks_first=True)
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of at most ``chunks`` parts of one size along a dimension."""
    return _chunk(input, as_int(chunks), dim, split_op, split_sizes_op)


@public("unbind", "unbind")
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of each index of a dimension."""
    ndim = input._array.ndim
    at = one_dim(dim, ndim)
    if ndim == 0:
        raise no_dimensions(0)
    return tuple(unbind_op(input, at))


# ---- splits whose parts autograd takes for unrelated to each other


unsafe_split_op = split_op.under("unsafe_split", "UnsafeSplitBackward0", view=False)
unsafe_split_sizes_op = split_sizes_op.under(
    "unsafe_split_with_sizes", "UnsafeSplitWithSizesBackward0", view=False
)
unsafe_split_op.lowering = unsafe_split_sizes_op.lowering = "view"


def _parts_are_unrelated() -> tuple[Any, Any]:
    """What splits so; in inference mode, where autograd is not asked, it gives views."""
    return (split_op, split_sizes_op) if state.modes.inference else (unsafe_split_op, unsafe_split_sizes_op)


def _with_own_versions(parts: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    if state.special and state.modes.inference:
        for t in parts:
            if t._meta is not None and t._meta.base is not None:
                t._counter, t._meta.attr_version = [0, None, 0], 0
    return parts


@public("unsafe_split", "unsafe_split")
def unsafe_split(input: Tensor, split_size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """``split`` without the ban on writing to the parts."""
    return _with_own_versions(_split(input, split_size, dim, *_parts_are_unrelated()))


@public("unsafe_split_with_sizes", "unsafe_split_with_sizes")
def unsafe_split_with_sizes(input: Tensor, split_sizes: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """``split_with_sizes`` without the ban on writing to the parts."""
    return _with_own_versions(_split_sizes(input, split_sizes, dim, _parts_are_unrelated()[1]))


@public("unsafe_chunk", "unsafe_chunk")
def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """``chunk`` without the ban on writing to the parts."""
    return _with_own_versions(_chunk(input, chunks, dim, *_parts_are_unrelated()))


# ---- splits by position


def _split_at(input: Tensor, where: Any, dim: int) -> tuple[Tensor, ...]:
    parts = []
    start = 0
    for end in where:
        parts.append(slice_along(input, dim, start, end))
        start = end
    parts.append(slice_along(input, dim, start, input._array.shape[dim]))
    return tuple(parts)


def _split_evenly(input: Tensor, sections: int, dim: int) -> tuple[Tensor, ...]:
    if sections <= 0:
        raise RuntimeError(f"number of sections must be larger than 0, got {sections}")
    size, larger = divmod(input._array.shape[dim], sections)
    where = [0] * (sections - 1)  # so many that there is no memory for them are refused at once
    at = 0
    for i in range(sections - 1):
        at += size + (i < larger)
        where[i] = at
    return _split_at(input, where, dim)


@public("tensor_split", "tensor_split", looks_first=True)
def tensor_split(
    input: Tensor, indices_or_sections: Any = None, dim: int = 0, *, indices: Any = None, sections: Any = None,
    tensor_indices_or_sections: Any = None,
) -> tuple[Tensor, ...]:  # fmt: skip
    """Views between the given positions along a dimension, or of as many parts of nearly one size."""
    array = input._array
    if array.ndim == 0:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    dim = one_dim(dim, array.ndim)
    where = _the_one(indices_or_sections, indices, sections, tensor_indices_or_sections)
    if isinstance(where, Tensor):
        if where._array.dtype != np.int64:
            raise RuntimeError(
                "tensor_split expected tensor_indices_or_sections to have dtype of long, but got "
                f"{dtypes.SCALAR_TYPE_NAMES[where.dtype]}"
            )
        if where._array.ndim > 1:
            raise RuntimeError(
                "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional tensor, "
                f"but got a tensor with {where._array.ndim} dims"
            )
        where = where._array.tolist()
    if isinstance(where, (tuple, list)):
        return _split_at(input, [as_int(i) for i in where], dim)
    return _split_evenly(input, as_int(where), dim)


def _the_one(*ways: Any) -> Any:
    """The one of several arguments, for forms of their own, that is given."""
    given = [way for way in ways if way is not None]
    if len(given) != 1:
        raise NoOverload
    return given[0]


def _split_named(name: str, input: Tensor, where: Any, dim: int, needed: int) -> tuple[Tensor, ...]:
    shape = input._array.shape
    if len(shape) < needed:
        raise RuntimeError(
            f"torch.{name} requires a tensor with at least {needed} dimension, but got a tensor with {len(shape)} "
            "dimensions!"
        )
    if isinstance(where, str):
        raise NoOverload
    if isinstance(where, int) and (where == 0 or shape[dim] % where):
        raise RuntimeError(
            f"torch.{name} attempted to split along dimension {dim}, but the size of the dimension {shape[dim]} is not "
            f"divisible by the split_size {where}!"
        )
    return tensor_split(input, where, dim)


@public("hsplit", "hsplit", overloads=True, looks_first=True)
def hsplit(
    input: Tensor, indices_or_sections: Any = None, *, indices: Any = None, sections: Any = None
) -> tuple[Tensor, ...]:
    """Views of parts side by side."""
    where = _the_one(indices_or_sections, indices, sections)
    return _split_named("hsplit", input, where, 1 if input._array.ndim > 1 else 0, 1)


@public("vsplit", "vsplit", overloads=True, looks_first=True)
def vsplit(
    input: Tensor, indices_or_sections: Any = None, *, indices: Any = None, sections: Any = None
) -> tuple[Tensor, ...]:
    """Views of parts under each other."""
    return _split_named("vsplit", input, _the_one(indices_or_sections, indices, sections), 0, 2)


@public("dsplit", "dsplit", overloads=True, looks_first=True)
def dsplit(
    input: Tensor, indices_or_sections: Any = None, *, indices: Any = None, sections: Any = None
) -> tuple[Tensor, ...]:
    """Views of parts behind each other."""
    return _split_named("dsplit", input, _the_one(indices_or_sections, indices, sections), 2, 3)
