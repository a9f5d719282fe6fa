"""Compiled functions: each call takes the program that is for it, or captures one."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

from ..._core import dtypes, state
from ..._core.generator import default_generator
from ..._core.pytree import tree_flatten, tree_map
from ..._core.size import Size
from ..._tensor import Tensor
from ...autograd.graph import warn_user
from .. import counters, custom, logs, settings
from ..capture import impure
from ..capture.capture import Capture, Reason
from ..capture.symbols import Symbol, has_symbols
from ..errors import FailOnRecompileLimitHit, RecompileError, Unsupported
from ..programs.program import Mismatch, Raised
from . import reasons
from .entry import Entry, GivenUp
from .guards import MISSED, Guard
from .reads import Reads, caches_of_tensors
from .replay import Again
from .run import Running
from .seen import Sizes, check_marks, without_symbols


class CompiledFunction:
    """A function with its programs."""

    def __init__(self, fn: Callable[..., Any], backend: Any, fullgraph: bool = False, dynamic: bool | None = None):
        self.fn = fn
        self.backend = backend
        self.fullgraph = fullgraph
        self.dynamic = dynamic
        self.programs: list[Running] = []
        """Always this list, which others have, too."""
        self.is_eager = False
        self.is_told = False
        self.reason: Reason | None = None
        """Why it runs as it is, if it does."""
        self.frame: int | None = None
        """Its number in messages."""
        self.sizes = Sizes()
        self.call = self._caller()
        self._lock = threading.RLock()
        _all.add(self)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.call(*args, **kwargs)

    def _caller(self) -> Callable[..., Any]:
        programs, other, fn = self.programs, self.other, self.fn

        def call(*args: Any, **kwargs: Any) -> Any:
            for running in programs:
                try:
                    found = running.call(args, kwargs)
                except Raised:
                    return fn(*args, **kwargs)
                except Mismatch:
                    continue
                if found is not MISSED:
                    return found
            return other(args, kwargs)

        return call

    def other(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        modes = state.modes
        if (
            self.is_eager
            or settings.stance == "force_eager"
            or (settings.stance == "eager_on_recompile" and self.programs)
            or state.anomaly
            or modes.levels
            or modes.function_modes
            or modes.capture is not None
            or modes.kernels is not None
            or modes.saved_hooks
            or modes.profiled is not None
            or any(isinstance(v, Tensor) and (v.wraps or v.is_meta) for v in tree_flatten((args, kwargs))[0])
        ):
            return self.fn(*args, **kwargs)
        if len(self.programs) >= settings.recompile_limit:
            if self.fullgraph or settings.fail_on_recompile_limit_hit or settings.stance == "fail_on_recompile":
                raise FailOnRecompileLimitHit(f"{self._name()} has {len(self.programs)} programs already")
            if not self.is_told:
                self.is_told = True
                limit = f"torch._dynamo hit config.recompile_limit ({settings.recompile_limit})"
                self._say(f"{limit}: it has {len(self.programs)} programs already, and none is for this call")
            return self.fn(*args, **kwargs)
        if self.programs and (settings.error_on_recompile or logs.is_on("recompiles")):
            self._tell_why(args, kwargs)
        if settings.stance == "fail_on_recompile" and self.programs:
            raise RuntimeError(f"{self._name()} would have to be captured again, and the stance is fail_on_recompile")
        with self._lock:
            return self.captured(args, kwargs)

    def captured(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run the function, and keep what it did as a program."""
        began = time.perf_counter()
        reads = Reads(self.fn, args, kwargs)
        place = default_generator.place()
        modes, drawn_by_numpy = _modes(), impure.numpy_stream()
        running = None
        with Capture(reads, self.sizes.general(args, kwargs, self.dynamic)) as capture:
            capture.adopt([*tree_flatten((args, kwargs))[0], *reads.tensors.values()])
            capture.offered = len(capture.inputs)
            with_numbers: list[Any] = []
            try:
                given, named = self.sizes.with_symbols(capture, args, kwargs, self.dynamic, with_numbers)
                with impure.Watch(capture, reads) as watch:
                    result = self.fn(*given, **named)
            finally:
                for each in with_numbers:
                    without_symbols(each)
            if capture.is_active and (why := caches_of_tensors(reads.caches)):
                capture.give_up(why)
            if capture.is_active and not reads.has_all:
                capture.give_up("it can read too much to look at in every call")
            if capture.is_active and reads.used_up() is not None:
                capture.give_up("random numbers of NumPy's")
            if capture.is_active and reads.iterators:
                capture.give_up(f"it may use up a {type(reads.iterators[0]).__name__}")
            if capture.is_active and (capture.drawn or not capture.is_back()):
                capture.give_up("random numbers that are drawn outside of operators")
            if capture.is_active and drawn_by_numpy != impure.numpy_stream():
                capture.give_up("random numbers of NumPy's")
            if capture.is_active and (changed := reads.changed()):
                if reads.begins(changed):
                    capture.postpone("a table was empty before")
                else:
                    capture.give_up(f"it changes {_told(changed[0])}")
            if capture.is_active and watch.changes_modules:
                capture.give_up("it changes a module")
            if capture.is_active and modes != _modes():
                capture.give_up("it leaves another mode switched on")
            if capture.is_active:
                reads.note_library()
                entry = self._entry(capture, reads, result)
            if capture.is_active:
                check_marks(capture, entry)
                guard = Guard(capture, entry, reads, args, kwargs, watch.asked)
            if capture.is_active:
                running = Running(entry, guard, self.backend)
                values = entry.values_now(capture)
        if capture.is_general:
            leaves = tree_flatten(result, _is_size)[0]
            if any(map(has_symbols, leaves)):
                result = tree_map(_number, result, is_leaf=_is_size)
            if running is None:
                for each in (*leaves, *[read.holder for read in reads.changed()]):
                    without_symbols(each)
        if running is None:
            if capture.is_general:
                self.sizes.are_fixed = True  # perhaps each size can have a program
            elif not capture.is_postponed:
                self._refuse(capture.reason)
            return result
        counters.captured(running.entry)
        counters.times["_compile.compile_inner"].append(time.perf_counter() - began)
        if not entry.is_replayable:
            running.again = Again(self.fn, args, kwargs, entry.inputs, capture.met)
        running.looks, running.number = reasons.looks(self.fn, args, kwargs), len(self.programs)
        self._tell(running)
        if running.entry.is_general:
            self.programs.append(running)
        else:
            self.programs.insert(0, running)
        held = [None if each.is_constant else each.array if each.argument is not None else each.tensor
                for each in entry.inputs]  # fmt: skip
        if running.differentiable is not None and not entry.commits and not running.draws:
            values = running.forward([each.node.meta["value"] if each.is_constant else each.array
                                      for each in entry.inputs])  # fmt: skip
        entry.let_go()
        return running.results(values, held, place if running.draws else None)

    def _entry(self, capture: Capture, reads: Reads, result: Any) -> Any:
        try:
            return Entry(capture, reads, result)
        except GivenUp:
            return None
        except Exception:
            if not capture.is_general:
                raise
            capture.give_up("its derivative, with sizes that are not fixed")
            return None

    def source(self) -> str:
        """The programs, as text: forward and backward."""
        return "\n".join(running.source() for running in self.programs)

    def forget(self) -> None:
        self.programs.clear()
        self.sizes = Sizes()
        self.is_eager = self.is_told = False

    def _refuse(self, reason: Reason | None) -> None:
        if self.fullgraph and (reason is None or reason.asked or impure.breaks_graphs(reason.what)):
            raise Unsupported(f"{self._name()} cannot be captured whole: {reason}")
        self.is_eager = True
        self.reason = reason
        counters.refused(reason)
        if reason is not None:
            text = f"Graph break in user code at {reason.place}\nGraph Break Reason: {reason.what}"
            logs.tell("graph_breaks", self._where(), text)
        if reason is None or not reason.asked:
            self._say(str(reason))

    def _where(self) -> str:
        """Which function, and its how manieth program, as messages name it."""
        if self.frame is None:
            self.frame = next(logs.frames)
        return f"{self.frame}/{len(self.programs)}"

    def _tell_why(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Say why none of the programs is for a call."""
        now, where = reasons.looks(self.fn, args, kwargs), self._where()
        newest = sorted(self.programs, key=lambda running: -running.number)
        failures = [f"    - {self.frame}/{r.number}: {reasons.difference(r.looks, now, r.guard)}" for r in newest]
        head = f"Recompiling function {self._name()} in {reasons.place_of(self.fn)}"
        text = "\n".join([head, "    triggered by the following guard failure(s):", *failures])
        if settings.error_on_recompile:
            raise RecompileError(text)
        logs.tell("recompiles", where, text)

    def _tell(self, running: Running) -> None:
        """Show a program that was captured, as far as that is asked for."""
        where = self._where()
        if logs.is_on("graph_code"):
            logs.tell("graph_code", where, custom.as_module(running.entry.forward).print_readable(print_output=False))
        if logs.is_on("aot_graphs"):
            programs = (running.entry.forward, running.entry.backward)
            logs.tell("aot_graphs", where, "\n\n".join([str(each) for each in programs if each is not None]))
        if logs.is_on("guards"):
            logs.tell("guards", where, running.guard.text)
        if logs.is_on("output_code"):
            logs.tell("output_code", where, running.source())

    def _say(self, why: str) -> None:
        warn_user(f"compile: {self._name()} runs eagerly: {why}")

    def _name(self) -> str:
        return getattr(self.fn, "__qualname__", None) or type(self.fn).__name__


_all: weakref.WeakSet[CompiledFunction] = weakref.WeakSet()


def forget_all() -> None:
    """Forget the programs of all functions."""
    for each in list(_all):
        each.forget()


def _is_size(value: Any) -> bool:
    return type(value) is Size


def _number(value: Any) -> Any:
    if type(value) is Size:
        return Size(map(_number, value))
    return value.hint if type(value) is Symbol else value


def _modes() -> tuple[Any, ...]:
    modes = state.modes
    return modes.grad_enabled, modes.inference, modes.autocast, modes.device, dtypes.default


def _told(read: Any) -> str:
    kind = type(read.holder).__name__
    if read.expression == "absent":
        return f"{', '.join(map(repr, sorted(read.key & read.holder.keys())))} of a {kind}"
    return f"{read.key!r} of a {kind}" if read.key is not None else f"a {kind}"
