"""What views do to shapes and strides: tried on an array, so that no operator has to say it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ops.machine.primitive import Primitive
from ..programs.steps import Buffer, Shape, Value, values_in

Layout = tuple[Shape, Shape, int]
"""Shape, strides and offset in elements."""


def viewed(op: Any, shape: Shape, strides: Shape, args: tuple[Any, ...]) -> Layout | None:
    """What a view makes of an array; None if it copies."""
    found = all_viewed(op, shape, strides, args)
    return found[0] if found is not None and len(found) == 1 else None


def all_viewed(op: Any, shape: Shape, strides: Shape, args: tuple[Any, ...]) -> list[Layout] | None:
    """The same of a view that gives several arrays."""
    low = sum([(n - 1) * s for n, s in zip(shape, strides) if s < 0])
    high = sum([(n - 1) * s for n, s in zip(shape, strides) if s > 0])
    base = np.empty(high - low + 1, np.int8)
    probe = np.lib.stride_tricks.as_strided(base[-low:], shape, strides)
    try:
        found = op.kernel(probe, *args)
    except (TypeError, ValueError, RuntimeError, LookupError):  # such as views of the parts of complex numbers
        return None
    layouts = []
    for each in found if isinstance(found, (tuple, list)) else [found]:
        if not isinstance(each, np.ndarray) or each.dtype != np.int8 or not np.may_share_memory(each, base):
            return None
        offset = each.__array_interface__["data"][0] - probe.__array_interface__["data"][0]
        layouts.append((each.shape, each.strides, offset))
    return layouts


def may_be_within(node: Any, given: Any) -> tuple[Buffer, ...]:
    """The buffers among its arguments that what a call of Python gives may be a view of."""
    op = node.target
    if "put" in node.meta or (isinstance(op, Primitive) and not (op.is_view or op.lowering == "view")):
        return ()
    return tuple({buffer: None for v in values_in(given) for buffer in (v.buffer, *v.buffer.within)})


def same_order(a: Shape, b: Shape) -> bool:
    """Whether an array of shape ``a``, broadcast to ``b`` of as many elements, has them in the same order."""
    return tuple(n for n in a if n != 1) == tuple(n for n in b if n != 1)


def as_matrices(a: Value, b: Value) -> tuple[Value, Value, Shape] | None:
    """Two arrays as matrices or batches of matrices, and the shape of their product as such."""
    if len(a.shape) == 1:
        a = Value(a.buffer, a.offset, (1, *a.shape), (0, *a.strides))
    if len(b.shape) == 1:
        b = Value(b.buffer, b.offset, (*b.shape, 1), (*b.strides, 0))
    if len(a.shape) > 3 or len(b.shape) > 3 or a.shape[-1] != b.shape[-2]:
        return None
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a, b = a.broadcast((*batch, *a.shape[-2:])), b.broadcast((*batch, *b.shape[-2:]))
    if batch and b.strides[0] == 0 and (a.shape[1] == 1 or a.strides[0] == a.shape[1] * a.strides[1]):
        rows = (a.shape[0] * a.shape[1], a.shape[2])  # all by the same matrix: one matrix of all rows
        a = Value(a.buffer, a.offset, rows, (a.strides[0] if a.shape[1] == 1 else a.strides[1], a.strides[2]))
        b = Value(b.buffer, b.offset, b.shape[1:], b.strides[1:])
        batch = ()
    return a, b, (*batch, a.shape[-2], b.shape[-1])
