"""Channels to space and back."""

from __future__ import annotations

from ..._tensor import Tensor
from ...ops.machine.public import FUNCTIONS
from .module import Module


class PixelShuffle(Module):
    """Channels to space: (channels · r², height, width) as (channels, height · r, width · r)."""

    __constants__ = ["upscale_factor"]

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

    __constants__ = ["downscale_factor"]

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        found: Tensor = FUNCTIONS["pixel_unshuffle"](input, self.downscale_factor)
        return found

    def extra_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"
