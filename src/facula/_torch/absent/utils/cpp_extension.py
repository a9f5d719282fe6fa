"""Operators in C++ that are built against PyTorch's headers, which facula has not: there is nothing to build with."""

from __future__ import annotations

import shutil
import sys
from typing import Any, NoReturn

__all__ = [
    "BuildExtension", "CUDAExtension", "CppExtension", "get_default_build_root", "include_paths", "is_ninja_available",
    "library_paths", "load", "load_inline", "verify_ninja_availability",
]  # fmt: skip

IS_WINDOWS, IS_MACOS, IS_LINUX = (sys.platform.startswith(name) for name in ("win32", "darwin", "linux"))
CUDA_HOME = CUDNN_HOME = ROCM_HOME = SYCL_HOME = None
IS_HIP_EXTENSION = False


def _refuse(*args: Any, **kwargs: Any) -> NoReturn:
    raise RuntimeError(
        "facula cannot build C++ extensions of PyTorch: it has none of PyTorch's headers and libraries. Operators in "
        "Python are made by torch.library.custom_op"
    )


BuildExtension = CUDAExtension = CppExtension = SyclExtension = _refuse
get_default_build_root = load = load_inline = _refuse


def include_paths(*args: Any, **kwargs: Any) -> list[str]:
    return []


def library_paths(*args: Any, **kwargs: Any) -> list[str]:
    return []


def is_ninja_available() -> bool:
    return shutil.which("ninja") is not None


def verify_ninja_availability() -> None:
    if not is_ninja_available():
        raise RuntimeError("Ninja is required to load C++ extensions (pip install ninja to get it)")
