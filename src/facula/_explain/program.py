"""The user's program as text: which lines set a name, an attribute, a list.

What ran is known from places; where a name got its value, or a layer was put into a plain list, only the source tells.
If there is none (a file that vanished, an interpreter's prompt) nothing is found.
"""

from __future__ import annotations

import ast
import linecache
import sysconfig
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType
from typing import Any

from ..autograd.graph import Source


@lru_cache(maxsize=32)
def _parsed(filename: str, text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return None


def tree_of(filename: str) -> ast.Module | None:
    """The syntax tree of a file, as it is now."""
    lines = linecache.getlines(filename)
    return _parsed(filename, "".join(lines)) if lines else None


def is_foreign(filename: str) -> bool:
    """Whether a file is Python's own, or that of an installed package."""
    found = _foreign.get(filename)
    if found is None:
        found = _foreign[filename] = filename.startswith(("<frozen", _STANDARD)) or "site-packages" in filename
    return found


_foreign: dict[str, bool] = {}
_STANDARD = sysconfig.get_paths()["stdlib"]


def targets(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _elements(target)
    elif isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.For, ast.NamedExpr)):
        yield from _elements(node.target)
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        yield from _elements(node.optional_vars)


def _elements(target: ast.AST) -> Iterator[ast.AST]:
    if isinstance(target, (ast.Tuple, ast.List)):
        for each in target.elts:
            yield from _elements(each)
    elif isinstance(target, ast.Starred):
        yield from _elements(target.value)
    else:
        yield target


def scope_of(filename: str, code: CodeType) -> ast.AST | None:
    """The part of a file that a code object was compiled from."""
    tree = tree_of(filename)
    if tree is None or code.co_name == "<module>":
        return tree
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == code.co_name:
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            if first == code.co_firstlineno or node.lineno == code.co_firstlineno:
                return node
    return tree


def assignments(scope: ast.AST, name: str) -> list[Any]:
    """The statements that give a name a value, in the order of the file. ``name`` may be ``self.x``."""
    found = []
    for node in ast.walk(scope):
        for target in targets(node):
            if ast.unparse(target) == name and hasattr(node, "lineno"):
                found.append(node)
    return sorted(found, key=lambda node: node.lineno)


def items_set(scope: ast.AST, name: str) -> list[Any]:
    """The statements that set an item of ``name``."""
    return [
        node
        for node in ast.walk(scope)
        for target in targets(node)
        if isinstance(target, ast.Subscript) and ast.unparse(target.value) == name
    ]


def calls_of(scope: ast.AST, owner: str, *methods: str) -> list[ast.Call]:
    """The calls of ``owner.method(...)``, and of ``owner[...].method(...)``."""
    return [
        node
        for node in ast.walk(scope)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in methods
        and (ast.unparse(node.func.value) == owner or ast.unparse(node.func.value).startswith(f"{owner}["))
    ]


def calls_in(scope: ast.AST, *functions: str) -> list[ast.Call]:
    """The calls of functions of these names, in whatever module they are."""
    return [
        node
        for node in ast.walk(scope)
        if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", None)) in functions
    ]


def calls_to(filename: str, *functions: str) -> list[Source]:
    """The lines of a file on which functions of these names are called."""
    tree = tree_of(filename)
    lines = {node.lineno for node in calls_in(tree, *functions)} if tree is not None else ()
    return [Source(filename, line, "") for line in sorted(lines)]


def lines_with(scope: ast.AST, name: str) -> list[int]:
    """The lines that read a variable."""
    nodes = [node for node in ast.walk(scope) if isinstance(node, ast.Name) and node.id == name]
    return sorted({node.lineno for node in nodes if isinstance(node.ctx, ast.Load)})


def statement_at(scope: ast.AST, line: int) -> ast.stmt | None:
    """The innermost statement on a line."""
    found = None
    for node in ast.walk(scope):
        there = isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno)
        if isinstance(node, ast.stmt) and there and (found is None or node.lineno >= found.lineno):
            found = node
    return found


def names_in(node: ast.AST) -> list[str]:
    """The variables that an expression reads, ``self.x`` among them; each once."""
    found: dict[str, None] = {}
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load):
            found[each.id] = None
        elif isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id == "self":
            found[ast.unparse(each)] = None
    return list(found)


def names_behind(scope: ast.AST, names: list[str], line: int) -> list[str]:
    """The variables that some variables were computed from, by their last assignments before a line."""
    waiting, seen = list(names), dict.fromkeys(names)
    while waiting:
        before = [node for node in assignments(scope, waiting.pop(0)) if node.lineno <= line]
        for node in before[-1:]:
            for each in names_in(getattr(node, "value", None) or ast.Pass()):
                if each not in seen:
                    seen[each] = None
                    waiting.append(each)
    return list(seen)


