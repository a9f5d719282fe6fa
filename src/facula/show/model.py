"""A graph as pictures need it: one vertex for each output, node and leaf, in the engine's order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from .._tensor import Tensor
from ..autograd import engine
from ..autograd.accumulate import AccumulateGrad
from ..autograd.graph import Freed, Port, Source
from ..autograd.saved import Hooked
from .names import Names

OUTPUT, OPERATION, LEAF, FOLDED = "output", "operation", "leaf", "folded"

LIMIT = 20_000
"""Graphs with more nodes are shown folded: one vertex for each line of the program."""


class Saved(NamedTuple):
    """A tensor that a node keeps for its backward."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    bytes: int
    cut: str
    """How and where its history was cut off, if it was."""
    tensor: Any
    """None if hooks keep it."""


class Vertex:
    """A box of a picture."""

    __slots__ = ("count", "edges", "index", "kind", "label", "name", "node", "shape", "source", "tensor")

    def __init__(self, index: int, kind: str, name: str, node: Any = None, tensor: Any = None) -> None:
        self.index = index
        self.kind = kind
        self.name = name
        """What it is: the name of a node's class, or of a tensor."""
        self.label = ""
        """The variable that holds its result, if one does."""
        self.node = node
        self.tensor = tensor
        self.shape: tuple[int, ...] | None = None if tensor is None else tuple(tensor.shape)
        self.source: Source | None = None if node is None else node.source
        self.count = 1
        """How many nodes it stands for."""
        self.edges: list[tuple[int, int, int]] = []
        """To (vertex, output of it), from which input."""


class Graph:
    """Vertices, the ones that lead on before those that they lead to."""

    def __init__(self, vertices: list[Vertex], nodes: int, notes: list[str], names: Names) -> None:
        self.vertices = vertices
        self.nodes = nodes
        """How many nodes of autograd's graph there are."""
        self.notes = notes
        """Sentences about what is not shown, and why."""
        self.names = names

    @property
    def edges(self) -> list[tuple[int, int]]:
        return [(vertex.index, target) for vertex in self.vertices for target, _, _ in vertex.edges]


def roots_of(loss: Any, asks: str) -> tuple[Any, ...]:
    """The tensors to start from, each with a history."""
    roots = tuple(loss) if isinstance(loss, (tuple, list)) else (loss,)
    if not roots:
        raise ValueError(f"{asks} needs a tensor, but got an empty {type(loss).__name__}")
    for root in roots:
        if not isinstance(root, Tensor):
            raise TypeError(f"{asks} takes a tensor, or several in a tuple, but got {type(root).__name__}")
        if not root.requires_grad:
            cut = None if root._meta is None else root._meta.cut
            why = f" Its history was cut off by {cut}." if cut is not None else ""
            raise ValueError(
                f"{asks} has nothing to show: the tensor of shape {list(root.shape)} has no history, as no operation "
                f"on a tensor that requires grad has led to it.{why}"
            )
    return roots


def read(roots: Sequence[Any], names: Names, limit: int = LIMIT) -> Graph:
    """The graph that ends at these tensors."""
    task = engine.Task(True, False)
    engine._survey(task, [root._edge() for root in roots])
    nodes = len(task.order) + len(task.leaves)
    if nodes > limit:
        return _folded(roots, task, names, nodes, limit)
    vertices: list[Vertex] = []
    at: dict[Any, int] = {}
    for number, root in enumerate(roots):
        name = names.of_tensor(root) or ("output" if len(roots) == 1 else f"output {number}")
        vertices.append(Vertex(len(vertices), OUTPUT, name, None, root))
    for node in [*task.order, *task.leaves]:
        at[node] = len(vertices)
        vertices.append(_vertex(len(vertices), node, names))
    shown = {vertex.name for vertex in vertices if vertex.kind == OUTPUT}
    for vertex in vertices:
        vertex.label = "" if vertex.label in shown else vertex.label
        leads_to = [vertex.tensor._edge()] if vertex.kind == OUTPUT else vertex.node.next
        for number, edge in enumerate(leads_to):
            target, nr = (edge.node, edge.nr) if type(edge) is Port else (edge, 0)
            if target in at:
                vertex.edges.append((at[target], nr, number))
    return Graph(vertices, nodes, [], names)


