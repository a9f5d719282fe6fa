"""The inverse of max pooling: elements put back to where they came from, zeros elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Any

import numpy as np

from ..._core.devices import MetaArray, empty_meta
from ..._core.dtypes import not_for
from ..._tensor import Tensor
from ..arrays.images.windows import flat_places, take_from_planes
from ..arrays.strides import lying_as
from ..arrays.types import Array
from ..machine import batching
from ..machine.primitive import Primitive
from ..machine.public import public
from ..machine.refusals import scalar_type
from ..machine.rules import of_shape
from .planes import plane_ops
from .sizes import shape_list

Ints = tuple[int, ...]


def _unpool_op(spatial: int) -> Primitive:
    def kernel(input: Array, indices: Array, output_size: Ints) -> Any:
        shape = (*input.shape[:-spatial], *output_size)
        if input.__class__ is MetaArray:
            return empty_meta(shape, input.dtype)
        planes, size = prod(shape[:-spatial]), prod(output_size)
        out = np.zeros(planes * size, input.dtype)
        if input.size:
            out[flat_places(indices, planes, size).reshape(-1)] = input.reshape(-1)
        return lying_as(out.reshape(shape), input)

    def take(input: Array, indices: Array) -> Any:
        return take_from_planes(input, indices, spatial)

    name = f"max_unpool{spatial}d"
    batch = batching.joined_samples(spatial)
    op = Primitive(name, kernel, f"MaxUnpool{spatial}DBackward0", kind="linear", batch=batch)
    op.vjp(input=lambda g, indices, xp: getattr(xp, f"{name}_backward")(g, indices))
    plane_ops(f"{name}_backward_backward", f"MaxUnpool{spatial}DBackwardBackward0", spatial)
    Primitive(f"{name}_backward", take, "GatherBackward0", kind="linear", batch=batch).vjp(
        input=lambda g, indices, input_shape, xp: getattr(xp, f"{name}_backward_backward")(
            g, of_shape(input_shape, g, xp), indices
        )
    )
    return op


_UNPOOL = {n: _unpool_op(n) for n in (2, 3)}


def _unpool(spatial: int, input: Tensor, indices: Tensor, output_size: Ints) -> Tensor:
    shape = input._array.shape
    if indices._array.dtype != np.int64:
        got = f" but got: {scalar_type(indices)}" if spatial == 2 else ""
        raise RuntimeError(f"elements in indices should be type int64{got}")
    if len(shape) not in (spatial + 1, spatial + 2):
        raise RuntimeError(
            f"Input to max_unpooling{spatial}d should be a {spatial + 1}d or {spatial + 2}d Tensor, but got a tensor "
            f"with {len(shape)} dimensions."
        )
    if indices._array.shape != shape:
        raise RuntimeError(
            f"Expected shape of indices to be same as that of the input tensor ({list(shape)}) but got indices tensor "
            f"with shape: {shape_list(indices)}"
        )
    for i in range(1, len(shape)):
        if shape[i] == 0:
            raise RuntimeError(
                f"max_unpooling{spatial}d_forward_out_cpu(): Expected input to have non-zero size for non-batch "
                f"dimensions, but got {list(shape)} with dimension {i} being empty."
            )
    if input._array.dtype.kind not in "fV":
        raise not_for(f"max_unpool{spatial}d", input.dtype)
    places = indices._array
    wrong = places[(places < 0) | (places >= prod(output_size))] if places.__class__ is np.ndarray else places[:0]
    if wrong.size:
        volume = "x".join(map(str, output_size))
        raise RuntimeError(f"Found an invalid max index: {wrong[0]} (output volumes are of size {volume})")
    found: Tensor = _UNPOOL[spatial](input, indices, output_size)
    return found


def _per_dim(value: Any, n: int) -> Any:
    return tuple(value) if isinstance(value, Iterable) else (value,) * n


def unpooled_size(input: Tensor, kernel: Any, stride: Any, padding: Any, output_size: Any) -> Ints:
    """The size that pooling would have made the input's size of; several would: ``output_size`` chooses."""
    n = len(kernel)
    shape = input._array.shape
    usual = [(shape[d - n] - 1) * stride[d] + kernel[d] - 2 * padding[d] for d in range(n)]
    if output_size is None:
        return tuple(usual)
    if len(output_size) == n + 2:
        output_size = output_size[2:]
    if len(output_size) != n:
        raise ValueError(
            f"output_size should be a sequence containing {n} or {n + 2} elements, but it has a length of "
            f"'{len(output_size)}'"
        )
    for d in range(n):
        least, most = usual[d] - stride[d], usual[d] + stride[d]
        if not least < output_size[d] < most:
            raise ValueError(
                f'invalid output_size "{output_size}" (dim {d} must be between {least} and {most})'
            )
    return tuple(output_size)


def _form(n: int) -> None:
    @public(functionals=f"max_unpool{n}d", autocast="full" if n > 1 else None)
    def max_unpool(
        input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
    ) -> Tensor:
        """Each element put to the place that its index names in a plane of zeros."""
        kernel = _per_dim(kernel_size, n)
        if len(kernel) < n:
            wanted = "three elements (depth, height, width)" if n == 3 else "two elements (height, width)"
            given = len(kernel) + (n == 1)
            raise RuntimeError(f"There should be exactly {wanted} in output_size, but got {given} elements.")
        step = kernel if stride is None else _per_dim(stride, n)
        size = unpooled_size(input, kernel, step, _per_dim(padding, n), output_size)
        if n == 1:
            return _unpool(2, input.unsqueeze(-1), indices.unsqueeze(-1), (*size, 1)).squeeze(-1)
        if n == 3 and min(step) <= 0:
            raise RuntimeError(f"strides should be greater than zero, but got stride: {list(step)}")
        return _unpool(n, input, indices, size)


for _n in (1, 2, 3):
    _form(_n)
