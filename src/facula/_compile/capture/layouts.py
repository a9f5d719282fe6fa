"""How arrays lie in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def may_overlap(array: Any) -> bool:
    """Whether elements may lie on each other, as in what ``expand`` and ``unfold`` give."""
    reach = 0
    for stride, n in sorted([(abs(s), n) for s, n in zip(array.strides, array.shape) if n > 1]):
        if stride <= reach:
            return bool(array.size)
        reach += stride * (n - 1)
    return False


def gives_views(op: Any, array: Any, attributes: Sequence[Any]) -> bool:
    """Whether what an operator gives lies in the memory of its operand, be it a view for autograd or not."""
    if op.is_view or op.lowering != "view":
        return bool(op.is_view)
    found = op.kernel(array, *attributes)
    return np.may_share_memory(array, found if op.outputs == 1 else found[0])


def order_of(array: Any) -> tuple[int, ...]:
    """The dimensions of an array, those of the longest strides first."""
    strides = array.strides
    return tuple(sorted(range(array.ndim), key=lambda d: (-abs(strides[d]), d)))


def copied(array: Any, order: tuple[int, ...]) -> Any:
    """A copy without gaps, of whose dimensions those come first in memory that do so in ``order``."""
    moved = np.array(array.transpose(order), order="C")
    return moved.transpose(np.argsort(order)) if order else moved
