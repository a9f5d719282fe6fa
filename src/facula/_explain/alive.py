"""What is alive: nodes and saved bytes by the line that made them, and the variable that holds a graph."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from itertools import pairwise
from types import FrameType
from typing import Any, NamedTuple

import numpy as np

from .._tensor import Tensor
from ..autograd.accumulate import AccumulateGrad
from ..autograd.graph import Nowhere, Source, full_name, is_internal, walk
from . import program
from .record import seen_record
from .report import Finding, line_at

_ENDS = (AccumulateGrad, Nowhere)


class Alive(NamedTuple):
    """The living nodes that have something in common."""

    source: Any
    """The line that made them, or the name of their kind."""
    nodes: int
    saved_bytes: int

    def __str__(self) -> str:
        return f"{self.source}: {self.nodes} nodes, {self.saved_bytes} bytes"


def alive(by: str = "line") -> list[Alive]:
    """The living nodes of all graphs, by ``"line"`` or by ``"node"`` (their kind), the most bytes first."""
    if by not in ("line", "node"):
        raise ValueError(f"alive() counts by 'line' or by 'node', not by {by!r}")
    found: dict[Any, list[int]] = {}
    seen: set[int] = set()
    for node in living_nodes():
        key = (node.source or "an unknown line") if by == "line" else full_name(node)
        entry = found.setdefault(key, [0, 0])
        entry[0] += 1
        held = node.saved if node.saved.__class__ is tuple else (node.saved,)
        for value in held:
            array = getattr(value, "_array", value)
            if isinstance(array, np.ndarray):
                owner = array if array.base is None else array.base
                if id(owner) not in seen:
                    seen.add(id(owner))
                    entry[1] += array.nbytes
    rows = [Alive(key, nodes, size) for key, (nodes, size) in found.items()]
    return sorted(rows, key=lambda row: (-row.saved_bytes, -row.nodes))


def living_nodes() -> Iterator[Any]:
    """Every node that exists: the garbage collector knows them all."""
    from ..autograd.custom_node import _FunctionBase  # loaded when first used
    from ..autograd.graph import Node  # beside it

    for each in gc.get_objects():
        if issubclass(type(each), (Node, _FunctionBase)) and hasattr(each, "seq") and type(each) not in _ENDS:
            yield each


# ---- who holds a graph


def holder(frame: FrameType | None = None, least: int = 3) -> Finding | None:
    """The variable that holds the graphs of several backward passes."""
    frame = frame or sys._getframe(1)
    while frame is not None:
        if not is_internal(frame.f_code.co_filename):
            spaces = [frame.f_locals] if frame.f_locals is frame.f_globals else [frame.f_locals, frame.f_globals]
            for space in spaces:
                for name, value in list(space.items()):
                    found = _held_by(name, value, frame, least)
                    if found is not None:
                        return found
        frame = frame.f_back
    return None


def _held_by(name: str, value: Any, frame: FrameType, least: int) -> Finding | None:
    if isinstance(value, Tensor):
        return _sum(name, value, least)
    if isinstance(value, dict):
        for key, each in list(value.items())[:1000]:
            found = _sum(f"{name}[{key!r}]", each, least) if isinstance(each, Tensor) else None
            if found is not None:
                return found
    if isinstance(value, (list, tuple, dict, set)) or type(value).__name__ == "deque":
        return _container(name, value, frame, least)
    inner = getattr(value, "__dict__", None)
    if (
        isinstance(inner, dict)
        and not isinstance(value, type)
        and not hasattr(value, "__path__")
        and name != "__builtins__"
    ):
        if type(value).__module__ in ("builtins", "types") or is_internal(
            getattr(sys.modules.get(type(value).__module__), "__file__", None) or ""
        ):
            return None
        for attribute, each in list(inner.items()):
            if isinstance(each, Tensor):
                found = _sum(f"{name}.{attribute}", each, least)
            elif isinstance(each, (list, dict)):
                found = _container(f"{name}.{attribute}", each, frame, least, type(value), attribute)
            else:
                continue
            if found is not None:
                return found
    return None


def growing(frame: FrameType, sizes: dict[str, list[int]]) -> Finding | None:
    """A variable whose graph has grown by as much in each of the last passes; ``sizes``: how many nodes it had."""
    while is_internal(frame.f_code.co_filename) and frame.f_back is not None:
        frame = frame.f_back
    for name, value in list(frame.f_locals.items()):
        tensors = list(value[:50]) if isinstance(value, (list, tuple)) else [value]
        tensors = [t for t in tensors if isinstance(t, Tensor) and t._node is not None]
        if not tensors:
            continue
        count = sum(1 for n, _ in enumerate(walk(*[t._node for t in tensors])) if n < 20_000)
        seen = sizes.setdefault(name, [])
        seen.append(count)
        steps = {b - a for a, b in pairwise(seen[-4:])}
        if len(seen) >= 4 and len(steps) == 1 and min(steps) > 0:
            at = tensors[-1]._node.source
            cause = f"The graph of {name}, made at {at}, grows from iteration to iteration: {count} nodes by now."
            mend = f"leave the history behind: {name} = ....detach(), or compute it under torch.no_grad()."
            return Finding("alive", cause, line_at(at, "the graph grows here"), mend, tensors[-1]._node, tensors[-1])
    return None


def marks_in(t: Any, most: int = 200_000) -> int:
    """How many roots of backward passes lie in a tensor's graph."""
    count = 0
    for n, node in enumerate(walk(t._node)):
        record = seen_record(node)
        if record is not None and record.mark is not None:
            count += 1
        if n > most:
            break
    return count


