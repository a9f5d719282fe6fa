"""Operators that the machinery itself needs: copies, casts, sums to a shape, strided views. And what rules share."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core import dtypes, layouts
from ..._lazy import set_methods
from ..._tensor import Tensor
from ...autograd import views
from ...autograd.saved import PLAIN
from ..arrays.types import Array
from ..machine import batching
from ..machine.arguments import is_number
from ..machine.call import is_apart
from ..machine.elementwise import elementwise
from ..machine.namespaces import ARRAYS, TENSORS
from ..machine.operands import common_shape
from ..machine.primitive import primitive
from ..machine.public import FUNCTIONS, public
from ..machine.write import change, check_no_partial_overlap, is_simple_write, output_shape_error
from ..reductions.reducing import total


def in_both_namespaces(name: str, raw: Any, tensor: Any) -> None:
    """Let rules call ``xp.name`` for a function that is no primitive of its own."""
    setattr(ARRAYS, name, raw)
    setattr(TENSORS, name, tensor)


def raw(x: Any) -> Any:
    """The array behind a value of either namespace."""
    return x._array if isinstance(x, Tensor) else x


def constant(array: Any, xp: Any) -> Any:
    """An array as a value of the namespace a rule runs in: for masks and counts, which have no derivative."""
    return array if xp.is_raw else Tensor._wrap(np.asarray(array))


def in_dtype(g: Any, dtype: np.dtype[Any], xp: Any) -> Any:
    """A gradient in its input's dtype."""
    return g if raw(g).dtype == dtype else xp.cast(g, dtype)


# ---- conj, real


def conj_array(x: Any) -> Any:
    """np.conjugate copies real arrays; this returns them as they are."""
    return np.conjugate(x) if x.dtype.kind == "c" else x


conj_op = elementwise("conj_physical", np.conjugate, "ConjBackward0", holomorphic=False, input=lambda g, xp: xp.conj(g))


@public("conj", "conj")
def conj_tensor(input: Tensor) -> Tensor:
    """The complex conjugate; a real tensor is returned as it is."""
    return conj_op(input) if input._array.dtype.kind == "c" else input


@public("resolve_conj", "resolve_conj")
def resolve_conj(input: Tensor) -> Tensor:
    """The tensor itself: conjugates are never lazy here."""
    return input


in_both_namespaces("conj", conj_array, conj_tensor)


# ---- casts


@primitive("ToCopyBackward0", kind="linear")
def cast_op(input: Array, dtype: np.dtype[Any], memory_format: Any = None) -> Any:
    array = dtypes.cast(input if isinstance(input, np.ndarray) else np.asarray(input), dtype)
    return array if memory_format is None else in_format(array, memory_format)


@cast_op.vjp("input")
def cast_gradient_of_input(g: Any, input_dtype: Any, xp: Any) -> Any:
    return xp.cast(g, input_dtype)


@cast_op.batch
def cast_batched(call: batching.Call) -> Any:
    return cast_op(call.values[0], call.attributes[0])  # an order in memory would be one of all dimensions


# ---- sums to a shape: the adjoint of broadcasting


def reduced_dims(shape: tuple[int, ...], target: tuple[int, ...]) -> tuple[int, ...]:
    """The dimensions along which broadcasting ``target`` to ``shape`` repeats it."""
    lead = len(shape) - len(target)
    return tuple([i for i, n in enumerate(shape) if i < lead or (target[i - lead] == 1 and n != 1)])


def sum_array_to(x: Any, shape: tuple[int, ...]) -> Any:
    if shape and shape == x.shape[1:]:  # of a bias, that is
        return total(x, (0,), False)
    return np.asanyarray(total(x, reduced_dims(x.shape, shape), False)).reshape(shape)


def sum_tensor_to(x: Tensor, shape: tuple[int, ...]) -> Tensor:
    here = x._array.shape
    if not shape:
        return TENSORS.sum_all(x) if here else x
    dims = (0,) if here[1:] == shape else reduced_dims(here, shape)
    if dims:
        x = TENSORS.sum_dim(x, dims, True)
    return x if x._array.shape == tuple(shape) else TENSORS.view(x, shape)


in_both_namespaces("sum_to", sum_array_to, sum_tensor_to)


@public("", "sum_to_size")
def sum_to_size(input: Tensor, *size: Any) -> Tensor:
    """Sum to a shape that could be broadcast to this tensor's."""
    shape = tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else tuple(size)
    here = input._array.shape
    lead = len(here) - len(shape)
    if lead < 0 or any(s != n and s != 1 for s, n in zip(shape, here[lead:])):
        raise RuntimeError(f"size {{{list(shape)}}} is not expandable to size {{{list(here)}}}.")
    return sum_tensor_to(input, shape) if shape else input.sum()


# ---- copies


@primitive("CloneBackward0", kind="linear")
def clone_op(input: Array, memory_format: Any = None) -> Any:
    if memory_format is not None and memory_format is not layouts.preserve_format:
        return in_format(input, memory_format)
    return input.copy(order="K") if input.size and 0 not in input.strides else input.copy()


