"""The one place for modes: what is switched on in this thread, and whether any thread has switched anything.

NOTE [plain state]: nearly always every thread is in the default state (gradients recorded, nothing else on). An
operator reads the module's ``special`` once; while it is 0 no thread-local needs to be looked at. A thread that ends in
another state, say inside ``no_grad``, is counted no more.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import Any

special: int = 0
"""How many threads are out of the default state."""

changes: int = 0
"""How often a module was given an attribute, or a hook came or went: while it stays, no module has changed."""

hooks: int = 0
"""How often a hook came or went."""

anomaly: bool = False
"""Anomaly mode is on, in all threads."""

watching: bool = False
"""A watch is on, and not busy with a call."""

general: bool = False
"""Either of both: operators do not run at once."""

watch: Any = None
"""What looks at all operators, backward passes and changes, in all threads; see ``_explain.watch``."""

dispatching: bool = False
"""Whether there is a class of tensors with ``__torch_dispatch__``; see ``ops.dispatch``."""

warns_always: bool = False
"""Warnings that are given once in the life of a program are given each time."""

clips: bool = False
"""Whether gradients were ever clipped."""

profiler: Any = None
"""What measures operators and nodes, in all threads; see ``profiler._recorder``."""

_lock = threading.RLock()
if hasattr(os, "register_at_fork"):  # the child ends the other threads' modes, so that none of them may hold it
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)

RECORDING, NOT_RECORDING, GENERAL = range(3)


class _Modes(threading.local):
    def __init__(self) -> None:
        ident = threading.get_ident()
        _lives.own = _Life(ident, self.__dict__)
        with _lock:
            _threads[ident] = self.__dict__
            if profiler is not None:
                _join(self.__dict__, ident)

    grad_enabled: bool = True
    inference: bool = False
    saved_hooks: tuple[Any, ...] = ()
    saved_hooks_disabled: str | None = None
    function_modes: tuple[Any, ...] = ()
    overrides_disabled: bool = False
    dispatch_disabled: bool = False
    """Tensors whose class has ``__torch_dispatch__`` are taken for plain ones."""
    device: Any = None
    levels: tuple[Any, ...] = ()
    """The transforms of ``func`` and ``forward_ad`` that are being run, outermost first; see ``_levels.wrapped``."""
    dual: Any = None
    """The level that ``forward_ad.dual_level()`` has entered."""
    written: list[Any] | None = None
    """Weak references to tensors that got a history by being written to, in the transform of reverse mode that is being
    run; see ``func.reverse``."""
    backward_depth: int = 0
    running: Any = None
    place: Any = None
    """What is recorded was asked for there: (code, instruction), or a frame to start from; see NOTE [provenance]."""
    kernels: Any = None
    """Watches the kernels that run, and may have their results ready: see ``utils._selective``."""
    capture: Any = None
    """Writes down the kernels that run: see ``_compile.capture``."""
    autocast: Any = None
    """The dtype of half precision that autocast asks for; see NOTE [autocast] in ``ops.machine.autocast``."""
    autocast_cache: bool = True
    autocast_depth: int = 0
    autocast_kept: dict[int, Any] = {}
    """Leaves that have been cast since the outermost autocast began."""
    multithreading: bool = True
    """What ``set_multithreading_enabled`` was told; a pass runs in the thread that calls it all the same."""
    forward_grad: bool = True
    """Whether operations on duals carry tangents forward."""
    view_replay: bool = False
    """Views are made anew from a changed base by the operator that made them, not by ``as_strided``."""
    exits: Any = None
    """Values that left a graph as numbers or arrays, and how: see ``autograd.exits``."""
    scales: bool = False
    """Whether a GradScaler has scaled losses here: it sees to gradients that are not finite."""
    leaf_root: Any = None
    """The leaf that ``backward()`` was last called on, if it was one, weakly."""
    switch: Any = None
    """Where gradients were last switched off or on: (code, instruction)."""

    profiled: Any = None
    """Where a profiler notes what this thread does; see NOTE [profiling]."""

    own: bool = False
    """Something other than the grad mode is on, the profiler aside."""
    dispatch: bool = False
    """The same or the profiler: operators take their general path."""
    how: int = 0
    """The same and the grad mode in one: RECORDING, NOT_RECORDING or GENERAL."""
    _counted: bool = False


_threads: dict[int, dict[str, Any]] = {}
"""The modes of each living thread that has asked for them."""


class _Life:
    """Ends with its thread, and takes the thread's modes out of the books."""

    def __init__(self, ident: int, of_thread: dict[str, Any]) -> None:
        self.ident = ident
        self.of_thread = of_thread

    def __del__(self) -> None:
        global special
        if sys is None or sys.is_finalizing():
            return
        with _lock:
            if _threads.get(self.ident) is self.of_thread:
                del _threads[self.ident]
            if self.of_thread.pop("_counted", False):
                special -= 1


