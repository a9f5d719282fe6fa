"""``facula.watch``: looks at every operator, backward pass and step while it is on, and tells what went wrong.

While it is off, nothing is done: operators find ``state.special`` to be 0. While it is on, a hot call is made by
``Watch.call``, which lets it run as usual and then looks at its result.
"""

from __future__ import annotations

import sys
import threading
import weakref
from collections import deque
from itertools import pairwise
from math import isfinite
from typing import Any

import numpy as np

from .._core import state
from .._core.dtypes import F32, F64
from .._tensor import Tensor
from ..autograd.graph import EMPTY, is_internal, resolve, user_place
from ..autograd.saved import PLAIN
from . import alive, copies, cuts, finite, leaves, modes, norms, program, shapes
from .changes import Changes
from .record import MOST, CutOff, Mark, Origin, event_of, record_of, seen_record
from .report import Finding, Report, in_terminal, line_at
from .trace import is_finite, traced
from .training import Training

ndarray = np.ndarray
_ORDER = (
    "not finite", "shape", "changed", "switched off", "cut", "frozen", "optimizer", "loss", "copy", "order", "summed",
    "alive", "huge", "zero", "unused", "unreached", "mode",
)  # fmt: skip
"""Which findings come first: a later one may be the effect of an earlier one."""

_COMPARE = frozenset(("sub", "eq", "ne"))