def in_format(array: Any, memory_format: Any) -> Any:
    """A copy whose dimensions lie in memory as the format says."""
    order = layouts.axis_order(memory_format, array.ndim)
    dense = array.transpose(order).copy()
    return dense.transpose([order.index(i) for i in range(array.ndim)])


clone_op.vjp(input=lambda g: g)


clone_op.batch(lambda call: clone_op(call.values[0]))


@public("clone", "clone")
def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """A copy with the same values, and history."""
    return clone_op(input) if memory_format is None else clone_op(input, memory_format)


@primitive("AliasBackward0", view=True, batch=batching.last_dimensions)
def alias_op(input: Array) -> Any:
    return input.view()


alias_op.vjp(input=lambda g: g)


@public("alias", "alias")
def alias(input: Tensor) -> Tensor:
    """A view of the whole."""
    return alias_op(input)


@primitive("CopyBackwards", name="copy", kind="linear")
def copy_op(input: Array, src: Array) -> Any:
    return np.broadcast_to(src, input.shape)


def fit(g: Any, shape: tuple[int, ...], dtype: np.dtype[Any], xp: Any) -> Any:
    """A gradient brought to an input's shape and dtype, for primitives that broadcast without being elementwise."""
    return in_dtype(g if raw(g).shape == shape else xp.sum_to(g, shape), dtype, xp)


def no_gradient(g: Any, xp: Any) -> Any:
    """The rule of what is constant almost everywhere: zeros."""
    return constant(np.zeros_like(raw(g)), xp)


copy_op.vjp(input=no_gradient, src=lambda g, src_shape, src_dtype, xp: fit(g, src_shape, src_dtype, xp))


@copy_op.batch
def copy_batched(call: batching.Call) -> Any:
    target, source = call.full(0), call.values[1]
    if call.flags[1]:
        source = batching.padded(source, call.ndim(0)).expand(target.shape)
    return call.run([target, source])


def copy_(self: Any, src: Any, non_blocking: bool = False) -> Any:
    """Write ``src`` into this tensor, broadcast and cast."""
    if type(src) in PLAIN and is_simple_write(self, src):
        target, source = self._array, src._array
        if source.dtype is target.dtype and source.shape == target.shape and is_apart(target, source):
            target[...] = source
            self._bump_version()
            return self
    if not isinstance(src, Tensor):
        if not is_number(src):
            raise TypeError(f"copy_(): argument 'other' (position 1) must be Tensor, not {type(src).__name__}")
        from ..creation.create import tensor

        src = tensor(src)
    try:
        fits = np.broadcast_shapes(src._array.shape, self._array.shape) == self._array.shape
    except ValueError:
        fits = False
    if not fits:
        raise copy_error(self._array.shape, src._array.shape)
    check_no_partial_overlap(self._array, src._array)
    return change(copy_op, self, (src,), _assign)


def copy_error(target: tuple[int, ...], source: tuple[int, ...]) -> RuntimeError:
    return output_shape_error(target, common_shape(target, source))


def _assign(target: np.ndarray[Any, Any], source: Any) -> None:
    if source.dtype.kind == "c" and target.dtype.kind not in "cb":
        source = source.real
    if np.may_share_memory(target, source):
        source = source.copy()
    target[...] = source


@primitive("FillBackward2", name="fill_number", batch=batching.as_it_is)
def fill_number_op(input: Array, value: object) -> Any:
    return np.full_like(input, value)


fill_number_op.vjp(input=no_gradient)


@primitive("FillBackward3", name="fill_tensor", kind="linear")
def fill_tensor_op(input: Array, value: Array) -> Any:
    return np.full_like(input, value)


fill_tensor_op.vjp(input=no_gradient, value=lambda g, xp, value_dtype: fit(g, (), value_dtype, xp))


@fill_tensor_op.batch
def fill_batched(call: batching.Call) -> Any:
    target, value = call.full(0), call.values[1]
    if not call.flags[1]:
        return call.run([target, value])
    return batching.padded(value, call.ndim(0)).to(target.dtype).expand(target.shape).clone()


@primitive("ZeroBackward0", name="zero", batch=batching.as_it_is)
def zero_op(input: Array) -> Any:
    return np.zeros_like(input)


zero_op.vjp(input=no_gradient)


@fill_number_op.tangent
@zero_op.tangent
def fill_tangent(op: Any, primals: Any, tangents: Any, attributes: Any, outs: Any) -> Any:
    return outs[0].new_zeros(outs[0].shape)


def fill_(self: Any, value: Any) -> Any:
    """Set every element."""
    if isinstance(value, Tensor):
        if value._array.ndim:
            raise RuntimeError(
                "fill_ only supports 0-dimension value tensor but got tensor with "
                f"{value._array.ndim} dimensions."
            )
        return change(fill_tensor_op, self, (value,), _assign)
    number = value

    def write(target: np.ndarray[Any, Any]) -> None:
        target[...] = checked_number(number, dtypes.of_array(target))

    return change(fill_number_op, self, (), write, (number,), overlap=True)


