"""Switches that programs written for PyTorch set. Those that mean nothing on NumPy are kept and told, no more."""

from __future__ import annotations

import os
from typing import Any

from .autograd import differentiate

_threads = os.cpu_count() or 1
_deterministic = _warn_only = False
_matmul_precision = "highest"


def get_num_threads() -> int:
    return _threads


def set_num_threads(threads: int) -> None:
    """NumPy's BLAS reads its own environment variables; this number is only remembered."""
    global _threads
    if threads <= 0:
        raise RuntimeError("set_num_threads expects a positive integer")
    _threads = threads


get_num_interop_threads = get_num_threads
set_num_interop_threads = set_num_threads


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Every algorithm here is deterministic."""
    global _deterministic, _warn_only
    _deterministic, _warn_only = mode, warn_only


def are_deterministic_algorithms_enabled() -> bool:
    return _deterministic


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    return _warn_only


def set_float32_matmul_precision(precision: str) -> None:
    """float32 is always multiplied in float32."""
    global _matmul_precision
    _matmul_precision = precision


def get_float32_matmul_precision() -> str:
    return _matmul_precision


def typename(obj: Any, /) -> str:
    """The name of an object's type; a tensor's tells its dtype."""
    from ._tensor import Tensor

    if isinstance(obj, Tensor):
        name: str = obj.type()
        return name
    cls = obj if isinstance(obj, type) else type(obj)
    return cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"


def set_warn_always(b: bool, /) -> None:
    """Give warnings that are given once per process each time."""
    if not isinstance(b, bool):
        raise TypeError(f"setWarnOnlyOnce expects a bool, but got {type(b).__name__}")
    differentiate.warns_always = b


def is_warn_always_enabled() -> bool:
    return differentiate.warns_always
