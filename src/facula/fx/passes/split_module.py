"""A graph cut into parts, each a module of its own."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from ...nn import Module
from ..graph import Graph
from ..graph_module import GraphModule, _get_attr
from ..node import Node, map_arg

__all__ = ["Partition", "split_module"]

_CALLS = ("call_module", "call_method", "call_function")


class Partition:
    """One part, while it is made."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.submod_name = f"submod_{name}"
        self.node_names: list[str] = []
        self.inputs: dict[Node, None] = {}
        """Values of elsewhere that it uses, in the order of their uses."""
        self.outputs: dict[Node, None] = {}
        self.needs: dict[str, None] = {}
        """The parts that must be run before it."""
        self.graph = Graph()
        self.environment: dict[Node, Node] = {}
        self.targets: dict[str, Any] = {}

    def __repr__(self) -> str:
        return f"name: {self.name}, nodes: {self.node_names}, inputs: {self.inputs}, outputs: {self.outputs}"


def split_module(
    m: GraphModule, root_m: Module, split_callback: Callable[[Node], Any], qualname_map: dict[str, str] | None = None,
    keep_original_order: bool | None = False, keep_original_node_name: bool | None = False,
    keep_original_input_name: bool = True, *, partition_affix: str | None = None, tuple_return: bool = False,
) -> GraphModule:  # fmt: skip
    """A module that calls ``submod_0``, ``submod_1``, ...: those that ``split_callback`` says nodes belong to.

    ``qualname_map`` is filled with where modules of the parts were before.
    """
    home: dict[Node, str] = {}
    parts: dict[str, Partition] = {}
    for node in m.graph.nodes:
        if node.op in _CALLS:
            home[node] = str(split_callback(node))
            part = parts.setdefault(home[node], Partition(_named(home[node], partition_affix)))
            part.node_names.append(node.name)
    for node in m.graph.nodes:
        for used in node.all_input_nodes:
            _note_use(used, node, home, parts)
    order = list(parts) if keep_original_order else _in_order(parts)
    for part in parts.values():
        for used in part.inputs:
            name = used.name if keep_original_input_name else f"arg_{len(part.environment)}"
            placeholder = part.graph.placeholder(name, used.type)
            placeholder.meta = used.meta.copy()
            part.environment[used] = placeholder
    for node in m.graph.nodes:
        if node in home:
            _copy(node, parts[home[node]], m, qualname_map, bool(keep_original_node_name))
    return _base(m, root_m, [parts[name] for name in order], tuple_return)


def _named(name: str, affix: str | None) -> str:
    return name if affix is None else f"{affix}_{name}"


def _note_use(used: Node, user: Node, home: dict[Node, str], parts: dict[str, Partition]) -> None:
    at, by = home.get(used), home.get(user)
    if at == by:
        return
    if at is not None:
        parts[at].outputs[used] = None
    if by is not None:
        parts[by].inputs[used] = None
        if at is not None:
            parts[by].needs[at] = None


def _in_order(parts: dict[str, Partition]) -> list[str]:
    """Each part after those that it needs."""
    waiting = {name: set(part.needs) for name, part in parts.items()}
    order: list[str] = []
    while waiting:
        ready = next((name for name, needs in waiting.items() if not needs), None)
        if ready is None:
            raise RuntimeError("cycle exists between partitions!")
        order.append(ready)
        del waiting[ready]
        for needs in waiting.values():
            needs.discard(ready)
    return order


def _copy(node: Node, part: Partition, m: GraphModule, moved: dict[str, str] | None, keep_name: bool) -> None:
    target = node.target
    if node.op == "call_module":
        target = node.target.replace(".", "_")
        part.targets[target] = _get_attr(m, node.target)
        if moved is not None:
            moved[f"{part.submod_name}.{target}"] = node.target
    args, kwargs = map_arg((node.args, dict(node.kwargs)), part.environment.__getitem__)
    name = node.name if keep_name else None
    new = part.graph.create_node(node.op, target, args, dict(kwargs), name, node.type)
    new.meta = node.meta.copy()
    part.environment[node] = new


def _base(m: GraphModule, root_m: Module, parts: list[Partition], tuple_return: bool) -> GraphModule:
    graph = Graph()
    values: dict[Node, Any] = {}
    attributes: dict[str, Any] = {}
    for node in m.graph.nodes:
        if node.op == "placeholder":
            values[node] = graph.node_copy(node, values.__getitem__)
    for node in m.graph.nodes:
        if node.op == "get_attr":
            values[node] = graph.node_copy(node)
            attributes[node.target] = _get_attr(m, node.target)
    for part in parts:
        results = [part.environment[n] for n in part.outputs]
        several = len(results) > 1 or (tuple_return and bool(results))
        part.graph.output(tuple(results) if several else results[0] if results else None)
        attributes[part.submod_name] = GraphModule(part.targets, part.graph)
        call = graph.call_module(part.submod_name, tuple(values[n] for n in part.inputs))
        for number, node in enumerate(part.outputs):
            values[node] = graph.call_function(operator.getitem, (call, number)) if several else call
    output = m.graph.output_node()
    new = graph.output(map_arg(output.args[0], values.__getitem__), output.type)
    new.meta = output.meta.copy()
    return GraphModule(attributes, graph)
