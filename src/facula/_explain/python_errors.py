"""Errors that Python itself raises where a tensor was expected: a number, or nothing at all, is in its place."""

from __future__ import annotations

import ast
import re
import traceback
from types import FrameType
from typing import Any

from ..autograd.graph import Source, is_internal
from . import program
from .report import Finding, line_at

_NUMBER = re.compile(r"'(float|int|numpy\.\w+)' object has no attribute '(backward|grad|requires_grad\w*)'")


def explained(error: BaseException) -> Finding | None:
    """What is known of an error about a value of the wrong kind."""
    if not isinstance(error, (AttributeError, TypeError)):
        return None
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        if is_internal(frame.f_code.co_filename):
            continue
        if _NUMBER.match(str(error)):
            return _number(frame, line)
        return _nothing(frame, line) if "None" in str(error) else None
    return None


def _number(frame: FrameType, line: int) -> Finding | None:
    """A number that was computed from tensors: where it was taken out of them."""
    code = frame.f_code
    scope = program.scope_of(code.co_filename, code)
    if scope is None:
        return None
    for name in program.names_behind(scope, program.roots_at(scope, line), line):
        before = [node for node in program.assignments(scope, name) if node.lineno <= line]
        for node in reversed(before):
            if program.takes_out(getattr(node, "value", None) or ast.Pass()):
                at = Source(code.co_filename, node.lineno, code.co_name)
                cause = f"{name} is a number: its history was left behind at {at}."
                mend = "add the tensors themselves, and take the number out of them only to show it."
                return Finding("cut", cause, line_at(at, "history ends here"), mend)
    return None


def _nothing(frame: FrameType, line: int) -> Finding | None:
    """A variable is None, as the function that gave it returns nothing."""
    code = frame.f_code
    scope = program.scope_of(code.co_filename, code)
    statement = None if scope is None else program.statement_at(scope, line)
    if scope is None or statement is None:
        return None
    for name in program.names_in(statement):
        if name not in frame.f_locals or frame.f_locals[name] is not None:
            continue
        before = [node for node in program.assignments(scope, name) if node.lineno < line]
        for node in before[-1:]:
            value = getattr(node, "value", None)
            function = _called(value.func, frame) if isinstance(value, ast.Call) else None
            if function is not None and not program.returns_of(function):
                at = Source(code.co_filename, node.lineno, code.co_name)
                made = Source(function.co_filename, program.last_line(function), function.co_name)
                cause = f"{name} is None: {function.co_qualname}(), called at {at}, ends at {made} without a return."
                lines = line_at(made, "returns nothing") + line_at(at, "called here")
                return Finding("nothing", cause, lines, "return the result.")
    return None


def _called(function: ast.expr, frame: FrameType) -> Any:
    """The code of the user's own function, or of a module's forward, that an expression calls."""
    try:
        value = eval(compile(ast.Expression(function), "<called>", "eval"), frame.f_globals, frame.f_locals)
    except Exception:  # an expression that does not stand alone
        return None
    code = getattr(getattr(value, "forward", value), "__code__", None)
    return None if code is None or is_internal(code.co_filename) else code
