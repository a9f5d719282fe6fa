"""Readings of the libraries, taken in turn, with those that other load disturbed taken again."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .clocks import Span
from .data import same
from .fresh import TASKS
from .groups import LIBRARIES, NATIVE, PEERS, module_of

ROUND_SECONDS = 0.05
QUIET_ENOUGH = 3
"""So many quiet rounds are worth more than all rounds together."""

SCRIPTS = {
    "import": "import {library} as torch",
    "hello_gradient": (
        "import {library} as torch; x = torch.tensor([2.0], requires_grad=True); (x ** 3).sum().backward(); "
        "print(x.grad.item())"
    ),
}
"""Timed from the start of the process to its end."""


class Failure(Exception):
    """A workload that cannot be compared: a library's process ended, or the libraries computed different things."""


class Plan(NamedTuple):
    """How long to measure one thing: rounds at best and at least, and seconds after which no more are begun."""

    rounds: int = 15
    least: int = 3
    seconds: float = 12.0
    clock: str = "wall"


class Reading(NamedTuple):
    """Seconds of a step, or bytes."""

    amount: float
    disturbed: bool = False


class Sample(NamedTuple):
    """What one round of one library gave: the result, and readings by name."""

    value: tuple[float, float] | None
    readings: dict[str, Reading]


class Result(NamedTuple):
    """Least and median of the rounds (of the quiet ones, if there were enough), and how many were disturbed."""

    least: float
    median: float
    disturbed: int
    rounds: int

    @property
    def doubtful(self) -> bool:
        """Whether disturbed rounds had to be used."""
        return self.disturbed > 0 and self.rounds - self.disturbed < QUIET_ENOUGH

    @classmethod
    def of(cls, readings: Sequence[Reading]) -> Result:
        quiet = [r.amount for r in readings if not r.disturbed]
        used = quiet if len(quiet) >= QUIET_ENOUGH else [r.amount for r in readings]
        return cls(min(used), statistics.median(used), len(readings) - len(quiet), len(readings))


Results = dict[str, dict[str, Result]]
"""By name of the reading, then by library."""


def environment(threads: int, library: str = "facula") -> dict[str, str]:
    """So many threads for whatever BLAS or OpenMP a library has; compiled files may be kept, as for users."""
    kept = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    names = ("OMP", "OPENBLAS", "MKL", "BLIS", "VECLIB_MAXIMUM")
    several = "true" if threads > 1 else "false"
    return {
        **kept,
        **{f"{name}_NUM_THREADS" if name != "VECLIB_MAXIMUM" else f"{name}_THREADS": str(threads) for name in names},
        "XLA_FLAGS": f"--xla_cpu_multi_thread_eigen={several} intra_op_parallelism_threads={threads}",
        "JAX_PLATFORMS": "cpu",
        "FACULA_NATIVE": str(int(library in (NATIVE, "facula:c"))),
    }


class Worker:
    """A process with one library; see ``worker``."""

    def __init__(self, library: str, threads: int, more: dict[str, str] | None = None) -> None:
        self.library = library
        self.process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.worker", library, str(threads)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**environment(threads, library), **(more or {})},
        )  # fmt: skip

    def ask(self, order: str, argument: object) -> Any:
        assert self.process.stdin is not None and self.process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps([order, argument]) + "\n")
            self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise Failure(f"{self.library}'s process ended at {order} {argument}")
        return json.loads(answer)

    def close(self) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


