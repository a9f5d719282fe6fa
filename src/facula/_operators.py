"""``facula ops``: what is declared of an operator, with the text of its rules."""

from __future__ import annotations

import difflib
import inspect
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import facula

from . import _lazy
from .ops.machine.node import shown_names
from .ops.machine.primitive import REGISTRY, Primitive
from .ops.machine.rule import Gradient, Rule

_PLACES = ("", "nn.functional.", "linalg.", "fft.", "special.", "Tensor.")
"""Where operators are found, as a user writes it, in the order in which they are looked for."""


_DTYPES = {
    None: "the dtypes given", "low": "autocast's dtype", "full": "float32", "widest": "the widest dtype given",
}  # fmt: skip


def run(names: list[str]) -> int:
    """Print the families, or the records of operators; 1 if there is no such operator."""
    _lazy.load_all()
    if not names:
        print("\n".join(families()))
        return 0
    for name in names:
        lines = describe(name)
        if lines is None:
            near = ", ".join(difflib.get_close_matches(name.rpartition(".")[2], _all_names(), 4, 0.7))
            print(f"facula: no operator is called {name}{f'; near to it: {near}' if near else ''}", file=sys.stderr)
            return 1
        print("\n".join(lines))
    return 0


# ---- families


def families() -> list[str]:
    """A line for each family: its primitives, those that are differentiable, its public functions."""
    counts: dict[str, Counter[str]] = {}
    for op in REGISTRY.values():
        family = _family(_lazy.PRIMITIVES.get(op.name, ""))
        count = counts.setdefault(family, Counter())
        count["primitives"] += 1
        count["differentiable"] += bool(op.rules)
        count[op.kind] += 1
    for module in (*_lazy.FUNCTIONS.values(), *_lazy.FUNCTIONALS.values()):
        counts.setdefault(_family(module), Counter())["functions"] += 1
    columns = ("primitives", "differentiable", "elementwise", "linear", "multilinear", "other", "functions")
    lines = [f"{'family':<14}" + "".join(f"{c:>15}" for c in columns)]
    for family, count in sorted(counts.items()):
        lines.append(f"{family:<14}" + "".join(f"{count[c] or '':>15}" for c in columns))
    total = sum(counts.values(), Counter())
    return [*lines, f"{'all':<14}" + "".join(f"{total[c]:>15}" for c in columns)]


def _family(module: str) -> str:
    parts = module.split(".")
    return parts[1] if parts[0] == "ops" and len(parts) > 2 else "others"


# ---- one operator


def describe(name: str) -> list[str] | None:
    """The lines of an operator's record, found by a public name or by that of a primitive; None if there is none."""
    found = list(_public_forms(name))
    ops = [REGISTRY[name]] if name in REGISTRY else []
    for _, value in found:
        ops += [op for op in primitives_of(value) if op not in ops]
    if not found and not ops:
        return None
    lines = []
    for title, value in found:
        lines += [title, *_public_lines(value)]
    for op in ops:
        lines += ["", *_primitive_lines(op)]
    return lines if found else lines[1:]


def _public_forms(name: str) -> Iterator[tuple[str, Any]]:
    """(name as users write it, function), once for each record: that of a function tells of its method too."""
    seen: list[Any] = []
    name = name.removeprefix("facula.").removeprefix("torch.")
    for place in _PLACES:
        if "." in name and not name.startswith(place or " "):
            continue
        value = _looked_up(place, name.removeprefix(place))
        key = _record(value) or value
        if callable(value) and not any(key is other for other in seen) and _is_operator(value):
            seen.append(key)
            yield f"{place}{name.removeprefix(place)}", value


def _looked_up(place: str, name: str) -> Any:
    owner: Any = facula
    for part in place.split(".")[:-1]:
        owner = getattr(owner, part)
    return getattr(owner, name, None)


def _is_operator(value: Any) -> bool:
    if isinstance(value, Primitive) or _record(value) is not None or hasattr(value, "primitive"):
        return True
    return isinstance(value, FunctionType) and value.__module__.partition(".")[0] == "facula"


def _record(value: Any) -> Any:
    """What was said at a public function's declaration, or at that of the primitive that it is."""
    return getattr(value, "record", None) or getattr(getattr(value, "primitive", None), "public_record", None)


def _public_lines(value: Any) -> Iterator[str]:
    op = value if isinstance(value, Primitive) else getattr(value, "primitive", None)
    record = _record(value)
    if place := _place(value if op is None else op.kernel):
        yield _row("function" if op is None else "kernel", place)
    if record is None:
        return
    for what, names in (("functions", record.functions), ("methods", record.methods), ("in-place", record.inplace)):
        if names:
            yield _row(what, ", ".join(names))
    yield _row("autocast", _DTYPES[record.autocast])
    yield _row("out=", ", ".join(record.out) or "no")


