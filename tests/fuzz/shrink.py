"""Leaving out of a failing program what it fails without."""

from __future__ import annotations

from collections.abc import Callable

from .program import Program


def shrink(program: Program, fails: Callable[[Program], bool]) -> Program:
    """The program without statements that its failure does not need: halves first, then single ones."""
    size = max(len(program.statements) // 2, 1)
    while size:
        start = len(program.statements) - size
        while start >= 0:
            smaller = program.without(range(start, start + size))
            if smaller.statements and fails(smaller):
                program = smaller
            start -= size
        size //= 2
    return simplified(program, fails)


def simplified(program: Program, fails: Callable[[Program], bool]) -> Program:
    """Without modes and factors that do not matter."""
    i = 0
    while i < len(program.statements):
        for shorter in shorter_forms(program.statements[i]):
            candidate = Program([*program.statements[:i], shorter, *program.statements[i + 1 :]], program.inputs)
            if fails(candidate):
                program = candidate
                break
        else:
            i += 1
    return program


def shorter_forms(statement: str) -> list[str]:
    forms = []
    if statement.startswith("with "):
        forms.append(statement.partition("\n")[2].strip())
    for option in (
        ", requires_grad=True",
        ", retain_graph=True",
        ", create_graph=True",
        ", allow_unused=True",
        ", keepdim=True",
    ):
        if option in statement:
            forms.append(statement.replace(option, ""))
    if statement.startswith("def "):
        head, *body, last = statement.split("\n")
        forms += ["\n".join([head, *body[:i], *body[i + 1 :], last]) for i in range(len(body))]
    return forms
