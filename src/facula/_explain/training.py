"""A training loop as a watch sees it: what optimizers hold, what reaches them, what is summed, what is stepped on."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from ..autograd.graph import is_internal, resolve, user_frame, user_place
from ..autograd.meta import FROZEN
from . import cuts, leaves, modes, program
from .report import Finding, line_at


class Leaf:
    """What a watch knows of a leaf that got gradients."""

    __slots__ = ("culprit", "grad", "leaf", "passes", "print", "stale", "summed", "total", "zeros")

    def __init__(self, leaf: Any) -> None:
        self.leaf = weakref.ref(leaf)
        self.grad: Any = None
        self.print: Any = None
        self.passes = 0
        """Backward passes summed in its ``.grad``."""
        self.stale = False
        self.summed: Finding | None = None
        """What is to be said if a sum over several states of the leaf is used."""
        self.total = 0
        self.zeros = 0
        self.culprit: Any = None


class Held:
    """What a watch knows of an optimizer."""

    def __init__(self, optimizer: Any, model: Any, place: Any) -> None:
        self.optimizer = weakref.ref(optimizer)
        self.model = None if model is None or not hasattr(model, "parameters") else weakref.ref(model)
        self.place = place
        self.steps = 0
        self.schedule: Any = None
        """Where its schedule was made."""
        self.still = 0
        """How many steps had a learning rate of zero."""
        self.small = 0
        """How many had one that was next to nothing, compared with the first."""
        self.scheduled: Any = None
        """Where the schedule went on last."""
        self.rate = max([g["lr"] for g in optimizer.param_groups if isinstance(g.get("lr"), float)], default=0.0)
        self.finding: Finding | None = None
        """What is to be said of parameters that have had no gradient so far."""
        self.largest = max([float(np.abs(p._array).max(initial=0)) for p in self.params()], default=0.0)
        self.idle: dict[int, int] = {}
        """How many steps each parameter has been without a gradient."""
        self.names: dict[int, str] = {}
        if self.model is not None:
            self.names = {id(p): name for name, p in model.named_parameters()}

    def params(self) -> list[Any]:
        optimizer = self.optimizer()
        return [] if optimizer is None else [p for group in optimizer.param_groups for p in group["params"]]

    def look_at_rate(self) -> None:
        optimizer = self.optimizer()
        rates = [] if optimizer is None else [group.get("lr") for group in optimizer.param_groups]
        self.still += all(isinstance(r, (int, float)) and r == 0 for r in rates)
        self.small += all(isinstance(r, float) and 0 < r < 1e-8 * self.rate for r in rates)

    def fallen(self, place: Any) -> Finding:
        """What is to be said of a learning rate that has fallen to nothing while training goes on."""
        made, went, at = resolve_all(self.schedule, self.scheduled, place)
        cause = f"After {self.steps} steps the learning rate is less than {1e-8 * self.rate:.0e}, and was {self.rate:g}"
        cause += f": the schedule goes on at {went}." if went is not None else "."
        lines = line_at(went, "the schedule goes on") + line_at(made, "the schedule") + line_at(at, "the step")
        mend = "let the schedule go on once an epoch, not once a batch, or decay more slowly."
        return Finding("optimizer", cause, lines[:3], mend)


def resolve_all(*places: Any) -> list[Any]:
    return [None if place is None else resolve(*place) for place in places]


class Training:
    """Leaves, optimizers and the order of what is done with them."""

    def __init__(self, watch: Any) -> None:
        self.watch = watch
        self.leaves: dict[int, Leaf] = {}
        self.optimizers: list[Held] = []
        self.backward_place: Any = None
        self.zero_place: Any = None
        self.step_place: Any = None
        self.last = ""
        """What was done last: backward, zero or step."""
        self.reached: dict[int, Any] = {}
        """The leaves that backward passes since the last step led to, weakly."""
        self.cuts: dict[int, Any] = {}
        """The cuts beside the way of those passes."""
        self.root_leaf: Any = None
        self.evaluations: dict[Any, Finding] = {}
        """What is to be said of layers that were in training mode, by the place where gradients were switched off."""
        self.mode_set = False
        """Whether a module was set to training or evaluation since the last step."""
        self.evaluation: Any = None
        """Where a trained model was set to evaluation, and its parameters, until it is set to training."""

    # ---- what happens

    def made(self, optimizer: Any, model: Any) -> None:
        self.optimizers.append(Held(optimizer, model, user_place(4)))

    def held(self, optimizer: Any) -> Held:
        for each in self.optimizers:
            if each.optimizer() is optimizer:
                return each
        each = Held(optimizer, None, None)
        self.optimizers.append(each)
        return each

    def leaf(self, t: Any) -> Leaf:
        found = self.leaves.get(id(t))
        if found is None or found.leaf() is not t:
            found = self.leaves[id(t)] = Leaf(t)
        return found

    def backward_begins(self, task: Any) -> None:
        for node in task.leaves:
            grad = node.variable._meta.grad
            self.leaf(node.variable).stale = grad is not None and bool(grad._array.any())

    def backward_ends(self, task: Any) -> None:
        place = (task.by.code, task.by.instruction)
        self.backward_place, self.last = place, "backward"
        for node in task.leaves:
            t = node.variable
            self.reached[id(t)] = weakref.ref(t)
            if t._meta.grad is None:
                continue
            known = self.leaf(t)
            known.total += 1
            known.summed = known.summed if known.stale else None
            mark = self._state_of(t)
            if known.stale and known.print is not None and known.print != mark and known.grad is not None:
                self._summed(t, known, place)
            known.passes = known.passes + 1 if known.stale else 1
            known.print, known.grad = mark, id(t._meta.grad)

    def _state_of(self, t: Any) -> Any:
        """What changes when a leaf does."""
        changes = self.watch.changes
        hidden = 0 if changes is None else changes.counts.get(id(t._array), 0)
        return t._version if not t.is_inference() else 0, id(t._array), hidden

    def _summed(self, t: Any, known: Leaf, place: Any) -> None:
        at, stepped = resolve(*place), None if self.step_place is None else resolve(*self.step_place)
        changed = None if t._counter is None or t._counter[1] is None else resolve(t._counter[1], t._counter[2])
        cause = f"backward() at {at} adds to gradients that are there from before the parameters were changed: "
        cause += f".grad is the sum of {known.passes + 1} backward passes."
        lines = line_at(at, "adds to .grad") + line_at(stepped or changed, "changed the parameters")
        lines += [each for s in program.uncalled(at, "zero_grad")[:1] for each in line_at(s, "named, but not called")]
        mend = "call optimizer.zero_grad() (with its brackets), or set .grad to None, before each backward()."
        finding = Finding("summed", cause, lines[:3], mend, None, t)
        if self._holds(t):
            known.summed = finding  # told if an optimizer uses it: the loss of another model may lead here too
        else:
            self.watch.found(finding)

    def zeroed(self, params: list[Any]) -> None:
        frame = user_frame(3)
        self.zero_place = (frame.f_code, frame.f_lasti)
        if self.last == "backward" and any(p._meta is not None and p._meta.grad is not None for p in params):
            self.last = "zero"

    def before_step(self, optimizer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        held = self.held(optimizer)
        frame = user_frame(3)
        place = (frame.f_code, frame.f_lasti)
        if len(args) > 1 or kwargs:  # a closure computes the gradients
            self.step_place, self.last = place, "step"
            return
        params = held.params()
        held.steps += 1
        with_gradient = [p for p in params if p._meta is not None and p._meta.grad is not None]
        for p in params:
            if p._meta is None or p._meta.grad is None:
                held.idle[id(p)] = held.idle.get(id(p), 0) + 1
        for p in with_gradient:
            known = self.leaf(p)
            if known.summed is not None and known.grad == id(p._meta.grad):
                self.watch.found(known.summed)
        if not with_gradient and params:
            self._nothing_to_do(held, params, place)
        idle = [p for p in params if held.idle.get(id(p), 0) >= held.steps and p.requires_grad and not self._ever(p)]
        if not idle or len(idle) == len(params):
            held.finding = None
        elif held.finding is None or held.steps < 3:
            held.finding = self._never_reached(held, idle)
        self._unheld(held, place)
        if self.evaluation is not None and any(id(p) in self.evaluation[1] for p in params):
            self.watch.found(modes.still_evaluating(*resolve_all(self.evaluation[0], place)))
        held.look_at_rate()
        if held.small == 2:
            self.watch.found(held.fallen(place))
        self.step_place, self.last = place, "step"

    def after_step(self) -> None:
        self.reached.clear()
        self.mode_set = False

    def set_to(self, module: Any, training: bool, place: Any) -> None:
        self.mode_set = True
        params = {id(p) for p in module.parameters()}
        if training:
            self.evaluation = None
        elif any(held.steps and any(id(p) in params for p in held.params()) for held in self.optimizers):
            self.evaluation = (place, params) if modes.has_modes(module) else None

    def has_trained(self) -> bool:
        """Whether there were steps, and modules were left in the mode they had then."""
        return not self.mode_set and any(held.steps for held in self.optimizers)

    # ---- what is wrong

    def _nothing_to_do(self, held: Held, params: list[Any], place: Any) -> None:
        at = resolve(*place)
        lines = line_at(at, "has no gradients")
        frozen = [p._meta.cut for p in params if p._meta is not None and p._meta.cut and p._meta.cut.how == FROZEN]
        if self.last == "zero" and self.zero_place is not None and not is_internal(self.zero_place[0].co_filename):
            zero, backward = resolve(*self.zero_place), resolve(*self.backward_place)
            cause = (
                f"What is done at {zero} throws away the gradients of backward() at {backward} before step() at {at}."
            )
            lines = line_at(zero, "forgets them too early") + line_at(backward) + lines
            mend = "call zero_grad() before backward(), or after step()."
        elif self.backward_place is None or self.last == "step":
            if self.backward_place is not None and any(self.watch.training.reached):
                return
            cause = f"step() at {at} comes before backward(): no parameter has a gradient."
            mend = "call backward() first, then step()."
        elif len(frozen) == len(params):
            self.watch.found(cuts.finding(frozen[0], "What the optimizer holds", tensor=params[0]))
            return
        else:
            self._strangers(held, params, place)
            return
        self.watch.found(Finding("optimizer", cause, lines[:4], mend, None, params[0]))

    def _strangers(self, held: Held, params: list[Any], place: Any) -> None:
        """backward() reached other leaves than those that the optimizer holds."""
        reached = [t for r in self.reached.values() if (t := r()) is not None]
        behind = [c for c in self.cuts.values() if c.source is not None and any(c.source.leads_to(p) for p in params)]
        if behind:
            self.watch.found(cuts.finding(behind[-1], "The way to the optimizer's parameters", tensor=params[0]))
            return
        made = None if held.place is None else resolve(*held.place)
        others = {str(s): s for t in reached if not self._holds(t) and (s := outer_source(t)) is not None}
        lines = line_at(made, "the optimizer was made") if made else []
        new = [line for s in list(others.values())[:2] for line in line_at(s, "made, but not given to it")]
        if self.root_leaf is not None and not new:
            new = line_at(leaves.source_of(self.root_leaf), "the loss is a new leaf")
        cause = "backward() reached none of the parameters that the optimizer holds"
        cause += f", but others, made at {next(iter(others))}." if others else "."
        mend = (
            "make the optimizer after the model is complete, and give it the parameters that the loss is computed from."
        )
        self.watch.found(Finding("optimizer", cause, (new + lines)[:4], mend, None, params[0]))

    def _holds(self, t: Any) -> bool:
        return any(t is p for held in self.optimizers for p in held.params())

    def _unheld(self, held: Held, place: Any) -> None:
        """Leaves that got gradients and that no optimizer changes, though they belong to its model."""
        model = None if held.model is None else held.model()
        if model is None or held.steps > 1:
            return
        wanted = {i: t for i, r in self.reached.items() if (t := r()) is not None and not self._holds(t)}
        if not wanted:
            return
        found = leaves.hidden_parameters(model, wanted)
        if found is not None:
            self.watch.found(found)
            return
        own = {id(p) for p in model.parameters()}
        new = [t for i, t in wanted.items() if i in own]
        if new:
            at = outer_source(new[0])
            made = None if held.place is None else resolve(*held.place)
            cause = f"The model got new parameters at {at}, after the optimizer was made at {made}: it lacks them."
            lines = line_at(at, "made here") + line_at(made, "the optimizer was made")
            mend = "make the optimizer after the last change of the model, or call optimizer.add_param_group."
            self.watch.found(Finding("optimizer", cause, lines, mend, None, new[0]))

    def at_end(self) -> None:
        """What can only be told of the whole run."""
        places = [self.backward_place, self.step_place, *(held.place for held in self.optimizers)]
        for file in dict.fromkeys(place[0].co_filename for place in places if place is not None):
            for idle, mend in program.without_effect(file)[:2]:
                lines = line_at(idle, "does nothing")
                self.watch.found(Finding("order", f"The statement at {idle} has no effect.", lines, mend))
        for finding in self.evaluations.values():
            self.watch.found(finding)
        rebound = [] if self.backward_place is None else program.rebound(self.backward_place[0].co_filename)
        for line in rebound[:1]:
            cause = f"The loop at {line} gives its variable another value, and leaves the parameters as they are."
            mend = "change them in place, under torch.no_grad(): p -= lr * p.grad."
            self.watch.found(Finding("optimizer", cause, line_at(line, "changes no parameter"), mend))
        for held in self.optimizers:
            if held.finding is not None:
                self.watch.found(held.finding)
            if held.steps > 1 and held.still == held.steps and (place := held.schedule or held.place) is not None:
                at = resolve(*place)
                what = "the schedule" if held.schedule is not None else "the optimizer"
                cause = f"The learning rate was 0 in all of the {held.steps} steps: {what} made at {at} says so."
                mend = "begin with a learning rate that is not 0: lambda step: (step + 1) / warmup."
                self.watch.found(Finding("optimizer", cause, line_at(at, "learning rate 0"), mend))

    def diverged(self, event: Any) -> Finding | None:
        """Parameters that grew beyond all bounds, step by step, explain values that are not finite."""
        for held in self.optimizers:
            now = max([float(np.abs(p._array).max(initial=0)) for p in held.params()], default=0.0)
            if held.steps > 1 and (now > 1e4 * max(held.largest, 1.0) or not np.isfinite(now)) and held.place:
                optimizer = held.optimizer()
                rate = None if optimizer is None else optimizer.param_groups[0].get("lr")
                made, at = resolve(*held.place), None if self.step_place is None else resolve(*self.step_place)
                cause = (
                    f"The parameters ran away: {held.largest:.3g} at most at first, {now:.3g} after {held.steps} steps"
                )
                cause += f" with lr={rate}, at {made}." if rate is not None else f", at {made}."
                lines = (
                    line_at(made, "the learning rate")
                    + line_at(at, "steps")
                    + line_at(event.source, f"first {event.what}")
                )
                mend = "use a smaller learning rate, or clip gradients: torch.nn.utils.clip_grad_norm_."
                return Finding("not finite", cause, lines, mend)
        return None

    def _ever(self, p: Any) -> bool:
        known = self.leaves.get(id(p))
        return known is not None and known.leaf() is p and known.total > 0

    def _never_reached(self, held: Held, idle: list[Any]) -> Finding:
        behind = [c for c in self.cuts.values() if c.source is not None and any(c.source.leads_to(p) for p in idle)]
        names = [held.names[id(p)] for p in idle if id(p) in held.names]
        told = f" ({', '.join(names[:3])}{', ...' if len(names) > 3 else ''})" if names else ""
        if behind:
            return cuts.finding(behind[0], f"The way to {len(idle)} parameters{told}", tensor=idle[0])
        sources = {str(s): s for p in idle if (s := leaves.source_of(p)) is not None}
        lines = [line for s in list(sources.values())[:3] for line in line_at(s, "never used")]
        cause = f"{len(idle)} parameters of the optimizer never got a gradient{told}: the loss does not depend on them."
        mend = "use them in forward, or take them out of the model."
        return Finding("unused", cause, lines, mend, None, idle[0])


def outer_source(t: Any) -> Any:
    """The line that made a leaf; of one made inside the user's own functions, the line that called them."""
    origin = None if t._meta is None else t._meta.origin
    if origin is None:
        return leaves.source_of(t)
    place = origin.callers[-1] if origin.callers else origin.place
    return resolve(*place)
