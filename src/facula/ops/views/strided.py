"""Views of a storage by sizes, strides and offset."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import state, strides
from ..._core.devices import MetaArray, empty_meta
from ..._core.strides import bytes_of
from ..._tensor import Tensor
from ..arrays.meta import by_zeros
from ..arrays.types import Array
from ..machine import batching
from ..machine.arguments import as_int, size_tuple
from ..machine.namespaces import TENSORS
from ..machine.primitive import primitive
from ..machine.public import public
from ..machine.rules import constant, raw


@primitive("AliasBackward0", view=True, batch=batching.last_dimensions)
def alias_op(input: Array) -> Any:
    return input.view()


alias_op.vjp(input=lambda g: g)


@public("alias", "alias")
def alias(input: Tensor) -> Tensor:
    """A view of the whole."""
    return alias_op(input)


@primitive("AsStridedBackward0", name="as_strided", view=True)
def as_strided_op(
    input: Array, size: tuple[int, ...], stride: tuple[int, ...], storage_offset: int, geometry: tuple[Any, ...]
) -> Any:
    """``geometry``: (shape, strides, storage offset) of the input, which its derivative needs."""
    if 0 in size:
        return np.empty(size, input.dtype)
    if input.__class__ is MetaArray:
        return empty_meta(size, input.dtype, tuple(s * input.itemsize for s in stride))
    root = strides.root_of(input)
    memory = bytes_of(root)
    step = input.itemsize
    if storage_offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {storage_offset}")
    if (storage_offset + sum(n * s for n, s in zip(size, stride))) * step >= 2**63:
        raise RuntimeError(
            f"Storage size calculation overflowed with sizes={list(size)} and strides={list(stride)}"
        )
    needed = (storage_offset + sum((n - 1) * s for n, s in zip(size, stride)) + 1) * step
    if needed > memory.size:
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {storage_offset}, and itemsize "
            f"{step} requiring a storage size of {needed} are out of bounds for storage of size {memory.size}"
        )
    return np.ndarray(size, input.dtype, memory, storage_offset * step, tuple(s * step for s in stride))


@primitive("AsStridedScatterBackward0", name="restride", kind="linear")
@by_zeros
def restride_op(
    input: Array, size: tuple[int, ...], stride: tuple[int, ...], offset: int, to_size: tuple[int, ...],
    to_stride: tuple[int, ...], to_offset: int,
) -> Any:  # fmt: skip
    """Lay elements out in a zero storage by one geometry (sums where they meet) and read them by another.

    This is the adjoint of as_strided, and, with the two geometries exchanged, its own.
    """
    where = offset + _positions(size, stride)
    read = to_offset + _positions(to_size, to_stride)
    storage = np.zeros(1 + max(where.max(initial=0), read.max(initial=0)), input.dtype)
    if np.unique(where).size == where.size:
        storage[where] = input
    else:
        np.add.at(storage, where, input)
    return storage[read]


def _positions(size: tuple[int, ...], stride: tuple[int, ...]) -> Any:
    where = np.zeros(size, np.intp)
    for dim, (n, s) in enumerate(zip(size, stride)):
        where += (np.arange(n) * s).reshape((n,) + (1,) * (len(size) - dim - 1))
    return where


@as_strided_op.vjp("input")
def as_strided_gradient(
    g: Any, size: tuple[int, ...], stride: tuple[int, ...], storage_offset: int, geometry: tuple[Any, ...], xp: Any
) -> Any:
    return _shared_out(xp.restride(g, size, stride, storage_offset, *geometry), geometry, xp)


def _shared_out(t: Any, geometry: tuple[Any, ...], xp: Any) -> Any:
    """Elements that lie in one place of the memory, as an expanded tensor's do, have equal shares of what is there."""
    size, stride, _ = geometry
    if not any(s == 0 and n > 1 for n, s in zip(size, stride)) and lie_apart(size, stride):
        return t
    where = _positions(size, stride)
    kind = np.empty((), raw(t).dtype).real.dtype
    return t / constant(np.bincount(where.reshape(-1))[where].astype(kind), xp)


def lie_apart(size: tuple[int, ...], stride: tuple[int, ...]) -> bool:
    reach = 0
    for s, n in sorted((s, n) for n, s in zip(size, stride) if n > 1):
        if s <= reach:
            return False
        reach += s * (n - 1)
    return True


