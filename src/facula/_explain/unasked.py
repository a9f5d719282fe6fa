"""Warnings, once each, about mishaps that can be told at no cost: where something is looked at anyway, and is unusual.

While a watch is on it tells all of this itself.
"""

from __future__ import annotations

import weakref
from typing import Any

from .._core import state
from ..autograd.graph import Source, resolve, user_frame, user_place, warn_user
from . import behind_cuts, copies, finite, leaves, losses, program, shapes
from . import modes as training_modes
from .report import Finding, Line, Report, line_at

_told: set[str] = set()


def forget() -> None:
    """Warn of everything again, as if nothing had been done."""
    _told.clear()
    _in_forward.clear()
    state.modes.scales = False


def _tell(what: str, finding: Finding | None) -> None:
    if finding is not None and what not in _told and state.watch is None:
        _told.add(what)
        warn_user(Report([finding]).text())


def _say(what: str, finding: Finding | None) -> None:
    """Warn, or tell the watch that is on, which would not see it by itself."""
    if finding is not None and state.watch is not None:
        state.watch.found(finding)
    else:
        _tell(what, finding)


def root_not_finite(root: Any) -> None:
    """backward() starts from NaN, or from an infinity. (Scaled losses may be infinite.)"""
    if "not finite" not in _told and state.watch is None and not state.modes.scales:
        _tell("not finite", finite.in_graph(root))


def grew(op: Any, out: Any, tensors: Any) -> None:
    """A column and a row became a matrix, in a difference."""
    if "shape" in _told or op.name not in ("sub", "rsub"):
        return
    met = shapes.doubtful(op, out._array.shape, list(tensors))
    if met is not None and (met[0].requires_grad is not met[1].requires_grad):
        frame = user_frame(2)
        _tell("shape", shapes.finding(op, *met, resolve(frame.f_code, frame.f_lasti)))


def hidden(model: Any) -> None:
    """An optimizer gets the parameters of a module that keeps some to itself."""
    if "hidden" not in _told and state.watch is None:
        _tell("hidden", leaves.hidden_parameters(model))


def prepared(loss: str, input: Any) -> None:
    """A loss is given what it makes itself."""
    _say("loss", losses.given(loss, input))


def loaded_itself(module: Any, state_dict: Any) -> None:
    """A module loads a state that is the very memory it has."""
    _say("copy", copies.loaded(module, state_dict))


def loaded_nothing(missing: list[str], unexpected: list[str]) -> None:
    """A module took none of the entries of a state, which was not to be strict."""
    frame = user_frame(2)
    at = resolve(frame.f_code, frame.f_lasti)
    if missing:
        cause = f"load_state_dict() at {at} took none of the {len(unexpected)} entries: it has {unexpected[0]!r} where"
        cause += f" the module has {missing[0]!r}."
        mend = "take the names' beginnings off, or load it strictly to see what does not fit."
        _say("names", Finding("copy", cause, line_at(at, "changes nothing"), mend))


def compared(a: Any, b: Any) -> None:
    """Two tensors are compared whose memory is the same."""
    _say("copy", copies.compared(a, b))


def despite_evaluation(what: str) -> None:
    """A function acts as in training, in a module that is in evaluation mode."""
    _say("mode", training_modes.despite_evaluation(what))


# ---- parameters that are made again and again

_in_forward: dict[Any, Any] = {}


def made_in_forward(p: Any, frame: Any) -> None:
    """A parameter is made in a module's forward. If the first that was made there is gone, none of them learns."""
    place = (frame.f_code, frame.f_lasti)
    first = _in_forward.setdefault(place, weakref.ref(p))
    if first() is None and "forward" not in _told:
        at = resolve(*place)
        cause = (
            f"Parameters are made at {at}, in forward: new ones each time, which no optimizer holds. They never learn."
        )
        mend = "make the layer in __init__, as an attribute of the module, and use it in forward."
        _told.add("forward")
        _say("made in forward", Finding("optimizer", cause, line_at(at, "made each time"), mend))


def clipped(params: list[Any]) -> None:
    """Gradients were clipped; ``params``: of those that have one."""
    state.clips = True
    for p in params[:1]:
        before = p._meta.clipped
        vain = before is not None and before[3]
        p._meta.clipped = [id(p._meta.grad), p._version, user_place(3), vain]


