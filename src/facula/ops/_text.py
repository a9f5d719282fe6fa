"""Functions that are compiled from a text.

A loop over the tensors of a call, or over what a node saves, takes as long as a small kernel. So each primitive gets
functions of its own in which these loops are written out: ``_calls`` and ``_nodes`` write their texts.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

from ._primitive import Primitive


class Text:
    """Lines of a function, to which the names that it uses are given at the end.

    Names of the text's own begin with an underscore, which no parameter of a primitive does.
    """

    def __init__(self, op: Primitive) -> None:
        self.op = op
        self.lines: list[str] = []

    def say(self, depth: int, *lines: str) -> None:
        self.lines += ["    " * depth + line for line in lines]

    def compiled(self, name: str, names: dict[str, Any]) -> Callable[..., Any]:
        """The function. Tracebacks show its lines, and NOTE [provenance] takes it for facula's own."""
        text = "\n".join(self.lines)
        filename = f"{__file__}: {name} of {self.op.name}"
        linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
        names["__name__"] = __name__
        exec(compile(text, filename, "exec"), names)
        made: Callable[..., Any] = names[name]
        return made