def _sum(name: str, t: Any, least: int) -> Finding | None:
    if t._node is None:
        return None
    passes = marks_in(t)
    if passes < least:
        return None
    at = t._node.source
    cause = f"{name} holds the graphs of {passes} backward passes: it sums tensors with their history, at {at}."
    mend = f"add numbers, not graphs: {name.split('.')[-1]} += loss.item(), or loss.detach()."
    return Finding("alive", cause, line_at(at, "the graph grows here"), mend, t._node, t)


def _container(
    name: str, values: Any, frame: FrameType, least: int, cls: type | None = None, attribute: str = ""
) -> Finding | None:
    items = list(values.values() if isinstance(values, dict) else values)
    items = [x for each in items[:10_000] for x in (each if isinstance(each, (tuple, list)) else (each,))]
    tensors: list[Any] = [t for t in items if isinstance(t, Tensor) and t._node is not None]
    if len(tensors) < least or sum(1 for t in tensors if marks_in(t, 1000)) < least:
        return None
    if cls is not None:
        sources = [s for s in program.attribute_lines(cls, attribute) if _adds(s, f"self.{attribute}")]
    else:
        tree = program.tree_of(frame.f_code.co_filename)
        nodes: list[Any] = (
            [] if tree is None else list(program.calls_of(tree, name, "append", "extend", "add", "appendleft"))
        )
        if tree is not None and not nodes:
            nodes = program.items_set(tree, name)
        sources = [Source(frame.f_code.co_filename, node.lineno, "") for node in nodes]
    made = tensors[-1]._node.source
    lines = [line for s in sources[:2] for line in line_at(s, "kept here")] or line_at(made, "made here")
    where = str(sources[0]) if sources else str(made)
    cause = f"{name} holds {len(tensors)} tensors with the graphs of their backward passes, put there at {where}."
    mend = f"keep numbers, not graphs: {name}.append(loss.item()), or loss.detach()."
    return Finding("alive", cause, lines, mend, tensors[-1]._node, tensors[-1])


def _adds(source: Source, owner: str) -> bool:
    tree = program.tree_of(source.filename)
    return tree is None or any(call.lineno == source.line for call in program.calls_of(tree, owner, "append", "extend"))
