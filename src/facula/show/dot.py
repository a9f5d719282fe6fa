"""A graph in Graphviz's language, for those who have it."""

from __future__ import annotations

from collections.abc import Mapping

from .model import Graph
from .svg import Box

COLOURS = {"operation": "white", "leaf": "lightblue", "output": "darkolivegreen1", "folded": "thistle"}


def quoted(text: str) -> str:
    """A string of DOT, with its line breaks as escapes."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def attributes(values: Mapping[str, str]) -> str:
    return " ".join(f"{name}={quoted(value)}" for name, value in values.items())


def dot(graph: Graph, boxes: list[Box]) -> str:
    lines = ["digraph {", '\tnode [fontname=monospace fontsize=10 shape=box style="rounded,filled"]']
    for vertex, box in zip(graph.vertices, boxes):
        label = "\n".join(text for text, _ in box.lines)
        lines.append(f"\t{vertex.index} [{attributes({'label': label, 'fillcolor': COLOURS[vertex.kind]})}]")
    lines += [f"\t{start} -> {end}" for start, end in graph.edges]
    return "\n".join([*lines, "}\n"])
