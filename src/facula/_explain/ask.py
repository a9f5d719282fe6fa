"""``facula.explain`` and ``facula.why``: ask about an error, a tensor, a module, an optimizer."""

from __future__ import annotations

import ast
import sys
import traceback
from typing import Any

import numpy as np

from .._core import state
from .._tensor import Tensor
from ..autograd.graph import EMPTY, Freed, full_name, is_internal, resolve, user_frame, walk
from ..autograd.meta import FROZEN
from . import cuts, errors, finite, leaves, norms, program, python_errors
from . import watch as watching
from .record import event_of
from .report import Finding, Report, line_at
from .trace import traced


def explain(x: Any = None, *, root: Any = None) -> Report:
    """Why something went wrong, and where: of an exception, a tensor, a module, an optimizer, or of the last error.

    ``root`` is the loss that a gradient was expected from.
    """
    if x is None:
        return _last()
    if isinstance(x, BaseException):
        return of_error(x)
    if isinstance(x, Tensor):
        return why(x, root)
    if hasattr(x, "named_parameters"):
        return _module(x, root)
    if hasattr(x, "param_groups"):
        return _optimizer(x, root)
    if hasattr(x, "next_functions"):
        return _node(x)
    raise TypeError(
        f"explain() takes an exception, a tensor, a module, an optimizer or a node of a graph, not {type(x).__name__}"
    )


def _current() -> Any:
    return state.watch or watching.last


def _last() -> Report:
    error = sys.exc_info()[1] or getattr(sys, "last_value", None)
    if error is not None:
        return of_error(error)
    watch = _current()
    if watch is not None:
        report: Report = watch.report()
        return report
    return Report((), "There was no error, and nothing was watched: see facula.watch.")


def of_error(error: BaseException) -> Report:
    """What is known of an exception."""
    report = errors.report_of(error)
    if report is not None:
        return report
    missing = _missing_gradient(error)
    if missing:
        return missing
    plain = python_errors.explained(error)
    if plain is not None:
        return Report([plain])
    watch = _current()
    if watch is not None and watch.findings:
        found: Report = watch.report()
        return found
    return errors.from_traceback(error)


def _missing_gradient(error: BaseException) -> Report | None:
    """An error about None, on a line that reads the ``.grad`` of a tensor that has none."""
    if not isinstance(error, (AttributeError, TypeError)) or "None" not in str(error):
        return None
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        if is_internal(frame.f_code.co_filename):
            continue
        scope = program.scope_of(frame.f_code.co_filename, frame.f_code)
        statement = None if scope is None else program.statement_at(scope, line)
        for node in ast.walk(statement) if statement is not None else ():
            if isinstance(node, ast.Attribute) and node.attr == "grad":
                try:
                    t = eval(compile(ast.Expression(node.value), "<grad>", "eval"), frame.f_globals, frame.f_locals)
                except Exception:  # an expression that does not stand alone
                    continue
                if isinstance(t, Tensor) and (t._meta is None or t._meta.grad is None):
                    return _why(t, None, frame)
        break
    return None


# ---- tensors


