"""The derivative of a program, by the rules of its operators; and the two programs that a captured one becomes."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ..._tensor import Tensor
from ...autograd.accumulate import AccumulateGrad
from ...autograd.engine import run_backward
from ...fx.graph import Graph
from ...fx.node import Node, map_arg
from ...ops.machine.primitive import Primitive
from ...ops.moving.copy import clone_op
from ..capture.capture import Capture
from ..capture.inputs import Met
from .program import Program, check


@contextlib.contextmanager
def hooks_left_out(leaves: Sequence[Tensor]) -> Iterator[None]:
    """Have gradients of leaves be computed as if they had no hooks."""
    held: list[Any] = [(AccumulateGrad.of(leaf), leaf._meta) for leaf in leaves]
    before = [(node.attached, meta.hooks) for node, meta in held]
    for node, meta in held:
        node.attached = meta.hooks = None
    try:
        yield
    finally:
        for (node, meta), (attached, hooks) in zip(held, before):
            node.attached, meta.hooks = attached, hooks


class Derivative:
    """Gradients of some outputs for some inputs, written down behind the program they belong to."""

    def __init__(self, capture: Capture, outputs: Sequence[Tensor], inputs: Sequence[Met]) -> None:
        self.before = list(capture.graph.nodes)
        self.inputs = inputs
        self.tangents: list[Node] = []
        roots = []
        for out in outputs:
            like: Any = out._array
            tangent = Tensor._wrap(np.ones(like.plain.shape, like.dtype))
            if like.general is not None:
                capture.sizes[id(tangent)] = like.general
            node = capture.meet(tangent).input.node
            node.meta["tangent"] = True
            self.tangents.append(node)
            capture.inputs.pop()
            roots.append((out._edge(), tangent))
        known = len(capture.inputs)
        with hooks_left_out([met.tensor for met in inputs if met.leaf is None]):
            found = run_backward(roots, True, False, [met.end() for met in inputs])
        self.gradients: list[Node | None] = [None if g is None else capture.node_of(g._array) for g in found]
        for given in capture.inputs[known:]:
            given.keep()
            self.before.append(given.node)


def extracted(
    nodes: Iterable[Node], inputs: Sequence[Node], outputs: Sequence[Any], commits: dict[int, int] | None = None
) -> tuple[Program, dict[Node, Node]]:
    """A program of some nodes, of which ``inputs`` become placeholders; and which of its nodes is which."""
    graph = Graph()
    new: dict[Node, Node] = {}
    for node in inputs:
        new[node] = graph.create_node("placeholder", node.name, name=node.name)
        new[node].meta = dict(node.meta)
    needed = _needed(nodes, inputs, outputs)
    for node in needed:
        args = map_arg(node.args, lambda n: new[n])
        new[node] = graph.create_node(node.op, node.target, args, name=node.name)
        new[node].meta = dict(node.meta)
    graph.output(tuple([None if out is None else new[out] for out in outputs]))
    return Program(graph, commits), new


def _needed(nodes: Iterable[Node], inputs: Sequence[Node], outputs: Sequence[Any]) -> list[Node]:
    """Those nodes that something depends on, in their order. Draws and checks are never left out."""
    given = set(inputs)
    wanted = {out for out in outputs if out is not None}
    kept: list[Node] = []
    for node in reversed(list(nodes)):
        if node in given or node.op != "call_function":
            continue
        if node in wanted or node.target is check or node.meta.get("random") or node.meta.get("effect"):
            kept.append(node)
            wanted.update(node.all_input_nodes)
    return kept[::-1]


def split(
    capture: Capture, derivative: Derivative, outputs: Sequence[Node], commits: dict[int, int]
) -> tuple[Program, Program, list[Node]]:
    """The forward program, which also gives what the other one needs; the backward program; and what that is.

    ``outputs`` of the forward program may be committed. The backward program takes what was saved, then the tangents.
    """
    graph = capture.graph
    forward = set(derivative.before)
    wanted = [g for g in derivative.gradients if g is not None]
    backward = _needed([n for n in graph.nodes if n not in forward], [], wanted)
    again = _repeated(backward, wanted, forward)
    saved = _boundary([*again, *backward], wanted, forward - set(again))
    inputs = [given.node for given in capture.inputs]
    written = {inputs[at] for at in commits.values()}
    kept = []
    for node in saved:
        if node in written:  # its memory is about to change
            with graph.inserting_before(derivative.before[-1].next):
                copy = graph.create_node("call_function", clone_op, (node,))
            copy.meta = dict(node.meta)
            capture.values[copy] = capture.values[node].copy()
            derivative.before.append(copy)
            kept.append(copy)
        else:
            kept.append(node)
    first, _ = extracted(derivative.before, inputs, [*outputs, *kept], commits)
    second, _ = extracted([*again, *backward], [*saved, *derivative.tangents], derivative.gradients)
    return first, second, kept


def _repeated(backward: list[Node], wanted: list[Node], forward: set[Node]) -> list[Node]:
    """Views of values are made again rather than saved."""
    found: list[Node] = []
    seen: set[Node] = set()

    def visit(node: Node) -> None:
        if node in seen or node not in forward or not _is_view(node):
            return
        seen.add(node)
        for each in node.all_input_nodes:
            visit(each)
        found.append(node)

    for node in backward:
        for each in node.all_input_nodes:
            visit(each)
    for node in wanted:
        visit(node)
    return found


def memory_of(node: Node) -> Node:
    """The node whose memory a view lies in; of any other one itself."""
    while _is_view(node):
        node = node.args[0]
    return node


def _is_view(node: Node) -> bool:
    if node.target is operator.getitem:
        source = node.args[0]
        return isinstance(source, Node) and _is_view(source)
    return node.op == "call_function" and isinstance(node.target, Primitive) and node.target.is_view


def _boundary(nodes: list[Node], wanted: list[Node], forward: set[Node]) -> list[Node]:
    used: dict[Node, None] = {}
    for node in nodes:
        for each in node.all_input_nodes:
            if each in forward:
                used[each] = None
    for node in wanted:
        if node in forward:
            used[node] = None
    return list(used)
