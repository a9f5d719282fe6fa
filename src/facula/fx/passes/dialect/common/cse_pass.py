"""Nodes that compute the same are computed once."""

from __future__ import annotations

from typing import Any

from ..... import ops
from ....graph import Graph
from ....graph_module import GraphModule
from ....node import Node
from ...infra.pass_base import PassBase, PassResult

__all__ = ["CSEPass", "get_CSE_banned_ops"]

_RANDOM = (
    "dropout bernoulli multinomial native_dropout normal poisson binomial rrelu rand rand_like randint randint_like "
    "randn randn_like randperm"
).split()
_IN_PLACE = "add_ sub_ mul_ div_ pow_ lerp_ relu_ sigmoid_ tanh_".split()


def get_CSE_banned_ops() -> set[Any]:
    """Operators of which each call gives something else, or changes something."""
    aten: Any = ops.aten
    return {getattr(aten, name) for name in (*_RANDOM, *_IN_PLACE) if hasattr(aten, name)}


class CSEPass(PassBase):
    """Common subexpressions: of nodes with the same target and arguments, all users use the first. Calls of
    ``banned_ops`` and whatever uses their results are different each time."""

    def __init__(self, banned_ops: set[Any] | None = None) -> None:
        self.banned_ops = set() if banned_ops is None else banned_ops
        super().__init__()

    def call(self, graph_module: GraphModule) -> PassResult:
        new: dict[Node, Node] = {}
        known: dict[Any, Node] = {}
        graph = Graph()
        modified = False
        for node in graph_module.graph.nodes:
            if node.op in ("placeholder", "output", "get_attr") or _packet_of(node.target) in self.banned_ops:
                new[node] = graph.node_copy(node, lambda each: new[each])
                continue
            key: Any = node.op, node.target, _key(node.args, new), _key(node.kwargs, new)
            try:
                found = known.get(key)
            except TypeError:  # an argument that has no hash
                key, found = node, None
            if found is None:
                found = known[key] = graph.node_copy(node, lambda each: new[each])
            else:
                modified = True
            new[node] = found
        return PassResult(GraphModule(graph_module, graph), modified)


def _packet_of(target: Any) -> Any:
    return getattr(target, "overloadpacket", target)


def _key(value: Any, new: dict[Node, Node]) -> Any:
    """What tells arguments apart: 1 is not 1.0, nor True."""
    if isinstance(value, Node):
        return new[value]
    if isinstance(value, (list, tuple)):
        return type(value).__name__, tuple([_key(each, new) for each in value])
    if isinstance(value, dict):
        return tuple([(name, _key(each, new)) for name, each in value.items()])
    if isinstance(value, slice):
        return slice, _key((value.start, value.stop, value.step), new)
    return type(value), value
