"""Where values, or gradients, first ceased to be finite."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd.accumulate import AccumulateGrad
from ..autograd.graph import Port, Source, full_name, walk
from .record import event_of
from .report import Finding, Line, line_at

_GIVEN = ("masked_fill", "full", "where", "fill", "index_fill", "constant_pad_nd", "scatter", "copy", "lift")
_WHY = {
    "log": "log of 0 is -inf, and of a negative number not a number",
    "log2": "log2 of 0 is -inf, and of a negative number not a number",
    "log10": "log10 of 0 is -inf, and of a negative number not a number",
    "log1p": "log1p of -1 is -inf, and of less not a number",
    "sqrt": "the square root of a negative number is not a number",
    "rsqrt": "rsqrt of 0 is inf, and of a negative number not a number",
    "div": "it divides by 0",
    "reciprocal": "it divides by 0",
    "exp": "exp overflows",
    "pow_number": "it overflows, or takes a fractional power of a negative number",
    "pow": "a negative number to a power that is not whole is not a number, and great ones overflow",
    "acos": "acos is defined from -1 to 1 only",
    "asin": "asin is defined from -1 to 1 only",
    "softmax": "a row whose values are all -inf has no softmax",
    "_softmax": "a row whose values are all -inf has no softmax",
    "log_softmax": "a row whose values are all -inf has no softmax",
    "logsumexp": "all values of a row are -inf",
    "std": "one value has no standard deviation",
    "var": "one value has no variance",
    "mean": "the mean of nothing is not a number",
}
_MENDS = {
    "log": "add a small number first, torch.log(x + 1e-8), or clamp: x.clamp(min=1e-8).",
    "sqrt": "add a small number first, torch.sqrt(x + 1e-8), or clamp: x.clamp(min=0).",
    "div": "add a small number to the denominator, or clamp it away from 0.",
    "reciprocal": "clamp the denominator away from 0.",
    "exp": "clamp its argument, subtract the largest first, or use logsumexp, softmax, log_softmax.",
    "softmax": "leave at least one value of each row unmasked, or mask with a large negative number in place of -inf.",
    "_softmax": "leave at least one value of each row unmasked, or mask with a large negative number in place of -inf.",
    "log_softmax": "leave at least one value of each row unmasked, or mask with a large negative number, not -inf.",
    "std": "use unbiased=False (correction=0), or more than one value.",
    "var": "use unbiased=False (correction=0), or more than one value.",
    "mean": "see to it that there is something to average.",
    "pow": "clamp the base away from 0 and from below 0.",
    "acos": "clamp its argument to slightly less than -1 to 1.",
    "asin": "clamp its argument to slightly less than -1 to 1.",
}
_GENERAL = "keep its operands where its value is finite (clamp, or add a small number)."


class Event:
    """The birth of a value that is not finite: by which operator, where, of which operands."""

    __slots__ = ("because", "element", "given", "op", "operands", "source", "what")

    def __init__(self, what: str, op: str, source: Source | None) -> None:
        self.what = what
        self.op = op
        self.source = source
        self.element: tuple[int, ...] = ()
        self.operands = ""
        self.because: Event | None = None
        """What made the operands infinite, if they were."""
        self.given = False
        """Whether it was put there on purpose, as a mask is."""

    def first(self) -> Event:
        return self

    def __str__(self) -> str:
        if self.op == "a change in place":
            return f"{self.op} at {self.source}"
        at = f" at element {list(self.element)}" if self.element else ""
        return f"{self.op}() at {self.source}{at}{self.operands}"


def born(op: Any, t: Any, operands: list[Any], source: Source | None, attributes: tuple[Any, ...] = ()) -> Event | None:
    """The event of a result that is not finite: an operand's, or a new one."""
    array = t._array
    nan = np.isnan(array)
    has_nan = bool(nan.any())
    if not has_nan and not np.isinf(array).any():
        return None
    infinite = None
    for operand in operands:
        if not hasattr(operand, "_array") or operand._array.dtype.kind not in "fc" or operand is t:
            continue
        values = operand._array
        if np.isfinite(values).all():
            continue
        event = event_of(operand) or _unseen(operand)
        if np.isnan(values).any():
            return event
        infinite = event
    if infinite is not None and not has_nan:
        return infinite
    event = Event("NaN" if has_nan else "inf", op.name, source)
    bad = nan if has_nan else np.isinf(array)
    event.element = tuple(int(i) for i in np.argwhere(bad)[0])
    event.because = infinite
    given = [a for a in (*operands, *attributes) if isinstance(a, (float, np.ndarray)) and np.isinf(a).any()]
    event.given = not has_nan and (bool(given) or op.name in _GIVEN)
    event.operands = _told(operands, array.shape, event.element)
    return event


