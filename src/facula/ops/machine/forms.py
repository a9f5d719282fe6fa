"""The forms of PyTorch's functions: what parameters each of them takes.

``signatures.txt`` has them; ``python -m tests.signatures`` writes it. It is read when a call has failed or has unusual
arguments, never before. A parameter is its kind, its name, and ``=`` if it may be left out, with its value where
PyTorch tells that: ``Tensor? bias=`` may be None, ``Tensor+ other`` a number, ``ints2 stride=`` is a list of numbers or
one number in place of two equal ones. Forms of methods that are no functions begin with a dot, and without ``self``.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

_SAID = {"ints": "tuple of ints", "floats": "tuple of floats", "Numbers": "tuple of Scalars",
         "Tensors": "tuple of Tensors", "SymInt": "int"}  # fmt: skip


class Parameter(NamedTuple):
    kind: str
    size: int
    """How many numbers one number stands for."""
    nullable: bool
    name: str
    optional: bool
    keyword_only: bool
    or_number: bool = False
    """Whether a number will do for a tensor."""
    default: str = ""
    """What is taken if it is left out, as PyTorch tells it."""

    @property
    def shown(self) -> str:
        return f"{self.said} {self.name}" + (f" = {self.default}" if self.optional else "")

    @property
    def said(self) -> str:
        """Its kind in PyTorch's words."""
        return _SAID.get(self.kind, self.kind)


class Form(NamedTuple):
    """One form of a function."""

    parameters: list[Parameter]

    @property
    def least(self) -> int:
        return sum(not p.optional for p in self.parameters)

    @property
    def positional(self) -> list[Parameter]:
        return [p for p in self.parameters if not p.keyword_only]

    @property
    def shown(self) -> list[str]:
        """Its parameters as PyTorch lists them."""
        words = [p.shown for p in self.parameters]
        at = len(self.positional)
        return [*words[:at], "*", *words[at:]] if at < len(words) else words

    @property
    def takes_sizes(self) -> bool:
        """Whether numbers one after the other stand for a list of them."""
        return len(self.positional) == 1 and self.parameters[0].kind == "ints"


@cache
def _lines() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in (Path(__file__).parent / "signatures.txt").read_text(encoding="utf-8").splitlines():
        name, _, form = line.partition("(")
        found.setdefault(name, []).append(form[:-1])
    return found


@cache
def forms(name: str, is_method: bool) -> tuple[Form, ...]:
    """The forms of a function, or of a method without its tensor; none if they are not known."""
    lines = _lines()
    if not is_method:
        return tuple(_form(line) for line in lines.get(name, ()))
    if f".{name}" in lines:
        return tuple(_form(line) for line in lines[f".{name}"])
    functions = [_form(line) for line in lines.get(name, ())]
    return tuple(
        Form([p for p in form.parameters if p.name not in ("input", "out")])
        for form in functions
        if any(p.name == "input" and p.kind == "Tensor" for p in form.parameters)
    )


def known_name(*names: str) -> str:
    """What PyTorch calls a function with one of these names; the last of them if it is not known."""
    each = [*names, *(f"special_{name}" for name in names)]
    return next((name for name in each if name in _lines() or f".{name}" in _lines()), names[-1])


def _form(line: str) -> Form:
    parameters, keyword_only = [], False
    for each in filter(None, line.split(", ")):
        if each == "*":
            keyword_only = True
            continue
        kind, _, name = each.partition(" ")
        kind, nullable, or_number = kind.rstrip("?+"), kind.endswith("?"), kind.endswith("+")
        bare = kind.rstrip("0123456789")
        size = int(kind[len(bare) :] or 0)
        name, equals, default = name.partition("=")
        parameters.append(Parameter(bare, size, nullable, name, bool(equals), keyword_only, or_number, default))
    return Form(parameters)
