"""Replacing a part of a graph wherever it is found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..nn import Module
from ._symbolic_trace import symbolic_trace
from .graph import Graph
from .graph_module import GraphModule, _copy_attr, _get_attr, is_missing
from .node import Node
from .passes.utils.matcher_utils import InternalMatch, SubgraphMatcher

__all__ = ["Match", "ReplacedPatterns", "replace_pattern", "replace_pattern_with_filters"]


class Match(NamedTuple):
    """Where a pattern was found."""

    anchor: Node
    nodes_map: dict[Node, Node]


@dataclass
class ReplacedPatterns:
    """Where a pattern was found, and the nodes that are there now."""

    anchor: Node
    nodes_map: dict[Node, Node]
    replacements: list[Node]


def replace_pattern(gm: GraphModule, pattern: Any, replacement: Any) -> list[Match]:
    """Replace each part of a graph that does what ``pattern`` does by what ``replacement`` does.

    Both are functions or modules of the same arguments. Parts that overlap one that was found before are left.
    """
    found = _replace_pattern(gm, pattern, replacement)
    return [Match(anchor=r.anchor, nodes_map=r.nodes_map) for r in found]


def replace_pattern_with_filters(
    gm: GraphModule, pattern: Any, replacement: Any = None,
    match_filters: list[Callable[[InternalMatch, Graph, Graph], bool]] | None = None, ignore_literals: bool = False,
    replacement_callback: Callable[[InternalMatch, Graph, Graph], Graph] | None = None, node_name_match: str = "",
) -> list[ReplacedPatterns]:  # fmt: skip
    """The same where all filters, given (match, graph, pattern), agree. ``replacement_callback`` makes the new part."""
    return _replace_pattern(
        gm, pattern, replacement, match_filters, ignore_literals, replacement_callback, node_name_match
    )


def _graph_of(program: Any) -> Graph:
    if isinstance(program, Graph):
        return program
    return (program if isinstance(program, GraphModule) else symbolic_trace(program)).graph


def _replace_pattern(
    gm: GraphModule, pattern: Any, replacement: Any = None, match_filters: Any = None, ignore_literals: bool = False,
    replacement_callback: Any = None, node_name_match: str = "",
) -> list[ReplacedPatterns]:  # fmt: skip
    graph, pattern_graph = gm.graph, _graph_of(pattern)
    if (replacement is None) == (replacement_callback is None):
        raise AssertionError("Must provide either replacement GraphModule or replacement callback")
    matcher = SubgraphMatcher(pattern_graph, ignore_literals=ignore_literals)
    matches = [
        match
        for match in matcher.match(graph, node_name_match)
        if all(accepts(match, graph, pattern_graph) for accepts in match_filters or [])
    ]
    common = _graph_of(replacement) if replacement is not None else None
    done: list[ReplacedPatterns] = []
    instead: dict[Node, Node] = {}
    for match in matches:
        new = common if common is not None else replacement_callback(match, graph, pattern_graph)
        made = _put_in_place(graph, match, new, instead)
        done.append(ReplacedPatterns(match.anchors[0], match.nodes_map, made))
    gm.recompile()
    if isinstance(replacement, Module):
        _take_over_attributes(gm, replacement)
    return done


def _put_in_place(graph: Graph, match: InternalMatch, new: Graph, instead: dict[Node, Node]) -> list[Node]:
    """Copy the replacement to before what uses the match, and take the match out."""
    placeholders = [n for n in new.nodes if n.op == "placeholder"]
    if len(placeholders) != len(match.placeholder_nodes):
        raise AssertionError(
            f"Replacement placeholders count ({len(placeholders)}) does not match match placeholders count "
            f"({len(match.placeholder_nodes)})"
        )
    match.nodes_map.update({p: _latest(g, instead) for p, g in match.nodes_map.items() if p.op == "placeholder"})
    values = {p: _latest(given, instead) for p, given in zip(placeholders, match.placeholder_nodes)}
    users = {user for node in match.returning_nodes for user in node.users}
    with graph.inserting_before(min(users) if users else max(match.returning_nodes)):
        before = set(graph.nodes)
        result = graph.graph_copy(new, values)
        made = [node for node in graph.nodes if node not in before]
    results = result if isinstance(result, (tuple, list)) else (result,)
    if len(match.returning_nodes) != len(results):
        raise AssertionError(
            f"Match returning nodes count ({len(match.returning_nodes)}) does not match copied returning nodes count "
            f"({len(results)})"
        )
    for old, replaced in zip(match.returning_nodes, results):
        old.replace_all_uses_with(replaced)
        instead[old] = replaced
    old_nodes = [g for p, g in match.nodes_map.items() if p.op not in ("placeholder", "output")]
    for node in sorted(old_nodes, reverse=True):
        graph.erase_node(node)
    return made


def _latest(given: Any, instead: dict[Node, Node]) -> Any:
    while given in instead:
        given = instead[given]
    return given


def _take_over_attributes(gm: GraphModule, replacement: Module) -> None:
    """Give the module what the replacement calls and reads, and take out what nobody calls any more."""
    gm.delete_all_unused_submodules()
    for node in gm.graph.nodes:
        if node.op in ("call_module", "get_attr") and is_missing(_get_attr(gm, node.target)):
            if is_missing(_get_attr(replacement, node.target)):
                raise RuntimeError(
                    f'Attempted to create a "{node.op}" node during subgraph rewriting with target {node.target}, but '
                    "the referenced attribute does not exist in either the original GraphModule `gm` or the "
                    "replacement GraphModule `replacement`"
                )
            _copy_attr(replacement, gm, node.target)
    gm.graph.lint()
