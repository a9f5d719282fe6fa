"""View primitives: a Tensor that shows the same memory.

NOTE [view kernels]: a kernel of a view primitive returns an array that shares its input's memory, and whose chain of
``.base`` leads to the input's root. On raw gradients it may copy, as nobody can see the difference.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .primitive import Primitive, primitive


def view_primitive(node: str, name: str, outputs: int | str = 1, **options: Any) -> Callable[[Any], Primitive]:
    """Make a primitive of a kernel whose result (or results) share the memory of its one tensor."""
    return primitive(node, name=name, view=True, outputs=outputs, **options)