def _unseen(t: Any) -> Event:
    """A tensor that was not finite before anyone looked."""
    what = "NaN" if np.isnan(t._array).any() else "inf"
    node = t.grad_fn
    origin = None if t._meta is None else t._meta.origin
    source = node.source if node is not None else None if origin is None else origin.source
    event = Event(what, full_name(node) if node is not None else "a tensor", source)
    event.given = what == "inf"
    return event


def _told(operands: list[Any], shape: tuple[int, ...], element: tuple[int, ...]) -> str:
    values = []
    for operand in operands:
        array = getattr(operand, "_array", operand if isinstance(operand, np.ndarray) else None)
        if array is None or array.dtype.kind not in "fc":
            continue
        if array.ndim <= len(shape):
            try:
                values.append(float(np.broadcast_to(array, shape)[element]))
                continue
            except (ValueError, TypeError, IndexError):
                pass
        if array.size == 0:
            return ", of nothing"
    return f", of {' and '.join(f'{v:g}' for v in values)}" if values else ""


def finding(event: Event, where: str = "", **about: Any) -> Finding:
    """What is to be said of a value that is not finite."""
    lines: list[Line] = line_at(event.source, f"first {event.what}")
    why = _WHY.get(event.op, "")
    cause = f"The first {event.what} came from {event}"
    if event.op == "a tensor":
        cause = f"A tensor made at {event.source} holds {event.what} already"
    cause += f": {why}." if why else "."
    mend = _MENDS.get(event.op, _GENERAL)
    if event.because is not None:
        cause += f" Its operand was infinite since {event.because.op}() at {event.because.source}."
        lines += [line for line in line_at(event.because.source, "made it infinite") if line not in lines]
        if not event.because.given:
            mend = _MENDS.get(event.because.op, _GENERAL)
            lines.reverse()
    return Finding("not finite", f"{cause}{where}", lines, mend, **about)


# ---- backward


_TRAPS = ("WhereBackward0", "MaskedFillBackward0", "MaskedFillBackward1", "IndexPutBackward0", "MaskedSelectBackward0")


def in_backward(passed: list[Any]) -> Finding | None:
    """The first node that made a gradient that is not finite of one that was."""
    for at, step in enumerate(passed):
        if step.results is not None:
            return _made_by(step, passed[:at])
    return None


def _made_by(step: Any, before: list[Any]) -> Finding:
    node = step.node
    i = step.finite_after.index(False)
    result = np.asarray(step.results[i])
    what = "NaN" if np.isnan(result).any() else "inf"
    element = np.argwhere(~np.isfinite(result))[0]
    given = step.given[0] if node.multi else step.given
    at_element = _at(given, element)
    operand = _saved_value(node, element)
    name = full_name(node)
    cause = f"The first gradient that is {what} came from {name}, recorded at {node.source}"
    cause += f", at element {[int(n) for n in element]}" if len(element) else ""
    if operand is not None:
        cause += f", where its operand was {operand:g}"
    if at_element is not None:
        cause += f" and the gradient that arrived {at_element:g}"
    lines = line_at(node.source, f"{what} in backward")
    mend = "keep its operand away from where its derivative is infinite (clamp, or add a small number first)."
    if at_element == 0:
        trap = _above(node, before)
        if trap is not None:
            chosen = full_name(trap).replace("Backward0", "").replace("Backward1", "")
            cause += f". {chosen} at {trap.source} did not take this value, but 0 times infinity is not a number"
            lines += [line for line in line_at(trap.source, "chooses between branches") if line not in lines]
            mend = "make the operand safe first: torch.where(ok, f(torch.where(ok, x, 1.0)), 0.0)."
        else:
            cause += ": 0 times infinity is not a number"
    return Finding("not finite", f"{cause}.", lines, mend, node)


def in_hooks(task: Any) -> Finding | None:
    """The hooks of a pass that is finite without them."""
    hooks: list[Any] = []
    for node in task.order:
        if node.attached is not None:
            hooks += [hook for each in node.attached.tensor.values() for hook in each.values()]
            hooks += [*node.attached.pre.values(), *node.attached.post.values()]
    for node in task.leaves:
        hooks += (node.variable._meta.hooks or {}).values()
    codes = {code: None for hook in hooks if (code := getattr(hook, "__code__", None)) is not None}
    sources = [Source(code.co_filename, code.co_firstlineno, code.co_name) for code in codes]
    if not sources:
        return None
    cause = f"The gradients are finite without the hook at {' or '.join(map(str, sources[:2]))}, and not with it."
    lines = [line for source in sources[:2] for line in line_at(source, "a hook")]
    return Finding("not finite", cause, lines, "let the hook return something finite.")


