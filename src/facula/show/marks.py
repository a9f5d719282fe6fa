"""What stands out in a graph: values that are not finite, units that are dead, gradients that vanish or explode."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from .._explain.report import Finding
from .model import OPERATION, Graph, Vertex, saved_by

NOT_FINITE, DEAD, ZERO, HUGE, CUT, UNUSED, SUMMED = "not finite", "dead", "zero", "huge", "cut", "unused", "summed"

GROWTH = 1e3
"""How many times greater than the loss's own a gradient must be, in its norm, to be called huge."""
_GATES = ("ReluBackward0", "HardtanhBackward0", "ThresholdBackward0")


class Mark(NamedTuple):
    vertex: int
    """-1 for what is not in the graph."""
    kind: str
    text: str


class Marks:
    """Collects marks while a pass goes through the graph."""

    def __init__(self, graph: Graph) -> None:
        self.found: list[Mark] = []
        self._graph = graph
        self._born = False
        self._exploded = False
        self._start: float | None = None

    def add(self, vertex: Vertex | None, kind: str, text: str) -> None:
        self.found.append(Mark(-1 if vertex is None else vertex.index, kind, text))

    def add_findings(self, findings: Iterable[Finding]) -> None:
        """Mark what an explanation has found: its node, its leaf, or what its line made."""
        for finding in findings:
            vertex = self._vertex_of(finding)
            mend = f" To mend it: {finding.mend}" if finding.mend else ""
            self.add(vertex, finding.kind, finding.cause + mend)

    def _vertex_of(self, finding: Finding) -> Vertex | None:
        places = {(line.filename, line.line) for line in finding.lines[:1]}
        tests: tuple[Callable[[Vertex], bool], ...] = (
            lambda vertex: finding.node is not None and vertex.node is finding.node,
            lambda vertex: finding.tensor is not None and vertex.tensor is finding.tensor,
            lambda vertex: vertex.source is not None and vertex.source[:2] in places,
        )
        for test in tests:
            for vertex in self._graph.vertices:
                if test(vertex):
                    return vertex
        return None

    def look_forward(self) -> None:
        """At what nodes saved, the oldest first, and at parameters that lead nowhere."""
        told = False
        for vertex in reversed(self._graph.vertices):
            if vertex.kind != OPERATION:
                continue
            saved = saved_by(vertex.node)
            for one in saved:
                if one.cut:
                    self.add(vertex, CUT, f"{one.name} has no history: it was cut off by {one.cut}.")
            if told:
                continue
            bad = [one for one in saved if one.tensor is not None and not _finite(one.tensor._array)]
            if bad:
                told = True
                where = "computed" if all(one.name.startswith("result") for one in bad) else "saved"
                odd = f"{_odd(bad[0].tensor._array)} in {bad[0].name}"
                self.add(vertex, NOT_FINITE, f"The first value that is not finite was {where} here: {odd}.")
                self._born = True
        used = {id(vertex.tensor) for vertex in self._graph.vertices if vertex.tensor is not None}
        for prefix, module in self._graph.names.modules.items():
            parameters = list(module.named_parameters(prefix=prefix))
            if any(id(parameter) in used for _, parameter in parameters):
                for name, parameter in parameters:
                    if id(parameter) not in used and parameter.requires_grad:
                        self.add(None, UNUSED, f"{name} gets no gradient: nothing leads from it to here.")

    def look(self, vertex: Vertex, step: Any) -> None:
        """At one step of the backward pass."""
        incoming = [g for g in map(_array, step._incoming) if g is not None]
        outgoing = [g for g in map(_array, step._outgoing) if g is not None]
        if vertex.kind != OPERATION:
            if any(not _finite(g) for g in incoming) and not self._born:
                self._born = True
                self.add(vertex, NOT_FINITE, "The gradient that arrives here is not finite.")
            return
        came_finite = all(map(_finite, incoming))
        for g in outgoing:
            if not _finite(g) and came_finite and not self._born:
                self._born = True
                self.add(
                    vertex, NOT_FINITE,
                    f"A gradient that is not finite is born here: {_odd(g)}, though all that arrived was finite.",
                )  # fmt: skip
        if came_finite and incoming and outgoing and any(map(np.any, incoming)) and not any(map(np.any, outgoing)):
            if vertex.name in _GATES:
                self.add(vertex, DEAD, f"Dead: none of its {outgoing[0].size} units lets a gradient through.")
            else:
                self.add(vertex, ZERO, "The gradient becomes zero here.")
        elif vertex.name in _GATES and outgoing and outgoing[0].ndim == 2 and len(outgoing[0]) > 1:
            silent = int((~(np.asarray(_result(vertex.node, outgoing[0])) != 0).any(0)).sum())
            if silent:
                units = outgoing[0].shape[1]
                self.add(vertex, DEAD, f"{silent} of its {units} units are zero for all {len(outgoing[0])} rows.")
        if not self._exploded and came_finite:
            norm = max(
                [float(np.linalg.norm(np.abs(g).astype(np.float64))) for g in outgoing if _finite(g)], default=0.0
            )
            if norm > GROWTH * max(1.0, self._first_norm(incoming)):
                self._exploded = True
                self.add(vertex, HUGE, f"The gradient becomes huge here: its norm is {norm:.3g}.")

    def _first_norm(self, incoming: list[Any]) -> float:
        if self._start is None:
            self._start = max([float(np.linalg.norm(np.abs(g).astype(np.float64))) for g in incoming], default=0.0)
        return self._start


def _array(g: Any) -> Any:
    if g is None:
        return None
    array = np.asarray(g._array if hasattr(g, "_array") else g)
    return array.astype(np.float32) if array.dtype.kind == "V" else array


def _result(node: Any, like: Any) -> Any:
    for one in saved_by(node):
        if one.name == "result" and one.tensor is not None:
            return one.tensor._array
    return np.ones_like(like)


def _finite(array: Any) -> bool:
    return array.dtype.kind not in "fc" or bool(np.isfinite(array).all())


def _odd(array: Any) -> str:
    """How many elements are not finite, and the first of them."""
    bad = ~np.isfinite(array)
    first = tuple(int(i) for i in np.argwhere(bad)[0]) if array.ndim else ()
    where = f" at {list(first)}" if first else ""
    count = int(bad.sum())
    return f"{array[first]}{where}" + (f", {count} of {array.size} in all" if count > 1 else "")
