"""Why a tensor has no history: what cut it off, and where."""

from __future__ import annotations

import ast
import difflib
from types import FrameType
from typing import Any

from ..autograd.graph import Source, is_internal, resolve
from ..autograd.meta import FROZEN, Cut
from . import program
from .report import Finding, Line, line_at

_OUT = ("item()", "tolist()", "numpy()")
_COPIES = ("torch.tensor()", "torch.as_tensor()", "torch.Tensor()", "torch.asarray()", "new_tensor()")
_CHOICES = (
    "argmax()",
    "argmin()",
    "argsort()",
    "max()",
    "min()",
    "sort()",
    "topk()",
    "kthvalue()",
    "median()",
    "mode()",
)
_QUESTIONS = (
    "gt()",
    "lt()",
    "ge()",
    "le()",
    "eq()",
    "ne()",
    "logical_and()",
    "logical_or()",
    "logical_not()",
    "isnan()",
)


def place_of(cut: Cut) -> Source | None:
    return resolve(cut.code, cut.instruction)


def switch_of(cut: Cut) -> Source | None:
    """The user's line that had switched gradients off, if it was one of his."""
    if cut.switch is None or is_internal(cut.switch[0].co_filename):
        return None
    return resolve(*cut.switch)


def finding(cut: Cut, subject: str = "Its history", **about: Any) -> Finding:
    """What a cut means for what was computed after it."""
    how, at = cut.how, place_of(cut)
    lines = line_at(at, how)
    if how in ("no_grad()", "inference_mode()"):
        return _switched_off(cut, subject, **about)
    if how == FROZEN:
        cause = f"{subject} ends at parameters that were frozen by requires_grad_(False) at {at}."
        mend = "leave the parameters that are to learn as they are, or switch them on again: p.requires_grad_(True)."
        return Finding("frozen", cause, lines, mend, **about)
    if how in _OUT:
        cause = f"{subject} was cut off by {how} at {at}: numbers and arrays carry none."
        mend = "compute with tensors all the way (torch.stack, torch.cat, torch's own functions)."
    elif how in _COPIES:
        cause = f"{subject} was cut off by {how} at {at}: it copies values, not their history."
        mend = "use torch.stack(list) or torch.cat(list) in place of torch.tensor(list), and the tensor itself for one."
    elif how in _CHOICES:
        cause = f"{subject} was cut off by the indices of {how} at {at}: a choice has no derivative."
        mend = "put the loss on the values (cross_entropy on the logits, softmax in place of argmax)."
    elif how in _QUESTIONS:
        cause = f"{subject} was cut off by the comparison {how} at {at}: yes and no have no derivative."
        mend = "use something smooth in its place (sigmoid, relu), or torch.where on the values."
    elif how in ("cast()", "to()"):
        cause = f"{subject} was cut off by the cast to another dtype at {at}: integers have no gradient."
        mend = "stay in floating point, or use a straight-through estimator: x + (x.round() - x).detach()."
    elif how == "autograd.grad()":
        cause = f"{subject} was cut off at {at}: the gradients that autograd.grad() gives are constants."
        mend = "pass create_graph=True to it, which records how they are computed."
    elif how in ("detach()", ".data", "detach_()"):
        cause = f"{subject} was cut off by {how} at {at}."
        mend = "use the tensor itself where its gradient is wanted; detach only what is to be a constant."
    else:
        cause = f"{subject} was cut off by {how} at {at}, which has no derivative."
        mend = "leave it out of the way from the parameters to the loss, or use something smooth in its place."
    return Finding("cut", cause, lines, mend, **about)