def _primitive_lines(op: Primitive) -> Iterator[str]:
    yield f"primitive {op.name}"
    yield _row("kernel", _place(op.kernel) or repr(op.kernel))
    yield _row("node", op.node_name or "none: not differentiable")
    yield _row("kind", f"{op.kind}, a view" if op.is_view else op.kind)
    if op.outputs != 1:
        yield _row("outputs", f"{op.outputs}, {'all' if op.multi or not op.rules else 'the first'} in the graph")
    shown = [name for slot in op.slots for name, _ in shown_names(op, slot)]
    yield _row("saves", ", ".join(f"_saved_{name}" for name in shown) or "nothing")
    yield _row("batching", _batching_name(op))
    if op.tangent_rule is not None:
        yield _row("tangent", "by hand")
    if op.is_random:
        yield _row("random", "yes")
    if op.composed is not None:
        yield _row("composed", _place(op.composed))
    yield _row("native", _native_line(op))
    given: list[tuple[str, Any]] = [(f"gradient of {name}", _source(rule)) for name, rule in op.rules.items()]
    given += [("tangent", op.tangent_rule), ("batching", op.batching_rule)]
    for what, rule in given:
        if rule is not None:
            yield ""
            yield f"  {what}"
            yield from textwrap.indent(_text(rule), "    ").splitlines()


def _native_line(op: Primitive) -> str:
    if op.native is None:
        return "no"
    kernel, least, *measured = op.native
    return f"{kernel}, from {least:,} elements of {measured[0] if measured else op.tensor_names[0]} on"


def _source(rule: Rule) -> Any:
    """What has the text of a rule: a function, or a gradient operator's kernel."""
    return inspect.unwrap(rule.op.kernel) if isinstance(rule, Gradient) else rule.fn


def _batching_name(op: Primitive) -> str:
    if op.composed is not None:
        return "composed"
    if op.kind == "elementwise":
        return "broadcasts"
    return "item_by_item" if op.batching_rule is None else op.batching_rule.__name__


def _row(what: str, text: str) -> str:
    return f"  {what:<10} {text}"


def _place(fn: Any) -> str:
    """``file:line`` of a function; nothing for one that is not written in Python."""
    code = getattr(inspect.unwrap(fn), "__code__", None)
    if code is None:
        return f"np.{fn.__name__}" if type(fn).__name__ == "ufunc" else ""
    file, here = Path(code.co_filename), Path(__file__).parent.parent
    return f"{file.relative_to(here) if file.is_relative_to(here) else file}:{code.co_firstlineno}"


def _text(fn: Callable[..., Any]) -> str:
    try:
        return textwrap.dedent(inspect.getsource(fn)).rstrip()
    except (OSError, TypeError):
        return repr(fn)


def summary(name: str) -> tuple[str, str, str]:
    """Kind, batching and autocast class of an operator in a word each; empty where its primitives differ."""
    forms = [value for _, value in _public_forms(name)][:1]
    ops = [op for value in forms for op in primitives_of(value)]
    classes = [record.autocast or "" for value in forms if (record := _record(value)) is not None]
    words = [("view" if op.is_view else op.kind for op in ops), map(_batching_name, ops), classes]
    kind, batching, autocast = (found[0] if len(found := [*dict.fromkeys(column)]) == 1 else "" for column in words)
    return kind, batching, autocast


# ---- what a function is made of


def primitives_of(fn: Any, depth: int = 3) -> list[Primitive]:
    """The primitives that a public function names in its own code or, if there are none, in what it calls."""
    level: list[Any] = [fn]
    seen: list[Any] = []
    for _ in range(depth):
        below: list[Any] = []
        for each in level:
            below += [value for value in _named_by(each) if not any(value is other for other in seen)]
        if found := [op for op in below if isinstance(op, Primitive)]:
            return list(dict.fromkeys(found))
        seen += level
        level = below
    return []


def _named_by(fn: Any) -> Iterator[Any]:
    """What belongs to facula among the global names and closures of a function."""
    if isinstance(fn, Primitive):
        yield fn
        return
    if isinstance(op := getattr(fn, "primitive", None), Primitive):
        yield op
        return
    fn = inspect.unwrap(fn)
    while (plain := getattr(fn, "plain", None)) is not None:  # of one that asks for overrides, or for classes, first
        fn = plain
    if not isinstance(fn, FunctionType):
        return
    for code in _codes(fn.__code__):
        values = [fn.__globals__.get(name) for name in code.co_names]
        modules = [v for v in values if isinstance(v, ModuleType) and v.__name__.startswith("facula.")]
        values += [getattr(module, name, None) for module in modules for name in code.co_names]
        values += [cell.cell_contents for cell in fn.__closure__ or () if cell is not None]
        for value in values:
            if isinstance(value, Primitive) or "primitive" in getattr(value, "__dict__", ()):
                yield from _named_by(value)
            elif isinstance(value, FunctionType) and value.__module__.partition(".")[0] == "facula":
                yield value


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _all_names() -> Iterable[str]:
    places = [facula.nn.functional, facula.linalg, facula.fft, facula.special]
    listed = {name for place in places for name in dir(place)}
    return sorted({*_lazy.FUNCTIONS, *_lazy.FUNCTIONALS, *REGISTRY, *listed} - {""})
