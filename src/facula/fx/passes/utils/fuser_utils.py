"""Nodes of a graph become a module that the graph calls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...graph import Graph
from ...graph_module import GraphModule
from ...node import Node
from ...proxy import Proxy
from ..tools_common import NodeList, legalize_graph

__all__ = [
    "erase_nodes", "fuse_as_graphmodule", "fuse_by_partitions", "insert_subgm", "topo_sort", "validate_partition",
]  # fmt: skip


def topo_sort(nodes: NodeList) -> NodeList:
    """The nodes, each after those among them that it uses."""
    waits = {node: sum(each in nodes for each in node.all_input_nodes) for node in nodes}
    order = [node for node in nodes if not waits[node]]
    for node in order:
        for user in node.users:
            if user in waits:
                waits[user] -= 1
                if not waits[user]:
                    order.append(user)
    if len(order) != len(nodes):
        raise AssertionError("topological sorted nodes doesn't have same length as input nodes")
    return order


def validate_partition(partition: NodeList) -> bool:
    """Whether the nodes can be run at once: no way leads out of them and back."""
    inside = set(partition)
    seen: set[Node] = set()
    follow = [user for node in partition for user in node.users if user not in inside]
    while follow:
        node = follow.pop()
        if node in inside:
            return False
        if node not in seen:
            seen.add(node)
            follow.extend(node.users)
    return True


def fuse_as_graphmodule(
    gm: GraphModule, nodes: NodeList, module_name: str, partition_lookup_table: Mapping[Node, Any] | None = None, *,
    always_return_tuple: bool = False,
) -> tuple[GraphModule, tuple[Node, ...], tuple[Node, ...]]:  # fmt: skip
    """A module of some nodes, which must be in order; the values that it takes, and those that it gives."""
    known = set(gm.graph.nodes)
    for node in nodes:
        if node.graph.owning_module is not gm:
            raise AssertionError(f"{node} doesn't belong to passed in graph module {gm._get_name()}")
        if node._erased:
            raise AssertionError(f"{node} has been removed from owning graph")
        if node not in known:
            raise AssertionError(f"{node} is not found in graph module {gm._get_name()}")
    if not validate_partition(nodes):
        raise AssertionError("Invalid partition, found dependency cycles")
    inside = dict.fromkeys(nodes) if partition_lookup_table is None else partition_lookup_table
    graph = Graph()
    new: dict[Node, Node] = {}
    inputs: dict[Node, Node] = {}

    def given(node: Node) -> Node:
        if node in inside:
            return new[node]
        if node not in inputs:
            inputs[node] = graph.placeholder(node.name, type_expr=node.type)
            inputs[node].meta = dict(node.meta)
        return inputs[node]

    for node in nodes:
        for each in node.all_input_nodes:
            given(each)
        new[node] = graph.node_copy(node, given)
    outputs = {node: new[node] for node in nodes if any(user not in inside for user in node.users)}
    results = tuple(outputs.values())
    graph.output(results[0] if len(results) == 1 and not always_return_tuple else results)
    graph.lint()
    return GraphModule(gm, graph, class_name=module_name), tuple(inputs), tuple(outputs)


def insert_subgm(
    gm: GraphModule, sub_gm: GraphModule, orig_inputs: tuple[Node, ...], orig_outputs: tuple[Node, ...]
) -> GraphModule:
    """Have a graph call a module, and use what that gives in the place of other nodes."""
    name = sub_gm.__class__.__name__
    gm.add_submodule(name, sub_gm)
    made = next(node for node in sub_gm.graph.nodes if node.op == "output").args[0]
    last = max(orig_outputs, key=list(gm.graph.nodes).index) if orig_outputs else None
    with gm.graph.inserting_after(last):
        call = gm.graph.call_module(name, args=orig_inputs, kwargs=None)
        if not isinstance(made, (tuple, list)):
            orig_outputs[0].replace_all_uses_with(call, propagate_meta=True)
        else:
            call.meta["val"] = tuple([node.meta.get("val") for node in orig_outputs])
            last = call
            for i, node in enumerate(orig_outputs):
                with gm.graph.inserting_after(last):
                    last = Proxy(call)[i].node
                node.replace_all_uses_with(last, propagate_meta=True)
    return gm


def erase_nodes(gm: GraphModule, nodes: NodeList) -> None:
    """Take nodes out, which must be in order and used by nobody else."""
    for node in reversed(nodes):
        gm.graph.erase_node(node)


def fuse_by_partitions(
    gm: GraphModule, partitions: Iterable[Mapping[Node, Any]], prefix: str = "fused_", always_return_tuple: bool = False
) -> GraphModule:
    """Each part of a graph becomes a module of its own."""
    for i, partition in enumerate(partitions):
        nodes = topo_sort(list(partition))
        name = f"{prefix}{i}"
        part, inputs, outputs = fuse_as_graphmodule(gm, nodes, name, partition, always_return_tuple=always_return_tuple)
        insert_subgm(gm, part, inputs, outputs)
        erase_nodes(gm, nodes)
    legalize_graph(gm)
    gm.graph.lint()
    gm.recompile()
    return gm