@as_strided_op.tangent
def as_strided_tangent(op: Any, primals: Any, tangents: Any, attributes: Any, outs: Any) -> Any:
    """A tangent may lie otherwise in memory than the value, whose strides are meant."""
    *there, here = attributes
    return restride_op(_shared_out(tangents[0], here, TENSORS), *here, *there)


@as_strided_op.batch
def as_strided_batched(call: batching.Call) -> Any:
    x = call.values[0]
    size, stride, offset = (call.attribute(name) for name in ("size", "stride", "storage_offset"))
    start = x.storage_offset() if offset is None else offset
    _check_within_item(x, size, stride, start)
    if x.stride(0) == 0 and call.size > 1:  # items that share their memory would share their gradients
        if not x.select(0, 0).is_contiguous():
            return None
        start -= x.storage_offset()
        x = x.contiguous()
    return x.as_strided((call.size, *size), (x.stride(0), *stride), start)


def _check_within_item(x: Tensor, size: Any, stride: Any, start: int) -> None:
    """What an item is seen as must lie in its own memory, which is the first item's here."""
    end = _end(size, stride, start)
    if end == start:
        return
    first = x.storage_offset()
    last = _end(x.shape[1:], x.stride()[1:], first)
    if last > first and first <= start and end <= last:
        return
    told = "`tensor` has no storage but the passed-in (size, stride, storage_offset) imply a result with some storage. "
    if last > first:
        told = (
            f"`result` can access some memory in range [{start}, {end}], but `tensor` can only access some memory in "
            f"range [{first}, {last}]. "
        )
    raise RuntimeError(
        f"result = tensor.as_strided({list(size)}, {list(stride)}, {start}) can access memory outside of `tensor`. "
        f"{told}This is not supported inside of vmap, please try to rewrite the `as_strided` call as a sequence of "
        "PyTorch view operations"
    )


def _end(size: Any, stride: Any, start: int) -> int:
    """One place behind the last element; the start if there is none."""
    return start if 0 in size else start + 1 + sum((n - 1) * s for n, s in zip(size, stride))


restride_op.vjp(
    input=lambda g, size, stride, offset, to_size, to_stride, to_offset, xp: xp.restride(
        g, to_size, to_stride, to_offset, size, stride, offset
    )
)


@restride_op.batch
def restride_batched(call: batching.Call) -> Any:
    size, stride, offset, to_size, to_stride, to_offset = call.attributes
    apart = 1 + max(
        start + sum((n - 1) * s for n, s in zip(shape, strides) if n)
        for shape, strides, start in ((size, stride, offset), (to_size, to_stride, to_offset))
    )
    here = ((call.size, *size), (apart, *stride), offset)
    there = ((call.size, *to_size), (apart, *to_stride), to_offset)
    return call.run(call.values, (*here, *there))


def as_pytorch_makes_it(found: Tensor, of: Any, flat: bool = True) -> Tensor:
    """Autograd is not asked about tensors of inference mode: then the view by which PyTorch makes a result is seen.

    ``flat``: a view of all the memory that it lies in, else of a tensor of its own shape.
    """
    if state.modes.inference or any(t._meta is None or not t._meta.inference for t in of):
        return found
    array = found._array
    if not flat:
        return found.view(array.shape)
    memory = strides.bytes_of(strides.root_of(array)).view(array.dtype)
    return as_strided(Tensor._wrap(memory), *strides.geometry_of(array))


@public("as_strided", "as_strided")
def as_strided(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """A view of the storage by explicit sizes, strides (in elements) and offset."""
    size, stride = size_tuple(size), size_tuple(stride)
    at = input.storage_offset() if storage_offset is None else as_int(storage_offset)
    if input.wraps:  # more of the memory may be asked for than a view shows
        input = input._owner_of_memory()
    array = input._array
    here = input.storage_offset()
    if len(size) != len(stride):
        if input.wraps and input._level.size >= 0:
            raise RuntimeError(
                "Tensor.as_strided(size, stride, ...): size and stride must have the same length! Got size "
                f"{list(size)} and stride {list(stride)}"
            )
        raise RuntimeError("mismatch in length of strides and shape")
    if any(s < 0 for s in stride):
        raise RuntimeError(
            f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}"
        )
    geometry = (array.shape, strides.element_strides(array), here)
    return as_strided_op(input, size, stride, at, geometry)
