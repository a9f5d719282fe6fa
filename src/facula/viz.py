"""``make_dot`` with the arguments of the torchviz package, without it and without Graphviz."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from ._tensor import Tensor
from .show.dot import attributes
from .show.svg import Arrow, Box, svg

__all__ = ["Dot", "make_dot"]

_COLOURS = {"leaf": "lightblue", "saved": "orange", "output": "darkolivegreen1", "base": "darkolivegreen3"}

_NODE_STYLE = {
    "align": "left", "fontname": "monospace", "fontsize": "10", "height": "0.2", "ranksep": "0.1", "shape": "box",
    "style": "filled",
}  # fmt: skip


def make_dot(
    var: Any,
    params: Mapping[str, Any] | None = None,
    show_attrs: bool = False,
    show_saved: bool = False,
    max_attr_chars: int = 50,
) -> Dot:
    """The graph of a tensor, or of a tuple of them, as torchviz draws it.

    Leaves are blue, saved tensors orange, outputs green, the bases of views dark green; the rest are nodes.
    ``params`` names tensors, ``show_attrs`` tells what nodes saved besides tensors, in at most ``max_attr_chars``
    characters each, and ``show_saved`` shows the tensors that built-in nodes saved; those of custom Functions
    are always there.
    """
    outputs = var if isinstance(var, tuple) else (var,)
    for tensor in (*outputs, *(params or {}).values()):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"make_dot() draws tensors, but got {type(tensor).__name__}")
    names = {id(tensor): name for name, tensor in (params or {}).items()}
    dot = Dot(names, show_attrs, show_saved, max(max_attr_chars, 3))
    for output in outputs:
        dot._add_output(output)
    return dot


class Dot:
    """A drawing in DOT, which facula can turn into SVG by itself."""

    def __init__(self, names: dict[int, str], show_attrs: bool, show_saved: bool, max_attr_chars: int) -> None:
        self._names = names
        self._show_attrs = show_attrs
        self._show_saved = show_saved
        self._max_attr_chars = max_attr_chars
        self._boxes: dict[Any, tuple[str, str]] = {}
        """For each thing drawn its kind and its text."""
        self._arrows: dict[tuple[Any, Any, str], None] = {}
        """(start, end, style)."""
        self._kept: list[Any] = []

    def _add_output(self, tensor: Any, kind: str = "output") -> None:
        if not self._add_tensor(tensor, kind):
            return
        if tensor.grad_fn is not None:
            self._add_nodes(tensor.grad_fn)
            self._arrows[tensor.grad_fn, id(tensor), ""] = None
        if tensor._is_view():
            self._add_output(tensor._base, "base")
            self._arrows[id(tensor._base), id(tensor), "dotted"] = None

    def _add_tensor(self, tensor: Any, kind: str, name: str = "") -> bool:
        known = self._boxes.get(id(tensor))
        if known is not None and (known[0] != "saved" or kind == "saved"):
            return False
        self._kept.append(tensor)
        size = ", ".join(map(str, tensor.shape))
        self._boxes[id(tensor)] = (kind, f"{name or self._names.get(id(tensor), '')}\n ({size})")
        return True

    def _add_nodes(self, root: Any) -> None:
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if node in self._boxes:
                continue
            values = _saved(node) if self._show_attrs or self._show_saved else {}
            self._boxes[node] = ("operation", self._text(node, values))
            if self._show_saved:
                for name, value in values.items():
                    self._add_saved(node, name, value)
            if hasattr(node, "saved_tensors"):
                for tensor in node.saved_tensors:
                    self._add_tensor(tensor, "saved")
                    self._arrows[id(tensor), node, "none"] = None
            if hasattr(node, "variable"):
                self._add_tensor(node.variable, "leaf")
                self._arrows[id(node.variable), node, ""] = None
            for following, _ in node.next_functions:
                if following is not None:
                    self._arrows[following, node, ""] = None
                    waiting.append(following)

    def _add_saved(self, node: Any, name: str, value: Any) -> None:
        several = isinstance(value, tuple)
        for i, tensor in enumerate(value if several else (value,)):
            if isinstance(tensor, Tensor):
                self._add_tensor(tensor, "saved", f"{name}[{i}]" if several else name)
                self._arrows[node, id(tensor), "none"] = None

    def _text(self, node: Any, values: dict[str, Any]) -> str:
        name = type(node).__name__
        if not self._show_attrs or not values:
            return name
        shown = {key: _shown(value) for key, value in values.items()}
        left = max(map(len, shown))
        right = min(max(map(len, shown.values())), self._max_attr_chars)
        rule = "-" * max(left + right + 2, len(name))
        rows = [
            f"{key:<{left}}: {text if len(text) <= right else text[: right - 3] + '...':>{right}}"
            for key, text in shown.items()
        ]
        return "\n".join([name, rule, *rows])

    @property
    def source(self) -> str:
        """The text in DOT."""
        number = {key: str(i) for i, key in enumerate(self._boxes)}
        size = max(12.0, 0.15 * (len(self._boxes) + len(self._arrows)))
        lines = ["digraph {", f'\tgraph [size="{size:g},{size:g}"]', f"\tnode [{attributes(_NODE_STYLE)}]"]
        for key, (kind, text) in self._boxes.items():
            colour = {"fillcolor": _COLOURS[kind]} if kind in _COLOURS else {}
            lines.append(f"\t{number[key]} [{attributes({'label': text, **colour})}]")
        for start, end, kind in self._arrows:
            style = {"none": " [dir=none]", "dotted": " [style=dotted]"}.get(kind, "")
            lines.append(f"\t{number[start]} -> {number[end]}{style}")
        return "\n".join([*lines, "}\n"])

    @cached_property
    def _svg(self) -> str:
        """Drawn with leaves at the top, as torchviz's are: a thing comes after all that lead to it."""
        order = self._topological()
        number = {key: i for i, key in enumerate(order)}
        boxes = []
        for key in order:
            kind, text = self._boxes[key]
            boxes.append(Box(kind, [(line, "strong" if i == 0 else "") for i, line in enumerate(text.split("\n"))]))
        return svg(boxes, [Arrow(number[a], number[b], kind) for a, b, kind in self._downward()], "a graph of autograd")

    def _downward(self) -> list[tuple[Any, Any, str]]:
        """The arrows, with what a node saved above it."""
        return [
            (end, start, kind) if kind == "none" and self._boxes[start][0] == "operation" else (start, end, kind)
            for start, end, kind in self._arrows
        ]

    def _topological(self) -> list[Any]:
        onward: dict[Any, list[Any]] = {key: [] for key in self._boxes}
        waits = dict.fromkeys(self._boxes, 0)
        for start, end, _ in self._downward():
            onward[start].append(end)
            waits[end] += 1
        order = [key for key, count in waits.items() if not count]
        for key in order:  # which grows meanwhile
            for end in onward[key]:
                waits[end] -= 1
                if not waits[end]:
                    order.append(end)
        return list(dict.fromkeys([*order, *self._boxes]))

    def _repr_svg_(self) -> str:
        return self._svg

    def save(self, filename: Any = None, directory: Any = None) -> str:
        """Write the text in DOT; returns the path."""
        path = Path(directory or ".") / (filename or "Digraph.gv")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.source, encoding="utf-8")
        return str(path)

    def render(
        self, filename: Any = None, directory: Any = None, view: bool = False, cleanup: bool = False,
        format: str | None = None, **options: Any,
    ) -> str:  # fmt: skip
        """Write the text in DOT and the picture beside it, whose path is returned; others than SVG need Graphviz."""
        path = Path(directory or ".") / (filename or "Digraph.gv")
        kind = format or "svg"
        picture = path.with_name(f"{path.name}.{kind}")
        content = self.pipe(kind)
        self.save(path)
        picture.write_bytes(content)
        if cleanup:
            path.unlink()
        return str(picture)

    def pipe(self, format: str = "svg") -> bytes:
        """The picture itself."""
        if format == "svg":
            return self._svg.encode()
        if format in ("dot", "gv"):
            return self.source.encode()
        program = shutil.which("dot")
        if program is None:
            raise RuntimeError(
                f"facula draws SVG by itself, but {format} needs the program dot of Graphviz, which is not on the path."
                ' Use format="svg".'
            )
        return subprocess.run([program, f"-T{format}"], input=self.source.encode(), stdout=-1, check=True).stdout

    def __str__(self) -> str:
        return self.source


def _saved(node: Any) -> dict[str, Any]:
    prefix = "_saved_"
    return {name.removeprefix(prefix): getattr(node, name) for name in dir(node) if name.startswith(prefix)}


def _shown(value: Any) -> str:
    if isinstance(value, Tensor):
        return "[saved tensor]"
    if isinstance(value, tuple) and any(isinstance(item, Tensor) for item in value):
        return "[saved tensors]"
    return str(value)