_lives = threading.local()
modes = _Modes()


def update(**changes: Any) -> None:
    """Change modes of this thread, and keep ``special`` and ``dispatch`` true."""
    global special
    for name, value in changes.items():
        setattr(modes, name, value)
    modes.own = bool(
        modes.inference
        or modes.saved_hooks
        or modes.saved_hooks_disabled is not None
        or modes.function_modes
        or modes.kernels is not None
        or modes.capture is not None
        or modes.autocast is not None
        or modes.view_replay
    )
    modes.dispatch = modes.own or modes.profiled is not None
    modes.how = GENERAL if modes.dispatch else RECORDING if modes.grad_enabled else NOT_RECORDING
    now_special = modes.own or not modes.grad_enabled or modes.device is not None
    if now_special is not modes._counted:
        modes._counted = now_special
        with _lock:
            special += 1 if now_special else -1


def set_grad(enabled: bool) -> None:
    """``update(grad_enabled=enabled)``, but quick: it surrounds every custom forward and every ``no_grad`` block."""
    global special
    here = modes.__dict__  # one look through the thread-local object, which takes as long as several into a dict
    here["grad_enabled"] = enabled
    if not here.get("dispatch"):
        here["how"] = RECORDING if enabled else NOT_RECORDING
    if here.get("_counted", False) is enabled and not here.get("own") and here.get("device") is None:
        here["_counted"] = not enabled
        with _lock:
            special += -1 if enabled else 1


def set_anomaly(on: bool) -> None:
    """Anomaly mode is one for all threads: while it is on, operators look at the modes."""
    global special, anomaly, general
    with _lock:
        if on is not anomaly:
            anomaly = on
            special += 1 if on else -1
        general = anomaly or watching


def set_watch(watcher: Any) -> None:
    """Have everything looked at by ``watcher``, in all threads, or by nobody."""
    global special, watch
    with _lock:
        special += (watcher is not None) - (watch is not None)
        watch = watcher
    look(watcher is not None)


def look(on: bool) -> None:
    """Let the watch see calls of operators, or not while it is busy with one."""
    global watching, general
    watching = on and watch is not None
    general = anomaly or watching


# NOTE [profiling]: while a profiler is on the state is not plain, and the modes of every thread send its operators to
# their general path, where they are timed (``profiler._recorder``). One thread may tell another to go there, which is
# always safe; the way back each finds for itself, when next it is there, as only it knows its other modes.


def set_profiler(on: Any) -> None:
    """Have all threads measured by ``on``, which makes a track for each of them, or by nothing."""
    global special, profiler
    update()  # which makes this thread known, before the lock is taken
    with _lock:
        special += (on is not None) - (profiler is not None)
        profiler = on
        if on is not None:
            for ident, of_thread in _threads.items():
                _join(of_thread, ident)
    update(profiled=modes.profiled if on is not None else None)


def _join(of_thread: dict[str, Any], ident: int) -> None:
    of_thread["profiled"] = profiler.track(ident)
    of_thread["dispatch"] = True
    of_thread["how"] = GENERAL


def snapshot() -> dict[str, Any]:
    """This thread's modes, to be set in another thread that works on its behalf."""
    names = (
        "grad_enabled", "inference", "saved_hooks", "saved_hooks_disabled",
        "function_modes", "device", "levels", "dual", "backward_depth", "running",
    )  # fmt: skip
    return {name: getattr(modes, name) for name in names}


def refuse_capture(what: str, asked: bool = False) -> None:
    """Something is done that a captured program would not do again: see ``_compile.capture``."""
    if special and modes.capture is not None:
        modes.capture.give_up(what, asked)


def how() -> int:
    """What operators do in this thread: RECORDING, NOT_RECORDING, or GENERAL if anything else is switched on.

    Hot calls ask the same inline: ``Call.state`` in ``ops.machine.call``.
    """
    return RECORDING if not special else GENERAL if general else modes.how


def grad_enabled() -> bool:
    """Whether operations are recorded now."""
    return special == 0 or (modes.grad_enabled and not modes.inference)
