"""What a piece of work took: time, the processor's time, and the time in which it stood waiting for a processor."""

from __future__ import annotations

import contextlib
import resource
import sys
import time
from pathlib import Path
from typing import NamedTuple

WAITING_ALLOWED = 0.08
"""Share of its time that a round may wait before it counts as disturbed."""


class Span(NamedTuple):
    """Seconds of one piece of work."""

    wall: float
    cpu: float
    waited: float

    @property
    def disturbed(self) -> bool:
        """Whether other load kept the work from a processor for long enough to be seen in its time."""
        return self.waited > WAITING_ALLOWED * self.wall

    def by(self, clock: str) -> float:
        return self.cpu if clock == "cpu" else self.wall


class Stopwatch:
    """Runs from when it is made until ``stop``.

    One thread waits for whatever its time exceeds the processor's time by. Several add up their processor's time, so
    that the system has to tell how long they were ready to run and did not.
    """

    def __init__(self, threads: int) -> None:
        self.several = threads > 1
        self.waited = _ready_and_waiting() if self.several else 0.0
        self.cpu = time.process_time()
        self.wall = time.perf_counter()

    def stop(self) -> Span:
        wall = time.perf_counter() - self.wall
        cpu = time.process_time() - self.cpu
        waited = _ready_and_waiting() - self.waited if self.several else wall - cpu
        return Span(wall, cpu, max(0.0, waited))


def _ready_and_waiting() -> float:
    """Seconds that this process's threads have waited in the queue of a processor so far; 0 if that is not known."""
    nanoseconds = 0
    for entry in Path("/proc/self/task").glob("*/schedstat"):
        with contextlib.suppress(OSError):  # a thread that has ended meanwhile
            nanoseconds += int(entry.read_text().split()[1])
    return nanoseconds / 1e9


def peak_memory() -> int:
    """Bytes of the largest resident set that this process has had.

    The kernel's own line, where there is one: what ``getrusage`` tells includes the process that this one came from.
    """
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
