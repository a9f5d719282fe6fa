"""Views in place: a tensor takes on another shape over its own memory. resize_ and set_ exchange the memory."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core import layouts, state, strides
from ..._core.dtypes import cpp_name
from ..._core.strides import bytes_of
from ..._core.unresolved import bits_of, memory_of, seen_by
from ..._tensor import Tensor
from ...autograd import views
from ...autograd.meta import remember_shape
from ..arrays.strides import resized
from ..arrays.types import Array
from ..machine import batching
from ..machine.arguments import as_int, one_dim, size_tuple
from ..machine.primitive import Primitive, primitive
from ..machine.public import public
from ..machine.write import needs_gradient
from .shape import _several_dims, ints, new_dim, squeeze_all_op, squeeze_dims_op, squeeze_op, unsqueeze_op
from .strided import as_strided_op
from .transpose import more_than_a_matrix, t_op, transpose_op


def become_view(self: Any, op: Primitive, *attributes: Any) -> Any:
    """Let a tensor be the view of itself that ``op`` makes."""
    if self.wraps:
        from ..._levels import links  # loaded when first used

        others = links.views_of(self)
        before = links.replica(self)
        links.take(self, op(before, *attributes))
        for view in others:
            links.relink(view, before)
        return self
    views.check_inplace(self, state.grad_enabled() and self.requires_grad)
    _take_other_array(self)
    made = op(self, *attributes)
    if made._node is None and made._array.shape != self._array.shape:
        remember_shape(self)
    self._array = made._array
    self._bump_version()
    node = made._node
    if node is not None:
        self._set_node(node)  # hooks, and what retain_grad asked for, stay with the node before, as in PyTorch
    return self


def _take_other_array(self: Tensor) -> None:
    """Tell a program that is captured."""
    if state.special and state.modes.capture is not None:
        state.modes.capture.rebind(self)


def _in_place(op: Primitive, node: str) -> Any:
    """The same view under the name that PyTorch's graph gives its in-place form."""
    return op.under(f"{op.name}_inplace", node)


_t_op, _transpose_op = _in_place(t_op, "TBackward1"), _in_place(transpose_op, "TransposeBackward1")
_unsqueeze_op = _in_place(unsqueeze_op, "UnsqueezeBackward1")
_squeeze_all_op = _in_place(squeeze_all_op, "SqueezeBackward3")
_squeeze_one_op = _in_place(squeeze_op, "SqueezeBackward4")
_as_strided_op = _in_place(as_strided_op, "AsStridedBackward1")
_squeeze_several_op = _in_place(squeeze_dims_op, "SqueezeBackward5")


@public("", "t_")
def t_(input: Tensor) -> Any:
    """``t`` in place."""
    if input._array.ndim > 2:
        raise more_than_a_matrix(input, "t_")
    return become_view(input, _t_op)


@public("", "transpose_ swapdims_")
def transpose_(input: Tensor, dim0: int, dim1: int) -> Any:
    """``transpose`` in place."""
    ndim = input._array.ndim
    return become_view(input, _transpose_op, one_dim(dim0, ndim), one_dim(dim1, ndim))


@public("", "swapaxes_")
def swapaxes_(input: Tensor, axis0: int, axis1: int) -> Any:
    """``swapaxes`` in place."""
    return transpose_(input, axis0, axis1)


@public("", "unsqueeze_")
def unsqueeze_(input: Tensor, dim: int) -> Any:
    """``unsqueeze`` in place."""
    return become_view(input, _unsqueeze_op, new_dim(dim, input._array.ndim))


@public("", "squeeze_")
def squeeze_(input: Tensor, dim: Any = None, *more: Any) -> Any:
    """``squeeze`` in place."""
    if more:
        dim = ints("squeeze_", "dim", (dim, *more))
    if dim is None:
        return become_view(input, _squeeze_all_op)
    if isinstance(dim, (tuple, list)):
        return become_view(input, _squeeze_several_op, _several_dims(dim, input._array.ndim))
    return become_view(input, _squeeze_one_op, one_dim(dim, input._array.ndim))


