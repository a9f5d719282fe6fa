"""Arrays over the memory of others, by shapes and strides."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.strides import address, bytes_of, root_of


def strided(array: Any, shape: tuple[int, ...], strides: tuple[int, ...], skip: int = 0) -> Any:
    """The memory of ``array``, from ``skip`` bytes on, by another shape and other strides in bytes."""
    if array.__class__ is not np.ndarray:
        return np.lib.stride_tricks.as_strided(array, shape, strides, subok=True)
    if array.flags.c_contiguous:
        return np.ndarray(shape, array.dtype, array, skip, strides)
    root = root_of(array)
    return np.ndarray(
        shape, array.dtype, bytes_of(root), address(array) - address(root) + skip, strides
    )


