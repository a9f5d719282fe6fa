"""What folds: modules inside modules, layers that repeat, the iterations of a loop."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, NamedTuple

from .._core.notebooks import short_name
from .model import OPERATION, Graph
from .modules import Path

MODULE, REPEAT, LOOP, ITERATION = "module", "repeat", "loop", "iteration"
_LONGEST_PERIOD = 400
_LEAST_TIMES = 4
_LEAST_NODES = 12


class Cluster:
    """A group of vertices and smaller groups that can be folded into one box."""

    def __init__(self, kind: str, name: str, title: str = "", count: int = 1) -> None:
        self.kind = kind
        self.name = name
        self.title = title
        self.count = count
        self.groups: list[Cluster] = []
        self.vertices: list[int] = []


class Folding(NamedTuple):
    clusters: list[tuple[int, Cluster]]
    """Each with the number of the one it is in, -1 for none; outer ones first."""
    cluster_of: list[int]
    """Of each vertex, -1 for none."""


def folding(graph: Graph, paths: list[Path], classes: dict[Path, str]) -> Folding:
    """How a graph folds."""
    root = Cluster(MODULE, "")
    by_path: dict[Path, Cluster] = {(): root}
    # Operations first, the oldest before others: so modules come in the order of the forward pass.
    for vertex in sorted(graph.vertices, key=lambda vertex: (vertex.kind != OPERATION, -vertex.index)):
        path = paths[vertex.index]
        for length in range(1, len(path) + 1):
            if path[:length] not in by_path:
                part = Cluster(MODULE, path[length - 1], classes.get(path[:length], ""))
                by_path[path[:length]] = part
                by_path[path[: length - 1]].groups.append(part)
        by_path[path].vertices.append(vertex.index)
    _fold_repeats(root, graph)
    _simplify(root)
    _fold_loops(root, graph)
    found = Folding([], [-1] * len(graph.vertices))
    waiting = [(-1, group) for group in root.groups]
    while waiting:
        outer, group = waiting.pop()
        number = len(found.clusters)
        found.clusters.append((outer, group))
        for index in group.vertices:
            found.cluster_of[index] = number
        waiting += [(number, inner) for inner in reversed(group.groups)]
    return found


def _simplify(cluster: Cluster) -> None:
    """A module of one node alone needs no box of its own."""
    for group in cluster.groups:
        _simplify(group)
    lone = [group for group in cluster.groups if group.kind == MODULE and not group.groups and len(group.vertices) == 1]
    for group in lone:
        cluster.vertices += group.vertices
    cluster.groups = [group for group in cluster.groups if group not in lone]


def _signature(cluster: Cluster, graph: Graph) -> Any:
    """Modules of one class are alike; without classes, groups with the same nodes are."""
    if cluster.title:
        return cluster.title
    names = [graph.vertices[i].name for i in cluster.vertices if graph.vertices[i].kind == OPERATION]
    return frozenset(Counter(names).items()), *sorted(str(_signature(group, graph)) for group in cluster.groups)


def _fold_repeats(cluster: Cluster, graph: Graph) -> None:
    """Three layers or more of one kind, one right after the other, become one group."""
    for group in cluster.groups:
        _fold_repeats(group, graph)
    if len(cluster.groups) < 3 or any(graph.vertices[i].kind == OPERATION for i in cluster.vertices):
        return  # operations between the layers would be torn out of their order
    folded: list[Cluster] = []
    run: list[Cluster] = []
    signatures = [_signature(group, graph) for group in cluster.groups]
    for i, group in enumerate(cluster.groups):
        if run and signatures[i] != signatures[i - 1]:
            folded += _as_group(run)
            run = []
        run.append(group)
    folded += _as_group(run)
    if len(folded) > 1 or cluster.vertices or cluster.title:
        cluster.groups = folded


def _as_group(run: list[Cluster]) -> list[Cluster]:
    if len(run) < 3:
        return run
    group = Cluster(REPEAT, f"{run[0].name} … {run[-1].name}", run[0].title, len(run))
    group.groups = run
    return [group]


def _fold_loops(cluster: Cluster, graph: Graph) -> None:
    """What was done again and again, operations and calls of modules, becomes a loop of iterations."""
    for group in cluster.groups:
        _fold_loops(group, graph)
    if cluster.kind == REPEAT or any(group.kind == REPEAT for group in cluster.groups):
        return  # it repeats already; what is left are the links between layers
    operations = [i for i in cluster.vertices if graph.vertices[i].kind == OPERATION]
    items: list[int | Cluster] = [*operations, *cluster.groups]
    items.sort(key=lambda item: -(item if isinstance(item, int) else _oldest(item)))
    keys = [_likeness(item, graph) for item in items]
    again: dict[Any, int] = {}
    following = [0] * len(keys)
    for at in reversed(range(len(keys))):
        following[at] = again.get(keys[at], len(keys) + _LONGEST_PERIOD)
        again[keys[at]] = at
    taken: set[int] = set()
    loops: list[Cluster] = []
    at = 0
    while at < len(keys):
        period = following[at] - at
        end = at + period
        if period <= _LONGEST_PERIOD:
            while end < len(keys) and keys[end] == keys[end - period]:
                end += 1
        times = (end - at) // period
        members = items[at : at + times * period]
        size = sum(1 if isinstance(item, int) else _size(item) for item in members)
        if period <= _LONGEST_PERIOD and times >= _LEAST_TIMES and size >= _LEAST_NODES:
            loops.append(_loop(members, period, times, graph))
            taken.update(range(at, at + times * period))
            at += times * period
        else:
            at += 1
    if loops:
        inside = {item for at, item in enumerate(items) if at in taken}
        cluster.vertices = [i for i in cluster.vertices if i not in inside]
        cluster.groups = [group for group in cluster.groups if group not in inside] + loops


def _likeness(item: int | Cluster, graph: Graph) -> Any:
    """What two turns of a loop have in common: the instruction that made a node, the class of a module."""
    if isinstance(item, int):
        vertex = graph.vertices[item]
        return vertex.node.code, vertex.node.instruction, vertex.name
    return item.kind, item.title or re.sub(r" \(call \d+\)$", "", item.name)


def _oldest(cluster: Cluster) -> int:
    """The vertex of a group that was made first: they are numbered backward."""
    return max([*cluster.vertices, *map(_oldest, cluster.groups)], default=0)


def _size(cluster: Cluster) -> int:
    return len(cluster.vertices) + sum(map(_size, cluster.groups))


def _loop(members: list[int | Cluster], period: int, times: int, graph: Graph) -> Cluster:
    first = next((item for item in members if isinstance(item, int)), None)
    source = None if first is None else graph.vertices[first].source
    where = "" if source is None else f"{short_name(source.filename)}:{source.line}"
    loop = Cluster(LOOP, "loop", where, times)
    for turn in range(times):
        iteration = Cluster(ITERATION, f"iteration {turn + 1}", where)
        turns = members[turn * period : (turn + 1) * period]
        iteration.vertices = [item for item in turns if isinstance(item, int)]
        iteration.groups = [item for item in turns if isinstance(item, Cluster)]
        if period == 1:  # no box around a single one
            loop.vertices += iteration.vertices
            loop.groups += iteration.groups
        else:
            loop.groups.append(iteration)
    return loop
