"""Exceptions of autograd that end with their cause, its lines and how to mend it.

PyTorch's sentence comes first, as it is. The report is also on the exception, for ``facula.explain``.
"""

from __future__ import annotations

import difflib
import traceback
from typing import Any

from .._core import state
from ..autograd.graph import Freed, Source, full_name, is_internal, resolve, user_frame
from . import cuts, leaves, program
from .report import Finding, Line, Report, line_at


def explained(error: Exception, finding: Finding | None, in_notes: bool = False) -> Exception:
    """An exception whose message goes on with what was found; ``in_notes``: only tracebacks show it."""
    if finding is not None:
        report = Report([finding])
        if in_notes:
            error.add_note(report.text())
        else:
            error.args = (f"{error.args[0]}\n{report.text()}", *error.args[1:])
        error.facula_report = report  # type: ignore[attr-defined]
    return error


def report_of(error: BaseException) -> Report | None:
    """What is known of an exception: its own report, or that of one that caused it."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        found = getattr(current, "facula_report", None)
        if isinstance(found, Report):
            return found
        current = current.__cause__ or current.__context__
    return None


def shown(source: Any) -> str:
    return "an unknown line" if source is None else str(source)


# ---- no history


def no_history(error: RuntimeError, out: Any) -> Exception:
    return explained(error, cuts.without_history(out, user_frame(2)))


def not_used(error: RuntimeError, roots: Any, t: Any) -> Exception:
    """``autograd.grad`` of a tensor that no path reaches."""
    return explained(error, leaves.unreached(t, roots, user_frame(2)))


def input_without_grad(error: RuntimeError, t: Any) -> Exception:
    return explained(error, cuts.without_history(t))


def not_scalar(error: RuntimeError, out: Any) -> Exception:
    node = out._node  # a view might refuse to be asked for its grad_fn
    at = None if node is None else node.source
    cause = f"The tensor has {out._array.size} elements (shape {list(out._array.shape)}): it was made at {shown(at)}."
    mend = "reduce it to one number, with .mean() or .sum(), or pass gradient=."
    return explained(error, Finding("shape", cause, line_at(at, "not reduced"), mend, node, out))


# ---- changed or gone


def freed(error: RuntimeError, node: Any) -> Exception:
    by = [resolve(s.code, s.instruction) for s in _freed_values(node)]
    made = resolve(node.code, node.instruction)
    task = state.modes.running
    again = None if task is None else resolve(task.by.code, task.by.instruction)
    cause = f"The graph was freed by the backward call at {shown(by[0])}." if by else "The graph was freed."
    cause += f" The operation whose saved tensors are gone ({full_name(node)}) was recorded at {shown(made)}."
    lines = line_at(made, "recorded here") + (line_at(by[0], "freed here") if by else [])
    if by and again == by[0]:
        cause += " A tensor of an earlier iteration leads back to it."
        mend = (
            "cut what is kept from one iteration to the next: state = state.detach(); or compute it anew in the loop."
        )
        lines = _carried(node, lines)
    else:
        mend = "add the losses and call backward once, or pass retain_graph=True to the first call, or compute it anew."
        lines += line_at(again, "needed again here")
    return explained(error, Finding("freed", cause, lines[:4], mend, node))


def _carried(node: Any, lines: list[Line]) -> list[Line]:
    """The lines again, after the line that made the variable by which an iteration leads back to an earlier one."""
    task = state.modes.running
    if task is None:
        return lines
    newest = max((n for n in task.order if _freed_values(n)), key=_number, default=node)
    later = [n for n in task.order if newest in n.next and n is not newest]
    return lines + [line for n in later[:1] for line in line_at(n.source, "leads back to it") if line not in lines]


def _freed_values(node: Any) -> list[Freed]:
    held = node.saved if isinstance(node.saved, tuple) else (node.saved,)
    return [s for s in held if isinstance(s, Freed)]


def _number(node: Any) -> float:
    return float(node.seq)


def modified(error: RuntimeError, node: Any, t: Any) -> Exception:
    counter = t._counter
    saved_at = resolve(node.code, node.instruction)
    changed_at = None if counter is None else resolve(counter[1], counter[2])
    if saved_at is None:
        return error
    cause = f"It was saved for the backward of {full_name(node)} at {saved_at}"
    cause += f", and changed in place at {changed_at}." if changed_at is not None else "."
    lines = line_at(changed_at, "changed here") + line_at(saved_at, "saved here")
    mend = "make the change out of place (y = y + 1 instead of y += 1), or on a clone()."
    if lines and ".step(" in lines[0].text:
        cause += " The optimizer's step changes the parameters in place."
        mend = "call all backward passes before the step, or compute the loss anew after it."
    elif changed_at == saved_at and changed_at is not None:
        lines += [each for each in _inplace_modules(changed_at.filename) if each not in lines]
        mend = "leave out inplace=True, or make the change out of place (y = y + 1 instead of y += 1)."
    return explained(error, Finding("changed", cause, lines, mend, node, t))


def _inplace_modules(filename: str) -> list[Line]:
    import ast  # loaded when first used

    tree = program.tree_of(filename)
    found = [
        node.lineno
        for node in ast.walk(tree or ast.Module([], []))
        if isinstance(node, ast.Call)
        and any(k.arg == "inplace" and getattr(k.value, "value", None) is True for k in node.keywords)
    ]
    return [line for n in sorted(set(found))[:2] for line in line_at(Source(filename, n, ""), "inplace=True")]


def leaf_changed(error: RuntimeError, t: Any) -> Exception:
    at = user_frame(2)
    source = resolve(at.f_code, at.f_lasti)
    cause = (
        f"A tensor that collects gradients is changed in place at {shown(source)}, where the change would be recorded."
    )
    mend = "write `with torch.no_grad():` around an update of parameters; else make it out of place, or on a clone()."
    return explained(error, Finding("changed", cause, line_at(source, "changed here"), mend, None, t), in_notes=True)


def view_changed(error: RuntimeError, t: Any) -> Exception:
    """A view that must not be changed in place: one of several, or made without gradients."""
    frame = user_frame(2)
    at = resolve(frame.f_code, frame.f_lasti)
    made = None if t._node is None else t._node.source
    cause = f"A view is changed in place at {shown(at)}; it was made at {shown(made)}."
    lines = line_at(at, "changed here") + line_at(made, "made here")
    mend = "make the change out of place (y = y + 1 instead of y += 1), or on a clone()."
    return explained(error, Finding("changed", cause, lines, mend, t._node, t), in_notes=True)


def inference_saved(error: RuntimeError, t: Any) -> Exception:
    cut = None if t is None or t._meta is None else t._meta.cut
    if cut is None:
        return error
    found = cuts.finding(cut, "The tensor's history", tensor=t)
    found.mend = "use torch.no_grad() in place of torch.inference_mode(), or go on with a clone()."
    return explained(error, found)


# ---- leaves


def not_a_leaf(error: Exception, t: Any, what: str, mend: str) -> Exception:
    """Something was asked of a computed tensor that only leaves do."""
    node = t.grad_fn
    at = None if node is None else node.source
    if at is None:
        return error
    cause = f"{what}: it is not a leaf, but was computed by {full_name(node)} at {at}."
    return explained(error, Finding("not a leaf", cause, line_at(at, "computed here"), mend, node, t))


def no_parameters(error: ValueError, model: Any, params: Any) -> Exception:
    """An optimizer without parameters; ``model``: the module whose parameters were asked for, if that is known."""
    if model is not None:
        return explained(error, leaves.hidden_parameters(model))
    frame = user_frame(2)
    name = leaves.name_of(params, frame)
    scope = program.scope_of(frame.f_code.co_filename, frame.f_code)
    if name is None or scope is None or not hasattr(params, "gi_frame"):
        return error
    made = [node.lineno for node in program.assignments(scope, name) if node.lineno < frame.f_lineno]
    used = [n for n in program.lines_with(scope, name) if made and made[-1] < n < frame.f_lineno]
    sources = [Source(frame.f_code.co_filename, n, frame.f_code.co_name) for n in [*used[:1], *made[-1:]]]
    if not used:
        return error
    cause = (
        f"{name}, made at {sources[1]}, is a generator, which gives its elements once: it was used up at {sources[0]}."
    )
    lines = line_at(sources[0], "used up here") + line_at(sources[1], "a generator")
    return explained(error, Finding("optimizer", cause, lines, f"keep a list: {name} = list(model.parameters())."))


def shared_elements(error: RuntimeError, array: Any) -> Exception:
    """A write to a tensor whose elements share memory, as ``expand`` makes them."""
    frame = user_frame(2)
    scope = program.scope_of(frame.f_code.co_filename, frame.f_code)
    for space in (frame.f_locals, frame.f_globals):
        for name, value in list(space.items()):
            if getattr(value, "_array", None) is array and scope is not None:
                made = [n.lineno for n in program.assignments(scope, name) if n.lineno < frame.f_lineno]
                at = Source(frame.f_code.co_filename, made[-1], frame.f_code.co_name) if made else None
                cause = f"{name}, made at {shown(at)}, shows the same elements several times."
                lines = line_at(at, "expanded here")
                return explained(error, Finding("shape", cause, lines, "make a copy there: .expand(...).clone()."))
    return error


# ---- custom functions


def wrong_gradient(error: RuntimeError, node: Any, what: str) -> Exception:
    """The backward of a custom Function returned something that does not fit."""
    backward = getattr(type(node)._forward_cls, "backward", None)
    code = getattr(backward, "__code__", None)
    returned = [] if code is None else program.returns_of(code)
    at = resolve(node.code, node.instruction)
    lines = [line for source in returned[:3] for line in line_at(source, "returned here")] + line_at(at, "applied here")
    where = " or ".join(str(source) for source in returned[:3]) or "an unknown line"
    cause = f"{what} It was returned at {where}; the Function was applied at {shown(at)}."
    mend = "return one gradient for each input of forward, in its shape, and None for what is no tensor."
    return explained(error, Finding("shape", cause, lines, mend, node))


def no_backward(error: NotImplementedError, node: Any) -> Exception:
    """A custom Function that has no backward."""
    cls = getattr(type(node), "_forward_cls", None)
    code = getattr(getattr(cls, "forward", None), "__code__", None)
    if cls is None or code is None or is_internal(code.co_filename):
        return error
    at = program.defined_at(code)
    cause = f"{cls.__name__}, whose forward is at {at}, has no backward"
    lines = line_at(at, "forward")
    close = difflib.get_close_matches("backward", [n for n in vars(cls) if n not in ("forward", "backward")], 1, 0.7)
    misspelled = getattr(getattr(cls, close[0], None), "__code__", None) if close else None
    if misspelled is not None:
        lines = line_at(program.defined_at(misspelled), "not called backward") + lines
        cause += f", but something called {close[0]}"
    mend = "define `@staticmethod def backward(ctx, grad_output)`, which returns a gradient for each input of forward."
    return explained(error, Finding("error", f"{cause}.", lines, mend, node), in_notes=True)


def wrong_hook(error: RuntimeError, hook: Any) -> Exception:
    """A hook that returned something that is no gradient for its tensor."""
    code = getattr(hook, "__code__", None)
    if code is None or is_internal(code.co_filename):
        return error
    at = program.defined_at(code)
    returned = program.returns_of(code)
    lines = line_at(at, "the hook") + [line for s in returned[:2] for line in line_at(s, "returned here")]
    cause = f"The hook at {at} has to return a gradient like the one it was given, or None."
    mend = "return a tensor of the same shape and dtype, or nothing if it only looks."
    return explained(error, Finding("shape", cause, lines, mend), in_notes=True)


def not_a_number(error: RuntimeError, node: Any) -> Exception:
    at = resolve(node.code, node.instruction)
    cause = f"The gradient of {full_name(node)}, recorded at {shown(at)}, is the first that is not a number."
    mend = "keep its operands away from where its derivative has no finite value; facula.watch() tells more."
    return explained(error, Finding("not finite", cause, line_at(at, "recorded here"), mend, node), in_notes=True)


# ---- any other exception


def from_traceback(error: BaseException) -> Report:
    """What can be said of an exception that came without an explanation: the last line of the user's own."""
    frames = [f for f, _ in traceback.walk_tb(error.__traceback__) if not is_internal(f.f_code.co_filename)]
    lines = [n for f, n in traceback.walk_tb(error.__traceback__) if not is_internal(f.f_code.co_filename)]
    name = type(error).__name__
    if not frames:
        return Report((), f"{name}: {error}. It is not known where it was raised.")
    at = Source(frames[-1].f_code.co_filename, lines[-1], frames[-1].f_code.co_name)
    cause = f"{name}: {str(error).splitlines()[0] if str(error) else '(no message)'}"
    return Report([Finding("error", cause, line_at(at, "raised here"))])
