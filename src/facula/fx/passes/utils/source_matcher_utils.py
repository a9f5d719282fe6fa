"""Parts of a graph by the function or module of the program that they come from, where nodes know it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ...graph import Graph
from ...node import Node

__all__ = ["SourcePartition", "check_subgraphs_connected", "get_source_partitions"]


@dataclass
class SourcePartition:
    """The nodes of one call in the program."""

    nodes: list[Node]
    source: Any
    input_nodes: list[Node] = field(default_factory=list)
    output_nodes: list[Node] = field(default_factory=list)
    params: list[Node] = field(default_factory=list)


def get_source_partitions(
    graph: Graph, wanted_sources: list[Any], filter_fn: Callable[[Node], bool] | None = None
) -> dict[Any, list[SourcePartition]]:
    """By source, the parts that come from it: from ``meta["source_fn_stack"]``, whose last pair is (name, source)."""
    calls: dict[Any, dict[str, list[Node]]] = {}
    for node in graph.nodes:
        stack = node.meta.get("source_fn_stack")
        if stack and stack[-1][1] in wanted_sources:
            name, source = stack[-1]
            calls.setdefault(source, {}).setdefault(name, []).append(node)
    found = {source: [_partition(nodes, source) for nodes in parts.values()] for source, parts in calls.items()}
    if filter_fn is None:
        return found
    return {
        source: kept
        for source, parts in found.items()
        if (kept := [p for p in parts if all(map(filter_fn, p.output_nodes))])
    }


def _partition(nodes: list[Node], source: Any) -> SourcePartition:
    inputs: dict[Node, None] = {}
    params: dict[Node, None] = {}
    for node in nodes:
        for used in node.all_input_nodes:
            if used not in nodes:
                (params if used.op == "get_attr" else inputs)[used] = None
        if node.op == "get_attr":
            params[node] = None
    outputs = [node for node in nodes if any(user not in nodes for user in node.users)]
    return SourcePartition(nodes, source, list(inputs), outputs, list(params))


def check_subgraphs_connected(subgraph1: SourcePartition, subgraph2: SourcePartition) -> bool:
    """Whether the second takes something from the first."""
    return any(node in subgraph1.nodes for used in subgraph2.nodes for node in used.all_input_nodes)