@public("as_strided_", "as_strided_")
def as_strided_(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Any:
    """``as_strided`` in place."""
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    array = input._array
    here = strides.storage_offset(array)
    geometry = (array.shape, strides.element_strides(array), here)
    at = here if storage_offset is None else as_int(storage_offset)
    return become_view(input, _as_strided_op, size_tuple(size), size_tuple(stride), at, geometry)


# ---- other memory


def _refuse_gradients(self: Tensor) -> None:
    if self.requires_grad and not state.modes.inference:
        raise RuntimeError("cannot resize variables that require grad")


@public("", "resize_")
def resize_(input: Tensor, *size: Any, memory_format: Any = None) -> Any:
    """Another shape over the same storage, which grows if need be; new elements are undefined."""
    if not size:
        raise TypeError('resize_() missing 1 required positional arguments: "size"')
    _refuse_gradients(input)
    if memory_format is layouts.preserve_format:
        raise RuntimeError("Unsupported memory formatPreserve")
    shape = size_tuple(size)
    if min(shape, default=0) < 0:
        raise RuntimeError("numel: integer multiplication overflow")
    if math.prod(shape) * input._array.itemsize >= 2**63:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(shape)}")
    if math.prod([max(n, 1) for n in shape]) >= 2**63:
        raise RuntimeError("Stride calculation overflowed")
    views.check_inplace(input, False)
    order = layouts.axis_order(memory_format, len(shape))
    if shape != input._array.shape or memory_format is not None:
        state.refuse_capture("resize_()")
        remember_shape(input)
        outer = tuple(shape[i] for i in order)
        input._array = resized(input._array, outer).transpose([order.index(i) for i in range(len(order))])
        input._bump_version()
    return input


@public("resize_as_", "resize_as_")
def resize_as_(input: Tensor, the_template: Tensor, *, memory_format: Any = None) -> Any:
    """``resize_`` to another tensor's shape."""
    if memory_format is layouts.preserve_format:
        array = the_template._array
        formats = (layouts.channels_last, layouts.channels_last_3d)
        memory_format = next((f for f in formats if the_template.is_contiguous(memory_format=f)), None)
        if array.flags.c_contiguous:
            memory_format = None
    return resize_(input, the_template._array.shape, memory_format=memory_format)


@primitive("NotImplemented", name="set_", batch=batching.item_by_item)
def set_op(input: Array, source: Array) -> Any:
    return source


@set_op.vjp("input", "source")
def set_gradient(g: Any) -> Any:
    raise RuntimeError("derivative for set_ is not implemented")


@public("", "set_")
def set_(input: Tensor, source: Any = None, storage_offset: int = 0, size: Any = None, stride: Any = None) -> Any:
    """Another tensor's (or storage's) memory in place of this one's."""
    others = (source,) if isinstance(source, Tensor) else ()
    requires = needs_gradient(input, *others)
    views.check_inplace(input, requires)
    state.refuse_capture("set_()")
    node = None
    if requires and input._base is None:
        tensors = (input, others[0] if others else input)
        node = set_op.make_node(None, tensors, (), set_op.edges_of(tensors), like=input)
    bits, dt = bits_of(input._array), memory_of(input._array).dtype
    if source is None:
        array = np.empty((0,), dt)
    elif isinstance(source, Tensor):
        array = memory_of(source._array)
        if array.dtype != dt:
            raise RuntimeError(
                f"Could not set tensor of type {cpp_name(source.dtype)} to a tensor of type {cpp_name(input.dtype)}"
            )
        if size is not None:
            array = _strided_memory(strides.root_of(array), dt, storage_offset, size, stride)
    else:
        from ..._core.storage import check_storage  # loaded when first used

        check_storage(source, input.dtype, cpp_name(input.dtype), "type {} for argument 1 'storage'")
        memory = source.untyped()._bytes
        whole = (memory.size // dt.itemsize,)
        array = _strided_memory(memory, dt, storage_offset, whole if size is None else size, stride)
    if array.shape != input._array.shape:
        remember_shape(input)
    input._array = seen_by(array, bits)
    input._bump_version()
    if input._meta is not None and input._meta.accumulator is not None:
        input._own_meta().accumulator = None  # graphs that lead to the old memory's gradient do not lead here
    if node is not None:
        views.rebase_history(input, node)
    return input


def _span(offset: int, shape: Any, stride: Any) -> int:
    """How many elements of a storage lie before the end of such a tensor."""
    if any(size <= 0 for size in shape):
        return 0
    if not stride:
        return offset + math.prod(shape)
    return offset + 1 + sum((size - 1) * step for size, step in zip(shape, stride))


def _strided_memory(root: Any, dt: Any, offset: int, size: Any, stride: Any) -> Any:
    shape = size_tuple((tuple(size),))
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    if stride and len(shape) != len(stride):
        raise RuntimeError(f"unequal size length ({len(shape)}) and stride length ({len(stride)})")
    memory = bytes_of(root)
    if (needed := dt.itemsize * _span(offset, shape, stride)) > memory.size:
        rows = stride or [math.prod(shape[i + 1 :]) for i in range(len(shape))]
        raise RuntimeError(
            f"setStorage: sizes {list(shape)}, strides {list(rows)}, storage offset {offset}, and itemsize "
            f"{dt.itemsize} requiring a storage size of {needed} are out of bounds for storage of size {memory.size}"
        )
    steps = tuple(s * dt.itemsize for s in stride) if stride else None  # none at all: one row after the other
    return np.ndarray(shape, dt, memory, offset * dt.itemsize, steps)


