"""Layers that behave otherwise in training: dropout and batch norm that are still in training mode in an evaluation."""

from __future__ import annotations

import sys
from typing import Any

from .._core import state
from ..autograd.graph import is_internal, resolve, user_frame
from . import program
from .report import Finding, line_at


def without_gradients(what: str, trained: set[int]) -> Finding | None:
    """A layer in training mode runs where the user has switched gradients off. ``trained``: ``id``s of parameters."""
    switch = state.modes.switch
    if switch is None or is_internal(switch[0].co_filename):
        return None
    frame: Any = user_frame(3)
    inner = resolve(frame.f_code, frame.f_lasti)
    outer: Any = sys._getframe(1)
    model = None
    while outer is not None and outer.f_code is not switch[0]:
        found = outer.f_locals.get("self") if outer.f_code.co_name in ("forward", "_call_impl") else None
        model = found if hasattr(found, "named_parameters") else model
        outer = outer.f_back
    if model is None or not any(id(p) in trained for p in model.parameters()):
        return None
    at = inner if outer is None else resolve(outer.f_code, outer.f_lasti)
    cause = f"{what} is in training mode at {at}, where gradients are switched off, after the model was trained."
    lines = line_at(at, "evaluated here") + [line for line in line_at(inner, what) if inner != at]
    return Finding("mode", cause, lines, "call model.eval() before an evaluation, and model.train() after it.")


def despite_evaluation(what: str) -> Finding | None:
    """A function is told, or left, to act as in training by a module that is in evaluation mode."""
    frame = user_frame(3)
    module = frame.f_locals.get("self")
    if getattr(module, "training", True) is not False or not hasattr(module, "named_parameters"):
        return None
    scope = program.scope_of(frame.f_code.co_filename, frame.f_code)
    statement = None if scope is None else program.statement_at(scope, frame.f_lineno)
    calls = [] if statement is None else program.calls_in(statement, what)
    if not calls or any(len(c.args) > 2 or any(k.arg in ("training", None) for k in c.keywords) for c in calls):
        return None  # it is said to be so on purpose
    at = resolve(frame.f_code, frame.f_lasti)
    cause = f"{what}() at {at} drops values, though its module is in evaluation mode: its argument training is True."
    return Finding("mode", cause, line_at(at, "training=True"), f"write {what}(..., training=self.training).")


def has_modes(module: Any) -> bool:
    """Whether a module has layers that behave otherwise in training."""
    return any(type(each).__name__.startswith(("Dropout", "BatchNorm", "AlphaDropout")) for each in module.modules())


def still_evaluating(since: Any, at: Any) -> Finding:
    """A model is trained that was set to evaluation after it had been trained before."""
    cause = f"step() at {at} trains a model that is in evaluation mode since {since}: without dropout, and with the"
    cause += " running statistics of batch norm."
    lines = line_at(since, "evaluation from here on") + line_at(at, "trained here")
    return Finding("mode", cause, lines, "call model.train() after the evaluation, at the start of each epoch.")
