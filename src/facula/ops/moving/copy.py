"""Copies of tensors, also in another dtype, and copies into tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import dtypes, layouts
from ..._core.devices import MetaArray
from ..._core.strides import copied, lying_as_copy_of
from ..._lazy import set_methods
from ..._tensor import Tensor
from ...autograd.saved import PLAIN
from ...overrides import call_override, overridden
from ..arrays.types import Array
from ..creation.create import tensor
from ..machine import batching
from ..machine.arguments import is_number, unscaled
from ..machine.call import is_apart
from ..machine.deprecated import warn_of_lost_parts
from ..machine.errors import type_of
from ..machine.operands import common_shape
from ..machine.overridable import overridable
from ..machine.primitive import primitive
from ..machine.public import public
from ..machine.rules import fit, no_gradient
from ..machine.write import change, check_no_partial_overlap, is_simple_write, output_shape_error, refused_first


@primitive("ToCopyBackward0", lowering="input", kind="linear")
def cast_op(input: Array, dtype: np.dtype[Any], memory_format: Any = None) -> Any:
    array = dtypes.cast(input if isinstance(input, np.ndarray) else np.asarray(input), dtype)
    return lying_as_copy_of(input, array) if memory_format is None else in_format(array, memory_format)


@cast_op.vjp("input")
def cast_gradient_of_input(g: Any, input_dtype: Any, xp: Any) -> Any:
    return xp.cast(g, input_dtype)


@cast_op.batch
def cast_batched(call: batching.Call) -> Any:
    return cast_op(call.values[0], call.attributes[0])  # an order in memory would be one of all dimensions


@primitive("CloneBackward0", lowering="input", kind="linear")
def clone_op(input: Array, memory_format: Any = None) -> Any:
    if memory_format is not None and memory_format is not layouts.preserve_format:
        return in_format(input, memory_format)
    return copied(input)


def in_format(array: Any, memory_format: Any) -> Any:
    """A copy whose dimensions lie in memory as the format says."""
    order = layouts.axis_order(memory_format, array.ndim)
    dense = array.transpose(order).copy()
    return dense.transpose([order.index(i) for i in range(array.ndim)])


clone_op.vjp(input=lambda g: g)


@clone_op.batch
def clone_batched(call: batching.Call) -> Any:
    format = layouts.contiguous_format
    return clone_op(call.values[0], *[format] if call.attributes[0] is format else [])  # others order all dimensions


@public("clone", "clone")
def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """A copy with the same values, and history."""
    return clone_op(input) if memory_format is None else clone_op(input, memory_format)


@primitive("CopyBackwards", lowering="src", name="copy", kind="linear")
def copy_op(input: Array, src: Array) -> Any:
    return np.broadcast_to(src, input.shape).copy()  # it is written to where ``src`` may lie


copy_op.vjp(input=no_gradient, src=lambda g, src_shape, src_dtype, xp: fit(g, src_shape, src_dtype, xp))


@copy_op.batch
def copy_batched(call: batching.Call) -> Any:
    target, source = call.full(0), call.values[1]
    if call.flags[1]:
        source = batching.padded(source, call.ndim(0)).expand(target.shape)
    return call.run([target, source])


def copy_(self: Any, other: Any, non_blocking: bool = False) -> Any:
    """Write ``other`` into this tensor, broadcast and cast."""
    if type(other) in PLAIN and is_simple_write(self, other):
        target, source = self._array, other._array
        if (
            source.dtype is target.dtype and source.shape == target.shape and source.__class__ is target.__class__
            and is_apart(target, source)
        ):  # fmt: skip
            target[...] = source
            self._bump_version()
            return self
    if not isinstance(other, Tensor):
        if isinstance(other, np.generic):
            other = unscaled(other)
        if not is_number(other):
            if overridden((other,)):
                return call_override(copy_, copy_, (self, other, non_blocking)[: 2 + non_blocking], {})
            raise TypeError(f"copy_(): argument 'other' (position 1) must be Tensor, not {type_of(other)}")
        other = tensor(other)
    try:
        check_no_partial_overlap(self._array, other._array)
        if self._array.shape != other._array.shape:
            shape = common_shape(self._array.shape, other._array.shape)
            if shape != self._array.shape:
                raise output_shape_error(self._array.shape, shape)
    except RuntimeError as e:
        raise refused_first(e, self, other) from None
    target, source = self._array, other._array
    is_itself = other is self or (
        type(target) is type(source) is np.ndarray
        and target.__array_interface__["data"] == source.__array_interface__["data"]
        and (target.shape, target.strides, target.dtype) == (source.shape, source.strides, source.dtype)
    )
    return change(copy_op, self, (other,), assign, overlap=is_itself)


def assign(target: np.ndarray[Any, Any], source: Any) -> None:
    """Write an array into another, of a complex one the real part into a real one."""
    if source.dtype.kind == "c" and target.dtype.kind not in "cb":
        if source.size:
            warn_of_lost_parts(source.dtype, target.dtype)
        source = source.real
    if source.__class__ is MetaArray and target.__class__ is not MetaArray:
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")
    if np.may_share_memory(target, source):
        source = source.copy()
    target[...] = source


def module_load(self: Tensor, other: Tensor, assign: bool = False) -> Tensor:
    """What takes this tensor's place in a module when ``other`` is loaded: itself with other values, or ``other``."""
    if overridden((self, other)):
        return call_override(module_load, module_load, (self, other), {"assign": assign})
    return (other if assign else self.copy_(other)).detach()


set_methods(copy_=copy_, module_load=module_load)
overridable(copy_)
