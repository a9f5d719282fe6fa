"""Layers that put something around their input."""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from .. import functional as F
from .module import Module
from .utils import _ntuple


class _PadNd(Module):
    """``sides`` counts the ends of the padded dimensions; one number is meant for each of them."""

    sides: int
    mode: str
    padding: tuple[int, ...]

    def _set_padding(self, padding: Any) -> None:
        self.padding = _ntuple(self.sides)(padding)


class _ConstantPadNd(_PadNd):
    __constants__ = ["padding", "value"]
    value: float

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPadNd):
    """One value around the last dimension."""

    sides = 2

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__()
        self.value = value
        self._set_padding(padding)


class ConstantPad2d(_ConstantPadNd):
    """One value around the last two dimensions."""

    sides = 4

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__()
        self.value = value
        self._set_padding(padding)


class ConstantPad3d(_ConstantPadNd):
    """One value around the last three dimensions."""

    sides = 6

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__()
        self.value = value
        self._set_padding(padding)


class ZeroPad1d(ConstantPad1d):
    """Zeros around the last dimension."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad2d(ConstantPad2d):
    """Zeros around the last two dimensions."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad3d(ConstantPad3d):
    """Zeros around the last three dimensions."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _BorderPadNd(_PadNd):
    """Padding by values of the input itself."""

    __constants__ = ["padding"]

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self._set_padding(padding)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ReflectionPadNd(_BorderPadNd):
    mode = "reflect"


class ReflectionPad1d(_ReflectionPadNd):
    """The last dimension mirrored at its ends."""

    sides = 2


class ReflectionPad2d(_ReflectionPadNd):
    """The last two dimensions mirrored at their ends."""

    sides = 4


class ReflectionPad3d(_ReflectionPadNd):
    """The last three dimensions mirrored at their ends."""

    sides = 6


class _ReplicationPadNd(_BorderPadNd):
    mode = "replicate"


class ReplicationPad1d(_ReplicationPadNd):
    """The ends of the last dimension repeated."""

    sides = 2


class ReplicationPad2d(_ReplicationPadNd):
    """The ends of the last two dimensions repeated."""

    sides = 4


class ReplicationPad3d(_ReplicationPadNd):
    """The ends of the last three dimensions repeated."""

    sides = 6


class _CircularPadNd(_BorderPadNd):
    mode = "circular"

    def _check_input_dim(self, input: Tensor) -> None:
        n = self.sides // 2 + 1
        if input.dim() not in (n, n + 1):
            raise ValueError(f"expected {n}D or {n + 1}D input (got {input.dim()}D input)")

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        return super().forward(input)


class CircularPad1d(_CircularPadNd):
    """The last dimension continued as if it were a circle."""

    sides = 2


class CircularPad2d(_CircularPadNd):
    """The last two dimensions continued as if they were circles."""

    sides = 4


class CircularPad3d(_CircularPadNd):
    """The last three dimensions continued as if they were circles."""

    sides = 6
