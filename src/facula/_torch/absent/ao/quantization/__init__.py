"""``torch.ao.quantization``: where a network would begin and end to be quantized. facula does not quantize."""

from __future__ import annotations

from typing import Any

from facula.nn import Module

__all__ = ["DeQuantStub", "QuantStub"]


class QuantStub(Module):
    """Where quantization would begin; until a network is converted, the identity."""

    def __init__(self, qconfig: Any = None) -> None:
        super().__init__()
        if qconfig:
            self.qconfig = qconfig

    def forward(self, x: Any) -> Any:
        return x


class DeQuantStub(Module):
    """Where quantization would end; until a network is converted, the identity."""

    def __init__(self, qconfig: Any = None) -> None:
        super().__init__()
        if qconfig:
            self.qconfig = qconfig

    def forward(self, x: Any) -> Any:
        return x
