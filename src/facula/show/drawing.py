"""``facula.draw``: the graph of a tensor as a picture, in the form that fits where it is shown."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from .model import FOLDED, LEAF, OPERATION, OUTPUT, Graph, Vertex, read, roots_of, saved_by
from .names import caller, names
from .svg import Arrow, Box, svg
from .tree import place, tree, value

LIMIT = 2_000
"""Graphs with more nodes are drawn folded, by line."""


def draw(loss: Any, params: Mapping[str, Any] | None = None, *, saved: bool = False, longest: int = 400) -> Drawing:
    """A picture of the graph that ends at a tensor, or at several.

    ``print`` shows it as a tree, a notebook as SVG; ``.svg`` and ``.dot`` are those texts, ``.save(path)`` writes what
    the ending of the path says. Tensors have the names of the caller's variables, unless ``params`` names them.
    With ``saved`` operations tell which tensors they keep. ``longest`` is the greatest number of lines of the tree.
    """
    roots = roots_of(loss, "draw()")
    return Drawing(read(roots, names(caller(), params), LIMIT), saved, longest)


class Drawing:
    """The graph of a tensor as text, SVG or DOT."""

    def __init__(self, graph: Graph, saved: bool = False, longest: int = 400) -> None:
        self.graph = graph
        self._saved = saved
        self._longest = longest

    def tree(self, unicode: bool = True) -> str:
        """The tree, in plain ASCII if need be."""
        return tree(self.graph, unicode, self._longest)

    @cached_property
    def svg(self) -> str:
        boxes = [box_of(vertex, self._saved) for vertex in self.graph.vertices]
        title = f"The graph of {self.graph.vertices[0].name}, {self.graph.nodes:,} nodes."
        title = " ".join([title, *self.graph.notes])
        return svg(boxes, [Arrow(start, end) for start, end in self.graph.edges], title)

    @cached_property
    def dot(self) -> str:
        from .dot import dot  # loaded when first used

        return dot(self.graph, [box_of(vertex, self._saved) for vertex in self.graph.vertices])

    def save(self, path: Any) -> Path:
        """Write the picture to a file that ends in .svg, .dot, .gv or .txt."""
        path = Path(path)
        texts = {".svg": lambda: self.svg, ".dot": lambda: self.dot, ".gv": lambda: self.dot, ".txt": self.tree}
        if path.suffix not in texts:
            raise ValueError(f"a drawing is saved as {', '.join(texts)}, not as {path.suffix or path.name!r}")
        path.write_text(texts[path.suffix](), encoding="utf-8")
        return path

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "")
        return self.tree(encoding.startswith("utf"))


def box_of(vertex: Vertex, saved: bool = False) -> Box:
    """A vertex as a box."""
    if vertex.kind == OUTPUT:
        shown = value(vertex.tensor).strip()
        return Box("output", [(vertex.name, "strong"), (shown.removeprefix("of shape "), "")], "where backward begins")
    if vertex.kind == LEAF:
        shape = str(list(vertex.shape or ()))
        return Box("leaf", [("AccumulateGrad", "dim"), (vertex.name or "leaf", "strong"), (shape, "")], "a leaf")
    if vertex.kind == FOLDED:
        lines = [(vertex.name, "strong"), (f"× {vertex.count:,}", ""), (place(vertex), "dim")]
        return Box("folded", [line for line in lines if line[0]])
    assert vertex.kind == OPERATION
    lines = [(vertex.name, "strong")]
    if vertex.label:
        lines.append((vertex.label, ""))
    if place(vertex):
        lines.append((place(vertex), "dim"))
    if saved:
        for one in saved_by(vertex.node):
            lines.append((f"saves {one.name} {list(one.shape)}", ""))
            if one.cut:
                lines.append((f"cut off by {one.cut}", "cut"))
    return Box("operation", lines, str(vertex.source or ""))
