"""What becomes of the other processes: a thread that watches, asks and tells.

MPI has no word for a process that is gone, and waits. So each process has a thread that looks every tenth of a second
whether its neighbours on the host live, and talks with the others' threads over a communicator of its own:

- ``lost``: a rank has died, raised or given up, and why. Whoever waits for anything then raises an error that says so.
- ``where`` and ``here``: after a timeout, in which call is everybody?
- ``ask`` and ``answer``: the keys of a store, which are kept by rank 0 (``store.py``).

A process that ends by an error tells the others, and does not finalize MPI, which would wait for them. Those that
started it end what is left: see ``launch.supervise``.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

from . import mpi
from .errors import DistBackendError

LOOK = 0.1
"""Seconds between two looks at the neighbours."""
GRACE = 2.0
"""Seconds that a process has to notice that another is lost, before it is ended."""


class Lost(NamedTuple):
    rank: int
    reason: str


class Place(NamedTuple):
    """Where a rank runs."""

    host: str
    pid: int


_comm: mpi.Communicator | None = None
_places: list[Place] = []
_lost: Lost | None = None
_lost_at = 0.0
_left: dict[int, float] = {}
"""Ranks that have ended well, and when."""
_call: tuple[str, float] | None = None
_last_call = ""
_answers: dict[int, tuple[str | None, float]] = {}
_told: list[Any] = []
services: dict[str, Callable[[int, Any], None]] = {}
"""Who is given messages that are not the monitor's own."""


def own_rank() -> int:
    return 0 if _comm is None else _comm.rank


def own_place() -> Place:
    return Place(os.environ.get("PMI_HOSTNAME") or socket.gethostname(), os.getpid())


def places() -> list[Place]:
    return _places


def begin(comm: mpi.Communicator, everyone: list[Place]) -> None:
    """Watch these processes from now on."""
    global _comm, _places, _thread
    if _comm is not None:
        return
    _comm, _places = comm, everyone
    prepare()
    _thread = threading.Thread(target=_run, name="facula-mpi-monitor", daemon=True)
    _thread.start()


# ---- what waiting calls use


@contextlib.contextmanager
def waiting_in(call: str) -> Iterator[None]:
    """Say to the others where this process is."""
    global _call, _last_call
    before, _call = _call, (call, time.monotonic())
    try:
        yield
    finally:
        _call, _last_call = before, call


def check_lost(call: str) -> None:
    if _lost is not None:
        raise DistBackendError(f"{call} on rank {own_rank()}: {_sentence(_lost)}")


def check(call: str, group: Any) -> None:
    """Raise if another process is lost, or one of the group's has ended and so will not come."""
    check_lost(call)
    if _left:
        for rank in group.ranks:
            if rank in _left and time.monotonic() - _left[rank] > GRACE:
                tell_lost(Lost(rank, "has ended"))
                check_lost(call)


def _sentence(lost: Lost) -> str:
    where = f" (pid {_places[lost.rank].pid} on {_places[lost.rank].host})" if lost.rank < len(_places) else ""
    return f"rank {lost.rank}{where} {lost.reason}"


def timed_out(call: str, timeout: float, group: Any) -> DistBackendError:
    """The error of a call that has waited too long, with what the others are doing; they are told, too."""
    states = where_is_everybody([rank for rank in group.ranks if rank != own_rank()])
    error = f"{call} on rank {own_rank()} timed out after {timeout:g} s: {'; '.join(states)}"
    tell_lost(Lost(own_rank(), f"gave up: {error}"))
    return DistBackendError(error)


def where_is_everybody(ranks: list[int]) -> list[str]:
    """In which call each is, as its monitor says within a second."""
    _answers.clear()
    assert _comm is not None
    for rank in ranks:
        _post(("where", None), rank)
    until = time.monotonic() + 1
    while time.monotonic() < until and not all(rank in _answers for rank in ranks):
        time.sleep(0.01)
    states = []
    for rank in ranks:
        if rank in _left:
            states.append(f"rank {rank} has ended")
        elif rank not in _answers:
            states.append(f"rank {rank} does not answer")
        else:
            call, seconds = _answers[rank]
            where = f"waits in {call} for {seconds:.1f} s" if seconds >= 0 else f"is in no call{call or ''}"
            states.append(f"rank {rank} {where}")
    return states