def roots_at(scope: ast.AST, line: int) -> list[str]:
    """The variables that a line differentiates: ``x`` where it says ``x.backward()`` or ``grad(x.sum(), w)``, once."""
    statement = statement_at(scope, line)
    found = []
    for node in ast.walk(statement) if statement is not None else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr == "backward" and ast.unparse(node.func.value) not in ("torch.autograd", "autograd"):
                found.append(node.func.value)
            elif node.func.attr in ("grad", "backward") and node.args:
                found.append(node.args[0])
    return names_in(found[0]) if len(found) == 1 else []


_EXITS = ("item", "tolist", "numpy", "detach")


def takes_out(value: ast.AST) -> bool:
    """Whether an expression takes values out of tensors: ``x.item()``, ``float(x)``."""
    return any(
        isinstance(node, ast.Call)
        and (
            (isinstance(node.func, ast.Attribute) and node.func.attr in _EXITS)
            or (isinstance(node.func, ast.Name) and node.func.id == "float")
        )
        for node in ast.walk(value)
    )


def without_effect(filename: str) -> list[tuple[Source, str]]:
    """The lines that name a method of training and do not call it, or compare ``requires_grad`` with no one looking."""
    tree = tree_of(filename)
    found = []
    for node in ast.walk(tree or ast.Module([], [])):
        if not isinstance(node, ast.Expr):
            continue
        value = node.value
        if isinstance(value, ast.Attribute) and value.attr in _METHODS:
            found.append((Source(filename, node.lineno, ""), f"call it: {ast.unparse(value)}()."))
        elif isinstance(value, ast.Compare) and getattr(value.left, "attr", "") in ("requires_grad", "training"):
            right = ast.unparse(value.comparators[0])
            found.append((Source(filename, node.lineno, ""), f"assign it: {ast.unparse(value.left)} = {right}."))
    return found


_METHODS = ("backward", "step", "zero_grad", "eval", "train", "requires_grad_", "detach_", "retain_grad")


def rebound(filename: str) -> list[Source]:
    """The lines that assign to the variable of a loop over parameters, as if that changed them."""
    tree = tree_of(filename)
    return [
        Source(filename, node.lineno, "")
        for loop in ast.walk(tree or ast.Module([], []))
        if isinstance(loop, ast.For) and "parameters" in ast.unparse(loop.iter)
        for node in ast.walk(loop)
        if isinstance(node, ast.Assign)
        and any(isinstance(t, ast.Name) and t.id in names_of(loop.target) for t in node.targets)
        and any(isinstance(each, ast.Attribute) and each.attr == "grad" for each in ast.walk(node.value))
    ]


def names_of(target: ast.AST) -> list[str]:
    """The variables that a target sets."""
    return [ast.unparse(each) for each in _elements(target)]


def uncalled(at: Source | None, method: str) -> list[Source]:
    """The lines of a file that name a method and do not call it."""
    tree = None if at is None else tree_of(at.filename)
    if at is None or tree is None:
        return []
    return [
        at._replace(line=node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Attribute) and node.value.attr == method
    ]


def returns_of(code: CodeType) -> list[Source]:
    """The lines on which a function returns a value."""
    scope = scope_of(code.co_filename, code)
    if not isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return []
    return [
        Source(code.co_filename, node.lineno, code.co_name)
        for node in ast.walk(scope)
        if isinstance(node, ast.Return) and node.value is not None
    ]


def defined_at(code: CodeType) -> Source:
    """The line of a function's ``def``."""
    scope = scope_of(code.co_filename, code)
    line = scope.lineno if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)) else code.co_firstlineno
    return Source(code.co_filename, line, code.co_name)


def last_line(code: CodeType) -> int:
    """The line on which a function's last statement begins."""
    scope = scope_of(code.co_filename, code)
    body = getattr(scope, "body", None)
    return int(body[-1].lineno) if body else code.co_firstlineno


def attribute_lines(cls: type, attribute: str) -> list[Source]:
    """Where methods of a class, and of the classes above it, set ``self.attribute`` or add to it."""
    found = []
    for each in cls.__mro__:
        for method in vars(each).values():
            code = getattr(method, "__code__", None)
            if code is None:
                continue
            scope = scope_of(code.co_filename, code)
            if not isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)):
                continue
            name = f"self.{attribute}"
            nodes = [*assignments(scope, name), *items_set(scope, name), *calls_of(scope, name, "append", "extend")]
            found += [Source(code.co_filename, node.lineno, code.co_name) for node in nodes]
    return found