def thrown_away(p: Any) -> None:
    """A gradient that was clipped is cleared. If the leaf has not changed since, and that twice, it was too late."""
    number, version, place, vain = p._meta.clipped
    if number != id(p._meta.grad) or version != p._version or state.modes.scales:
        p._meta.clipped = None
        return
    if vain:
        clip, frame = resolve(*place), user_frame(2)
        zero = resolve(frame.f_code, frame.f_lasti)
        cause = (
            f"Gradients are clipped at {clip}, and thrown away at {zero} before any step: too late for the last one."
        )
        lines = line_at(clip, "clipped after the step") + line_at(zero, "thrown away")
        _say("clip", Finding("order", cause, lines, "clip between backward() and step()."))
    p._meta.clipped[3] = True


# ---- steps


def no_gradients(optimizer: Any) -> None:
    """An optimizer steps, and its first parameter has no gradient: as it is cut off, or as no parameter has one."""
    params = [p for group in optimizer.param_groups for p in group["params"]]
    idle = [p for p in params if p._meta is not None and p._meta.grad is None and p._meta.requires_grad]
    if "step" in _told or not idle or state.watch is not None:
        return
    looks = optimizer.__dict__["_looks"] = optimizer.__dict__.get("_looks", 0) + 1
    if looks > 3 and len(idle) < len(params):
        return
    frame = user_frame(2)
    behind = behind_cuts.replaced(params, idle, frame) or behind_cuts.of_step(idle, frame)
    if behind is not None or len(idle) < len(params):
        _tell("step", behind)
        return
    at = resolve(frame.f_code, frame.f_lasti)
    lines = line_at(at, "has no gradients")
    mend = "call backward() on the loss after zero_grad() and before step()."
    cleared = optimizer.__dict__.pop("_cleared", None)
    cause = f"step() at {at} does nothing: none of the {len(params)} parameters has a gradient."
    if cleared is not None:
        zero = resolve(*cleared)
        cause += f" zero_grad() at {zero} has thrown them away since the last step."
        lines = line_at(zero, "throws them away") + lines
    else:
        reference = state.modes.leaf_root
        root = None if reference is None else reference()
        uncalled = program.uncalled(at, "backward")
        if root is None and params[0]._meta.cleared is not None:
            zero = resolve(*params[0]._meta.cleared)
            cause += f" They were set to None at {zero}."
            _tell("step", Finding("optimizer", cause, line_at(zero, "throws them away") + lines, mend))
            return
        if root is None and uncalled:
            cause += f" backward is named at {uncalled[0]}, and not called."
            _tell("step", Finding("optimizer", cause, line_at(uncalled[0], "named, but not called") + lines, mend))
            return
        if root is None:
            return
        cause += " backward() started from a leaf, which leads to no parameter."
        mend = "call backward() on the loss as it was computed, not on a new tensor of its value."
        lines = _made(root, frame) + lines
    _tell("step", Finding("optimizer", cause, lines[:4], mend, tensor=params[0]))


def _made(root: Any, frame: Any) -> list[Line]:
    cut = None if root._meta is None else root._meta.cut
    if cut is not None:
        return line_at(resolve(cut.code, cut.instruction), cut.how)
    name = leaves.name_of(root, frame)
    scope = program.scope_of(frame.f_code.co_filename, frame.f_code)
    nodes = [] if name is None or scope is None else program.assignments(scope, name)
    places = [Source(frame.f_code.co_filename, node.lineno, "") for node in nodes[-1:]]
    return [line for place in places for line in line_at(place, "a leaf")]


def stale(places: tuple[Any, ...]) -> None:
    """Parameters were changed by a gradient that was added to one of before. ``places``: of the sum, of the change."""
    if "stale" in _told or state.watch is not None:
        return
    at, changed = resolve(*places[:2]), resolve(*places[2:])
    cause = f"backward() at {at} adds to gradients from before {changed} changed the parameters: they are summed."
    lines = line_at(at, "adds to .grad") + line_at(changed, "changed them")
    lines += [line for node in program.uncalled(at, "zero_grad")[:1] for line in line_at(node, "named, but not called")]
    mend = "call optimizer.zero_grad() (with its brackets), or set .grad to None, before each backward()."
    _tell("stale", Finding("summed", cause, lines, mend))