def still_missing(arrivals: dict[int, Any], seconds: float, call: str, group: Any, wait_for_all: bool) -> list[int]:
    """Which of some messages have not come in time; the first of them only, unless all are waited for."""
    until = time.monotonic() + seconds
    with waiting_in(call):
        while missing := [rank for rank, work in arrivals.items() if not work.is_completed()]:
            check(call, group)
            if time.monotonic() > until:
                return missing if wait_for_all else missing[:1]
            time.sleep(1e-3)
    return []


# ---- the thread


def _run() -> None:
    """Until the process ends. A message may come late, but the thread never waits in MPI."""
    assert _comm is not None
    own = own_place().host
    neighbours = [r for r, place in enumerate(_places) if place.host == own and r != _comm.rank]
    looked = 0.0
    missing: set[int] = set()
    while not _over.is_set():
        while (message := _comm.collect()) is not None:
            _hear(*message)
        now = time.monotonic()
        if now - looked > LOOK:
            looked = now
            gone = {rank for rank in neighbours if rank not in _left and not _lives(_places[rank].pid)}
            for rank in sorted(gone & missing):  # by now, who was lost before it has been told
                _suffer(Lost(rank, "has died"), tell=True)
            missing = gone
            if _lost is not None and _call is not None and now - _lost_at > GRACE:
                _end(f"{_call[0]} on rank {own_rank()}: {_sentence(_lost)}")
        _over.wait(0.005 if services else LOOK / 4)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return os.path.exists("/proc/self/stat") is False


def _hear(source: int, message: tuple[str, Any]) -> None:
    kind, content = message
    if kind == "lost":
        _suffer(Lost(*content), tell=False)
    elif kind == "left":
        _left[source] = time.monotonic()
    elif kind == "where":
        last = f" (the last was {_last_call})" if _last_call else ""
        now = time.monotonic()
        _post(("here", (_call[0], now - _call[1]) if _call is not None else (last, -1.0)), source)
    elif kind == "here":
        _answers[source] = content
    else:
        services[kind](source, content)


def _suffer(lost: Lost, tell: bool) -> None:
    global _lost, _lost_at
    if _lost is None:
        _lost, _lost_at = lost, time.monotonic()
        if tell:
            _tell_all(("lost", tuple(lost)), skip=lost.rank)


def tell_lost(lost: Lost) -> None:
    """Tell everybody, once."""
    _suffer(lost, tell=True)


def _tell_all(message: tuple[str, Any], skip: int = -1) -> None:
    assert _comm is not None
    for rank in range(_comm.size):
        if rank not in (_comm.rank, skip):
            _post(message, rank)


def _post(message: tuple[str, Any], rank: int) -> None:
    assert _comm is not None
    _told.append(_comm.post(message, rank))
    if len(_told) > 64:
        _told[:] = [request for request in _told if not request.Test()]


post = _post


def _end(error: str) -> None:
    """The main thread is held by MPI or by something else that does not end: say it for it."""
    sys.stderr.write(f"facula: {error}\n")
    sys.stderr.flush()
    os._exit(1)


# ---- the end of this process

_raised: str | None = None
_owner = 0
"""The process that MPI knows; what it forks (workers of a DataLoader) has nothing to end."""
_over = threading.Event()
_thread: threading.Thread | None = None


@cache
def prepare() -> None:
    """Notice an error that ends the process, and end MPI as it must be ended."""
    global _owner
    _owner = os.getpid()
    atexit.register(leave)
    plain = sys.excepthook

    def excepthook(kind: Any, error: Any, traceback: Any) -> None:
        note_error(error)
        plain(kind, error, traceback)

    sys.excepthook = excepthook


def note_error(error: BaseException) -> None:
    """It ends the process."""
    global _raised
    _raised = f"raised {type(error).__name__}: {error}"


def leave() -> None:
    """The process ends: tell the others how. If all is well with everybody, end MPI together with them."""
    if os.getpid() != _owner or mpi.is_over():
        return
    if _comm is None:
        if _raised is None:
            mpi.finalize()
    elif _raised is not None and _lost is None:
        tell_lost(Lost(_comm.rank, _raised))
        _wait_until_told()
    elif _lost is None:
        _tell_all(("left", None))
        while _lost is None and len(_left) < _comm.size - 1:
            time.sleep(0.01)
        _over.set()
        if _thread is not None:
            _thread.join()
        if _lost is None:
            _wait_until_told()
            mpi.finalize()
        else:  # it went well here, but not for those who still counted on this rank
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(1)


def _wait_until_told() -> None:
    until = time.monotonic() + GRACE / 2
    while time.monotonic() < until and any(not request.Test() for request in list(_told)):
        time.sleep(0.01)
