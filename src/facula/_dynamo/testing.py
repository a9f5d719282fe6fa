"""Back ends that count what they are given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["CompileCounter", "EagerAndRecordGraphs"]


class CompileCounter:
    """A back end that counts graphs and their operations."""

    def __init__(self) -> None:
        self.clear()

    def __call__(self, gm: Any, example_inputs: list[Any]) -> Callable[..., Any]:
        self.frame_count += 1
        self.op_count += sum("call" in node.op for node in gm.graph.nodes)
        forward: Callable[..., Any] = gm.forward
        return forward

    def clear(self) -> None:
        self.frame_count = self.op_count = 0


class EagerAndRecordGraphs:
    """A back end that keeps the graphs."""

    def __init__(self) -> None:
        self.graphs: list[Any] = []

    def __call__(self, gm: Any, example_inputs: list[Any]) -> Callable[..., Any]:
        self.graphs.append(gm)
        forward: Callable[..., Any] = gm.forward
        return forward
