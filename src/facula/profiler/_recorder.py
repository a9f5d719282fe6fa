"""Measuring: what runs, when, on what, where it was called, and what memory it takes.

NOTE [timing]: an operator that a profiler watches arrives on its general path (NOTE [profiling] in ``state``). There
``operator`` opens a span, takes this thread out of the profiler's sight and calls the operator again, which then runs
just as it does without a profiler, on its hot path if it has one: what is measured is what is paid. Functions over
operators (``function``) stay in sight, so that the operators they are made of are seen within.

NOTE [memory]: memory counts from the operator that made an array until the array is gone, which a weak reference tells;
it is then counted as freed by what is running. Arrays that live and die inside one kernel are not seen.
"""

from __future__ import annotations

import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from time import perf_counter_ns
from typing import Any

import numpy as np

from .._core import state
from .._tensor import Tensor
from ..autograd.graph import full_name, is_internal, resolve
from ._names import flops_of, operator_name

ndarray = np.ndarray

OPERATOR, BACKWARD, USER = 0, 1, 7
"""PyTorch's numbers for the kinds of spans."""

EVALUATE = "autograd::engine::evaluate_function: "
"""What comes before a node's name where the engine runs it with its hooks."""


class Span:
    """One run of something."""

    __slots__ = (
        "args", "end", "flops", "is_function", "is_user", "memory", "name", "scope", "sequence_nr", "shapes", "stack",
        "start", "thread", "types",
    )  # fmt: skip

    def __init__(self, name: str, scope: int, thread: int) -> None:
        self.name = name
        self.scope = scope
        self.thread = thread
        self.shapes: list[Any] = []
        self.types: list[str] = []
        self.stack: list[Any] = []
        self.args: str | None = None
        self.sequence_nr = -1
        self.flops = 0
        self.memory = 0
        self.is_function = False
        self.is_user = scope == USER
        self.end = 0
        self.start = 0


class Track:
    """What one thread is doing."""

    __slots__ = ("ident", "memory", "number", "open", "recorder")

    def __init__(self, recorder: Recorder, ident: int, number: int) -> None:
        self.recorder = recorder
        self.ident = ident
        self.number = number
        self.open: list[Span] = []
        self.memory = 0

    def begin(self, name: str, scope: int = OPERATOR, args: Any = ()) -> Span:
        recorder = self.recorder
        span = Span(name, scope, self.number)
        if recorder.record_shapes and args:
            span.shapes = [_shape(a) for a in args]
            span.types = [_type(a) for a in args]
        if recorder.with_stack:
            span.stack = _places(sys._getframe(1))
        span.memory = self.memory
        self.open.append(span)
        recorder.spans.append(span)
        span.start = perf_counter_ns()
        return span

    def end(self, span: Span, at: int = 0) -> None:
        now = at or perf_counter_ns()
        while self.open:  # an exception may have left some open
            last = self.open.pop()
            last.end = now
            last.memory = self.memory - last.memory
            if last is span:
                return


