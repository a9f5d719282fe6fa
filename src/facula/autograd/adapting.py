"""Gradients of inputs that were broadcast or promoted, brought back to what the inputs are."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

from .accumulate import AccumulateGrad
from .graph import Node


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


def _check_shape(node: Node, i: int, got: tuple[int, ...], wanted: tuple[int, ...]) -> None:
    """A gradient can be summed to what was broadcast; other shapes come from inputs that were changed unseen."""
    if any(n not in (1, m) for n, m in zip_longest(reversed(wanted), reversed(got), fillvalue=1)):
        raise RuntimeError(
            f"Function {type(node).__name__} returned an invalid gradient at index {i} - got {list(got)} but expected "
            f"shape compatible with {list(wanted)}"
        )
