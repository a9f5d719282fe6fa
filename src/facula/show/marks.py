"""What stands out in a graph. The page marks what ``_explain`` finds in it, and in the pass that was replayed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from .._core import state
from .._core.unresolved import resolved
from .._explain import finite, norms
from .._explain import watch as watching
from .._explain.record import seen_record
from .._explain.report import Finding
from .._explain.trace import Passed
from .model import LEAF, OPERATION, Graph, Vertex, saved_by, without_folders

_GATES = ("ReluBackward0", "HardtanhBackward0", "ThresholdBackward0")
_MASKS = {f"{name}()" for name in ("gt", "lt", "ge", "le", "eq", "ne", "isnan", "isinf", "isfinite", "logical_not")}
"""What makes masks, which nobody expects a gradient of."""
_MOST_LEAVES = 20


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
        self._passed: list[Passed] = []
        self._without_gradient: list[Any] = []
        """Leaves at which nothing but zeros arrived."""
        self._huge = False

    def add(self, vertex: Vertex | None, kind: str, text: str) -> None:
        mark = Mark(-1 if vertex is None else vertex.index, kind, text)
        if mark not in self.found:
            self.found.append(mark)

    def add_findings(self, findings: Iterable[Finding]) -> None:
        """Mark what an explanation has found: its node, its leaf, or what its line made."""
        for finding in findings:
            mend = f" To mend it: {finding.mend}" if finding.mend else ""
            self.add(self._vertex_of(finding), finding.kind, without_folders(finding.cause) + mend)

    def _vertex_of(self, finding: Finding) -> Vertex | None:
        places = {(line.filename, line.line) for line in finding.lines[:1]}
        tests: tuple[Callable[[Vertex], bool], ...] = (
            lambda vertex: finding.node is not None and vertex.node is finding.node,
            lambda vertex: finding.tensor is not None and vertex.kind == LEAF and vertex.tensor is finding.tensor,
            lambda vertex: vertex.source is not None and vertex.source[:2] in places,
        )
        for test in tests:
            for vertex in self._graph.vertices:
                if test(vertex):
                    return vertex
        return None

    # ---- before the pass

    def look_at_graph(self, roots: Iterable[Any]) -> None:
        """At values that are not finite, cuts, parameters that lead nowhere, and at what a watch has seen."""
        for root in roots:
            if root._array.dtype.kind in "fc" and not np.isfinite(root._array).all():
                found = finite.in_graph(root)
                self.add_findings([found] if found is not None else [])
        nodes = {vertex.node: vertex for vertex in self._graph.vertices if vertex.kind == OPERATION}
        for node, vertex in nodes.items():
            for one in saved_by(node):
                if one.cut:
                    self.add(vertex, "cut", f"{one.name} has no history: it was cut off by {one.cut}.")
            known = {mark.text for mark in self.found if mark.vertex == vertex.index}
            for cut in getattr(seen_record(node), "cuts", ()):
                how = without_folders(str(cut))
                if cut.how not in _MASKS and not any(how in text for text in known):
                    self.add(vertex, "cut", f"An operand has no history: it was cut off by {how}.")
        watch = state.watch or watching.last
        if watch is not None:
            self.add_findings([finding for finding in watch.findings if finding.node in nodes])
        used = {id(vertex.tensor) for vertex in self._graph.vertices if vertex.tensor is not None}
        for prefix, module in self._graph.names.modules.items():
            parameters = list(module.named_parameters(prefix=prefix))
            if any(id(parameter) in used for _, parameter in parameters):
                for name, parameter in parameters:
                    if id(parameter) not in used and parameter.requires_grad:
                        self.add(None, "unused", f"{name} gets no gradient: nothing leads from it to here.")

    # ---- during the pass

    def look_at_step(self, vertex: Vertex, step: Any) -> None:
        incoming, outgoing = ([_array(g) for g in grads] for grads in (step._incoming, step._outgoing))
        if vertex.kind == LEAF:
            if incoming[0] is not None and incoming[0].size and not incoming[0].any():
                self._without_gradient.append(vertex.tensor)
            return
        passed = Passed(step.node, incoming if step.node.multi else incoming[0], outgoing)
        self._passed.append(passed)
        self._huge = self._huge or max([n for n in passed.norm_after if n is not None], default=0.0) > norms.HUGE
        if vertex.name in _GATES and outgoing[0] is not None and outgoing[0].ndim == 2 and len(outgoing[0]) > 1:
            result = next((one.tensor for one in saved_by(step.node) if one.name == "result"), None)
            silent = 0 if result is None else int((~result._array.any(0)).sum())
            rows, units = outgoing[0].shape
            if 0 < silent < units:
                self.add(vertex, "dead", f"{silent} of its {units} units are zero for all {rows} rows.")

    # ---- after it

    def look_at_pass(self) -> None:
        """At where gradients ceased to be finite, became zero, or grew beyond measure."""
        found = [finite.in_backward(self._passed)]
        found += [norms.zero(self._passed, leaf) for leaf in self._without_gradient[:_MOST_LEAVES]]
        if self._huge:
            found.append(norms.huge(self._passed))
        self.add_findings([finding for finding in found if finding is not None])
        self._passed.clear()


def _array(g: Any) -> Any:
    if g is None:
        return None
    array = np.asarray(resolved(g._array) if hasattr(g, "_array") else g)
    return array.astype(np.float32) if array.dtype.kind == "V" else array
