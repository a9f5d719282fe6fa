"""What several passes need: what a node calls, and the order of nodes."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Mapping
from typing import Any

from ...nn import Module
from ..graph import Graph
from ..graph_module import GraphModule
from ..node import Node, _get_qualified_name

__all__ = [
    "CALLABLE_NODE_OPS", "NodeList", "NodeSet", "Tensors", "get_acc_ops_name", "get_node_target",
    "is_node_output_tensor", "legalize_graph", "stable_topological_sort",
]  # fmt: skip

CALLABLE_NODE_OPS = {"call_module", "call_function", "call_method"}
Tensors = tuple[Any, ...] | list[Any]
NodeList = list[Node]
NodeSet = set[Node]


def get_acc_ops_name(k: Callable[..., Any] | str) -> str:
    """The name of a function as a table of operators has it."""
    if isinstance(k, str):
        return k
    if k.__module__ and "acc_ops" in k.__module__:
        return f"acc_ops.{k.__name__}"
    module = k.__module__.replace("torch._ops", "torch.ops")
    return f"{module}.{k.__name__}"


def get_node_target(submodules: Mapping[str, Module], node: Node) -> str:
    """What a node calls: the class of a module, the full name of a function, or the name of a method."""
    if node.op not in CALLABLE_NODE_OPS:
        raise AssertionError("Expect op types of " + ", ".join(CALLABLE_NODE_OPS) + f", but found {node.op}")
    if node.op == "call_module":
        module: Any = submodules[str(node.target)]
        kind: Any = getattr(module, "_base_class_origin", type(module))
        return get_acc_ops_name(kind)
    if node.op == "call_function":
        called: Any = node.target
        is_accelerated = "acc_ops" in (getattr(called, "__module__", None) or "")
        return get_acc_ops_name(called) if is_accelerated else _get_qualified_name(called)
    return str(node.target)


def is_node_output_tensor(node: Node) -> bool:
    """Whether its value is a tensor, as far as ``meta["type"]`` tells."""
    from ... import Tensor  # this is loaded when first used

    kind = node.meta.get("type")
    return isinstance(kind, type) and issubclass(kind, Tensor)


def stable_topological_sort(gm: GraphModule) -> GraphModule:
    """Each node after those that it uses, and otherwise where it was."""
    _sort(gm.graph)
    return gm


def legalize_graph(gm: GraphModule) -> GraphModule:
    """The same."""
    return stable_topological_sort(gm)


def _sort(graph: Graph) -> None:
    nodes = list(graph.nodes)
    place = {node: i for i, node in enumerate(nodes)}
    waits = {node: len(node.all_input_nodes) for node in nodes}
    ready = [place[node] for node in nodes if not waits[node]]
    heapq.heapify(ready)
    order = []
    while ready:
        node = nodes[heapq.heappop(ready)]
        order.append(node)
        for user in node.users:
            waits[user] -= 1
            if not waits[user]:
                heapq.heappush(ready, place[user])
    if len(order) != len(nodes):
        left = [node for node in nodes if waits[node]]
        raise RuntimeError(f"Input graph has cycles, unable to add {left}")
    for before, node in itertools.pairwise(order):
        before.append(node)
