"""Resampling to another size as modules."""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from .. import functional as F
from .module import Module


def _as_floats(factor: Any) -> Any:
    if isinstance(factor, tuple):
        return tuple(map(float, factor))
    return float(factor) if factor else None


class Upsample(Module):
    """``nn.functional.interpolate`` to a size, or by a factor."""

    __constants__ = ["size", "scale_factor", "mode", "align_corners", "name", "recompute_scale_factor"]

    def __init__(
        self, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        vars(self).update(
            name=type(self).__name__, size=size, scale_factor=_as_floats(scale_factor), mode=mode,
            align_corners=align_corners, recompute_scale_factor=recompute_scale_factor,
        )  # fmt: skip

    def forward(self, input: Tensor) -> Tensor:
        found: Tensor = F.interpolate(
            input, self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor
        )
        return found

    def extra_repr(self) -> str:
        size = f"scale_factor={self.scale_factor!r}" if self.scale_factor is not None else f"size={self.size!r}"
        return f"{size}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Images made larger by repeating the nearest neighbour."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Images made larger linearly, corners aligned."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