def _at(g: Any, element: Any) -> float | None:
    try:
        return float(np.asarray(g)[tuple(element)])
    except (IndexError, TypeError, ValueError):
        array = np.asarray(g)
        return float(array) if array.size == 1 and array.dtype.kind == "f" else None


def _saved_value(node: Any, element: Any) -> float | None:
    held = node.saved if node.saved.__class__ is tuple else (node.saved,)
    for value in held:
        array = getattr(value, "_array", value)
        if isinstance(array, np.ndarray) and array.dtype.kind == "f":
            found = _at(array, element)
            if found is not None:
                return found
    return None


def _above(node: Any, before: list[Any]) -> Any:
    """The node that chose between branches of which one leads to this node."""
    for step in reversed(before):
        if full_name(step.node) in _TRAPS and _reaches(step.node, node):
            return step.node
    return None


def _reaches(start: Any, node: Any) -> bool:
    stack, seen = list(start.next), set()
    while stack:
        here = stack.pop()
        here = here.node if here.__class__ is Port else here
        if here is None or here in seen or here.__class__ is AccumulateGrad:
            continue
        if here is node:
            return True
        seen.add(here)
        stack.extend(here.next)
    return False


# ---- without a watch


_POLES = ("LogBackward0", "Log2Backward0", "Log10Backward0", "RsqrtBackward0")
"""Nodes of operators that save their operand, and are not finite where it is 0."""


def in_graph(root: Any) -> Finding | None:
    """The oldest node of a graph whose values, as far as nodes saved them, are not finite."""
    oldest: dict[str, Any] = {}
    for node in walk(root._edge()) if root.requires_grad else ():
        if node.__class__ is AccumulateGrad:
            continue
        held = node.saved if node.saved.__class__ is tuple else (node.saved,)
        outs = _output_slots(node)
        for i, value in enumerate(held):
            array = getattr(value, "_array", value)
            if not isinstance(array, np.ndarray) or array.dtype.kind != "f":
                continue
            if i not in outs and full_name(node) in _POLES and (array <= 0).any():
                kind = "NaN" if (array < 0).any() else "inf"
                if kind not in oldest or node.seq < oldest[kind][0].seq:
                    oldest[kind] = (node, False)
            if not np.isfinite(array).all():
                made = node if i in outs or not hasattr(value, "grad_fn") else value.grad_fn
                given = made is None
                made = made or node
                masked = full_name(made).startswith("MaskedFill")
                kind = "NaN" if np.isnan(array).any() else "given" if masked else "inf"
                if kind not in oldest or made.seq < oldest[kind][0].seq:
                    oldest[kind] = (made, given)
    kinds = sorted((k for k in oldest if k != "given"), key=lambda k: float(oldest[k][0].seq))
    worst, given = oldest[kinds[0]] if kinds else (_last_that_saved(root.grad_fn), False)
    if worst is None:
        return None
    kind = kinds[0] if kinds else "NaN" if np.isnan(root._array).any() else "inf"
    op = full_name(worst).split("Backward")[0].lower()
    why = _WHY.get(op) if op != "mean" or kind == "NaN" else None
    where = f"{full_name(worst)}, recorded at {worst.source}"
    cause = f"An operand of {where}, holds {kind} already." if given else f"{kind} came from {where}."
    cause = f"{cause[:-1]}: {why}." if why and not given else cause
    lines = line_at(worst.source, "not finite")
    if "given" in oldest and kind == "NaN":
        lines += [line for line in line_at(oldest["given"][0].source, "made it infinite") if line not in lines]
    return Finding("not finite", cause, lines, _MENDS.get(op, _GENERAL), worst, root)


def _last_that_saved(node: Any) -> Any:
    """Where a value was made of operands that are known: what comes after it may keep none, as sums and views do."""
    while node is not None and not any(isinstance(getattr(s, "_array", s), np.ndarray) for s in _held(node)):
        edges = [edge for edge in node.next if edge is not None]
        below = edges[0].node if edges and edges[0].__class__ is Port else edges[0] if edges else None
        if len(edges) != 1 or below.__class__ is AccumulateGrad:
            break
        node = below
    return node


def _held(node: Any) -> tuple[Any, ...]:
    return node.saved if node.saved.__class__ is tuple else (node.saved,)


def _output_slots(node: Any) -> list[int]:
    op = getattr(node, "primitive", None)
    slots = getattr(op, "slots", ())
    return [i for i, slot in enumerate(slots) if slot.is_output]
