"""OpenBLAS, which NumPy's wheels bring along: how many threads it has, and whose kernels."""

from __future__ import annotations

import ctypes
import functools
import importlib
from collections.abc import Callable
from typing import Any


def _function(name: str) -> Any:
    """A function of OpenBLAS, whose names in NumPy's wheels are longer; None if NumPy has another library."""
    try:
        core = importlib.import_module("numpy._core._multiarray_umath")
        library = ctypes.CDLL(core.__file__)  # symbols are sought in what it is linked to as well
    except (ImportError, OSError):
        return None
    names = (f"scipy_{name}64_", f"{name}64_", name)
    return next((getattr(library, each) for each in names if hasattr(library, each)), None)


@functools.cache
def thread_setter() -> Callable[[int], Any] | None:
    """What sets the number of its threads; None if NumPy has another library, which reads the environment alone."""
    setter: Callable[[int], Any] | None = _function("openblas_set_num_threads")
    return setter


def kernels() -> str | None:
    """The processor whose kernels it has taken: by itself, or as ``OPENBLAS_CORETYPE`` says."""
    name = _function("openblas_get_corename")
    if name is None:
        return None
    name.restype = ctypes.c_char_p
    told: bytes = name()
    return told.decode()
