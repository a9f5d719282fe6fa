"""Parameters behind a cut, without a watch: what lies behind one is read from the source, and from the variables there.

A watch knows which leaves a cut has separated. Without one, the statement that made the cut tells what it was made of:
modules, whose parameters lie behind it, and tensors, whose leaves do.
"""

from __future__ import annotations

import ast
from types import CodeType, FrameType
from typing import Any

from ..autograd.graph import Source
from ..autograd.meta import FROZEN
from . import cuts, leaves, program
from .report import Finding, line_at

_CUTS = ("detach", "sample", "argmax", "round", "sign", "numpy", "item", "tolist", "long", "int", "bool", "data")


def is_module(value: Any) -> bool:
    return hasattr(value, "named_parameters") and not isinstance(value, type)


def of_step(idle: list[Any], frame: FrameType) -> Finding | None:
    """What cuts off parameters that have no gradient when their optimizer steps. ``frame``: where it does."""
    code = frame.f_code
    scope = program.scope_of(code.co_filename, code)
    if scope is None:
        return None
    wanted = {id(p) for p in idle}
    calls = [call for call in program.calls_in(scope, "backward") if call.lineno <= frame.f_lineno]
    roots = [name for call in calls for name in program.roots_at(scope, call.lineno)]
    for name in program.names_behind(scope, roots, frame.f_lineno):
        value: Any = frame.f_locals.get(name, frame.f_globals.get(name))
        cut = getattr(getattr(value, "_meta", None), "cut", None)
        if cut is not None and cut.how != FROZEN and value.is_leaf and _leads(cut, wanted, frame):
            return cuts.finding(cut, f"The way to {len(idle)} of the optimizer's parameters", tensor=idle[0])
        line = _taken_out(scope, name, wanted, frame)
        if line is not None:
            at = Source(code.co_filename, line, code.co_name)
            cause = f"No gradient reaches {len(idle)} of the optimizer's parameters: the way there is cut off at {at}."
            mend = "compute with the tensor itself, and take numbers out of it only to show them."
            return Finding("cut", cause, line_at(at, "cut off here"), mend, tensor=idle[0])
        if is_module(value):
            found = _in_methods(value, wanted)
            if found is not None:
                cause = f"No gradient reaches {len(idle)} of the optimizer's parameters: the way to them is cut off at"
                mend = "leave it out, or give the optimizer only what is to learn."
                return Finding("cut", f"{cause} {found}.", line_at(found, "cut off here"), mend, tensor=idle[0])
    return None


def _taken_out(scope: ast.AST, name: str, wanted: set[int], frame: FrameType) -> int | None:
    """The line that gives a name a value without the history of a tensor that leads to the leaves."""
    for node in program.assignments(scope, name)[-1:]:
        for each in ast.walk(getattr(node, "value", None) or ast.Pass()):
            if isinstance(each, ast.Attribute) and each.attr in _CUTS:
                values: list[Any] = [frame.f_locals.get(n) for n in program.names_in(each.value)]
                if any(hasattr(v, "_array") and v.requires_grad and _is_before(v, wanted) for v in values):
                    return int(each.lineno)
    return None


def replaced(params: list[Any], idle: list[Any], frame: FrameType) -> Finding | None:
    """A model around that has other parameters in place of those that the optimizer holds."""
    held, waiting = {id(p) for p in params}, {id(p) for p in idle}
    for model in list(frame.f_locals.values()):
        own = dict(model.named_parameters()) if is_module(model) else {}
        new = [p for p in own.values() if id(p) not in held and p.grad is not None]
        if not new or waiting <= {id(p) for p in own.values()} or not held & {id(p) for p in own.values()}:
            continue
        scope = program.scope_of(frame.f_code.co_filename, frame.f_code)
        nodes = [n for n in ast.walk(scope) if isinstance(n, ast.Assign)] if scope is not None else []
        setting = [n for n in nodes if any(_holds(t, new, model, frame) for t in n.targets)]
        at = [Source(frame.f_code.co_filename, n.lineno, frame.f_code.co_name) for n in setting[-1:]]
        names = [name for name, p in own.items() if p is new[0]]
        cause = f"The optimizer does not hold {names[0]} and other new parameters of the model, but those of before"
        cause += f": they were replaced at {at[0]}." if at else "."
        mend = "make the optimizer after the last change of the model, or change values in place (nn.init, copy_)."
        lines = [line for each in at for line in line_at(each, "replaced here")]
        return Finding("optimizer", cause, lines, mend, tensor=new[0])
    return None