def _vertex(index: int, node: Any, names: Names) -> Vertex:
    if type(node) is AccumulateGrad:
        leaf = node.variable
        return Vertex(index, LEAF, names.of_tensor(leaf), node, leaf)
    vertex = Vertex(index, OPERATION, type(node).__name__, node)
    vertex.label = names.of_node(node)
    return vertex


def _folded(roots: Sequence[Any], task: Any, names: Names, nodes: int, limit: int) -> Graph:
    """One vertex for each line of the program and kind of node, with the number of nodes."""
    vertices = [Vertex(i, OUTPUT, names.of_tensor(root) or "output", None, root) for i, root in enumerate(roots)]
    groups: dict[Any, Vertex] = {}
    group_of: dict[Any, Vertex] = {}
    for node in [*task.order, *task.leaves]:
        is_leaf = type(node) is AccumulateGrad
        key = AccumulateGrad if is_leaf else (node.code, node.instruction, type(node))
        vertex = groups.get(key)
        if vertex is None:
            name = "leaves" if is_leaf else type(node).__name__
            vertex = groups[key] = Vertex(len(vertices), FOLDED, name, node)
            vertex.count = 0
            vertices.append(vertex)
            if len(groups) > limit:
                raise ValueError(f"the graph has {nodes:,} nodes of more than {limit:,} kinds: too many to show")
        vertex.count += 1
        group_of[node] = vertex
    seen: set[tuple[int, int]] = set()
    for root, vertex in zip(roots, vertices):
        edge = root._edge()
        vertex.edges.append((group_of[edge.node if type(edge) is Port else edge].index, 0, 0))
    for node, vertex in group_of.items():
        for edge in node.next:
            target = group_of.get(edge.node if type(edge) is Port else edge)
            if target is not None and target is not vertex and (vertex.index, target.index) not in seen:
                seen.add((vertex.index, target.index))
                vertex.edges.append((target.index, 0, 0))
    note = (
        f"The graph has {nodes:,} nodes, more than the {limit:,} that can be shown one by one: they are folded by the "
        "line that made them."
    )
    return Graph(vertices, nodes, [note], names)


def saved_by(node: Any) -> list[Saved]:
    """The tensors that a node keeps, without asking any hook for them."""
    found: list[Saved] = []
    for attribute in sorted(dir(type(node))):
        if attribute.startswith("_raw_saved_"):
            raw = getattr(node, attribute)
            name = attribute.removeprefix("_raw_saved_")
            several = isinstance(raw, tuple)
            for i, one in enumerate(raw if several else (raw,)):
                _add_saved(found, f"{name}[{i}]" if several else name, one)
    return found


def _add_saved(found: list[Saved], name: str, raw: Any) -> None:
    value = raw._value
    if value is None:
        return
    if type(value) is Hooked:
        found.append(Saved(name, tuple(value.shape), "", 0, "", None))
        return
    tensor = raw.data
    array = tensor._array
    may_need = array.dtype.kind in "fcV"  # a mask or an index never needs a gradient
    cut = tensor._meta.cut if tensor._meta is not None and may_need else None
    dtype = str(tensor.dtype).removeprefix("torch.")
    how = "" if cut is None else without_folders(str(cut))
    found.append(Saved(name, array.shape, dtype, array.nbytes, how, tensor))


def without_folders(text: str) -> str:
    """A sentence in which lines are told by the names of their files alone."""
    return re.sub(r"\S*[/\\](\S+:\d+)", r"\1", text)


def freed_by(node: Any) -> Freed | None:
    """The backward call that freed what a node had saved, if one did."""
    held = node.saved
    if type(held) is Freed:
        return held
    if type(held) is tuple:
        for value in held:
            if type(value) is Freed:
                return value
    return None
