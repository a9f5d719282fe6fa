"""Fused kernels on meta arrays: shapes and dtypes come from a run on zeros.

A meta array has no memory behind it; what works on its parts in loops, or writes into it, must not touch it.
"""

from __future__ import annotations

from functools import update_wrapper
from typing import Any

import numpy as np

from ..._core.devices import MetaArray, _materialise, _strip, empty_meta


class by_zeros:
    """A kernel that runs on zeros if its first argument is a meta array.

    No function with ``*args``: primitives whose kernels take as many as they are given are called in a slower way.
    """

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel
        update_wrapper(self, kernel)

    def __call__(self, *args: Any) -> Any:
        if args[0].__class__ is MetaArray:
            return _strip(self._kernel(*_materialise(args)))
        return self._kernel(*args)


class without_draws(by_zeros):
    """A kernel that draws a number for each element of its arrays; for meta arrays none is drawn."""

    def __call__(self, *args: Any) -> Any:
        if args[0].__class__ is MetaArray:
            arrays = [a for a in args if isinstance(a, np.ndarray)]
            return empty_meta(np.broadcast_shapes(*[a.shape for a in arrays]), args[0].dtype)
        return self._kernel(*args)
