"""``unfold`` and ``fold`` of images: patches as columns, and columns added up to an image again."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ..._core.devices import MetaArray, empty_meta
from ..._core.dtypes import not_for, widened
from ..._tensor import Tensor
from ..arrays.images.patches import Sizes, extended, out_sizes, patches, spots
from ..arrays.types import Array
from ..machine import batching
from ..machine.arguments import as_int
from ..machine.errors import WrongArgument
from ..machine.primitive import primitive
from ..machine.public import FUNCTIONALS, public

# ---- the primitives, adjoints of each other; a missing batch dimension stays missing


@primitive(
    "Im2ColBackward0", saved_names={"input_shape": {-i: f"self_sym_argsize_minus_{i}" for i in (1, 2)}}, kind="linear"
)
def im2col_op(
    input: Array, kernel_size: Sizes, dilation: Sizes, padding: Sizes, stride: Sizes
) -> Any:
    """(samples, channels * kernel, places): each column is the patch that the kernel sees from one place."""
    out = out_sizes(input.shape[-2:], kernel_size, stride, padding, dilation)
    shape = (*input.shape[:-3], input.shape[-3] * prod(kernel_size), prod(out))
    if input.__class__ is MetaArray:
        return empty_meta(shape, input.dtype)
    x = extended(input if input.ndim == 4 else input[None], padding, padding)
    return patches(x, kernel_size, out, stride, dilation).copy().reshape(shape)


@primitive("Col2ImBackward0", kind="linear")
def col2im_op(
    input: Array, output_size: Sizes, kernel_size: Sizes, dilation: Sizes, padding: Sizes, stride: Sizes
) -> Any:
    """(samples, channels, *output_size): sums of what the columns hold for each place."""
    channels = input.shape[-2] // prod(kernel_size)
    shape = (*input.shape[:-2], channels, *output_size)
    if input.__class__ is MetaArray:
        return empty_meta(shape, input.dtype)
    out = out_sizes(output_size, kernel_size, stride, padding, dilation)
    columns = widened(input).reshape(-1, channels, *kernel_size, *out)
    wide = [n + 2 * p for n, p in zip(output_size, padding)]
    x = np.zeros((columns.shape[0], channels, *wide), columns.dtype)
    for (i, j), seen in spots(kernel_size, out, stride, dilation):
        x[(..., *seen)] += columns[:, :, i, j]
    inside: Any = (..., *[slice(p, p + n) for p, n in zip(padding, output_size)])
    return np.ascontiguousarray(x[inside].reshape(shape), input.dtype)


im2col_op.vjp(
    input=lambda g, input_shape, kernel_size, dilation, padding, stride, xp: xp.col2im(
        g, input_shape[-2:], kernel_size, dilation, padding, stride
    )
)
col2im_op.vjp(
    input=lambda g, kernel_size, dilation, padding, stride, xp: xp.im2col(g, kernel_size, dilation, padding, stride)
)


def _joined_samples(call: batching.Call, own: int) -> Any:
    """The batch joins the samples, if tensors of ``own`` dimensions have any."""
    if call.ndim() != own:
        return call.run([call.full(0)])
    return batching.parted(call.run([batching.joined(call.full(0))]), call.size)


im2col_op.batch(lambda call: _joined_samples(call, 4))
col2im_op.batch(lambda call: _joined_samples(call, 3))


# ---- public


def _pair(name: str, value: Any) -> Sizes:
    if not isinstance(value, (tuple, list)):
        try:
            return (as_int(value),) * 2
        except TypeError:
            raise WrongArgument(name, value, "tuple of ints") from None
    pair = []
    for at, v in enumerate(value):
        try:
            pair.append(as_int(v))
        except TypeError:
            told = f"tuple of ints, but found element of type {type(v).__name__} at pos {at}"
            raise WrongArgument(name, value, told) from None
    if len(pair) != 2:
        raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(pair)}")
    return tuple(pair)


def _check_window(kernel: Sizes, dilation: Sizes, padding: Sizes, stride: Sizes) -> None:
    named = (("kernel size", "kernel", kernel), ("stride", "stride", stride), ("dilation", "dilation", dilation))
    for name, short, values in named:
        if min(values) <= 0:
            raise RuntimeError(
                f"{name} should be greater than zero, but got {short}_height: {values[0]} {short}_width: {values[1]}"
            )
    if min(padding) < 0:
        raise RuntimeError(
            f"padding should be non-negative, but got pad_height: {padding[0]} pad_width: {padding[1]}"
        )


def _told(sizes: Sizes) -> str:
    return f"({sizes[0]}, {sizes[1]})"


def _refuse_integers(kernel: str, input: Tensor) -> None:
    if input._array.dtype.kind in "iu":
        raise not_for(kernel, input.dtype)


@public(name="im2col")
def unfold(
    input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Tensor:
    """The patches of images (batch, channels, height, width) as columns (batch, channels * kernel, places)."""
    kernel, between = _pair("kernel_size", kernel_size), _pair("dilation", dilation)
    around, step = _pair("padding", padding), _pair("stride", stride)
    _check_window(kernel, between, around, step)
    shape = input._array.shape
    if len(shape) < 3:
        n = max(len(shape), 1)
        raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {len(shape)})")
    if len(shape) > 4 or 0 in shape[len(shape) - 3 :]:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, "
            f"but got: {list(shape)}"
        )
    out = out_sizes(shape[-2:], kernel, step, around, between)
    if min(out) < 1:
        raise RuntimeError(
            f"Given input with spatial size {_told(shape[-2:])}, kernel_size={_told(kernel)}, "
            f"dilation={_told(between)}, padding={_told(around)}, calculated shape of the array of sliding blocks as "
            f"{_told(out)}, but its components must be at least one."
        )
    _refuse_integers("im2col_out_cpu", input)
    return im2col_op(input, kernel, between, around, step)


@public(name="col2im")
def fold(
    input: Tensor, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Tensor:
    """Images of this size from columns (batch, channels * kernel, places): where patches overlap they are summed."""
    size, kernel = _pair("output_size", output_size), _pair("kernel_size", kernel_size)
    between, around, step = _pair("dilation", dilation), _pair("padding", padding), _pair("stride", stride)
    _check_window(kernel, between, around, step)
    shape = input._array.shape
    if len(shape) not in (2, 3) or 0 in shape[len(shape) - 2 :]:
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for "
            f"input, but got: {list(shape)}"
        )
    at = len(shape) - 2
    if shape[at] % prod(kernel):
        raise RuntimeError(
            f"Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
            f"input.size(1)={shape[at]} and kernel_size={_told(kernel)}."
        )
    out = out_sizes(size, kernel, step, around, between)
    if shape[at + 1] != prod(out):
        raise RuntimeError(
            f"Given output_size={_told(size)}, kernel_size={_told(kernel)}, dilation={_told(between)}, "
            f"padding={_told(around)}, stride={_told(step)}, expected size of input's dimension 2 to match the "
            f"calculated number of sliding blocks {out[0]} * {out[1]} = {prod(out)}, but got "
            f"input.size(2)={shape[at + 1]}."
        )
    if min(out) < 1:
        raise RuntimeError(
            f"Given output_size={_told(size)}, kernel_size={_told(kernel)}, dilation={_told(between)}, "
            f"padding={_told(around)}, stride={_told(step)}, calculated shape of the array of sliding blocks as "
            f"{_told(out)}, but its components must be at least one."
        )
    _refuse_integers("col2im_out_cpu", input)
    return col2im_op(input, size, kernel, between, around, step)


FUNCTIONALS.update(unfold=unfold.public, fold=fold.public)  # type: ignore[attr-defined]