_C_NAMES = {
    "float16": "c10::Half", "bfloat16": "c10::BFloat16", "float32": "float", "float64": "double", "int32": "int",
}  # fmt: skip


def checked_number(value: Any, d: dtypes.dtype) -> Any:
    """A Python number for a tensor of this dtype, or PyTorch's error if it does not fit."""
    if d.category in (dtypes.BOOL, dtypes.COMPLEX):
        return value
    if isinstance(value, complex):
        if value.imag:
            raise _overflow(d)
        value = value.real
    if d.category == dtypes.FLOAT:
        if isinstance(value, float) and (abs(value) < 65504 or math.isinf(value)):
            return value
        if abs(value) > dtypes.finfo(d).max and not math.isinf(value):
            raise _overflow(d)
        return value
    info = np.iinfo(d.numpy)
    if not (-info.max - 1 if d.is_signed else -info.max) <= value <= info.max:
        raise _overflow(d)
    value = int(value)
    return value if d.is_signed or value >= 0 else value + info.max + 1


def _overflow(d: dtypes.dtype) -> RuntimeError:
    return RuntimeError(f"value cannot be converted to type {_C_NAMES.get(d.name, f'{d.name}_t')} without overflow")


def zero_(self: Any) -> Any:
    """Set every element to 0."""
    if is_simple_write(self):
        self._array.fill(0)
        self._bump_version()
        return self
    return change(zero_op, self, (), lambda target: target.fill(0), overlap=True)


set_methods(copy_=copy_, fill_=fill_, zero_=zero_)
FUNCTIONS["fill_"] = fill_
FUNCTIONS["zero_"] = zero_


# ---- strided views


@primitive("AsStridedBackward0", name="as_strided", view=True)
def as_strided_op(
    input: Array, size: tuple[int, ...], stride: tuple[int, ...], storage_offset: int, geometry: tuple[Any, ...]
) -> Any:
    """``geometry``: (shape, strides, storage offset) of the input, which its derivative needs."""
    if 0 in size:
        return np.empty(size, input.dtype)
    root = views.root_of(input)
    memory = _bytes_of(root)
    step = input.itemsize
    needed = (storage_offset + sum((n - 1) * s for n, s in zip(size, stride)) + 1) * step
    if needed > memory.size and input.__class__ is np.ndarray:
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {storage_offset}, and itemsize "
            f"{step} requiring a storage size of {needed} are out of bounds for storage of size {memory.size}"
        )
    return np.ndarray(size, input.dtype, memory, storage_offset * step, tuple(s * step for s in stride))


def _bytes_of(root: np.ndarray[Any, Any]) -> Any:
    """All of a root's memory as one array of bytes that keeps it alive."""
    if root.flags.c_contiguous:
        return root.reshape(-1).view(np.uint8)
    if root.flags.f_contiguous:
        return root.T.reshape(-1).view(np.uint8)
    n = 1 + sum((n - 1) * s for n, s in zip(root.shape, root.strides)) // root.itemsize
    return np.lib.stride_tricks.as_strided(root.view(), (n,), (root.itemsize,)).view(np.uint8)


@primitive("AsStridedScatterBackward0", name="restride", kind="linear")
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


as_strided_op.vjp(
    input=lambda g, size, stride, storage_offset, geometry, xp: xp.restride(g, size, stride, storage_offset, *geometry)
)


@as_strided_op.tangent
def as_strided_tangent(op: Any, primals: Any, tangents: Any, attributes: Any, outs: Any) -> Any:
    """A tangent may lie otherwise in memory than the value, whose strides are meant."""
    *there, here = attributes
    return restride_op(tangents[0], *here, *there)


@as_strided_op.batch
def as_strided_batched(call: batching.Call) -> Any:
    x = call.values[0]
    size, stride, offset = (call.attribute(name) for name in ("size", "stride", "storage_offset"))
    start = x.storage_offset() if offset is None else offset
    if x.stride(0) == 0 and call.size > 1:  # items that share their memory would share their gradients
        if not x.select(0, 0).is_contiguous():
            return None
        start -= x.storage_offset()
        x = x.contiguous()
    return x.as_strided((call.size, *size), (x.stride(0), *stride), start)


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


@public("as_strided", "as_strided")
def as_strided(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """A view of the storage by explicit sizes, strides (in elements) and offset."""
    at = input.storage_offset() if storage_offset is None else storage_offset
    if input.wraps:  # more of the memory may be asked for than a view shows
        input = input._owner_of_memory()
    array = input._array
    here = input.storage_offset()
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if any(s < 0 for s in stride):
        raise RuntimeError(
            f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}"
        )
    geometry = (array.shape, views.element_strides(array), here)
    return as_strided_op(input, tuple(size), tuple(stride), at, geometry)
