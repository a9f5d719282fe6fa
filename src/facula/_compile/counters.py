"""What was compiled, counted, under PyTorch's names."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from .programs.program import check

times: defaultdict[str, list[float]] = defaultdict(list)
"""Seconds that captures took, and what was made of them."""

counters: defaultdict[str, Counter[str]] = defaultdict(Counter)


def captured(entry: Any) -> None:
    """A function has become a program."""
    counters["frames"].update(total=1, ok=1)
    counters["stats"].update(unique_graphs=1, calls_captured=len(operations(entry.forward)))


def refused(reason: Any) -> None:
    """A function runs as it is."""
    counters["frames"].update(total=1)
    counters["graph_break"][str(reason)] += 1


def operations(program: Any) -> list[Any]:
    """The targets of what a program computes."""
    nodes = [node for node in program.graph.nodes if node.op == "call_function" and node.target is not check]
    return [node.target for node in nodes]