def _switched_off(cut: Cut, subject: str, **about: Any) -> Finding:
    at, switch = place_of(cut), switch_of(cut)
    lines = line_at(at, "computed here")
    if cut.switch is not None and switch is None and cut.switch[0].co_name == "sample":
        cause = f"{subject} was cut off by sample() at {at}: what is drawn by chance has no derivative."
        mend = "use rsample() if the distribution has it; else put log_prob(sample) into the loss."
        return Finding("cut", cause, line_at(at, "sample()"), mend, **about)
    cause = f"{subject} was cut off by {cut.how} at {at}"
    mend = f"compute it outside of {cut.how}."
    if switch is not None and switch != at:
        lines = line_at(switch, "gradients switched off") + lines
        cause += f": gradients had been switched off at {switch}"
        text = lines[0].text
        if "set_grad_enabled" in text and not text.startswith(("with ", "async ")):
            cause += ", and were not switched on again"
            mend = "write `with torch.no_grad():` around what needs no gradient, which ends by itself."
        elif text.startswith("@"):
            mend = f"take {cut.how} off this function, or compute what is trained outside of it."
    return Finding("switched off", f"{cause}.", lines, mend, **about)


def without_history(t: Any, frame: FrameType | None = None) -> Finding:
    """Why a tensor cannot be differentiated. ``frame``: where that was tried."""
    cut = None if t._meta is None else t._meta.cut
    if cut is not None:
        return finding(cut, tensor=t)
    if t._array.dtype.kind in "biu":
        cause = f"It is of dtype {t.dtype}: only floating point and complex tensors have gradients."
        return Finding("cut", cause, [], "compute it from floating point tensors.", tensor=t)
    cause = "Nothing that it was computed from requires a gradient"
    lines: list[Line] = []
    mend = "make the tensors that are to learn with requires_grad=True, or as nn.Parameter."
    origin = getattr(t._meta, "origin", None)
    constant = None if frame is None else gradient_read(frame)
    if constant:
        cause = f"It is computed from .grad at {constant[0]}, and a gradient is a constant"
        cause += f": backward() at {constant[1]} does not record how it is computed." if constant[1:] else "."
        lines = [line for s in constant[:2] for line in line_at(s)]
        mend = "use torch.autograd.grad(loss, inputs, create_graph=True), or pass create_graph=True to backward()."
        return Finding("cut", cause, lines, mend, tensor=t)
    severed = None if frame is None else severing_line(frame)
    if severed is not None:
        cause = f"It has no history, though what it is computed from at {severed} has: the way there is cut off."
        mend = "compute with tensors all the way (torch.stack, torch.cat, torch's own functions)."
        return Finding("cut", cause, line_at(severed, "history ends here"), mend, tensor=t)
    if frame is not None:
        found = leaves_of(frame)
        typos = [(name, leaf, word) for name, leaf in found.items() if (word := _misspelled(leaf))]
        if typos:
            name, _, word = typos[0]
            lines = _lines_of_attribute(frame, name, word)
            cause = f"{name}.{word} means nothing to autograd: the attribute is called requires_grad"
            mend = f"write {name}.requires_grad = True."
        elif 0 < len(found) <= 4:
            cause += f": neither {' nor '.join(found)} does" if len(found) > 1 else f": {next(iter(found))} does not"
            lines = [line for name in found for line in _last_assignment(frame, name)]
    if not lines and origin is not None:
        lines = [line for place in origin.ancestors for line in line_at(resolve(*place), "made here")]
    return Finding("unreached", f"{cause}.", lines[:4], mend, tensor=t)


def leaves_of(frame: FrameType) -> dict[str, Any]:
    """The variables that a failing ``x.backward()`` goes back to, read from the source around it: leaves only."""
    code = frame.f_code
    scope = program.scope_of(code.co_filename, code)
    if scope is None:
        return {}
    roots = program.roots_at(scope, frame.f_lineno)
    found: dict[str, Any] = {}
    waiting, seen = list(roots), set(roots)
    while waiting:
        name = waiting.pop(0)
        before = [node for node in program.assignments(scope, name) if node.lineno <= frame.f_lineno]
        read = [n for node in before[-1:] for n in program.names_in(getattr(node, "value", None) or ast.Pass())]
        value = _value_of(frame, name)
        if (
            hasattr(value, "_array")
            and name not in roots
            and not value.requires_grad
            and value._array.dtype.kind in "fc"
        ):
            made = any(hasattr(_value_of(frame, n), "_array") for n in read)
            if not made:
                found[name] = value
                continue
        for each in read:
            if each not in seen:
                seen.add(each)
                waiting.append(each)
    return found