class Bench:
    """Measures with a given number of threads; keeps one worker for each library."""

    def __init__(self, threads: int, plan: Plan, peers: Sequence[str] = ()) -> None:
        self.threads = threads
        self.plan = plan
        self.libraries = (*LIBRARIES, *peers)
        self.own = (*LIBRARIES, *[peer for peer in peers if peer == NATIVE])
        self.workers: dict[str, Worker] = {}

    def close(self) -> None:
        for worker in self.workers.values():
            worker.close()
        self.workers = {}

    def measure(self, task: str) -> Results:
        try:
            return self._measured(task)
        except BaseException:
            self.close()  # others begin anew
            raise

    def _measured(self, task: str) -> Results:
        if task in TASKS:
            return interleaved(self.own, lambda library: self._fresh(library, task), self.plan)
        if task in SCRIPTS:
            return interleaved(self.own, lambda library: self._script(library, task), self.plan)
        return self._rounds(task)

    def _rounds(self, name: str) -> Results:
        if not self.workers:
            self.workers = {library: Worker(library, self.threads) for library in self.libraries}
        libraries = [library for library in self.libraries if library not in PEERS or name in PEERS[library]]
        known = {library: self.workers[library].ask("prepare", name) for library in libraries}
        steps = {library: max(1, int(ROUND_SECONDS / max(it["seconds"], 1e-9))) for library, it in known.items()}

        def take(library: str) -> Sample:
            span = Span(*self.workers[library].ask("round", steps[library]))
            reading = Reading(span.by(self.plan.clock) / steps[library], span.disturbed)
            return Sample(known[library]["value"], {"": reading})

        return interleaved(libraries, take, self.plan)

    def _fresh(self, library: str, task: str) -> Sample:
        command = [sys.executable, "-m", "benchmarks.fresh", library, str(self.threads), task]
        found = json.loads(self._run(command, library))
        spans = {name: Span(*span) for name, span in found["spans"].items()}
        times = {name: Reading(span.by(self.plan.clock), span.disturbed) for name, span in spans.items()}
        return Sample(found["value"], {**times, **{name: Reading(b) for name, b in found["bytes"].items()}})

    def _script(self, library: str, task: str) -> Sample:
        command = [sys.executable, "-c", SCRIPTS[task].format(library=module_of(library))]
        before, start = _seconds_of_children(), time.perf_counter()
        printed = self._run(command, library)
        wall, cpu = time.perf_counter() - start, _seconds_of_children() - before
        span = Span(wall, cpu, max(0.0, wall - cpu))
        value = float(printed or 0)
        return Sample((value, value), {"": Reading(span.by(self.plan.clock), span.disturbed)})

    def _run(self, command: list[str], library: str) -> bytes:
        done = subprocess.run(command, stdout=subprocess.PIPE, env=environment(self.threads, library))
        if done.returncode:
            raise Failure(f"{' '.join(command[1:])} ended with status {done.returncode}")
        return done.stdout


def _seconds_of_children() -> float:
    """The processor's time of all processes that this one has started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def interleaved(libraries: Sequence[str], take: Callable[[str], Sample], plan: Plan) -> Results:
    """Rounds of all libraries in turn, until enough of them were quiet, or time is up, or twice as many are done.

    The processor's clock does not run while a process waits, so that by it no round is taken again.
    """
    found: dict[str, dict[str, list[Reading]]] = {}
    quiet = taken = 0
    end = time.perf_counter() + plan.seconds
    while quiet < plan.rounds and taken < 2 * plan.rounds and (taken < plan.least or time.perf_counter() < end):
        samples = {library: take(library) for library in libraries}
        if not taken:
            check({library: sample.value for library, sample in samples.items()})
        taken += 1
        disturbed = any(r.disturbed for sample in samples.values() for r in sample.readings.values())
        quiet += plan.clock == "cpu" or not disturbed
        for library, sample in samples.items():
            for which, reading in sample.readings.items():
                found.setdefault(which, {}).setdefault(library, []).append(reading)
    return {which: {lib: Result.of(r) for lib, r in of.items()} for which, of in found.items()}


def check(values: dict[str, tuple[float, float] | None]) -> None:
    """All libraries must have computed the same, or else a comparison means nothing."""
    reference = values["torch"]
    for library, value in values.items():
        if value is not None and reference is not None and not same(value, reference):
            raise Failure(f"{library} computes {value}, PyTorch {reference} (first element, mean size)")