class Watch:
    """What is noted while a watch is on."""

    def __init__(self, nan: bool, cuts: bool, changes: bool, steps: bool) -> None:
        self.nan, self.cuts, self.steps = nan, cuts, steps
        self.findings: list[Finding] = []
        self.changes = Changes() if changes else None
        self.training = Training(self)
        self.marks: list[Any] = []
        self.exits: deque[Any] = deque(maxlen=2)
        """How values left graphs since the last backward pass."""
        self.passes: dict[Any, int] = {}
        self.grown: dict[Any, dict[str, list[int]]] = {}
        self.sizes: dict[Any, tuple[float, list[int]]] = {}
        self.told: set[Any] = set()
        self.zero: dict[int, Any] = {}
        self.handles: list[Any] = []
        self.thread = threading.get_ident()

    def found(self, finding: Finding) -> None:
        """Keep a finding, unless it was found before."""
        key = (finding.kind, finding.lines[0][:2] if finding.lines else finding.cause)
        if key not in self.told:
            self.told.add(key)
            self.findings.append(finding)

    def report(self) -> Report:
        found = sorted(self.findings, key=lambda f: _ORDER.index(f.kind) if f.kind in _ORDER else len(_ORDER))
        if found and found[0].kind == "not finite":  # all else may follow from it
            found = [f for f in found if f.kind in ("not finite", "shape")][:1]
        return Report(found)

    # ---- operators

    def call(self, op: Any, call: Any, args: tuple[Any, ...]) -> Any:
        """A hot call of an operator."""
        anomaly = state.anomaly
        state.watching, state.general = False, anomaly
        try:
            result = call(*args)
        finally:
            state.watching = on = state.watch is not None
            state.general = on or anomaly
        if result.__class__ is Tensor:
            self._see(op, result, args)
        elif result.__class__ is list or result.__class__ is tuple:
            for t in result:
                self._see(op, t, args)
        return result

    def operator(self, op: Any, outs: list[Any], tensors: tuple[Any, ...], attributes: tuple[Any, ...]) -> None:
        """A call that went the general way."""
        for t in outs:
            self._see(op, t, (*tensors, *attributes))

    def _see(self, op: Any, t: Any, args: tuple[Any, ...]) -> None:
        node = t._node
        array = t._array
        if array.__class__ is not ndarray:
            return
        if op.variadic:
            args = (*args[0], *args[1:]) if args and args[0].__class__ in (list, tuple) else args
        if node is None:
            self._originate(op, t, args)
        elif self.cuts:
            for a in args:
                if type(a) in PLAIN and a._node is None and a._meta is not None and a._meta.cut is not None:
                    record = record_of(node)
                    if a._meta.cut not in record.cuts and len(record.cuts) < MOST:
                        record.cuts.append(a._meta.cut)
            known = state.modes.exits
            if known:
                for a in args:
                    if a.__class__ is float and a in known and len(record_of(node).cuts) < MOST:
                        record_of(node).cuts.append(known[a])
        ndim, dtype = array.ndim, array.dtype
        if self.changes is not None and op.name in _COMPARE and len(args) > 1 and (found := copies.compared(*args[:2])):
            self.found(found)
        if self.nan and not op.is_view and (dtype is F32 or dtype is F64 or dtype.kind == "f"):
            flat = array if ndim == 1 else array.ravel()
            if not isfinite(flat.dot(flat) if dtype is F32 or dtype is F64 else flat.sum()):
                self._not_finite(op, t, args)
        if ndim == 2 and array.shape[0] == array.shape[1] > 1 and op.kind == "elementwise":
            met = shapes.doubtful(op, array.shape, list(args[:2]))
            if met is not None:
                source = node.source if node is not None else resolve(*user_place(3))
                finding = shapes.finding(op, *met, source, node)
                if node is None:
                    self.found(finding)
                else:
                    record_of(node).broadcast = finding
        if node is not None and self.changes is not None and self.changes.exposed:
            self.changes.note(node)

    def _originate(self, op: Any, t: Any, args: tuple[Any, ...]) -> None:
        if not self.cuts or op.name in ("copy", "fill", "zero"):
            return
        ancestors: dict[Any, None] = {}
        for a in args:
            if type(a) in PLAIN and a is not t:
                origin = None if a._meta is None else a._meta.origin
                if origin is not None:
                    for place in origin.ancestors:
                        ancestors[place] = None
        t._own_meta().origin = Origin(user_place(4), tuple(ancestors)[:MOST])

    def _not_finite(self, op: Any, t: Any, args: tuple[Any, ...]) -> None:
        tensors = list(args)
        source = t._node.source if t._node is not None else resolve(*user_place(4))
        event = finite.born(op, t, tensors, source, args)
        if event is None:
            return
        if t._node is not None:
            record_of(t._node).event = event
        else:
            meta = t._own_meta()
            if meta.origin is None:
                meta.origin = Origin(user_place(4))
            meta.origin.event = event

    # ---- tensors

    def made(self, t: Any) -> None:
        """A tensor was made of no other."""
        meta = t._own_meta()
        frame: Any = sys._getframe(2)
        places: list[Any] = []
        while frame is not None and len(places) < 6:
            code = frame.f_code
            if not is_internal(code.co_filename) and not program.is_foreign(code.co_filename):
                if places and code.co_filename != places[0][0].co_filename:
                    break
                places.append((code, frame.f_lasti))
            frame = frame.f_back
        if places:
            meta.origin = Origin(places[0], (), tuple(places[1:]))

    def cut_off(self, t: Any) -> CutOff | None:
        return CutOff(t) if self.cuts and t is not None and not t.wraps else None

    def leave(self, array: Any, cut: Any) -> Any:
        """An array that others can write to; it remembers that it left a graph, as do those computed from it."""
        if self.changes is not None:
            self.changes.expose(array, "numpy()", (cut.code, cut.instruction))
        self.left(cut)
        tagged = array.view(LeftArray)
        tagged.left_by = cut
        return tagged

    def left(self, cut: Any) -> None:
        """Values of a graph went out of it."""
        self.exits.append(cut)

    def changed(self, t: Any) -> None:
        """A tensor was changed in place."""
        cut = None if t._meta is None else t._meta.cut
        place = (t._counter[1], t._counter[2])
        if self.changes is not None and cut is not None and cut.how == ".data":
            self.changes.written(t, place)
        if self.nan and t._node is None and t._array.dtype.kind == "f" and not is_finite(t._array):
            meta = (t if t._base is None else t._base)._own_meta()
            if meta.origin is None:
                meta.origin = Origin(place)
            if meta.origin.event is None:
                what = "NaN" if np.isnan(t._array).any() else "inf"
                meta.origin.event = event = finite.Event(what, "a change in place", resolve(*place))
                event.given = what == "inf"

    def expose(self, array: Any, how: str) -> None:
        """A tensor was made over memory that the user can write to."""
        if self.changes is not None:
            self.changes.expose(array, how, user_place(3))

    def out(self, t: Any, value: Any) -> None:
        """A number was taken out of a tensor."""
        if value.__class__ is float and value - value != 0:
            event = event_of(t)
            if event is not None and (event.what == "NaN" or not event.given):
                self.found(finite.finding(event, tensor=t))

    # ---- backward

    def backward_begins(self, task: Any, start: list[tuple[Any, Any]]) -> None:
        task.keep_graph = True
        place = (task.by.code, task.by.instruction)
        if is_internal(place[0].co_filename):
            return
        beside = self.training.cuts
        beside.clear()
        for node in task.order:
            record = seen_record(node)
            if record is None:
                continue
            for cut in record.cuts:
                beside[id(cut)] = cut
                self.training.evaluations.pop(cut.switch, None)  # it is a part of the training
            if record.broadcast is not None:
                self.found(record.broadcast)
        roots = [edge.node if hasattr(edge, "nr") else edge for edge, _ in start]
        for root in roots:
            self._constant_terms(root, task)
        for root in roots:
            event = getattr(seen_record(root), "event", None) if hasattr(root, "attached") else None
            if event is not None and (event.what == "NaN" or not event.given):
                self.found(self.training.diverged(event) or finite.finding(event, node=root))
        if self.changes is not None:
            changed = self.changes.check(task.order)
            if changed is not None:
                self.found(changed)
        if self.steps:
            self.training.root_leaf = next((r.variable for r in roots if hasattr(r, "variable")), None)
            if self.training.root_leaf is not None and not task.order:
                self._new_leaf(self.training.root_leaf)
            self.training.backward_begins(task)
            if task.order:
                self._mark(task, place)

    def _constant_terms(self, root: Any, task: Any) -> None:
        """A term of the loss was meant to have a gradient: gradients, numbers and choices that go into its sum."""
        trained = {id(n.variable) for n in task.leaves}
        for _ in range(20):
            record = seen_record(root)
            for cut in () if record is None else record.cuts:
                behind = set() if cut.source is None else cut.source.leaves
                if cut.how in ("autograd.grad()", "item()") and behind & trained:
                    self.found(cuts.finding(cut, "The history of a term of the loss"))
            if not type(root).__name__.startswith(("Add", "Sub")):
                break
            below = [_node(edge) for edge in root.next if edge is not None]
            root = max(below, key=lambda n: n.seq)

    def _new_leaf(self, root: Any) -> None:
        """backward() starts from a leaf: it leads nowhere, and may stand for what left a graph before."""
        cut = None if root._meta is None else root._meta.cut
        exits = [cut] if cut is not None else list(self.exits)
        if not exits:
            return
        made = leaves.source_of(root)
        found = cuts.finding(exits[-1], "The way from the loss to its parameters", tensor=root)
        found.cause += f" backward() starts from a new leaf, made at {made}."
        found.lines = (found.lines + [line for line in line_at(made, "a new leaf") if line not in found.lines])[:3]
        self.found(found)

    def _mark(self, task: Any, place: Any) -> None:
        """See whether earlier graphs are still there, and which variable keeps them."""
        self.marks = [m for m in self.marks if m() is not None]
        here = sum(1 for m in self.marks if m().place == place)
        before, sizes = self.sizes.get(place, (0.0, []))
        sizes = [*sizes[-4:], sum(1 for node in task.order if node.seq <= before)]
        self.sizes[place] = (task.order[0].seq, sizes)
        if len(sizes) == 5 and all(0 < a < b for a, b in pairwise(sizes[1:])):
            self._growing(task, before, place)
        elif here == 3 or (here > 3 and here & (here - 1) == 0):
            found = alive.holder(sys._getframe(3))
            if found is not None:
                self.found(found)
        self.passes[place] = passes = self.passes.get(place, 0) + 1
        if passes <= 8 and not any(f.kind == "alive" for f in self.findings):
            found = alive.growing(sys._getframe(3), self.grown.setdefault(place, {}))
            if found is not None:
                self.found(found)
        record = record_of(task.order[0])
        record.mark = Mark(place)
        self.marks.append(weakref.ref(record.mark))

    def _growing(self, task: Any, before: float, place: Any) -> None:
        """A pass goes through the graphs of earlier ones, which had been made when ``before`` was the last number."""
        at = resolve(*place)
        new = [node for node in task.order if node.seq > before]
        bridge = next((n for n in new if any(e is not None and _node(e).seq <= before for e in n.next)), None)
        lines = line_at(None if bridge is None else bridge.source, "leads back to earlier passes")
        lines += line_at(at, "goes through all of them")
        cause = f"backward() at {at} goes through the graphs of all earlier passes, and of more each time."
        mend = (
            "cut what is kept from one iteration to the next: state = state.detach(); and leave out retain_graph=True."
        )
        self.found(Finding("alive", cause, lines, mend, bridge))

    def backward_ends(self, task: Any, start: list[tuple[Any, Any]], keep_graph: bool) -> None:
        if not is_internal(task.by.code.co_filename):
            if self.steps and not task.captures:
                self.training.backward_ends(task)
            grads = [(n.variable, n.variable._meta.grad) for n in task.leaves]
            if task.captures:
                grads = [(None, g) for g in task.captured]
            self._gradients(task, start, [(t, getattr(g, "_array", g)) for t, g in grads if g is not None])
        self.exits.clear()
        task.keep_graph = keep_graph
        if not keep_graph:
            for node in task.order:
                if node.saved is not EMPTY and (task.needed is None or node in task.needed):
                    node.free(task.by)

    def _gradients(self, task: Any, start: list[tuple[Any, Any]], grads: list[tuple[Any, Any]]) -> None:
        passed = None
        known = self.told
        for leaf, g in grads:
            if not g.size:
                continue
            flat = g.ravel()
            if 0 < abs(flat.dot(flat)) < norms.HUGE:  # all is well
                continue
            if self.nan and not is_finite(g) and not state.modes.scales:
                if not any(f.kind == "not finite" for f in self.findings):
                    passed = passed or traced(task.order, start)
                    found = finite.in_backward(passed) or finite.in_hooks(task)
                    if found is not None:
                        self.found(found)
                return
            if leaf is None:
                continue
            largest = float(np.abs(g).max())
            if largest > norms.HUGE and "huge" not in known:
                known.add("huge")
                passed = passed or traced(task.order, start)
                found = norms.huge(passed)
                if found is not None:
                    self.found(found)
            if largest == 0:
                entry = self.training.leaf(leaf)
                entry.zeros += 1
                if entry.culprit is None:
                    passed = passed or traced(task.order, start)
                    entry.culprit = norms.zero(passed, leaf)

    def unused_arguments(self, inputs: Any, found: Any, outputs: Any) -> None:
        """A transform of ``func`` gives zeros for arguments that its function does not depend on."""
        for i, (t, g) in enumerate(zip(inputs, found)):
            if g is None and not t.wraps:
                reason = leaves.unreached(t, [y for y in outputs if not y.wraps])
                if reason is None or reason.kind == "unreached":
                    at = resolve(*user_place(3))
                    cause = (
                        f"The function does not use argument {i} of those differentiated at {at}: its gradient is 0."
                    )
                    made = [y.grad_fn.source for y in outputs if not y.wraps and y.grad_fn is not None][:1]
                    lines = [line for s in made for line in line_at(s, "does not use it")]
                    lines += line_at(at, "asked for here")
                    reason = Finding("unreached", cause, lines, "use it in the function, or leave it out.", None, t)
                else:
                    reason.cause = f"The gradient of argument {i} is 0. {reason.cause}"
                self.found(reason)

    # ---- optimizers

    def optimizer_made(self, optimizer: Any, model: Any) -> None:
        if self.steps:
            self.training.made(optimizer, model)

    def zeroed(self, params: list[Any]) -> None:
        if self.steps:
            self.training.zeroed(params)

    def scheduled(self, optimizer: Any) -> None:
        """A schedule of learning rates was made for an optimizer."""
        if self.steps:
            self.training.held(optimizer).schedule = user_place(3)

    def schedule_steps(self, optimizer: Any) -> None:
        """A schedule goes on to the next learning rate."""
        if self.steps:
            self.training.held(optimizer).scheduled = user_place(3)

    def mode_set(self, module: Any, training: bool) -> None:
        """A module was set to training or to evaluation, by the user: not as a part of another."""
        caller = sys._getframe(2).f_code
        if self.steps and not (caller.co_name == "train" and is_internal(caller.co_filename)):
            self.training.set_to(module, training, user_place(3))

    def evaluated(self, what: str) -> None:
        """A layer in training mode ran without gradients."""
        if self.steps and self.training.has_trained():
            trained = {id(p) for held in self.training.optimizers for p in held.params()}
            found = modes.without_gradients(what, trained)
            if found is not None:
                self.training.evaluations.setdefault(state.modes.switch, found)

    # ---- on and off

    def begin(self) -> None:
        if self.steps:
            from ..optim import optimizer  # loaded when first used

            self.handles = [
                optimizer.register_optimizer_step_pre_hook(self.training.before_step),
                optimizer.register_optimizer_step_post_hook(lambda *_: self.training.after_step()),
            ]

    def end(self) -> None:
        for handle in self.handles:
            handle.remove()
        if self.steps:
            self.training.at_end()
            leaves = self.training.leaves.values()
            culprits = [entry.culprit for entry in leaves if entry.culprit is not None and entry.zeros == entry.total]
            flat = [each for each in culprits if not norms.is_factor(each.node)]
            for each in flat or culprits:  # zeros that are multiplied with come from what is flat
                self.found(each)


