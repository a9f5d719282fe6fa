"""A graph as a tree of text: what a node leads to stands below it; what was told already is only named."""

from __future__ import annotations

from typing import Any

from .._core.notebooks import short_name
from .model import FOLDED, LEAF, OUTPUT, Graph, Vertex

UNICODE = ("├─ ", "└─ ", "│  ")
ASCII = ("|- ", "`- ", "|  ")
LONGEST = 400
"""Lines that a tree has at most."""
_DEEPEST = 24


def tree(graph: Graph, unicode: bool = True, longest: int = LONGEST, sources: bool = True) -> str:
    """The tree below each output."""
    lines: list[tuple[str, str]] = []
    seen: set[int] = set()
    stack: list[tuple[int, str, str]] = [
        (vertex.index, "", "") for vertex in reversed(graph.vertices) if vertex.kind == OUTPUT
    ]
    tee, corner, bar = UNICODE if unicode else ASCII
    uses = _uses(graph)
    left_out = 0
    while stack:
        index, lead, indent = stack.pop()
        vertex = graph.vertices[index]
        if len(lines) >= longest:
            left_out += 1
            continue
        again = index in seen and bool(vertex.edges)
        text = f"{lead}{told(vertex, again)}"
        if vertex.kind == LEAF and index in seen:
            text += "  (again)"
        elif uses[index] > 1 and vertex.kind == LEAF:
            text += f"  (used {uses[index]} times)"
        lines.append((text, place(vertex) if sources and index not in seen else ""))
        if again:
            continue
        seen.add(index)
        targets = [target for target, _, _ in vertex.edges]
        single = len(targets) == 1 and vertex.kind != OUTPUT and uses[targets[0]] == 1
        for i in reversed(range(len(targets))):
            last = i == len(targets) - 1
            if single and len(indent) > _DEEPEST:  # a long chain goes straight down
                stack.append((targets[i], indent, indent))
            else:
                stack.append((targets[i], indent + (corner if last else tee), indent + ("   " if last else bar)))
    width = min(max([len(text) for text, where in lines if where], default=0), 72)
    shown = [f"{text:<{width}}  {where}".rstrip() if where else text for text, where in lines]
    if left_out:
        shown.append(f"... and more: {graph.nodes:,} nodes in all; longest= gives the number of lines to show")
    return "\n".join([*shown, *graph.notes])


def told(vertex: Vertex, again: bool = False) -> str:
    """A vertex in a few words."""
    if vertex.kind == OUTPUT:
        return f"{vertex.name}{value(vertex.tensor)}"
    if vertex.kind == LEAF:
        return f"AccumulateGrad  (leaf {vertex.name + ' ' if vertex.name else ''}of shape {list(vertex.shape or ())})"
    if vertex.kind == FOLDED:
        text = f"{vertex.name} x {vertex.count:,}"
    else:
        text = f"{vertex.name}  {vertex.label}" if vertex.label else vertex.name
    return f"{text}  (see above)" if again else text


def value(tensor: Any) -> str:
    if tensor._array.size == 1 and not tensor.is_meta:
        return f" = {tensor.item():.6g}"
    return f" of shape {list(tensor.shape)}"


def place(vertex: Vertex) -> str:
    source = vertex.source
    return "" if source is None else f"{short_name(source.filename)}:{source.line}"


def _uses(graph: Graph) -> list[int]:
    uses = [0] * len(graph.vertices)
    for _, target in graph.edges:
        uses[target] += 1
    return uses