class Recorder:
    """What one profile gathers, from all threads."""

    def __init__(
        self, record_shapes: bool = False, profile_memory: bool = False, with_stack: bool = False,
        with_flops: bool = False,
    ) -> None:  # fmt: skip
        self.record_shapes = record_shapes
        self.profile_memory = profile_memory
        self.with_stack = with_stack
        self.with_flops = with_flops
        self.spans: list[Span] = []
        self.changes: list[tuple[int, int, int]] = []
        """(time, thread, bytes) of each array made and each array gone."""
        self.loose: list[tuple[int, int, int]] = []
        """Those of them that happened outside all spans."""
        self.tracks: dict[int, Track] = {}
        self.known: dict[int, Any] = {}
        self.places: dict[float, list[Any]] = {}
        """Where the operators were called that made nodes, by sequence numbers."""
        self.started = self.stopped = 0
        self.handles: list[Any] = []

    def start(self) -> None:
        from ..optim import optimizer  # loaded when first used

        self.track(threading.get_ident())
        self.handles = [
            optimizer.register_optimizer_step_pre_hook(_step_begins),
            optimizer.register_optimizer_step_post_hook(_step_ends),
        ]
        self.started = perf_counter_ns()
        state.set_profiler(self)

    def stop(self) -> None:
        self.stopped = perf_counter_ns()
        if state.profiler is self:
            state.set_profiler(None)
        for handle in self.handles:
            handle.remove()
        for track in list(self.tracks.values()):
            if track.open:
                track.end(track.open[0])
        self.known.clear()

    def track(self, ident: int) -> Track:
        """Where to note what a thread does."""
        found = self.tracks.get(ident)
        if found is None:
            found = self.tracks[ident] = Track(self, ident, len(self.tracks) + 1)
        return found

    # ---- memory

    def note_memory(self, track: Track, made: Any, given: Any) -> None:
        """Count the arrays among ``made`` that are new: neither known nor parts of what was given."""
        old: set[int] | None = None
        for array in arrays_in(made):
            root = _root(array)
            if id(root) in self.known or root.__class__ is not ndarray:
                continue
            if old is None:
                old = {id(_root(a)) for a in arrays_in(given)}
            if id(root) not in old:
                self._count(track, root)

    def _count(self, track: Track, array: Any) -> None:
        key, size = id(array), array.nbytes

        def gone(_: Any) -> None:
            if self.known.pop(key, None) is not None:
                self._change(self.track(threading.get_ident()), -size)

        self.known[key] = weakref.ref(array, gone)
        self._change(track, size)

    def _change(self, track: Track, size: int) -> None:
        track.memory += size
        change = (perf_counter_ns(), track.number, size)
        self.changes.append(change)
        if not track.open:
            self.loose.append(change)


def arrays_in(value: Any) -> Iterator[Any]:
    if isinstance(value, Tensor):
        yield value._array
    elif isinstance(value, ndarray):
        yield value
    elif isinstance(value, (tuple, list)):
        for each in value:
            yield from arrays_in(each)


def _root(array: Any) -> Any:
    while isinstance(array.base, ndarray):
        array = array.base
    return array


def _shape(value: Any) -> list[int]:
    if isinstance(value, Tensor):
        value = value._array
    return list(value.shape) if isinstance(value, (ndarray, np.generic)) else []


def _type(value: Any) -> str:
    if isinstance(value, Tensor):
        return str(value.dtype).removeprefix("torch.")
    if isinstance(value, (bool, int, float, complex)):
        return "Scalar"
    if isinstance(value, (tuple, list)):
        return "TensorList" if value and isinstance(value[0], Tensor) else "ScalarList"
    return ""


def _places(frame: Any) -> list[Any]:
    """The user's frames, innermost first, as (code, instruction)."""
    places = []
    while frame is not None:
        if not is_internal(frame.f_code.co_filename):
            places.append((frame.f_code, frame.f_lasti))
        frame = frame.f_back
    return places


def shown_place(place: Any) -> str:
    """``file(line): function``; files on Python's path without the path."""
    source = resolve(*place)
    if source is None:
        return ""
    name = source.filename
    roots = [os.path.join(os.path.abspath(root), "") for root in (*sys.path, os.getcwd())]
    longest = max((root for root in roots if name.startswith(root)), key=len, default="")
    return f"{name[len(longest) :]}({source.line}): {source.function}"


# ---- operators


def _track() -> Track | None:
    """This thread's track; None, and the thread is out of sight again, if its profiler has stopped."""
    track: Track | None = state.modes.profiled
    now = state.profiler
    if track is not None and track.recorder is not now:
        track = None if now is None else now.track(threading.get_ident())
        state.update(profiled=track)
    return track


