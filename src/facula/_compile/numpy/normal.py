"""The normal distribution function in loops of float32: gelu and its derivative share most of their work.

``0.5 * (1 + erf(x * sqrt(0.5)))`` becomes a statement ``normal``, and ``exp(x * x * -0.5)`` the other result of it.
"""

from __future__ import annotations

import math

import numpy as np

from ...ops.arrays.special.gelu import SMALL
from ..programs.scalars import Statement
from ..programs.steps import Loop

_F32 = np.dtype(np.float32)
_ROOT_HALF = np.float32(math.sqrt(0.5)).item()


def with_normal(loop: Loop) -> list[Statement]:
    """The statements of a loop; what is large enough for it in the terms above. ``bell`` has ``normal`` as argument."""
    statements = loop.statements
    if loop.size <= SMALL or not any(s.op == "erf" for s in statements):
        return statements
    found = list(statements)
    known: dict[int, int] = {}
    for k, s in enumerate(statements):
        if s.dtype != _F32:
            continue
        x = _distributed(statements, s)
        if x is not None:
            found[k] = Statement("normal", (x,), s.dtype)
            known.setdefault(x, k)
        elif s.op == "exp" and (at := known.pop(_squared(statements, s), None)) is not None:
            found[k] = Statement("bell", (at,), s.dtype)
    return found


def _times(statements: list[Statement], s: Statement, number: float, op: str = "mul") -> Statement | None:
    """The statement of which ``s`` is a multiple by a number (or a sum with one)."""
    at = _place(statements, s, number, op)
    return None if at is None else statements[at]


def _place(statements: list[Statement], s: Statement, number: float, op: str = "mul") -> int | None:
    if s.op == op:
        for a, b in (s.args, s.args[::-1]):
            if statements[a].op == "const" and statements[a].what == number:
                return b
    return None


def _distributed(statements: list[Statement], s: Statement) -> int | None:
    """The x whose distribution function a statement is."""
    inner = _times(statements, s, 0.5)
    inner = None if inner is None else _times(statements, inner, 1, "add")
    if inner is None or inner.op != "erf":
        return None
    return _place(statements, statements[inner.args[0]], _ROOT_HALF)


def _squared(statements: list[Statement], s: Statement) -> int:
    """The x of ``exp(x * x * -0.5)``; -1 if it is another one."""
    inner = _times(statements, statements[s.args[0]], -0.5)
    return inner.args[0] if inner is not None and inner.op == "mul" and inner.args[0] == inner.args[1] else -1
