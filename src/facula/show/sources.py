"""The text of the user's program, and whether it is still the one that ran."""

from __future__ import annotations

import linecache
import os.path
from types import CodeType
from typing import Any

from .._core.notebooks import short_name
from .model import Graph

LONGEST = 5_000
"""Lines of a file that are shown at most."""


class File:
    """A file of the user's program."""

    def __init__(self, filename: str, codes: set[CodeType], used: list[int]) -> None:
        self.filename = filename
        self.name = short_name(filename)
        linecache.checkcache(filename)
        lines = [line.rstrip("\n") for line in linecache.getlines(filename)]
        self.note = self._note_about(lines, codes)
        self.first = 1
        if len(lines) > LONGEST:
            self.first = max(1, min(used) - 50)
            lines = lines[self.first - 1 : self.first - 1 + LONGEST]
        self.lines = lines

    def _note_about(self, lines: list[str], codes: set[CodeType]) -> str:
        if not lines:
            if self.filename.startswith("<"):
                return f"The text of {self.name} was not kept: its lines cannot be shown."
            there = os.path.exists(self.filename)
            return f"{self.filename} {'is empty now' if there else 'is not there any more'}: its lines cannot be shown."
        if not self.filename.startswith("<") and not _still_has("\n".join(lines), self.filename, codes):
            return f"{self.name} has changed since it was run: its lines may not be those that made the nodes."
        return ""


def files_of(graph: Graph) -> list[File]:
    """The files that the nodes of a graph come from, those with the most nodes first."""
    used: dict[str, list[int]] = {}
    codes: dict[str, set[CodeType]] = {}
    for vertex in graph.vertices:
        if vertex.source is not None:
            used.setdefault(vertex.source.filename, []).append(vertex.source.line)
            codes.setdefault(vertex.source.filename, set()).add(vertex.node.code)
    return [File(name, codes[name], used[name]) for name in sorted(used, key=lambda name: -len(used[name]))]


def _still_has(text: str, filename: str, codes: set[CodeType]) -> bool:
    """Whether a program's text still has the code that ran, on the same lines."""
    try:
        waiting: list[Any] = [compile(text, filename, "exec", dont_inherit=True)]
    except (SyntaxError, ValueError):
        return False
    found = set()
    while waiting:
        code = waiting.pop()
        found.add(_identity(code))
        waiting += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return all(_identity(code) in found for code in codes)


def _identity(code: CodeType) -> Any:
    return code.co_name, code.co_firstlineno, code.co_code, code.co_names, code.co_linetable
