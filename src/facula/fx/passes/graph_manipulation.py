"""Changing targets, and sizes in bytes."""

from __future__ import annotations

from typing import Any, NamedTuple

import facula

from ..graph import Graph
from ..graph_module import GraphModule
from ..node import Node, Target, map_aggregate
from .shape_prop import ShapeProp, TensorMetadata

__all__ = ["get_size_of_all_nodes", "get_size_of_node", "get_tensor_meta", "replace_target_nodes_with", "size_bytes"]


def replace_target_nodes_with(
    fx_module: GraphModule, old_op: str, old_target: Target, new_op: str, new_target: Target
) -> None:
    """Have all nodes with one operation and target do another one, in a new graph."""
    new_graph = Graph()
    copies: dict[Node, Node] = {}
    for node in fx_module.graph.nodes:
        if node.op == old_op and node.target == old_target:
            args = facula.fx.map_arg(node.args, lambda n: copies[n])
            kwargs = facula.fx.map_arg(node.kwargs, lambda n: copies[n])
            copies[node] = new_graph.create_node(new_op, new_target, args, dict(kwargs), node.name)
        else:
            copies[node] = new_graph.node_copy(node, lambda n: copies[n])
    fx_module.graph = new_graph


class size_bytes(NamedTuple):
    """Bytes of what a node gives, and of that and its parameters together."""

    output_size: int
    total_size: int


def get_size_of_all_nodes(fx_module: GraphModule, args: list[facula.Tensor] | None = None) -> None:
    """Write the sizes of all nodes into their ``size_bytes``; ``args`` are run if shapes are not known yet."""
    if args is not None:
        ShapeProp(fx_module).propagate(*args)
    for node in fx_module.graph.nodes:
        if node.op == "output":
            break
        node.size_bytes = get_size_of_node(fx_module, node)  # type: ignore[attr-defined]


def get_tensor_meta(node: Node) -> Any:
    meta = node.meta.get("tensor_meta")
    if not meta:
        raise RuntimeError(
            f"Node {node} has no tensor metadata associated with it! Check that shape propagation has run."
        )
    return meta


def get_size_of_node(fx_module: GraphModule, node: Node) -> size_bytes:
    total = 0
    if node.op == "call_module":
        module = fx_module.get_submodule(node.target)
        total = sum(p.numel() * p.element_size() for _, p in module.named_parameters())
    if node.op == "get_attr":
        value: Any = fx_module
        for part in node.target.split("."):
            value = getattr(value, part)
        total = value.numel() * value.element_size()
    output = 0

    def add(meta: Any) -> Any:
        nonlocal output
        output += meta.shape.numel() * meta.dtype.itemsize
        return meta

    found = get_tensor_meta(node)
    if isinstance(found, TensorMetadata):
        add(found)
    else:
        map_aggregate(list(found), add)
    return size_bytes(output, total + output)
