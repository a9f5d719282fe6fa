"""``facula.linalg``: linear algebra under PyTorch's names."""

from __future__ import annotations

from typing import Any

from . import _lazy
from ._tensor import Tensor as Tensor
from .docstrings import document
from .ops.machine.public import LINALG

__all__ = sorted(["LinAlgError", *_lazy.LINALG])


def __getattr__(name: str) -> Any:
    if name == "LinAlgError":
        return _lazy.load("ops.linalg.matrices").LinAlgError
    if name in _lazy.LINALG:
        _lazy.load(_lazy.LINALG[name])
        value = globals()[name] = _lazy.at_home(document(LINALG[name], f"linalg.{name}", name), __name__, name)
        return value
    raise AttributeError(f"module 'facula.linalg' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
