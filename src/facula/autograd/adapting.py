"""Gradients of inputs that were broadcast or promoted, brought back to what the inputs are."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

from .accumulate import AccumulateGrad
from .graph import Node, Port, full_name


def adapt(node: Node, grads: Any, edges: tuple[Any, ...], xp: Any) -> list[Any]:
    """Bring each gradient to the shape and dtype of the input it belongs to, where they were seen to differ."""
    wanted = node.adapt
    assert wanted is not None
    adapted = list(grads)
    for i, (g, want) in enumerate(zip(grads, wanted)):
        if g is None or want is None or edges[i] is None:
            continue
        shape, dtype = want
        if edges[i].__class__ is AccumulateGrad:
            dtype = edges[i].grad_dtype(dtype) or (g if xp.is_raw else g._array).dtype
        if xp.is_raw:
            if g.shape != shape:
                _check_shape(node, i, g.shape, shape)
                g = xp.sum_to(g, shape)
            if g.dtype != dtype:
                g = g.real.astype(dtype) if g.dtype.kind == "c" and dtype.kind != "c" else g.astype(dtype)
        else:
            if g._array.shape != shape:
                _check_shape(node, i, g._array.shape, shape)
                g = xp.sum_to(g, shape)
            if g._array.dtype != dtype:
                if g._array.dtype.kind == "c" and dtype.kind != "c":
                    g = xp.real(g)
                g = xp.cast(g, dtype)
        adapted[i] = g
    return adapted


def fit_shapes(task: Any, node: Any, grads: list[Any]) -> None:
    """Bring gradients of outputs that have got another shape, unrecorded, to the shape that the node made."""
    for nr, shape in node.attached.shapes.items():
        g = grads[nr]
        if g is not None and g.shape != shape:
            got = tuple(g.shape)
            if len(got) < len(shape) or not _is_broadcast(shape, got):
                raise _wrong_shape(*_sender(task, node, nr), got, shape)
            if node.__class__ is not AccumulateGrad or node in task.captures:
                grads[nr] = task.xp.sum_to(g, shape)
        if g is not None and node.__class__ is AccumulateGrad and node not in task.captures:
            check_expandable(tuple(g.shape), node.variable.shape)  # .grad is as its tensor is now


def check_expandable(got: tuple[int, ...], wanted: tuple[int, ...]) -> None:
    for d, (n, m) in enumerate(zip_longest(reversed(wanted), reversed(got), fillvalue=1)):
        if m not in (1, n):
            raise RuntimeError(
                f"The size of tensor a ({n}) must match the size of tensor b ({m}) at non-singleton dimension "
                f"{max(len(got), len(wanted)) - 1 - d}"
            )


def check_roots(roots: list[tuple[Any, Any]]) -> None:
    """Refuse to start with gradients of tensors that have got another shape, unrecorded."""
    for i, (edge, g) in enumerate(roots):
        node, nr = (edge.node, edge.nr) if edge.__class__ is Port else (edge, 0)
        if g is None or node.attached is None or nr not in node.attached.shapes:
            continue
        shape, got = node.attached.shapes[nr], tuple(g.shape)
        if len(got) < len(shape) or not _is_broadcast(shape, got):
            raise _wrong_shape(None, i, got, shape)


def _sender(task: Any, node: Node, nr: int) -> tuple[Node | None, int]:
    """Who sends gradients along an edge, and as which of its own."""
    for sender in task.order:
        for i, edge in enumerate(sender.next):
            if edge is node or (edge.__class__ is Port and edge.node is node and edge.nr == nr):
                return sender, i
    return None, 0  # where the pass starts


def _check_shape(node: Node, i: int, got: tuple[int, ...], wanted: tuple[int, ...]) -> None:
    """A gradient can be summed to what was broadcast; other shapes come from inputs that were changed unseen."""
    if not _is_broadcast(wanted, got):
        raise _wrong_shape(node, i, got, wanted)


def _is_broadcast(shape: tuple[int, ...], wide: tuple[int, ...]) -> bool:
    return all(n in (1, m) for n, m in zip_longest(reversed(shape), reversed(wide), fillvalue=1))


def _wrong_shape(node: Node | None, i: int, got: tuple[int, ...], wanted: tuple[int, ...]) -> RuntimeError:
    start = "" if node is None else f"Function {full_name(node)} returned an "
    return RuntimeError(
        f"{start}invalid gradient at index {i} - got {list(got)} but expected shape compatible with {list(wanted)}"
    )