def severing_line(frame: FrameType) -> Source | None:
    """The line around a failing ``x.backward()`` that makes something without history of something with history."""
    code = frame.f_code
    scope = program.scope_of(code.co_filename, code)
    if scope is None:
        return None
    roots = program.roots_at(scope, frame.f_lineno)
    waiting, seen = list(roots), set(roots)
    while waiting:
        name = waiting.pop(0)
        before = [node for node in program.assignments(scope, name) if node.lineno <= frame.f_lineno]
        for node in before[-1:]:
            value = getattr(node, "value", None) or ast.Pass()
            if name not in roots and program.takes_out(value):
                return Source(code.co_filename, node.lineno, code.co_name)
            for each in program.names_in(value):
                if each in seen:
                    continue
                seen.add(each)
                read = _value_of(frame, each)
                if _has_history(read):
                    return Source(code.co_filename, node.lineno, code.co_name)
                if not callable(read) and not isinstance(read, type(ast)):
                    waiting.append(each)
            if program.takes_out(value):
                return Source(code.co_filename, node.lineno, code.co_name)
    return None


def gradient_read(frame: FrameType) -> list[Source]:
    """The line around a failing ``x.backward()`` that computes with a ``.grad``, and the backward call before it."""
    code = frame.f_code
    scope = program.scope_of(code.co_filename, code)
    if scope is None:
        return []
    for name in program.names_behind(scope, program.roots_at(scope, frame.f_lineno), frame.f_lineno):
        before = [node for node in program.assignments(scope, name) if node.lineno <= frame.f_lineno]
        for node in before[-1:]:
            value = getattr(node, "value", None) or ast.Pass()
            if any(isinstance(each, ast.Attribute) and each.attr == "grad" for each in _read(value)):
                calls = [s for s in program.calls_to(code.co_filename, "backward") if s.line < node.lineno]
                return [Source(code.co_filename, node.lineno, code.co_name), *calls[-1:]]
    return []


def _read(value: ast.AST) -> list[ast.AST]:
    """The parts of an expression, without the functions that it calls."""
    called = {id(node.func) for node in ast.walk(value) if isinstance(node, ast.Call)}
    return [node for node in ast.walk(value) if id(node) not in called]


def _has_history(value: Any) -> bool:
    if isinstance(value, (list, tuple)) and value:
        value = value[0]
    return hasattr(value, "_array") and bool(value.requires_grad)


def _value_of(frame: FrameType, name: str) -> Any:
    first, _, rest = name.partition(".")
    value = frame.f_locals.get(first, frame.f_globals.get(first))
    return getattr(value, rest, None) if rest and value is not None else value


def _last_assignment(frame: FrameType, name: str) -> list[Line]:
    code = frame.f_code
    scope = program.scope_of(code.co_filename, code)
    nodes = [] if scope is None else program.assignments(scope, name)
    if not nodes and (tree := program.tree_of(code.co_filename)) is not None:
        nodes = program.assignments(tree, name)
    before = [node for node in nodes if node.lineno <= frame.f_lineno] or nodes
    if not before:
        return []
    return line_at(Source(code.co_filename, before[-1].lineno, code.co_name), f"{name} requires no gradient")


def _misspelled(t: Any) -> str | None:
    """An attribute of a tensor that was meant to be ``requires_grad``."""
    close = difflib.get_close_matches("requires_grad", list(vars(t)), 1, 0.75)
    return close[0] if close else None


def _lines_of_attribute(frame: FrameType, name: str, word: str) -> list[Line]:
    tree = program.tree_of(frame.f_code.co_filename)
    nodes = [] if tree is None else program.assignments(tree, f"{name}.{word}")
    filename, function = frame.f_code.co_filename, frame.f_code.co_name
    return [line for node in nodes[:2] for line in line_at(Source(filename, node.lineno, function))]
