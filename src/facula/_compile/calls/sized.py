"""General programs, run: kernel by kernel, and sizes that come again and again by programs of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core.strides import element_strides
from ...fx.graph import Graph
from ...fx.node import Node, map_arg
from .. import settings
from ..programs.program import Mismatch, Program, as_array, call, check, evaluate, finished

Ready = Callable[[list[Any]], list[Any]]
Backend = Callable[[Program], Ready]


def sized(program: Program, backend: Backend) -> Ready:
    """A program by a back end, whatever its sizes. Back ends of users are given general programs as they are."""
    if program.is_general and not getattr(backend, "takes_general", False):
        return Sized(program, backend)
    return backend(program)


class Sized:
    """A general program. Sizes that were seen ``OFTEN`` get a program of their own from the back end."""

    OFTEN = 3

    def __init__(self, program: Program, backend: Backend) -> None:
        self.program = program
        self.backend = backend
        self.ready: dict[Any, Ready] = {}
        self.seen: dict[Any, int] = {}

    @property
    def text(self) -> str:
        return "\n\n".join([str(self.program), *[getattr(each, "text", "") for each in self.ready.values()]])

    def __call__(self, arrays: list[Any]) -> list[Any]:
        kind = tuple([(a.shape, a.strides) if isinstance(a, np.ndarray) else a for a in arrays])
        ready = self.ready.get(kind)
        if ready is not None:
            return ready(arrays)
        try:
            values = evaluate(self.program, arrays)
        except Exception as error:  # these sizes do not go together: the function itself says so
            raise Mismatch from error
        seen = self.seen[kind] = self.seen.get(kind, 0) + 1
        if seen >= self.OFTEN and len(self.ready) < settings.recompile_limit:
            self.ready[kind] = self._made(values)
        elif len(self.seen) > 1000:
            self.seen.clear()
        return finished(self.program, arrays, values)

    def _made(self, values: dict[Node, Any]) -> Ready:
        special, numbers = specialized(self.program, values)
        ready = self.backend(special)
        if not numbers and len(special.placeholders) == len(self.program.placeholders):
            return ready

        def run(arrays: list[Any]) -> list[Any]:
            found = ready([a for a in arrays if isinstance(a, np.ndarray)])
            for at, number in numbers:
                found.insert(at, number)
            return found

        run.text = getattr(ready, "text", None) or str(special)  # type: ignore[attr-defined]
        return run


def specialized(program: Program, values: dict[Node, Any]) -> tuple[Program, list[tuple[int, Any]]]:
    """The program for the sizes of one run, in which its nodes came to ``values``; and outputs that are numbers."""
    graph = Graph()
    new: dict[Node, Any] = {}
    for node in program.graph.nodes:
        if node.op == "output":
            continue
        value = values[node]
        if node.target is as_array:
            is_number = all(getattr(user.target, "kind", "") == "elementwise" for user in node.users)
            new[node] = value.item() if is_number else _constant(graph, node, value)
        elif isinstance(value, (bool, int, float)):
            new[node] = value
        elif node.target is not check or node.args[0] not in new or isinstance(new[node.args[0]], Node):
            new[node] = _copied(graph, node, value, new)
    numbers = [(i, new[out]) for i, out in enumerate(program.outputs)
               if out is not None and not isinstance(new[out], Node)]  # fmt: skip
    outputs = [(i, out) for i, out in enumerate(program.outputs) if i not in dict(numbers)]
    graph.output(tuple([None if out is None else new[out] for _, out in outputs]))
    arrays = [node for node in program.placeholders if isinstance(new[node], Node)]
    commits = {at: arrays.index(program.placeholders[program.commits[i]])
               for at, (i, _) in enumerate(outputs) if i in program.commits}  # fmt: skip
    return Program(graph, commits), numbers


def _copied(graph: Graph, node: Node, value: Any, new: dict[Node, Any]) -> Node:
    args = map_arg(node.args, new.__getitem__)
    meta = {**node.meta, "general": None}
    if "put" in meta and len(args) > 3:
        op, _, index = meta["put"]
        meta["put"] = (op, args[3:], index)
    copy = graph.create_node(node.op, node.target, args, name=node.name)
    if isinstance(value, np.ndarray):
        meta.update(shape=value.shape, dtype=value.dtype, strides=element_strides(value))
    copy.meta = meta
    return copy


def _constant(graph: Graph, node: Node, value: Any) -> Node:
    def constant() -> Any:
        return value

    copy = graph.create_node("call_function", call, (constant,), name=node.name)
    copy.meta = {"shape": value.shape, "dtype": value.dtype, "strides": element_strides(value), "source": None}
    return copy
