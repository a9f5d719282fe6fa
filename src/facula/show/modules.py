"""Which module each node of a graph belongs to.

A ``Recording`` knows it: while it is on, hooks of all modules note the sequence numbers before and after each call, and
a node whose number lies between belongs to that call. Nodes themselves note nothing, so it costs nothing when off.

Without one it is inferred from the parameters: an operation belongs to the module whose weights it uses, and what lies
between to the smallest module that both some of what it leads to and some of what leads to it are in.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..autograd.graph import next_sequence_number
from .layout import side_boxes
from .model import LEAF, OPERATION, Graph

Path = tuple[str, ...]
_MOST_PATHS = 6


class Call:
    """One call of a module."""

    def __init__(self, module: Any, outer: Call | None) -> None:
        self.module = module
        self.outer = outer
        self.first: float = next_sequence_number()
        self.last: float = float("inf")


class Recording:
    """The calls of modules while it was on."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self._open: dict[int, list[Call]] = {}

    def _enter(self, module: Any, args: Any) -> None:
        stack = self._open.setdefault(threading.get_ident(), [])
        call = Call(module, stack[-1] if stack else None)
        stack.append(call)
        self.calls.append(call)

    def _leave(self, module: Any, args: Any, output: Any) -> None:
        stack = self._open.get(threading.get_ident(), [])
        while stack:
            call = stack.pop()
            call.last = next_sequence_number()
            if call.module is module:
                break

    def forget(self) -> None:
        """Let go of all calls that have ended."""
        self.calls = [call for stack in self._open.values() for call in stack]


@contextmanager
def recorded() -> Iterator[Recording]:
    """Note which module makes which nodes."""
    from ..nn.modules import _hooks  # loaded when first used

    recording = Recording()
    with (
        _hooks.register_module_forward_pre_hook(recording._enter),
        _hooks.register_module_forward_hook(recording._leave, always_call=True),
    ):
        yield recording


def module_paths(graph: Graph, recording: Recording | None) -> tuple[list[Path], dict[Path, str]]:
    """For each vertex the path of its module, and for each path the name of the module's class."""
    if recording is not None:
        for call in recording.calls:  # a model in no variable that can be seen is named by its class
            if call.outer is None and not any(call.module is module for module in graph.names.modules.values()):
                graph.names.add_module(type(call.module).__name__, call.module)
    known: dict[int, Path] = {}
    classes: dict[Path, str] = {}
    for name, module in graph.names.modules.items():
        for path, inner in module.named_modules(prefix=name):
            parts = tuple(path.split(".")) if path else ()
            known.setdefault(id(inner), parts)
            classes[parts] = type(inner).__name__
    if recording is not None and recording.calls:
        return _recorded_paths(graph, recording, known, classes), classes
    return _inferred_paths(graph), classes


def _recorded_paths(graph: Graph, recording: Recording, names: dict[int, Path], classes: dict[Path, str]) -> list[Path]:
    made_by = _innermost_calls(graph, recording)
    used: set[int] = set()
    for call in made_by.values():
        outer: Call | None = call
        while outer is not None and id(outer) not in used:
            used.add(id(outer))
            outer = outer.outer
    paths: dict[int, Path] = {}
    times: dict[Path, int] = {}
    for call in recording.calls:  # outer ones come before inner ones
        if id(call) not in used:
            continue
        around = paths[id(call.outer)] if call.outer is not None else ()
        plain = names.get(id(call.module)) or (type(call.module).__name__,)
        above = names.get(id(call.outer.module), ()) if call.outer is not None else ()
        own = plain[len(above) :] if plain[: len(above)] == above else plain[-1:]
        path = (*around, *own)
        count = times[path] = times.get(path, 0) + 1
        if count > 1 and path:
            path = (*path[:-1], f"{path[-1]} (call {count})")
        paths[id(call)] = path
        classes.setdefault(path, type(call.module).__name__)
    found: list[Path] = [()] * len(graph.vertices)
    for index, call in made_by.items():
        found[index] = paths[id(call)]
    by_consumer: dict[int, list[Path]] = {}
    for vertex in graph.vertices:
        for target, _, _ in vertex.edges:
            if graph.vertices[target].kind == LEAF:
                by_consumer.setdefault(target, []).append(found[vertex.index])
    for leaf, users in by_consumer.items():
        if graph.names.module_of(graph.vertices[leaf].tensor) is not None:
            found[leaf] = common(users)
    return found


def _innermost_calls(graph: Graph, recording: Recording) -> dict[int, Call]:
    """For each vertex the innermost call during which it was made."""
    calls = sorted(recording.calls, key=lambda call: call.first)
    found: dict[int, Call] = {}
    stack: list[Call] = []
    at = 0
    for vertex in sorted([v for v in graph.vertices if v.kind == OPERATION], key=lambda v: v.node.seq):
        number = vertex.node.seq
        while at < len(calls) and calls[at].first < number:
            stack.append(calls[at])
            at += 1
        while stack and stack[-1].last < number:
            stack.pop()
        if stack:
            found[vertex.index] = stack[-1]
    return found


def _inferred_paths(graph: Graph) -> list[Path]:
    vertices = graph.vertices
    found: list[Path | None] = [None] * len(vertices)
    side = side_boxes([vertex.kind == LEAF for vertex in vertices], graph.edges)
    for vertex in reversed(vertices):
        if vertex.kind == LEAF:
            found[vertex.index] = graph.names.module_of(vertex.tensor)
        elif vertex.kind == OPERATION:
            near = [found[target] for target, _, _ in vertex.edges if target in side]
            found[vertex.index] = common([path for path in near if path is not None]) if any(near) else None
    below: list[list[Path]] = [[] if path is None else [path] for path in found]
    for vertex in reversed(vertices):
        if found[vertex.index] is None:
            onward = {path: None for target, _, _ in vertex.edges for path in below[target]}
            below[vertex.index] = list(onward)[:_MOST_PATHS]
    above: list[dict[Path, None]] = [{} for _ in vertices]
    result: list[Path] = []
    for vertex in vertices:
        path = found[vertex.index]
        if path is None:
            shared = [common([a, b]) for a in above[vertex.index] for b in below[vertex.index]]
            path = max(shared, key=len, default=())
        result.append(path)
        for target, _, _ in vertex.edges:
            if len(above[target]) < _MOST_PATHS:
                above[target][path] = None
    return result


def common(paths: list[Path]) -> Path:
    """The module that all are in."""
    shared: list[str] = []
    for parts in zip(*paths):
        if len(set(parts)) > 1:
            break
        shared.append(parts[0])
    return tuple(shared)
