"""A backward pass once more, node by node, to see where gradients become zero, huge or not finite.

Nothing is accumulated, no hook runs and nothing is freed: the graph must not have been.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core import quiet
from ..autograd.accumulate import AccumulateGrad
from ..autograd.adapting import adapt
from ..autograd.graph import Port
from ..ops.machine.namespaces import ARRAYS


class Passed:
    """A node that a pass went through: how its gradients were, before and after."""

    __slots__ = ("after", "finite_after", "finite_before", "given", "node", "norm_after", "norm_before", "results")

    def __init__(self, node: Any, given: Any, results: Any) -> None:
        self.node = node
        before = [g for g in (given if node.multi else [given]) if g is not None]
        self.norm_before = max([largest(g) for g in before], default=0.0)
        self.finite_before = all(is_finite(g) for g in before)
        self.norm_after = [None if g is None or e is None else largest(g) for g, e in zip(results, node.next)]
        self.finite_after = [g is None or e is None or is_finite(g) for g, e in zip(results, node.next)]
        self.given: Any = None
        self.results: Any = None
        if self.finite_before and not all(self.finite_after):
            self.given, self.results = given, results


def largest(g: Any) -> float:
    """The greatest absolute value."""
    array = np.asarray(g)
    return float(np.abs(array).max()) if array.size else 0.0


def is_finite(g: Any) -> bool:
    return bool(np.isfinite(g).all())


def traced(order: list[Any], start: list[tuple[Any, Any]]) -> list[Passed]:
    """The nodes of a pass in order; ``start``: pairs of edges and gradients."""
    waiting: dict[Any, Any] = {}
    passed: list[Passed] = []
    for edge, g in start:
        _put(waiting, edge, g._array if hasattr(g, "_array") else g)
    token = quiet.begin()
    try:
        for node in order:
            given = waiting.pop(node, None)
            if given is None or node.__class__ is AccumulateGrad:
                continue
            results = list(node.propagate(given, ARRAYS, node.next))
            if node.adapt is not None:
                results = list(adapt(node, results, node.next, ARRAYS))
            passed.append(Passed(node, given, results))
            for edge, g in zip(node.next, results):
                if edge is not None and g is not None:
                    _put(waiting, edge, g)
    except Exception:  # a rule that fails, or a freed node: what was seen before is told
        pass
    finally:
        quiet.end(token)
    return passed


def _put(waiting: dict[Any, Any], edge: Any, g: Any) -> None:
    if edge.__class__ is Port:
        slots = waiting.setdefault(edge.node, [None] * edge.node.output_count())
        slots[edge.nr] = g if slots[edge.nr] is None else slots[edge.nr] + g
    else:
        before = waiting.get(edge)
        waiting[edge] = g if before is None else before + g


def leads_to(leaf: Any, edge: Any) -> bool:
    """Whether an edge leads to a leaf."""
    stack, seen = [edge], set()
    while stack:
        here = stack.pop()
        here = here.node if here.__class__ is Port else here
        if here is None or here in seen:
            continue
        seen.add(here)
        if here.__class__ is AccumulateGrad:
            if here.variable is leaf:
                return True
            continue
        stack.extend(here.next)
    return False
