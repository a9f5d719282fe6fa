"""The largest parts of a graph that someone can run."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence

from ...graph_module import GraphModule
from ...node import Node, _get_qualified_name
from ..operator_support import OperatorSupportBase
from ..utils.fuser_utils import fuse_by_partitions

__all__ = ["CapabilityBasedPartitioner", "Partition"]

_NO_COMPUTATION = ("torch.ops.aten.view", "_operator.getitem")


class Partition:
    """Some nodes."""

    def __init__(self, id: int | None = None, nodes: Iterable[Node] | None = None) -> None:
        self.id = id
        self.nodes: dict[Node, int | None] = dict.fromkeys(nodes) if nodes is not None else {}

    def __repr__(self) -> str:
        return str(self.nodes)

    def add_node(self, node: Node, node_order: int | None = None) -> None:
        self.nodes[node] = node_order

    def remove_node(self, node: Node) -> None:
        del self.nodes[node]

    def size(self) -> int:
        return len(self.nodes)


class CapabilityBasedPartitioner:
    """Finds parts of nodes that ``operator_support`` says can be run, and makes modules of them."""

    def __init__(
        self, graph_module: GraphModule, operator_support: OperatorSupportBase,
        allows_single_node_partition: bool = False, non_compute_ops: Sequence[str] | None = None,
        allowed_single_node_partition_ops: Sequence[str] | None = None, skip_horizontal_fusion: bool = False,
    ) -> None:  # fmt: skip
        self.graph_module = graph_module
        self.operator_support = operator_support
        self.allows_single_node_partition = allows_single_node_partition
        self.non_compute_ops = non_compute_ops if non_compute_ops is not None else []
        self.allowed_single_node_partition_ops = allowed_single_node_partition_ops or []
        self.skip_horizontal_fusion = skip_horizontal_fusion

    def _is_node_supported(self, node: Node) -> bool:
        return self.operator_support.is_node_supported(dict(self.graph_module.named_modules()), node)

    def propose_partitions(self) -> list[Partition]:
        """Parts that do not depend on themselves by way of others; from the last node on, all that can be one are."""
        order = {node: i for i, node in enumerate(reversed(self.graph_module.graph.nodes))}
        found: dict[int, Partition] = {}
        since: dict[int, int] = {}
        part_of: dict[Node, Partition] = {}
        numbers = itertools.count()
        for node in reversed(self.graph_module.graph.nodes):
            candidates: dict[int, None] = {}
            if self._is_node_supported(node) and node not in part_of:
                at = next(numbers)
                since[at] = at
                found[at] = part_of[node] = Partition(at)
                part_of[node].add_node(node, order[node])
                candidates[at] = None
            beside = {part_of[user].id for user in node.users if user in part_of}
            candidates.update({at: None for at in sorted(since, key=since.__getitem__)
                               if at in beside or not self.skip_horizontal_fusion})  # fmt: skip
            first, *others = candidates or (None,)
            for other in others:
                if first is not None and not _has_way_around(found[first], found[other], part_of):
                    found[first].nodes.update(found[other].nodes)
                    part_of.update(dict.fromkeys(found.pop(other).nodes, found[first]))
                    since[first] = min(since[first], since.pop(other))
        self._take_items_along(found, part_of, order)
        if not self.allows_single_node_partition:
            for i in [i for i, part in found.items() if not self._is_worth_it(part)]:
                del found[i]
        for part in found.values():
            part.nodes = dict(sorted(part.nodes.items(), key=lambda item: -order[item[0]]))
        return [part for part in found.values() if part.size()]

    def _take_items_along(
        self, found: dict[int, Partition], part_of: dict[Node, Partition], order: dict[Node, int]
    ) -> None:
        """The items of what a part gives belong to it, and those of anything else to none."""
        for item, part in list(part_of.items()):
            if _is_item(item) and part_of.get(item.all_input_nodes[0]) is None:
                part.remove_node(item)
                del part_of[item]
        for part in list(found.values()):
            for node in list(part.nodes):
                items = [user for user in node.users if _is_item(user)]
                if len(items) == len(node.users):
                    for item in items:
                        other = part_of.get(item)
                        if other is not part:
                            if other is not None:
                                other.remove_node(item)
                            part.add_node(item, order[item])
                            part_of[item] = part

    def _is_worth_it(self, part: Partition) -> bool:
        """Whether it computes something, and not with a single node."""
        without = {*_NO_COMPUTATION, *self.non_compute_ops}
        names = [_get_qualified_name(node.target) for node in part.nodes if node.op == "call_function"]
        computing = [name for name in names if name not in without]
        others = sum(node.op in ("call_module", "call_method") for node in part.nodes)
        return len(computing) + others > 1 or any(n in self.allowed_single_node_partition_ops for n in computing)

    def fuse_partitions(self, partitions: list[Partition], prefix: str = "fused_") -> GraphModule:
        """Make modules of parts."""
        return fuse_by_partitions(self.graph_module, [partition.nodes for partition in partitions], prefix=prefix)

    def remove_bookend_non_compute_ops(self, partitions: list[Partition]) -> None:
        """Leave out nodes at the beginnings and ends of parts that compute nothing."""
        for part in partitions:
            nodes = list(part.nodes)
            first = self._bookends(nodes, lambda node: node.all_input_nodes, part)
            last = self._bookends(nodes[::-1], lambda node: list(node.users), part)
            for node in {**first, **last}:
                part.remove_node(node)

    def _bookends(
        self, nodes: list[Node], beside: Callable[[Node], list[Node]], part: Partition
    ) -> dict[Node, None]:
        found: dict[Node, None] = {}
        for node in nodes:
            if self._computes_nothing(node) and all(each not in part.nodes or each in found for each in beside(node)):
                found[node] = None
        return found

    def _computes_nothing(self, node: Node) -> bool:
        return node.op == "call_function" and _get_qualified_name(node.target) in self.non_compute_ops

    def partition_and_fuse(self, prefix: str = "fused_") -> GraphModule:
        """Find parts, and make modules of them."""
        return self.fuse_partitions(self.propose_partitions(), prefix=prefix)


def _is_item(node: Node) -> bool:
    return node.op == "call_function" and _get_qualified_name(node.target) == "_operator.getitem"


def _has_way_around(one: Partition, other: Partition, part_of: dict[Node, Partition]) -> bool:
    """Whether some way leads out of two parts and back into them; other parts are passed as a whole."""
    inside = {**one.nodes, **other.nodes}
    follow = [user for node in inside for user in node.users if user not in inside]
    seen: set[Node] = set()
    while follow:
        node = follow.pop()
        if node in inside:
            return True
        if node in seen:
            continue
        whole = list(part_of[node].nodes) if node in part_of else [node]
        seen.update(whole)
        follow.extend([user for each in whole for user in each.users])
    return False
