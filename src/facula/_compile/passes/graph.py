"""Passes over the graph itself: dead code, common subexpressions, constants."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...fx.graph import Graph
from ...ops.machine.primitive import Primitive
from ..programs import program as programs


def has_effect(node: Any) -> bool:
    """Whether a node must be run although nobody uses what it gives: random numbers, checks, opaque functions."""
    if node.op != "call_function":
        return True
    if isinstance(node.target, Primitive):
        return node.target.is_random
    return node.target is programs.check or node.target is programs.call


def remove_dead(graph: Any) -> int:
    """Leave out what nobody uses; returns how many nodes."""
    gone = 0
    for node in reversed(list(graph.nodes)):
        if not node.users and not has_effect(node):
            graph.erase_node(node)
            gone += 1
    return gone


def _key(thing: Any) -> Any:
    """Equal for arguments that are the same; the type counts, as 1 and 1.0 promote differently, and so does -0."""
    if isinstance(thing, (tuple, list)):
        return type(thing), tuple([_key(part) for part in thing])
    if isinstance(thing, slice):
        return slice, _key((thing.start, thing.stop, thing.step))
    if isinstance(thing, (bool, int, float, complex, str, np.dtype)):
        return type(thing), repr(thing)
    return id(thing)


def share_common(graph: Any) -> int:
    """Compute once what is the same; returns how many nodes went."""
    seen: dict[Any, Any] = {}
    gone = 0
    for node in list(graph.nodes):
        is_pure = node.target is operator.getitem or (isinstance(node.target, Primitive) and not node.target.is_random)
        if node.op != "call_function" or not is_pure:
            continue
        key = (id(node.target), _key(node.args), node.meta.get("dtype"))
        first = seen.setdefault(key, node)
        if first is not node:
            node.replace_all_uses_with(first)
            graph.erase_node(node)
            gone += 1
    return gone


def fold_constants(graph: Any) -> int:
    """Compute now what depends on constant arrays alone and is small; returns how many nodes went."""
    gone = 0
    for node in list(graph.nodes):
        op = node.target
        if node.op != "call_function" or not isinstance(op, Primitive) or op.is_random or op.outputs != 1:
            continue
        arrays = [a for a in node.args if isinstance(a, np.ndarray)]
        others = [a for a in node.args if not isinstance(a, (np.ndarray, bool, int, float, str, type(None)))]
        if not arrays or others or int(np.prod(node.meta["shape"])) > 4096:
            continue
        if any(a.dtype != arrays[0].dtype for a in arrays):
            continue
        with np.errstate(all="ignore"):
            found = np.asarray(op.kernel(*node.args))
        if found.dtype != node.meta["dtype"] or found.shape != tuple(node.meta["shape"]):
            continue
        for user in list(node.users):
            user.args = _with(user.args, node, found)
        graph.erase_node(node)
        gone += 1
    return gone


def _with(thing: Any, node: Any, array: Any) -> Any:
    if thing is node:
        return array
    return type(thing)([_with(part, node, array) for part in thing]) if isinstance(thing, (tuple, list)) else thing


def cleaned(program: Any) -> Any:
    """A copy of a program without what it need not do; the original stays as it was captured."""
    graph = Graph()
    same: dict[Any, Any] = {}
    for node in program.graph.nodes:
        same[node] = graph.node_copy(node, same.__getitem__)
    remove_dead(graph)
    share_common(graph)
    remove_dead(graph)
    return programs.Program(graph, program.commits)
