"""Simplifications of single operations that are exact for every number, NaN, infinities and -0 included.

``x + 0`` is not among them (-0 + 0 is 0), nor ``x * 0`` (NaN) or ``x - x``; ``x - 0``, ``x + -0``, ``x * 1`` and
``x / 1`` are, and so is ``x / c`` for a power of two, which becomes a product.
"""

from __future__ import annotations

import math
from typing import Any

from ..programs.scalars import Statement

Simple = tuple[str, tuple[int, ...], Any, Any]


def simplified(
    statements: list[Statement], op: str, args: tuple[int, ...], dtype: Any, what: Any
) -> int | Simple | None:
    """The place of a statement that is the same, another operation that is the same, or None."""

    def number(at: int) -> Any:
        s = statements[at]
        return s.what if s.op == "const" else None

    def is_number(at: int, value: float) -> bool:
        found = number(at)
        return found is not None and found == value and math.copysign(1, found) == math.copysign(1, value)

    real = dtype is not None and dtype.kind == "f"
    if op == "mul" and dtype.kind != "b":
        for x, c in (args, args[::-1]):
            if is_number(c, 1):
                return x
            if is_number(c, -1):
                return "neg", (x,), dtype, None
    elif op == "div":
        divisor = number(args[1])
        if divisor is not None and divisor == 1:
            return args[0]
        if divisor and 2.0**-100 < abs(divisor) < 2.0**100 and abs(math.frexp(divisor)[0]) == 0.5:
            return "mul", (args[0], _number(statements, 1 / divisor, dtype)), dtype, None
    elif op == "add":
        for x, c in (args, args[::-1]):
            if is_number(c, -0.0 if real else 0) and (real or dtype.kind != "b"):
                return x
    elif op == "sub":
        if is_number(args[1], 0):
            return args[0]
    elif op == "neg":
        inner = statements[args[0]]
        if inner.op == "neg":
            return inner.args[0]
        if inner.op == "const" and real:
            return "const", (), dtype, -inner.what
    elif op == "pow":
        exponent = number(args[1])
        if exponent == 1:
            return args[0]
        if exponent == 2:
            return "mul", (args[0], args[0]), dtype, None
        if exponent == -1 and real:
            return "reciprocal", (args[0],), dtype, None
    elif op == "square":
        return "mul", (args[0], args[0]), dtype, None
    elif op == "where":
        if args[1] == args[2]:
            return args[1]
        condition = number(args[0])
        if condition is not None:
            return args[1] if condition else args[2]
        inner = statements[args[0]]
        if inner.op == "not":
            return "where", (inner.args[0], args[2], args[1]), dtype, None
    elif op == "not" and statements[args[0]].op == "not":
        return statements[args[0]].args[0]
    elif op == "cast":
        inner = statements[args[0]]
        if inner.dtype == dtype:
            return args[0]
        if inner.op == "const":
            return "const", (), dtype, _converted(inner.what, dtype)
    return None


def _number(statements: list[Statement], value: float, dtype: Any) -> int:
    """The place of a constant, added if it is not there."""
    for i, s in enumerate(statements):
        if s.op == "const" and s.dtype == dtype and s.what == value:
            return i
    statements.append(Statement("const", (), dtype, value))
    return len(statements) - 1


def _converted(value: Any, dtype: Any) -> Any:
    return bool(value) if dtype.kind == "b" else dtype.type(value).item()
