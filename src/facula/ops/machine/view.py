"""View primitives: a Tensor that shows the same memory.

NOTE [view kernels]: a kernel of a view primitive returns an array that shares its input's memory, and whose chain of
``.base`` leads to the input's root. On raw gradients it may copy, as nobody can see the difference.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...autograd import views
from .primitive import Primitive, primitive


def view_primitive(node: str, name: str, outputs: int | str = 1, **options: Any) -> Callable[[Any], Primitive]:
    """Make a primitive of a kernel whose result (or results) share the memory of its one tensor."""
    return primitive(node, name=name, view=True, outputs=outputs, **options)


def strided(array: Any, shape: tuple[int, ...], strides: tuple[int, ...], skip: int = 0) -> Any:
    """The memory of ``array``, from ``skip`` bytes on, by another shape and other strides in bytes."""
    if array.__class__ is not np.ndarray:
        return np.lib.stride_tricks.as_strided(array, shape, strides, subok=True)
    if array.flags.c_contiguous:
        return np.ndarray(shape, array.dtype, array, skip, strides)
    from ..moving.basic import _bytes_of

    root = views.root_of(array)
    return np.ndarray(
        shape, array.dtype, _bytes_of(root), views.address(array) - views.address(root) + skip, strides
    )
