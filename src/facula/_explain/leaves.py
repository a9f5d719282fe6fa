"""Leaves: which of them a loss reaches, which the optimizer holds, and which are hidden from it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from ..autograd.accumulate import AccumulateGrad
from ..autograd.graph import Source, is_internal, walk
from . import cuts, program
from .report import Finding, Line, line_at

MOST_NODES = 1_000_000
"""A search through a graph goes no further than this."""


def leaves_of(*roots: Any) -> dict[int, Any]:
    """The leaves that tensors lead to, by ``id``."""
    edges = [t._edge() for t in roots if hasattr(t, "_edge") and t.requires_grad]
    found = {}
    for n, node in enumerate(walk(*edges)):
        if node.__class__ is AccumulateGrad:
            found[id(node.variable)] = node.variable
        if n > MOST_NODES:
            break
    return found


def cuts_in(*roots: Any) -> list[Any]:
    """The cuts that can be seen from a graph: of the operands that its nodes saved, or noted under watch."""
    found: dict[int, Any] = {}
    edges = [t._edge() for t in roots if hasattr(t, "_edge") and t.requires_grad]
    for t in roots:
        cut = getattr(getattr(t, "_meta", None), "cut", None)
        if cut is not None and not t.requires_grad:
            found[id(cut)] = cut
    for n, node in enumerate(walk(*edges)):
        if node.attached is not None:
            record = node.attached.metadata.get("watch")
            for cut in () if record is None else record.cuts:
                found.setdefault(id(cut), cut)
        held = node.saved if node.saved.__class__ is tuple else (node.saved,)
        for value in held:
            meta = getattr(value, "_meta", None)
            if meta is not None and meta.cut is not None:
                found.setdefault(id(meta.cut), meta.cut)
        if n > MOST_NODES:
            break
    return list(found.values())


def unreached(t: Any, roots: Any, frame: FrameType | None = None) -> Finding | None:
    """Why no path leads from the roots to a tensor: the cuts between them, if any can be seen."""
    if not hasattr(t, "_array"):
        return None
    between = [cut for cut in cuts_in(*roots) if cut.how != cuts.FROZEN]
    known = [cut for cut in between if cut.source is not None]
    leading = [cut for cut in known if cut.source.leads_to(t)]
    chosen = leading or [cut for cut in between if cut.source is None][:2]
    if not chosen and frame is not None:
        chosen = cuts_of_variables(frame, t, roots)
    lines: list[Line] = []
    if not chosen and frame is not None and (late := required_too_late(t, frame)) is not None:
        return late
    if chosen:
        first = cuts.finding(chosen[0], "The way to it", tensor=t)
        for cut in chosen[1:3]:
            first.lines += [line for line in line_at(cuts.place_of(cut), cut.how) if line not in first.lines]
        return first
    cause = "No operation that led to the result used this tensor."
    at = source_of(t)
    name = None if frame is None else name_of(t, frame)
    if name is not None and frame is not None:
        cause = f"No operation that led to the result used {name}."
        lines = _assigned(frame, name)
    mend = "use it on the way to the loss, or leave it out."
    return Finding("unreached", cause, lines or line_at(at, "made here"), mend, tensor=t)


def required_too_late(t: Any, frame: FrameType) -> Finding | None:
    """A leaf that was used first, and required a gradient afterwards, by the source."""
    name = name_of(t, frame)
    scope = program.scope_of(frame.f_code.co_filename, frame.f_code)
    if name is None or scope is None or not t.is_leaf:
        return None
    calls = program.calls_of(scope, name, "requires_grad_")
    required = [*(c.lineno for c in calls), *(n.lineno for n in program.assignments(scope, f"{name}.requires_grad"))]
    set_at = max((n for n in required if n < frame.f_lineno), default=0)
    ends = [s.line for s in program.calls_to(frame.f_code.co_filename, "backward", "grad") if s.line > set_at]
    read = [n for n in program.lines_with(scope, name) if n not in required]
    given = max((n.lineno for n in program.assignments(scope, name)), default=0)
    before = [n for n in read if given <= n < set_at]
    if not set_at or not ends or not before or any(set_at < n < ends[0] for n in read):
        return None
    used, late = (Source(frame.f_code.co_filename, n, frame.f_code.co_name) for n in (before[-1], set_at))
    cause = f"{name} was used at {used}, before requires_grad was set at {late}: what came of it does not lead back."
    lines = line_at(late, "set too late") + line_at(used, "used before")
    return Finding("unreached", cause, lines, "set requires_grad before the tensor is used.", tensor=t)


def _assigned(frame: FrameType, name: str) -> list[Line]:
    scope = program.scope_of(frame.f_code.co_filename, frame.f_code)
    nodes = [] if scope is None else program.assignments(scope, name)
    return [line for node in nodes[-2:] for line in line_at(Source(frame.f_code.co_filename, node.lineno, ""), name)]


def cuts_of_variables(frame: FrameType, t: Any, roots: Any) -> list[Any]:
    """Cuts of the variables that a root was computed from, by the source: two at most."""
    scope = program.scope_of(frame.f_code.co_filename, frame.f_code)
    if scope is None:
        return []
    names = [name for root in roots if (name := name_of(root, frame)) is not None]
    found: dict[tuple[Any, int], Any] = {}
    for each in program.names_behind(scope, names, frame.f_lineno):
        value = frame.f_locals.get(each)
        cut = getattr(getattr(value, "_meta", None), "cut", None)
        if cut is not None and value is not t and cut.how != cuts.FROZEN and cut.source is None:
            found.setdefault((cut.code, cut.instruction), cut)
    return list(found.values()) if len(found) <= 2 else []


def name_of(t: Any, frame: FrameType) -> str | None:
    """The variable of a function, or of its module, that is this tensor; or the name of a parameter of one."""
    for space in (frame.f_locals, frame.f_globals):
        for name, value in space.items():
            if value is t:
                return name
    return None


def source_of(t: Any) -> Source | None:
    """The line that made a tensor: of what has no node, only a watch knows."""
    node = t.grad_fn
    if node is not None:
        return node.source
    origin = getattr(t._meta, "origin", None)
    return None if origin is None else origin.source


# ---- modules


def plain_members(module: Any) -> Iterator[tuple[Any, str, Any]]:
    """(module, attribute, tensor or module) for all that autograd would train but ``parameters()`` does not show."""
    for each in module.modules():
        for name, value in vars(each).items():
            if name.startswith("_") and name in ("_parameters", "_modules", "_buffers"):
                continue
            for inner in _inside(value, 0):
                if isinstance(inner, type):
                    continue
                if hasattr(inner, "named_parameters") or (hasattr(inner, "_array") and inner.requires_grad):
                    yield each, name, inner


def _inside(value: Any, depth: int) -> Iterator[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    elif type(type(value)) is type and hasattr(value, "__dict__") and _is_users(type(value)):
        value = list(vars(value).values())  # an object that is no module
    if isinstance(value, (list, tuple, set)) and depth < 3:
        for each in list(value)[:1000]:
            yield from _inside(each, depth + 1)
    else:
        yield value


def _is_users(cls: type) -> bool:
    """Whether a class was written by the user, and is neither a tensor's nor a module's."""
    if hasattr(cls, "_array") or hasattr(cls, "named_parameters"):
        return False
    if cls.__module__ == "__main__":
        return True
    filename = getattr(sys.modules.get(cls.__module__), "__file__", None)
    return filename is not None and not is_internal(filename) and not program.is_foreign(filename)


def hidden_parameters(module: Any, wanted: dict[int, Any] | None = None) -> Finding | None:
    """Parameters in plain lists, dicts and attributes of a module; of ``wanted`` only, if that is given."""
    if not hasattr(module, "named_parameters"):
        return None
    shown = {id(p) for p in module.parameters()}
    places: dict[tuple[str, str], list[Any]] = {}
    for owner, name, value in plain_members(module):
        tensors = list(value.parameters()) if hasattr(value, "parameters") else [value]
        tensors = [leaf for p in tensors for leaf in ([p] if p.is_leaf else leaves_of(p).values())]
        hidden = [p for p in tensors if id(p) not in shown and (wanted is None or id(p) in wanted)]
        if hidden:
            places.setdefault((type(owner).__name__, name), []).append((owner, value, hidden))
    lines: list[Line] = []
    words = []
    tensor = None
    mend = "register it"
    for (cls, name), members in places.items():
        owner, value, hidden = members[0]
        tensor = hidden[0]
        held = vars(owner)[name]
        words.append(f"{cls}.{name} ({'a plain ' + type(held).__name__ if held is not value else 'a plain tensor'})")
        lines += [line for source in program.attribute_lines(type(owner), name)[:2] for line in line_at(source, name)]
        kind = "nn.ModuleDict" if isinstance(held, dict) else "nn.ModuleList"
        if held is value:
            mend = f"make it a parameter: self.{name} = nn.Parameter(...)."
        elif hasattr(value, "_array"):
            mend = f"use {kind.replace('Module', 'Parameter')} for it."
        else:
            mend = f"use {kind} for it."
    if not words:
        return None
    cause = f"Parameters that parameters() does not show are in {' and '.join(words[:3])}: no optimizer gets them."
    return Finding("optimizer", cause, lines[:4], mend, tensor=tensor)