def operator(op: Any, args: tuple[Any, ...], call: Callable[..., Any], *given: Any, suffix: str = "") -> Any:
    """Run ``call(*given)``, which is the operator ``op`` on ``args``, and measure it."""
    track = _track()
    if track is None:
        return call(*given)
    name = operator_name(op) + suffix
    recorder = track.recorder
    opened = track.open
    if opened and opened[-1].is_function and opened[-1].name == name:
        span, own = opened[-1], False  # the function that is this operator has been noted already
        span.is_function = False
        if not span.shapes and recorder.record_shapes:
            span.shapes = [_shape(a) for a in args]
    else:
        span, own = track.begin(name, OPERATOR, args), True
    modes = state.modes
    modes.profiled = None
    modes.dispatch = modes.own
    modes.how = (
        state.GENERAL if modes.own else state.RECORDING if modes.grad_enabled else state.NOT_RECORDING
    )
    result = None
    span.start = perf_counter_ns() if own else span.start
    try:
        result = call(*given)
    finally:
        at = perf_counter_ns()
        modes.profiled = track
        modes.dispatch = True
        modes.how = state.GENERAL
        if recorder.profile_memory:
            recorder.note_memory(track, result, args)
        if own:
            track.end(span, at)
    _describe(recorder, span, args, result)
    return result


def _describe(recorder: Recorder, span: Span, args: Any, result: Any) -> None:
    """Note which node was made, and how much was computed."""
    first = result[0] if isinstance(result, (tuple, list)) and result else result
    node = first._node if isinstance(first, Tensor) else None
    if node is not None and node.seq not in recorder.places:
        span.sequence_nr = node._sequence_nr()
        if recorder.with_stack:
            recorder.places[node.seq] = span.stack
    if recorder.with_flops:
        span.flops = flops_of(span.name, args, first)


def function(name: str, args: tuple[Any, ...], call: Callable[..., Any], kwargs: dict[str, Any]) -> Any:
    """Run a function over operators and measure it; the operators within are measured, too."""
    track = _track()
    if track is None:
        return call(*args, **kwargs)
    span = track.begin(name, OPERATOR, (*args, *kwargs.values()))
    span.is_function = True
    try:
        result = call(*args, **kwargs)
        if track.recorder.profile_memory:
            track.recorder.note_memory(track, result, (*args, *kwargs.values()))
    finally:
        track.end(span)
    _describe(track.recorder, span, args, result)
    return result


def begin(name: str, args: Any = (), scope: int = OPERATOR) -> tuple[Track, Span] | None:
    """Open a span in this thread, to be closed by ``finish``."""
    track = _track()
    return None if track is None else (track, track.begin(name, scope, args))


def finish(opened: tuple[Track, Span] | None) -> None:
    if opened is not None:
        opened[0].end(opened[1])


def _step_begins(optimizer: Any, args: Any, kwargs: Any) -> None:
    begin(f"Optimizer.step#{type(optimizer).__name__}.step", scope=USER)


def _step_ends(optimizer: Any, args: Any, kwargs: Any) -> None:
    track = _track()
    name = f"Optimizer.step#{type(optimizer).__name__}.step"
    for span in reversed(() if track is None else track.open):
        if span.name == name:
            finish((track, span) if track is not None else None)
            return


# ---- the backward pass


def evaluate(node: Any) -> tuple[Track, Span] | None:
    """Open the span in which the engine runs a node with its hooks."""
    opened = begin(f"{EVALUATE}{full_name(node)}")
    if opened is not None:
        opened[1].sequence_nr = _number(node)
    return opened


def apply(node: Any, grads: Any) -> tuple[Track, Span] | None:
    """Open the span in which a node computes its gradients."""
    opened = begin(full_name(node), grads, BACKWARD)
    if opened is not None:
        track, span = opened
        span.sequence_nr = _number(node)
        if track.recorder.with_stack and node.code is not None:
            span.stack = track.recorder.places.get(node.seq) or [(node.code, node.instruction)]
    return opened


def _number(node: Any) -> int:
    number: int = node._sequence_nr()
    return -1 if number == 2**64 - 1 else number


def applied(opened: tuple[Track, Span] | None, result: Any, given: Any) -> None:
    """Close it; ``result`` are the gradients that the node has computed."""
    if opened is not None:
        track, span = opened
        if track.recorder.profile_memory:
            track.recorder.note_memory(track, result, given)
        track.end(span)
