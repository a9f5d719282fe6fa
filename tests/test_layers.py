"""What may import what. Read from the sources: nothing is run.

- ``ops/arrays`` computes on NumPy arrays: it knows ``_core`` and itself, no Tensor and no Primitive.
- ``ops/machine`` is the mechanism of all operators and knows none of their families.
- No module imports, at its top, one that needs it to be loaded first.
- An import inside a function says why it is not at the top.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

SOURCE = Path(__file__).parent.parent / "src"


class Import(NamedTuple):
    module: str
    """What is imported, or what the names are imported from."""
    name: str
    line: int
    late: bool
    """Whether it stands in a function."""
    typing_only: bool


def module_name(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules() -> dict[str, Path]:
    return {module_name(path): path for path in sorted((SOURCE / "facula").rglob("*.py"))}


def targets(node: ast.Import | ast.ImportFrom, module: str, path: Path) -> Iterator[tuple[str, str]]:
    """The modules, and names of modules, that a statement imports; submodules count as modules."""
    if isinstance(node, ast.Import):
        yield from ((alias.name, "") for alias in node.names)
        return
    base = node.module or ""
    if node.level:
        package = module if path.name == "__init__.py" else module.rpartition(".")[0]
        above = package.split(".")[: len(package.split(".")) - node.level + 1]
        base = ".".join([*above, *([node.module] if node.module else [])])
    for alias in node.names:
        full = f"{base}.{alias.name}"
        yield (full, "") if full in modules() else (base, alias.name)


@cache
def imports(module: str) -> list[Import]:
    path = modules()[module]
    found: list[Import] = []

    def visit(node: ast.AST, late: bool, typing_only: bool) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.Import, ast.ImportFrom)):
                for target, name in targets(child, module, path):
                    found.append(Import(target, name, child.lineno, late, typing_only))
            is_function = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef))
            is_for_typing = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
            visit(child, late or is_function, typing_only or is_for_typing)

    visit(ast.parse(path.read_text()), False, False)
    return found


def offences(layer: str, *allowed: str) -> list[str]:
    """What modules of a layer import of facula besides the layers they may."""
    return [
        f"{module}:{each.line} imports {each.module}"
        for module in modules()
        if f"{module}.".startswith(f"{layer}.")
        for each in imports(module)
        if each.module.split(".")[0] == "facula" and not f"{each.module}.".startswith(tuple(f"{a}." for a in allowed))
    ]


def test_arrays_are_numpy_only() -> None:
    assert not offences("facula.ops.arrays", "facula._core", "facula.ops.arrays")


def test_core_needs_no_operator() -> None:
    """At their tops; storages and generators make tensors when they are asked to."""
    assert not [
        (module, each.module)
        for module in modules()
        if module.startswith("facula._core.")
        for each in imports(module)
        if not each.late and each.module.startswith("facula.ops")
    ]


def test_the_machine_knows_no_family() -> None:
    families = {m.split(".")[2] for m in modules() if m.startswith("facula.ops.") and m.count(".") > 2}
    assert {"machine", "arrays", "pointwise"} <= families
    others = tuple(f"facula.ops.{family}" for family in families - {"machine", "arrays"})
    assert not [
        f"{module}:{each.line} imports {each.module}"
        for module in modules()
        if module.startswith("facula.ops.machine.")
        for each in imports(module)
        if each.module.startswith(others)
    ]


@cache
def graph() -> dict[str, set[str]]:
    """What each module imports at its top. Packages are in it only where they are imported by name."""
    return {
        module: {each.module for each in imports(module) if not each.late and not each.typing_only} & set(modules())
        for module in modules()
    }


@cache
def needed_by(module: str) -> set[str]:
    """All that is loaded before a module is: packages are loaded before what is in them."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        for target in graph()[waiting.pop()]:
            parts = target.split(".")
            new = {".".join(parts[:n]) for n in range(1, len(parts) + 1)} - found
            found |= new
            waiting += new
    return found


def test_no_module_level_cycles() -> None:
    state: dict[str, str] = {}

    def visit(module: str, path: tuple[str, ...]) -> None:
        if state.get(module) == "open":
            pytest.fail(" -> ".join([*path[path.index(module) :], module]))
        if module not in state:
            state[module] = "open"
            for target in sorted(graph()[module] - {module}):
                visit(target, (*path, module))
            state[module] = "done"

    for module in graph():
        visit(module, ())


_REASON = re.compile(r"#\s*(?!noqa|type:|fmt:)(\w.*)")


def late_imports() -> Iterator[tuple[str, Import, str]]:
    """Each with its module and the reason that stands beside it, or above it."""
    for module, path in modules().items():
        lines = ["", *path.read_text().splitlines()]
        for each in imports(module):
            if each.late:
                above = lines[each.line - 1].strip()
                reason = _REASON.search(lines[each.line]) or (above.startswith("#") and _REASON.search(above))
                yield module, each, reason[1] if reason else ""


def test_late_imports_say_why() -> None:
    """``# loaded when first used``, ``# it imports this module``, ``# optional`` or whatever is true."""
    silent = [f"{module}:{each.line} imports {each.module}" for module, each, reason in late_imports() if not reason]
    assert not silent, "\n".join(silent)


def test_reasons_of_late_imports_are_true() -> None:
    wrong = [
        f"{module}:{each.line}: {each.module} could be imported at the top"
        for module, each, reason in late_imports()
        if reason == "it imports this module" and module not in needed_by(each.module) | {each.module}
    ]
    assert not wrong, "\n".join(wrong)
