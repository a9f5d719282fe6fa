"""Losses that are given what they make themselves, or want otherwise: a softmax before ``cross_entropy``."""

from __future__ import annotations

from typing import Any

from ..autograd.graph import Port, full_name, resolve, user_place
from . import program
from .report import Finding, line_at

_SCORES = "leave {what} out: {loss} makes it itself, from the scores."
_WRONG = {
    ("cross_entropy", "SoftmaxBackward0"): ("softmax", _SCORES),
    ("binary_cross_entropy_with_logits", "SigmoidBackward0"): ("sigmoid", _SCORES),
    ("nll_loss", "SoftmaxBackward0"): ("softmax", "use log_softmax in its place: {loss} wants logarithms."),
    ("nll_loss", "AddmmBackward0"): ("a linear layer", "use cross_entropy, or log_softmax first: {loss} wants those."),
}
_VIEWS = ("ViewBackward0", "SqueezeBackward0", "SqueezeBackward1", "ReshapeAliasBackward0", "UnsafeViewBackward0")


def given(loss: str, input: Any) -> Finding | None:
    """What is wrong with a loss's input, by the node that made it."""
    node = input._node
    while full_name(node) in _VIEWS and node.next[0] is not None:
        node = node.next[0].node if node.next[0].__class__ is Port else node.next[0]
    what, mend = _WRONG.get((loss, full_name(node)), ("", ""))
    if not what:
        return None
    at = resolve(*user_place(3))
    made = node.source
    cause = f"{loss}() at {at} is given what {what} made at {made}"
    cause += ": it is done twice, and the gradients are small." if mend is _SCORES else ": these are no logarithms."
    lines = line_at(made, what) + [line for line in line_at(at, loss) if at != made]
    if made is not None and lines and what not in lines[0].text.lower():  # a module did it
        modules = program.calls_to(made.filename, what.capitalize())
        lines = [line for s in modules[:2] for line in line_at(s, what)] + lines
    return Finding("loss", cause, lines, mend.format(what=what, loss=loss), node, input)
