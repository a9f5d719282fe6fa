"""Shapes that grew by broadcasting where that was hardly meant: (N, 1) against (N,) makes (N, N)."""

from __future__ import annotations

from typing import Any

from ..autograd.accumulate import AccumulateGrad
from ..autograd.graph import Port, Source, full_name
from .report import Finding, line_at

_DELIBERATE = ("UnsqueezeBackward0", "IndexBackward0", "SelectBackward0", "ViewBackward0", "ExpandBackward0")
_QUESTIONS = ("eq", "ne")
_PRODUCTS = ("mul", "div")
_DIFFERENCES = ("sub", "rsub", "add", "mse_loss", "smooth_l1_loss", "huber_loss", "squared_difference")


def doubtful(op: Any, shape: tuple[int, ...], operands: list[Any]) -> tuple[Any, Any] | None:
    """The column and the row, if one of each met."""
    if op.name not in (*_DIFFERENCES, *_QUESTIONS, *_PRODUCTS):
        return None
    tensors = [t for t in operands if hasattr(t, "_array")]
    if len(tensors) != 2 or shape[0] < 2:
        return None
    column, row = sorted(tensors, key=lambda t: -t._array.ndim)
    n = shape[0]
    if column._array.shape != (n, 1) or row._array.shape != (n,):
        return None
    if op.name in _DIFFERENCES and column._node is None and row._node is None:
        return None
    if op.name in _PRODUCTS and (column._node is None or row._node is not None):
        return None
    if _is_deliberate(column.grad_fn):
        return None
    if column._base is not None and (column._base is row or column._base is row._base):
        return None
    return column, row


def _is_deliberate(node: Any) -> bool:
    """Whether a column was made one on purpose, by indexing or ``unsqueeze``, and not by a layer with one output."""
    for _ in range(10):
        if node is None or node.__class__ is AccumulateGrad or not node.next:
            return False
        if full_name(node) in _DELIBERATE:
            return True
        if full_name(node) in ("AddmmBackward0", "MmBackward0", "BmmBackward0"):
            return False
        edge = next((e for e in node.next if e is not None), None)
        node = edge.node if edge.__class__ is Port else edge
    return False


def finding(op: Any, column: Any, row: Any, source: Source | None, node: Any = None) -> Finding:
    n = row._array.shape[0]
    cause = f"Shapes ({n}, 1) and ({n},) became ({n}, {n}) in {op.name}() at {source}: each met each."
    lines = line_at(source, "grew here")
    made = None if column.grad_fn is None else column.grad_fn.source
    if made is not None and made != source:
        lines += line_at(made, f"has shape ({n}, 1)")
    return Finding(
        "shape", cause, lines, "bring both to one shape first: pred.squeeze(1), or target.unsqueeze(1).", node
    )
