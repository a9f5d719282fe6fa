"""A backward pass as the page replays it: run once, with ``facula.steps``, and told step by step.

Nothing of it stays: gradients of leaves are put back, the graph is not freed. Hooks run, save those that come after
accumulation, which may be an optimizer's.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .._tensor import Tensor
from ..autograd.accumulate import AccumulateGrad
from ..autograd.saved import Hooked
from ..autograd.steps import Step, Steps, saved_values
from ..ops.machine.primitive import Primitive
from .formulas import formula, plain, with_numbers
from .marks import Marks
from .model import LEAF, OPERATION, Graph
from .values import CELLS, shown

_CELLS_IN_ALL = 3_000_000
"""How many cells the heat maps of a page have, at most."""


class Tensors:
    """The tensors of a page, each once."""

    def __init__(self, nodes: int) -> None:
        self.told: list[dict[str, Any]] = []
        self._cells = max(6, min(CELLS, int((_CELLS_IN_ALL / max(4 * nodes, 1)) ** 0.5)))
        self._known: dict[int, tuple[int, Any]] = {}

    def add(self, value: Any, keep: bool = True) -> int:
        """The number of a tensor or an array; -1 for None."""
        if value is None:
            return -1
        array = value._array if isinstance(value, Tensor) else np.asanyarray(value)
        known = self._known.get(id(array))
        if known is not None:
            return known[0]
        self.told.append(shown(array, self._cells))
        if keep:
            self._known[id(array)] = (len(self.told) - 1, array)  # which is kept, so that its id stays its own
        return len(self.told) - 1

    def forget(self, arrays: list[Any]) -> None:
        for array in arrays:
            self._known.pop(id(array), None)


@contextmanager
def _untouched(graph: Graph) -> Iterator[None]:
    """Put back what a backward pass writes to tensors."""
    metas: dict[int, Any] = {}
    for vertex in graph.vertices:
        if vertex.kind == LEAF:
            metas[id(vertex.tensor._meta)] = vertex.tensor._meta
        if vertex.node is not None and vertex.node.attached is not None:
            for reference in vertex.node.attached.retain.values():
                if (t := reference()) is not None:
                    metas[id(t._own_meta())] = t._own_meta()
    before = [(meta, meta.grad, meta.post_accumulate_hooks) for meta in metas.values()]
    for meta, grad, _ in before:
        meta.grad = None if grad is None else grad.detach().clone()
        meta.post_accumulate_hooks = None
    try:
        yield
    finally:
        for meta, grad, hooks in before:
            meta.grad, meta.post_accumulate_hooks = grad, hooks


def replayed(graph: Graph, steps: Steps, tensors: Tensors, marks: Marks) -> list[list[Any]]:
    """Each step: [vertex, arrived, sent along each edge of the vertex, .grad before, .grad after, formulas]."""
    at = {vertex.node: vertex for vertex in graph.vertices if vertex.kind in (OPERATION, LEAF)}
    told: list[list[Any]] = []
    with _untouched(graph):
        grads = {
            vertex.node: -1 if vertex.tensor.grad is None else tensors.add(vertex.tensor.grad._array.copy(), keep=False)
            for vertex in graph.vertices
            if vertex.kind == LEAF
        }
        for step in steps:
            vertex = at[step.node]
            arrived = [tensors.add(g) for g in step._incoming]
            sent = [tensors.add(step._outgoing[number]) for _, _, number in vertex.edges]
            tensors.forget(step._incoming)
            before, after = -1, -1
            formulas: list[list[str]] = []
            if type(step.node) is AccumulateGrad:
                before = grads[step.node]
                after = tensors.add(vertex.tensor.grad, keep=False) if vertex.tensor.grad is not None else -1
            else:
                formulas = formulas_of(step, vertex)
            marks.look_at_step(vertex, step)
            told.append([vertex.index, arrived, sent, before, after, formulas])
            steps.forget()
    return told


def formulas_of(step: Step, vertex: Any) -> list[list[str]]:
    """For each edge the name of its input, the formula, and the formula with numbers."""
    node: Any = step.node
    op = getattr(type(node), "primitive", None)
    names = [op.tensor_names[i] for i in op.differentiable] if isinstance(op, Primitive) else []
    values: dict[str, Any] | None = None
    found = []
    for _, _, number in vertex.edges:
        text = formula(node, number)
        name = names[number] if number < len(names) and not getattr(op, "variadic", False) else f"input {number}"
        if values is None and "{" in text:
            values = _readable(node)
        g = step._incoming[0] if len(step._incoming) == 1 else None
        numbers = with_numbers(text, values or {}, g, step._outgoing[number]) if text else ""
        found.append(["self" if name == "input" else name, plain(text), numbers])
    return found


def _readable(node: Any) -> dict[str, Any]:
    """What a node saved, unless hooks would have to be asked for it."""
    held = node.saved
    if type(held) is Hooked or (type(held) is tuple and any(type(value) is Hooked for value in held)):
        return {}
    return saved_values(node)