def _holds(target: ast.expr, new: list[Any], model: Any, frame: FrameType) -> bool:
    """Whether what stands on the left of an assignment is a new parameter, or a part of the model with one."""
    if not isinstance(target, (ast.Attribute, ast.Subscript)):
        return False
    try:
        code = compile(ast.Expression(ast.parse(ast.unparse(target), mode="eval").body), "<target>", "eval")
        value = eval(code, frame.f_globals, frame.f_locals)
    except Exception:  # it does not stand alone
        return False
    inside = list(value.parameters()) if is_module(value) and value is not model else [value]
    return any(p is t for p in inside for t in new)


def _leads(cut: Any, wanted: set[int], frame: FrameType) -> bool:
    """Whether some of the leaves lie behind a cut, as its statement tells."""
    scope = program.scope_of(cut.code.co_filename, cut.code)
    at = cuts.place_of(cut)
    statement = None if scope is None or at is None else program.statement_at(scope, at.line)
    if scope is None or at is None or statement is None:
        return False
    names = program.names_behind(scope, program.names_in(statement), at.line)
    owners = _owners(cut.code, frame)
    for name in names:
        first, _, rest = name.partition(".")
        values = [frame.f_locals.get(name)] if cut.code is frame.f_code else []
        values += [getattr(owner, rest, None) for owner in owners] if first == "self" and rest else []
        if any(_is_before(value, wanted) for value in values):
            return True
    return False


def _is_before(value: Any, wanted: set[int]) -> bool:
    if is_module(value):
        return any(id(p) in wanted for p in value.parameters())
    return hasattr(value, "_array") and bool(wanted & leaves.leaves_of(value).keys())


def _owners(code: CodeType, frame: FrameType) -> list[Any]:
    """The modules around that have a method of this code."""
    found = []
    for space in (frame.f_locals, frame.f_globals):
        for value in list(space.values()):
            for module in value.modules() if is_module(value) else ():
                methods = [vars(cls).values() for cls in type(module).__mro__]
                if any(getattr(method, "__code__", None) is code for each in methods for method in each):
                    found.append(module)
    return found


# ---- cuts inside of forward


def _in_methods(model: Any, wanted: set[int]) -> Source | None:
    """The line in a forward that cuts off the one module of it which holds the leaves."""
    for module in model.modules():
        holders = [n for n, child in module.named_children() if any(id(p) in wanted for p in child.parameters())]
        code = getattr(getattr(type(module), "forward", None), "__code__", None)
        scope = None if code is None else program.scope_of(code.co_filename, code)
        if code is None or not isinstance(scope, ast.FunctionDef):
            continue
        for name in holders:
            line = _cutting_line(scope, f"self.{name}")
            if line is not None:
                return Source(code.co_filename, line, code.co_name)
    return None


def _cutting_line(scope: ast.FunctionDef, name: str) -> int | None:
    """Where what a function computes with ``name`` is cut off, directly or by the next statement that uses it."""
    for node in ast.walk(scope):
        is_off = isinstance(node, ast.With) and any("no_grad" in ast.unparse(item) for item in node.items)
        if isinstance(node, ast.With) and is_off and any(name in program.names_in(each) for each in node.body):
            return node.lineno
    tainted = {name}
    for statement in scope.body:
        used = [each for each in ast.walk(statement) if isinstance(each, ast.Attribute) and each.attr in _CUTS]
        for each in used:
            if tainted & set(program.names_in(each.value)):
                return each.lineno
        if isinstance(statement, ast.Assign) and tainted & set(program.names_in(statement.value)):
            tainted |= {ast.unparse(target) for target in program.targets(statement)}
    return None
