"""Channels in another order."""

from __future__ import annotations

from ..._tensor import Tensor
from ...ops.machine.public import FUNCTIONS
from .module import Module


class ChannelShuffle(Module):
    """Channels dealt out anew among groups."""

    __constants__ = ["groups"]

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        found: Tensor = FUNCTIONS["channel_shuffle"](input, self.groups)
        return found

    def extra_repr(self) -> str:
        return f"groups={self.groups}"