def _node(edge: Any) -> Any:
    return edge.node if hasattr(edge, "nr") else edge


class LeftArray(ndarray[Any, Any]):
    """An array whose values left a graph while a watch was on."""

    left_by: Any = None

    def __array_finalize__(self, other: Any) -> None:
        if other is not None:
            self.left_by = getattr(other, "left_by", None)


class watch:
    """Watch everything, from now on or within a ``with`` block, and tell at the end what went wrong.

    ``with facula.watch(): ...`` prints what it found when the block ends; ``facula.watch(True)`` when the program ends,
    or ``facula.watch(False)``. ``nan``, ``cuts``, ``changes`` and ``steps`` say what to look for.
    """

    def __init__(
        self, on: bool | None = None, *, nan: bool = True, cuts: bool = True, changes: bool = True, steps: bool = True,
        quiet: bool = False,
    ) -> None:  # fmt: skip
        self.options = (nan, cuts, changes, steps)
        self.quiet = quiet
        self.watch: Watch | None = None
        self.outer: Any = None
        if on is True:
            self._begin()
            import atexit  # loaded when first used

            atexit.register(self._at_exit)
        elif on is False:
            current = state.watch
            if current is not None:
                finish(current, self.quiet)

    def _begin(self) -> None:
        self.outer = state.watch
        self.watch = Watch(*self.options)
        self.watch.begin()
        state.set_watch(self.watch)

    def __enter__(self) -> watch:
        if self.watch is None:
            self._begin()
        return self

    def __exit__(self, kind: Any, error: BaseException | None, *_: object) -> None:
        assert self.watch is not None
        state.set_watch(self.outer)
        self.watch.end()
        remember(self.watch)
        if not self.quiet and error is None:
            tell(self.watch.report())

    def _at_exit(self) -> None:
        if self.watch is not None and state.watch is self.watch:
            finish(self.watch, self.quiet)

    @property
    def report(self) -> Report:
        """What has been found so far."""
        return Report() if self.watch is None else self.watch.report()


last: Watch | None = None


def remember(watch: Watch) -> None:
    global last
    last = watch


def finish(watch: Watch, quiet: bool = False) -> None:
    """End a watch that no ``with`` block ends."""
    state.set_watch(None)
    watch.end()
    remember(watch)
    if not quiet:
        tell(watch.report())


def tell(report: Report) -> None:
    """Print what was found, if anything was."""
    if report:
        print(f"facula.watch:\n{report.text(in_terminal(sys.stderr))}", file=sys.stderr)
