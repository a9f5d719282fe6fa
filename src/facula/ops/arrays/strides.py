"""Arrays over the memory of others, by shapes and strides."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core.devices import MetaArray, empty_meta
from ..._core.new_memory import unset
from ..._core.strides import address, bytes_of, root_of, storage_offset
from ..._core.unresolved import bits_of, memory_of, seen_by


def resized(array: Any, shape: tuple[int, ...]) -> Any:
    """The storage from this array's offset on in another shape; a larger copy of it if it is too small."""
    if isinstance(array, MetaArray):
        return seen_by(empty_meta(shape, array.dtype), array.bits)
    bits, array = bits_of(array), memory_of(array)
    numel = math.prod(shape)
    memory = bytes_of(root_of(array))
    offset = storage_offset(array) * array.itemsize if array.size else 0
    if offset + numel * array.itemsize > memory.size:
        larger = np.zeros(offset + numel * array.itemsize, np.uint8)
        unset(larger[offset:].view(array.dtype))
        larger[: memory.size] = memory
        memory = larger
    return seen_by(np.ndarray(shape, array.dtype, memory, offset), bits)


def strided(array: Any, shape: tuple[int, ...], strides: tuple[int, ...], skip: int = 0) -> Any:
    """The memory of ``array``, from ``skip`` bytes on, by another shape and other strides in bytes."""
    if array.__class__ is not np.ndarray:
        return np.lib.stride_tricks.as_strided(array, shape, strides, subok=True)
    if array.flags.c_contiguous:
        return np.ndarray(shape, array.dtype, array, skip, strides)
    root = root_of(array)
    return np.ndarray(shape, array.dtype, bytes_of(root), address(array) - address(root) + skip, strides)


def viewed(array: Any, shape: tuple[int, ...]) -> Any:
    """An array in another shape, over its memory if that can be; with PyTorch's strides for sizes of 1."""
    view = array.reshape(shape)
    sizes = array.shape
    if 1 not in (shape := view.shape) or array.__class__ is not np.ndarray or not sizes or not array.size:
        return view
    if array.flags.c_contiguous and 1 not in sizes:
        return view
    steps = _view_strides(sizes, array.strides, shape)
    return view if view.strides == steps or not np.may_share_memory(view, array) else strided(array, shape, steps)


def _view_strides(sizes: tuple[int, ...], steps: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, ...]:
    """Dimensions that lie as one in memory are taken together, from the last one on, and cut anew."""
    new = [0] * len(shape)
    at, step, numel, taken = len(shape) - 1, steps[-1], 1, 1
    for d in range(len(sizes) - 1, -1, -1):
        numel *= sizes[d]
        if d and (sizes[d - 1] == 1 or steps[d - 1] == numel * step):
            continue
        while at >= 0 and (taken < numel or shape[at] == 1):
            new[at] = taken * step
            taken *= shape[at]
            at -= 1
        if d:
            step, numel, taken = steps[d - 1], 1, 1
    return tuple(new)


def lying_as(out: Any, like: Any) -> Any:
    """A result with its channels last in memory, if an array of the same dimensions has."""
    if out.__class__ is not np.ndarray or out.ndim != like.ndim or not is_channels_last(like):
        return out
    return with_channels_last(out)


def with_channels_last(out: Any) -> Any:
    """A batch of images whose channels are last in memory."""
    order = (0, *range(2, out.ndim), 1)
    found = np.ascontiguousarray(out.transpose(order)).transpose(np.argsort(order))
    if 1 not in found.shape or not found.size:
        return found
    steps, step = [0] * found.ndim, found.itemsize
    for d in (1, *range(found.ndim - 1, 1, -1), 0):
        steps[d] = step
        step *= found.shape[d]
    return np.ndarray(found.shape, found.dtype, bytes_of(root_of(found)), 0, tuple(steps))


def pooled_as(out: Any, like: Any, spatial: int) -> Any:
    """A result of pooling: its channels last if those of the batch are (in space, also of one item), else by rows."""
    if out.__class__ is not np.ndarray or (
        out.flags.c_contiguous and like.flags.c_contiguous and like.shape[-spatial - 1] != 1
    ):
        return out
    if spatial == 3 and out.ndim == 4:
        batch = strided(like, (1, *like.shape), (like.nbytes, *like.strides))
        return pooled_as(out[None], batch, spatial)[0]
    is_last = out.ndim == spatial + 2 and is_channels_last(like)
    return lying_as(out, like) if is_last else np.ascontiguousarray(out)


def is_dense_channels_last(array: Any) -> bool:
    """Whether all elements lie in the order of channels last, and in no other; dimensions of size 1 do not count."""
    if array.ndim not in (4, 5) or array.flags.c_contiguous:
        return False
    return bool(array.transpose(0, *range(2, array.ndim), 1).flags.c_contiguous)


def is_channels_last(array: Any) -> bool:
    """Whether the channels of a batch of images lie together: strides grow from them over the planes to the batch."""
    if array.ndim not in (4, 5) or array.strides[1] == 0:
        return False
    if array.flags.c_contiguous and array.shape[1] != 1 != array.shape[-1]:
        return False
    least = 0
    for d in (1, *range(array.ndim - 1, 1, -1), 0):
        n, stride = array.shape[d], array.strides[d]
        if n == 0 or stride < least or (d == 0 and least == array.strides[1]):
            return False
        least = stride * n
    return True


def convolved_as(out: Any, input: Any, weight: Any) -> Any:
    """A result with channels last in memory if the input has, or the weight; of sequences, the weight alone."""
    if out.ndim != 3:
        return lying_as(lying_as(out, weight), input)
    if weight.flags.c_contiguous or weight.__class__ is not np.ndarray:
        return out
    *outer, length = weight.shape
    *steps, step = weight.strides
    return lying_as(out[:, :, None], strided(weight, (*outer, 1, length), (*steps, length * step, step)))[:, :, 0]
