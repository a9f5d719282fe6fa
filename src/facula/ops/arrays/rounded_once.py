"""Kernels of several steps in half precision: PyTorch computes them in float32 and rounds once, at the end."""

from __future__ import annotations

from functools import update_wrapper
from typing import Any

import numpy as np

from ..._core.dtypes import cast, is_half, widened


class rounded_once:
    """A kernel that takes arrays of half precision as float32, and whose result has the dtype of the first.

    No function with ``*args``: primitives whose kernels take as many as they are given are called in a slower way.
    """

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel
        update_wrapper(self, kernel)

    def __call__(self, *args: Any) -> Any:
        dtype = args[0].dtype
        if dtype.itemsize != 2 or not is_half(dtype):
            return self._kernel(*args)
        wide = [widened(a) if isinstance(a, (np.ndarray, np.generic)) else a for a in args]
        return cast(self._kernel(*wide), dtype)
