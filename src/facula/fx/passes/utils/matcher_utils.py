"""Where in a graph a pattern, which is a graph too, is found."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import facula

from ...graph import Graph
from ...node import Node
from .fuser_utils import validate_partition

__all__ = ["InternalMatch", "SubgraphMatcher"]


@dataclass
class InternalMatch:
    """One place of a pattern."""

    anchors: list[Node]
    """The nodes of the pattern that the search began at: those that only its output uses."""
    nodes_map: dict[Node, Node] = field(default_factory=dict)
    """Which nodes stand for which of the pattern; nodes stand for its placeholders, too."""
    placeholder_nodes: list[Any] = field(default_factory=list)
    returning_nodes: list[Node] = field(default_factory=list)
    name_node_map: dict[str, Node] = field(default_factory=dict)

    def __copy__(self) -> InternalMatch:
        return InternalMatch(
            self.anchors, self.nodes_map.copy(), self.placeholder_nodes.copy(), self.returning_nodes.copy()
        )


class SubgraphMatcher:
    """Finds a pattern. Its placeholders stand for any value; what it does not return, nobody else may use."""

    def __init__(
        self, pattern: Graph, match_output: bool = False, match_placeholder: bool = False,
        remove_overlapping_matches: bool = True, ignore_literals: bool = False,
    ) -> None:  # fmt: skip
        if not len(pattern.nodes):
            raise ValueError("SubgraphMatcher cannot be initialized with an empty pattern")
        self.pattern = pattern
        self.match_output = match_output
        self.match_placeholder = match_placeholder
        self.remove_overlapping_matches = remove_overlapping_matches
        self.ignore_literals = ignore_literals
        for node in pattern.nodes:
            if node.op != "output" and not node.users:
                raise AssertionError("SubgraphMatcher cannot be used on graphs with dead code.")
        self.pattern_placeholder_nodes = [n for n in pattern.nodes if n.op == "placeholder"]
        output = pattern.output_node()
        self.pattern_returning_nodes: list[Node] = output.all_input_nodes
        self.pattern_anchors = (
            [output] if match_output else [n for n in self.pattern_returning_nodes if len(n.users) == 1]
        )

    def match(self, graph: Graph, node_name_match: str = "") -> list[InternalMatch]:
        """All places of the pattern."""
        candidates = [
            [n for n in graph.nodes if self._nodes_are_equal(anchor, n, node_name_match)]
            for anchor in self.pattern_anchors
        ]
        matches = [match for match in self._combined(candidates) if self._is_contained(match.nodes_map)]
        matches = [match for match in matches if self._can_be_replaced(match)]
        for match in matches:
            found = match.nodes_map
            match.placeholder_nodes = [found[n] for n in self.pattern_placeholder_nodes if n in found]
            match.returning_nodes = [found[n] for n in self.pattern_returning_nodes]
        return self._apart(matches) if self.remove_overlapping_matches else matches

    def _combined(self, candidates: list[list[Node]]) -> Iterator[InternalMatch]:
        """Matches with a place for each anchor, found one after the other."""

        def extended(match: InternalMatch, number: int) -> Iterator[InternalMatch]:
            if number == len(self.pattern_anchors):
                yield match
                return
            for node in candidates[number]:
                longer = copy.copy(match)
                if self._match_nodes(self.pattern_anchors[number], node, longer):
                    yield from extended(longer, number + 1)

        yield from extended(InternalMatch(anchors=self.pattern_anchors), 0)

    def _apart(self, matches: list[InternalMatch]) -> list[InternalMatch]:
        taken: set[Node] = set()
        found = []
        for match in matches:
            own = {gn for pn, gn in match.nodes_map.items() if pn.op not in ("placeholder", "output")}
            if not own & taken:
                taken |= own
                found.append(match)
        return found

    # ---- one place

    def _nodes_are_equal(self, pn: Node, gn: Node, name: str = "") -> bool:
        if not self.match_placeholder and pn.op == "placeholder":
            return True
        if name and name in gn.name:
            return True
        if pn.op != gn.op:
            return False
        if pn.op in ("placeholder", "output"):
            return True
        if pn.op == "get_attr":
            return self._attributes_are_alike(pn, gn)
        return bool(pn.target == gn.target)

    def _attributes_are_alike(self, pn: Node, gn: Node) -> bool:
        values = []
        for node in (pn, gn):
            value: Any = node.graph.owning_module
            for part in node.target.split("."):
                value = getattr(value, part, None)
            values.append(value)
        tensors = [isinstance(v, facula.Tensor) for v in values]
        return all(tensors) or (not any(tensors) and type(values[0]) is type(values[1]) and pn.target == gn.target)

    def _match_nodes(self, pn: Node, gn: Node, match: InternalMatch) -> bool:
        if pn in match.nodes_map:
            return match.nodes_map[pn] is gn
        if gn in match.nodes_map.values() and pn.op != "placeholder":
            return False
        if not self._nodes_are_equal(pn, gn):
            return False
        match.nodes_map[pn] = gn
        if pn.op == "placeholder":
            return True
        return self._match_values(pn.args, gn.args, match) and self._match_values(pn.kwargs, gn.kwargs, match)

    def _match_values(self, p: Any, g: Any, match: InternalMatch) -> bool:
        if isinstance(p, Node):
            if isinstance(g, Node):
                return self._match_nodes(p, g, match)
            if p.op == "placeholder" and not isinstance(g, (list, tuple, dict)):
                return bool(match.nodes_map.setdefault(p, g) is g)
            return False
        if isinstance(p, (list, tuple)):
            if not isinstance(g, (list, tuple)) or len(p) != len(g):
                return False
            return all(self._match_values(x, y, match) for x, y in zip(p, g))
        if isinstance(p, dict):
            if not isinstance(g, dict) or p.keys() != g.keys():
                return False
            return all(self._match_values(p[key], g[key], match) for key in p)
        if isinstance(p, slice) and isinstance(g, slice):
            return self._match_values((p.start, p.stop, p.step), (g.start, g.stop, g.step), match)
        if isinstance(g, Node):
            return False
        return self.ignore_literals or (type(p) is type(g) and p == g)

    def _is_contained(self, nodes_map: dict[Node, Node]) -> bool:
        """Whether nobody else uses what is inside."""
        inside = {gn for gn in nodes_map.values() if isinstance(gn, Node)}
        return all(
            user in inside
            for pn, gn in nodes_map.items()
            if pn.op not in ("placeholder", "output") and pn not in self.pattern_returning_nodes
            for user in gn.users
        )

    def _can_be_replaced(self, match: InternalMatch) -> bool:
        """Whether no value goes out of the match and comes into it again."""
        inside = {gn for pn, gn in match.nodes_map.items() if pn.op != "placeholder"}
        return validate_partition(list(inside))
