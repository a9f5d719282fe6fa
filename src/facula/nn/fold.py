"""Layers that only move elements: patches to columns, channels to space."""

from __future__ import annotations

from typing import Any

from .._tensor import Tensor
from ..ops._forms import FUNCTIONS
from . import functional as F
from .module import Module


class Unfold(Module):
    """The patches of images as columns."""

    def __init__(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        found: Tensor = F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)
        return found

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, stride={self.stride}"
        )


class Fold(Module):
    """Columns added up to images."""

    def __init__(
        self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
    ) -> None:
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        found: Tensor = F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)
        return found

    def extra_repr(self) -> str:
        return (
            f"output_size={self.output_size}, kernel_size={self.kernel_size}, dilation={self.dilation}, "
            f"padding={self.padding}, stride={self.stride}"
        )


class PixelShuffle(Module):
    """Channels to space: (channels · r², height, width) as (channels, height · r, width · r)."""

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        found: Tensor = FUNCTIONS["pixel_shuffle"](input, self.upscale_factor)
        return found

    def extra_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """Space to channels."""

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        found: Tensor = FUNCTIONS["pixel_unshuffle"](input, self.downscale_factor)
        return found

    def extra_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"


class ChannelShuffle(Module):
    """Channels dealt out anew among groups."""

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        found: Tensor = FUNCTIONS["channel_shuffle"](input, self.groups)
        return found

    def extra_repr(self) -> str:
        return f"groups={self.groups}"