def why(tensor: Any, root: Any = None) -> Report:
    """Why a tensor has no history, or a gradient that is None, zero, huge or not finite."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"why() takes a tensor, not {type(tensor).__name__}")
    if root is not None and not isinstance(root, Tensor):
        raise TypeError(f"root is the tensor that was differentiated, not {type(root).__name__}")
    return _why(tensor, root, user_frame(2))


def _why(tensor: Tensor, root: Any, frame: Any) -> Report:
    array = tensor._array
    if array.dtype.kind in "fc" and array.__class__ is np.ndarray and not np.isfinite(array).all():
        found = _value_not_finite(tensor)
        if found is not None:
            return Report([found])
    if not tensor.requires_grad:
        return Report([_no_history(tensor, frame)])
    if root is not None and root._array.dtype.kind in "fc" and not np.isfinite(root._array).all():
        found = _value_not_finite(root)
        if found is not None:
            return Report([found])
    grad = None if tensor._meta is None else tensor._meta.grad
    if grad is None:
        return _gradient_is_none(tensor, root, frame)
    return _gradient(tensor, grad._array, root)


def _value_not_finite(t: Tensor) -> Finding | None:
    event = event_of(t)
    if event is not None:
        return finite.finding(event, tensor=t)
    watch = _current()
    if watch is not None:
        for found in watch.findings:
            if found.kind == "not finite":
                return found
    return finite.in_graph(t)


def _no_history(t: Tensor, frame: Any) -> Finding:
    origin = None if t._meta is None else t._meta.origin
    cut = None if t._meta is None else t._meta.cut
    if cut is None and t._array.dtype.kind in "fc" and origin is not None:
        lines = [line for place in origin.ancestors for line in line_at(resolve(*place), "requires no gradient")]
        cause = "Nothing that it was computed from requires a gradient."
        mend = "make the tensors that are to learn with requires_grad=True, or as nn.Parameter."
        return Finding("unreached", cause, lines[:4], mend, tensor=t)
    if cut is None and t.grad_fn is None and t._array.dtype.kind in "fc":
        name = leaves.name_of(t, frame)
        lines = [] if name is None else leaves._assigned(frame, name)
        cause = "It has no history: it was made without requires_grad=True, or computed from nothing that requires it."
        mend = "make it with requires_grad=True, or call requires_grad_() before it is used."
        return Finding("unreached", cause, lines[-2:], mend, tensor=t)
    return cuts.without_history(t)


def _gradient_is_none(t: Tensor, root: Any, frame: Any) -> Report:
    node = t.grad_fn
    if node is not None and not t.retains_grad:
        cause = f"It is no leaf: {full_name(node)} made it at {node.source}. Only leaves keep their gradient."
        leaf = next(iter(leaves.leaves_of(t).values()), None)
        name = None if leaf is None else leaves.name_of(leaf, frame)
        mend = f"look at {name}.grad" if name else "look at the leaf's .grad"
        mend += ", make the leaf last ((...).detach().requires_grad_()), or call retain_grad() before backward()."
        return Report([Finding("not a leaf", cause, line_at(node.source, "computed here"), mend, node, t)])
    if root is not None:
        if not root.requires_grad:
            return Report([cuts.without_history(root, frame)])
        if id(t) not in leaves.leaves_of(root):
            return Report([f] if (f := leaves.unreached(t, [root], frame)) is not None else [])
        return Report((), "The loss leads to it, but backward() has not been called since its gradient was cleared.")
    watch = _current()
    if watch is not None:
        behind = [c for c in watch.training.cuts.values() if c.source is not None and c.source.leads_to(t)]
        if behind:
            return Report([cuts.finding(behind[0], "The way to it", tensor=t)])
        related = [
            f for f in watch.report().findings if f.kind in ("optimizer", "cut", "switched off", "frozen", "unused")
        ]
        if related:
            return Report(related)
        if watch.training.root_leaf is not None:
            at = leaves.source_of(watch.training.root_leaf)
            cause = f"backward() started from a leaf, made at {at}, which has no history."
            mend = "call backward() on the loss as it was computed, not on a new tensor of its value."
            return Report([Finding("cut", cause, line_at(at, "a new leaf"), mend, tensor=t)])
    last = leaves.required_too_late(t, frame) or _variables_with_cuts(frame, t)
    if last is not None:
        return Report([last])
    return Report(
        (), "No backward pass has reached it. Which loss should have? explain(tensor, root=loss) looks for the way."
    )


def _variables_with_cuts(frame: Any, t: Tensor) -> Finding | None:
    """Look for roots among the variables around, and for what cuts them off from a leaf."""
    for space in (frame.f_locals, frame.f_globals):
        for value in list(space.values()):
            if isinstance(value, Tensor) and value is not t and value._array.size == 1:
                if value.requires_grad and value.grad_fn is not None and id(t) not in leaves.leaves_of(value):
                    found = leaves.unreached(t, [value], frame)
                    if found is not None and found.kind != "unreached":
                        return found
                elif not value.requires_grad and value._meta is not None and value._meta.cut is not None:
                    return cuts.finding(value._meta.cut, "The way to it", tensor=t)
    return None


def _gradient(t: Tensor, g: Any, root: Any) -> Report:
    watch = _current()
    known = None if watch is None else watch.training.leaves.get(id(t))
    if known is not None and known.leaf() is not t:
        known = None
    finite_gradient = bool(np.isfinite(g).all())
    if finite_gradient and g.size and not g.any() and known is not None and known.culprit is not None:
        return Report([known.culprit])
    if watch is not None:
        wanted = ("not finite",) if not finite_gradient else ("summed", "huge", "changed", "shape")
        found = [f for f in watch.report().findings if f.kind in wanted]
        if found:
            return Report(found)
    if root is not None and root.requires_grad:
        return _of_pass(t, g, root, finite_gradient)
    if not finite_gradient or (g.size and not g.any()):
        what = "zero everywhere" if finite_gradient else "not finite"
        return Report(
            (), f"The gradient is {what}. To see where: why(tensor, root=loss) before backward(), or facula.watch()."
        )
    if known is not None and known.passes > 1:
        return Report((), f"The gradient is the sum of {known.passes} backward passes, and nothing else is unusual.")
    return Report((), f"Nothing unusual: the gradient is finite, {float(np.abs(g).max(initial=0)):.3g} at most.")


def _of_pass(t: Tensor, g: Any, root: Any, finite_gradient: bool) -> Report:
    order = sorted((n for n in walk(root._edge())), key=lambda n: n.seq, reverse=True)
    if freed := [n for n in order if _is_freed(n)]:
        by = _freed_by(freed[0])
        cause = f"The graph has been freed by the backward call at {by}: there is nothing left to look at."
        return Report(
            [Finding("freed", cause, line_at(by), "ask before backward(), or pass retain_graph=True.", freed[0])]
        )
    passed = traced(order, [(root._edge(), np.ones(root._array.shape, root._array.dtype))])
    found = (
        finite.in_backward(passed)
        if not finite_gradient
        else norms.zero(passed, t)
        if not g.any()
        else norms.huge(passed)
    )
    return Report([found] if found is not None else [])


def _is_freed(node: Any) -> bool:
    held = node.saved if node.saved.__class__ is tuple else (node.saved,)
    return any(isinstance(s, Freed) for s in held)


def _freed_by(node: Any) -> Any:
    held = node.saved if node.saved.__class__ is tuple else (node.saved,)
    return next(resolve(s.code, s.instruction) for s in held if isinstance(s, Freed))


# ---- nodes, modules, optimizers


def _node(node: Any) -> Report:
    if _is_freed(node):
        by = _freed_by(node)
        cause = f"What {full_name(node)}, recorded at {node.source}, saved was freed by the backward call at {by}."
        lines = line_at(node.source, "recorded here") + line_at(by, "freed here")
        return Report(
            [Finding("freed", cause, lines, "pass retain_graph=True to that call, or compute it anew.", node)]
        )
    saved = "nothing" if node.saved is EMPTY else "what its derivative needs"
    return Report((), f"{full_name(node)} was recorded at {node.source} and holds {saved}.")


def _seen_of(params: list[Any]) -> list[Finding]:
    """What the watch that is on has found, and what the last one found about these parameters."""
    watch = _current()
    if watch is None:
        return []
    return [f for f in watch.report().findings if watch is state.watch or any(f.tensor is p for p in params)]


def _module(module: Any, root: Any) -> Report:
    found = []
    hidden = leaves.hidden_parameters(module)
    if hidden is not None:
        found.append(hidden)
    params = dict(module.named_parameters())
    frozen = {name: p for name, p in params.items() if not p.requires_grad}
    places = {(c.code, c.instruction): c for p in frozen.values() if (c := p._meta and p._meta.cut) and c.how == FROZEN}
    for cut in list(places.values())[:2]:
        found.append(
            cuts.finding(cut, f"{len(frozen)} of {len(params)} parameters", tensor=next(iter(frozen.values())))
        )
    if root is not None and root.requires_grad:
        reached = leaves.leaves_of(root)
        lost = {name: p for name, p in params.items() if p.requires_grad and id(p) not in reached}
        if lost:
            cause = leaves.unreached(next(iter(lost.values())), [root], user_frame(3))
            if cause is not None:
                cause.cause = f"No gradient reaches {', '.join(list(lost)[:3])}. {cause.cause}"
                found.append(cause)
    found += _seen_of(list(params.values()))
    missing = [name for name, p in params.items() if p.requires_grad and (p._meta is None or p._meta.grad is None)]
    silence = f"Nothing unusual: {len(params)} parameters" + (f", {len(missing)} without gradient." if missing else ".")
    return Report(found, silence)


def _optimizer(optimizer: Any, root: Any) -> Report:
    params = [p for group in optimizer.param_groups for p in group["params"]]
    found: list[Finding] = []
    if root is not None and root.requires_grad:
        reached = leaves.leaves_of(root)
        strangers = [t for i, t in reached.items() if all(t is not p for p in params)]
        unreached = [p for p in params if p.requires_grad and id(p) not in reached]
        if unreached:
            cause = leaves.unreached(unreached[0], [root], user_frame(3))
            if cause is not None:
                cause.cause = f"The loss does not reach {len(unreached)} of {len(params)} parameters. {cause.cause}"
                found.append(cause)
        if strangers:
            lines = [line for t in strangers[:3] for line in line_at(leaves.source_of(t), "not in the optimizer")]
            cause_of = f"The loss depends on {len(strangers)} leaves that the optimizer does not hold."
            found.append(Finding("optimizer", cause_of, lines, "give them to the optimizer too.", tensor=strangers[0]))
    found += _seen_of(params)
    idle = [p for p in params if p._meta is None or p._meta.grad is None]
    silence = f"Nothing unusual: {len(params)} parameters" + (f", {len(idle)} without gradient." if idle else ".")
    return Report(found, silence)
