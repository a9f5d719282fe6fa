"""What two functions of a loop have in common: beside the normal density, its distribution needs no exponential."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..programs.steps import Loop


def with_shared_exponentials(loop: Loop) -> Loop:
    """``erf(c x)`` beside ``exp(-c c x x)``, as in gelu and its slope, takes that exponential, which it needs too."""
    pairs = {i: e for i, s in enumerate(loop.statements) if s.op == "erf" and (e := _exponential(loop, i)) is not None}
    if not pairs:
        return loop
    found = Loop(loop.size, loads=loop.loads, sources=loop.sources)
    places: dict[int, int] = {}

    def place(i: int) -> int:
        if i not in places:
            s = loop.statements[i]
            args = tuple([place(a) for a in (*s.args, *([pairs[i]] if i in pairs else []))])
            op = "erf_with" if i in pairs else s.op
            found.statements.append(s._replace(op=op, args=args))
            places[i] = len(found.statements) - 1
        return places[i]

    found.stores = [(place(at), value) for at, value in loop.stores]
    found.reductions = [replace(r, statement=place(r.statement)) for r in loop.reductions]
    return found


def _exponential(loop: Loop, erf: int) -> int | None:
    """The statement of the exponential that an error function would compute."""
    dtype = loop.statements[erf].dtype
    if dtype.kind != "f":
        return None
    c, of = _factors(loop, loop.statements[erf].args[0])
    for i, s in enumerate(loop.statements):
        if s.op == "exp" and s.dtype == dtype:
            d, others = _factors(loop, s.args[0])
            if sorted(others) == sorted([*of, *of]) and abs(d + c * c) <= 4 * float(np.finfo(dtype).eps) * c * c:
                return i
    return None


def _factors(loop: Loop, at: int) -> tuple[float, list[int]]:
    """A product as a number and the statements that it multiplies."""
    s = loop.statements[at]
    if s.op == "const":
        return float(s.what), []
    if s.op in ("mul", "square"):
        (a, x), (b, y) = _factors(loop, s.args[0]), _factors(loop, s.args[-1])
        return a * b, x + y
    if s.op == "neg":
        a, x = _factors(loop, s.args[0])
        return -a, x
    return 1.0, [at]
