"""What facula computes with: NumPy, and memory that it keeps. PyTorch's other backends say that they are not here."""

from __future__ import annotations

import os as _os
from importlib import import_module as _import_module
from typing import Any as _Any

# Where modules that only answer "no" are: see ``facula._torch.absent``.
__path__.append(_os.path.join(_os.path.dirname(__path__[0]), "_torch", "absent", "backends"))

__all__ = ["cpu", "cuda", "cudnn", "memory", "miopen", "mkl", "mkldnn", "mps", "openmp", "opt_einsum"]


def __getattr__(name: str) -> _Any:
    if name in __all__:
        return _import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
