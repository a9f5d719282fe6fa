"""Where gradients become zero, or huge."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd.accumulate import AccumulateGrad
from ..autograd.graph import full_name
from .report import Finding, line_at
from .trace import Passed, leads_to

HUGE = 1e8
"""A gradient beyond this is called huge."""

_FLAT = ("Round", "Floor", "Ceil", "Trunc", "Sign", "Sgn", "Heaviside", "FloorDivide", "Frac")
_FACTORS = ("Mul", "Mm", "Addmm", "Bmm", "Baddbmm", "Mv", "Dot", "Div")
_SATURATED = (
    "Sigmoid",
    "Tanh",
    "Softmax",
    "LogSoftmax",
    "Hardtanh",
    "Hardsigmoid",
    "Clamp",
    "ClampMin",
    "ClampMax",
    "Relu6",
)


def zero(passed: list[Passed], leaf: Any) -> Finding | None:
    """The node that made a leaf's gradient zero."""
    for step in passed:
        for edge, norm in zip(step.node.next, step.norm_after):
            if norm and edge.__class__ is AccumulateGrad and edge.variable is leaf:
                return None  # gradients that cancel out
    guilty = None
    for step in passed:
        if not step.norm_before:
            continue
        for edge, norm in zip(step.node.next, step.norm_after):
            if norm == 0 and edge is not None and leads_to(leaf, edge):
                if not _is_flat(step.node):
                    return None  # on one of the ways they cancel out
                guilty = guilty or step.node
    return None if guilty is None else _zero_by(guilty)


def is_factor(node: Any) -> bool:
    """Whether a node is that of a product."""
    return full_name(node).split("Backward")[0] in _FACTORS


def _is_flat(node: Any) -> bool:
    """Whether the derivative itself is zero, and not just a sum of gradients that cancel out."""
    short = full_name(node).split("Backward")[0]
    if full_name(node).count("Backward") > 1:  # a second derivative, which is often zero
        return False
    if short in _FLAT:
        return True
    if short in _FACTORS:
        held = node.saved if node.saved.__class__ is tuple else (node.saved,)
        arrays = [getattr(value, "_array", value) for value in held]
        return any(isinstance(a, np.ndarray) and a.dtype.kind == "f" and not a.any() for a in arrays)
    op = getattr(node, "primitive", None)
    return short in ("Softmax", "LogSoftmax") or getattr(op, "kind", "") == "elementwise"


def _zero_by(node: Any) -> Finding:
    name = full_name(node)
    short = name.split("Backward")[0]
    at = node.source
    operand = _operand(node)
    size = "" if operand is None else f"all {operand.size} "
    if short in _FLAT:
        why = f"{short.lower()} is flat: its derivative is 0 everywhere"
        mend = "leave it out of training, or use a straight-through estimator: x + (x.round() - x).detach()."
    elif short in ("Relu", "Threshold"):
        why = f"{size}inputs are negative there, where relu is flat (a dead relu)"
        mend = "use leaky_relu or gelu, a smaller learning rate, or an initial value that leaves some inputs positive."
    elif short in ("Softmax", "LogSoftmax", "Logsumexp"):
        why = "a softmax over a dimension of size 1 is constant, and one far from balance is flat"
        mend = "apply it over the dimension of the classes (dim=), and to values of moderate size."
    elif short in _SATURATED:
        why = f"{size}inputs are where {short.lower()} is flat (saturated)"
        mend = "keep its inputs small: normalise them, initialise smaller, or clamp further out."
    elif short in _FACTORS:
        why = "the other factor is all zeros"
        mend = "initialise factors with something other than zeros, and see that masks leave something."
    else:
        why = "its derivative is 0 for these values"
        mend = "keep its inputs where it is not flat."
    cause = f"The gradient becomes zero in {name}, recorded at {at}: {why}."
    return Finding("zero", cause, line_at(at, "zero from here on"), mend, node)


def _operand(node: Any) -> Any:
    held = node.saved if node.saved.__class__ is tuple else (node.saved,)
    for value in held:
        array = getattr(value, "_array", value)
        if isinstance(array, np.ndarray) and array.dtype.kind == "f":
            return array
    return None


def huge(passed: list[Passed]) -> Finding | None:
    """The node where gradients grow most."""
    best, ratio = None, 10.0
    lines: dict[Any, float] = {}
    for step in passed:
        after = max([n for n in step.norm_after if n is not None], default=0.0)
        if step.norm_before and np.isfinite(after):
            source = step.node.source
            grown = after / step.norm_before
            lines[source] = lines.get(source, 1.0) * max(grown, 1e-30)
            if grown > ratio:
                best, ratio = step, grown
    if best is None:
        # no single node: the line whose nodes let it grow most, as the body of a loop does
        grown, source = max(
            ((g, s) for s, g in lines.items() if s is not None), default=(0.0, None), key=lambda p: p[0]
        )
        if source is None or grown < HUGE**0.5:
            return None
        cause = f"The gradient grows by a factor of {grown:.3g} in the operations recorded at {source}."
        node = next(step.node for step in passed if step.node.source == source)
    else:
        node, source = best.node, best.node.source
        cause = f"The gradient grows by a factor of {ratio:.3g} in {full_name(node)}, recorded at {source}."
    mend = "scale what it multiplies (initialise smaller, normalise), or clip: torch.nn.utils.clip_grad_norm_."
    return Finding("huge", cause, line_at(source, "grows here"), mend, node)
