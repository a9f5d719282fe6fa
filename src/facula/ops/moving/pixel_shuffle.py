"""Moving channels into space and back, and among each other."""

from __future__ import annotations

from math import prod
from typing import Any

from ..._tensor import Tensor
from ..arrays.strides import lying_as
from ..arrays.types import Array
from ..machine import batching
from ..machine.primitive import primitive
from ..machine.public import public


@primitive("PixelShuffleBackward0", name="pixel_shuffle", kind="linear", batch=batching.last_dimensions)
def to_space_op(input: Array, upscale_factor: int) -> Any:
    r = upscale_factor
    *batch, channels, height, width = input.shape
    parts = input.reshape(prod(batch), channels // (r * r), r, r, height, width)
    shape = (*batch, channels // (r * r), height * r, width * r)
    return lying_as(parts.transpose(0, 1, 4, 2, 5, 3).copy().reshape(shape), input)


@primitive("PixelUnshuffleBackward0", name="pixel_unshuffle", kind="linear", batch=batching.last_dimensions)
def to_channels_op(input: Array, downscale_factor: int) -> Any:
    r = downscale_factor
    *batch, channels, height, width = input.shape
    parts = input.reshape(prod(batch), channels, height // r, r, width // r, r)
    shape = (*batch, channels * r * r, height // r, width // r)
    return lying_as(parts.transpose(0, 1, 3, 5, 2, 4).copy().reshape(shape), input)


to_space_op.vjp(input=lambda g, upscale_factor, xp: xp.pixel_unshuffle(g, upscale_factor))
to_channels_op.vjp(input=lambda g, downscale_factor, xp: xp.pixel_shuffle(g, downscale_factor))


@primitive("ChannelShuffleBackward0", name="channel_shuffle", kind="linear", batch=batching.joined_first)
def mixed_channels_op(input: Array, groups: int) -> Any:
    samples, channels, *sizes = input.shape
    parts = input.reshape(samples, groups, channels // groups, *sizes)
    return lying_as(parts.swapaxes(1, 2).copy().reshape(input.shape), input)


mixed_channels_op.vjp(input=lambda g, groups, input_shape, xp: xp.channel_shuffle(g, input_shape[1] // groups))


def _check_ndim(name: str, input: Tensor) -> Any:
    shape = input._array.shape
    if len(shape) < 3:
        raise RuntimeError(
            f"{name} expects input to have at least 3 dimensions, but got input with {len(shape)} dimension(s)"
        )
    return shape


@public("pixel_shuffle", functionals="pixel_shuffle")
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """(…, channels · r², height, width) as (…, channels, height · r, width · r)."""
    shape = _check_ndim("pixel_shuffle", input)
    if upscale_factor <= 0:
        raise RuntimeError(f"pixel_shuffle expects a positive upscale_factor, but got {upscale_factor}")
    square = upscale_factor**2
    if shape[-3] % square:
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            f"but input.size(-3)={shape[-3]} is not divisible by {square}"
        )
    return to_space_op(input, upscale_factor)


@public("pixel_unshuffle", functionals="pixel_unshuffle")
def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """The inverse of ``pixel_shuffle``."""
    shape = _check_ndim("pixel_unshuffle", input)
    if downscale_factor <= 0:
        raise RuntimeError(f"pixel_unshuffle expects a positive downscale_factor, but got {downscale_factor}")
    for at, side in ((-2, "height"), (-1, "width")):
        if shape[at] % downscale_factor:
            raise RuntimeError(
                f"pixel_unshuffle expects {side} to be divisible by downscale_factor, but input.size({at})={shape[at]} "
                f"is not divisible by {downscale_factor}"
            )
    return to_channels_op(input, downscale_factor)


@public("channel_shuffle native_channel_shuffle", functionals="channel_shuffle native_channel_shuffle")
def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Channels (dimension 1) dealt out anew: the first of each group, then the second of each…"""
    shape = input._array.shape
    if len(shape) < 3:
        raise RuntimeError(f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(shape)}")
    if groups <= 0:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    if shape[1] % groups:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {shape[1]} channels and {groups} groups."
        )
    return mixed_channels_op(input, groups)
