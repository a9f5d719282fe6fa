"""``facula.fft``: discrete Fourier transforms under the names of ``torch.fft``."""

from __future__ import annotations

from typing import Any

from . import _lazy
from ._tensor import Tensor as Tensor
from .docstrings import document
from .ops.signals.fft import FFT

__all__ = sorted(["Tensor", *FFT])


def __getattr__(name: str) -> Any:
    if name in FFT:
        value = globals()[name] = _lazy.at_home(document(FFT[name], f"fft.{name}"), __name__, name)
        return value
    raise AttributeError(f"module 'facula.fft' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
