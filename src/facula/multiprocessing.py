"""``torch.multiprocessing``: Python's own, by another name. Tensors travel to other processes as copies, unless they
are in shared memory (``share_memory_()``), which the other processes then see.

A process that is started anew (not forked) is given the name ``torch`` too, if this one has it (``_torch.as_torch``).
"""

from __future__ import annotations

import multiprocessing as _python
import sys
from collections.abc import Callable
from multiprocessing import *  # noqa: F403
from typing import Any

__all__ = [*_python.__all__, "get_all_sharing_strategies", "get_sharing_strategy", "set_sharing_strategy", "spawn"]

_strategy = "file_descriptor"


def get_all_sharing_strategies() -> set[str]:
    """The ways in which memory is shared between processes."""
    return {"file_descriptor", "file_system"}


def get_sharing_strategy() -> str:
    """The way in which memory is shared between processes."""
    return _strategy


def set_sharing_strategy(new_strategy: str) -> None:
    """Remembered only: descriptors of files are sent, always."""
    global _strategy
    assert new_strategy in get_all_sharing_strategies()
    _strategy = new_strategy


class ProcessException(Exception):
    """A process of ``spawn`` has failed."""

    def __init__(self, msg: str, error_index: int, error_pid: int) -> None:
        super().__init__(msg)
        self.msg = msg
        self.error_index = error_index
        self.pid = error_pid


class ProcessRaisedException(ProcessException):
    """It raised."""


class ProcessExitedException(ProcessException):
    """It ended with an exit code, or by a signal."""

    def __init__(
        self, msg: str, error_index: int, error_pid: int, exit_code: int, signal_name: str | None = None
    ) -> None:
        super().__init__(msg, error_index, error_pid)
        self.exit_code = exit_code
        self.signal_name = signal_name


def _work(fn: Callable[..., Any], i: int, args: tuple[Any, ...], failures: Any) -> None:
    try:
        fn(i, *args)
    except KeyboardInterrupt:
        pass
    except Exception:
        import traceback  # loaded when first used

        failures.put(traceback.format_exc())
        sys.exit(1)


class ProcessContext:
    """The processes of ``spawn``."""

    def __init__(self, processes: list[Any], failures: list[Any]) -> None:
        self.processes = processes
        self.failures = failures

    def pids(self) -> list[int]:
        return [p.pid for p in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Wait; when a process has failed, end the others and raise its error."""
        from multiprocessing.connection import wait  # loaded when first used

        running = {p.sentinel: i for i, p in enumerate(self.processes) if p.exitcode is None or p.exitcode != 0}
        if not running:
            return True
        for sentinel in wait(list(running), timeout):
            i = running[sentinel]
            process = self.processes[i]
            process.join()
            if process.exitcode != 0:
                for other in self.processes:
                    if other.is_alive():
                        other.terminate()
                    other.join()
                raise self._failure(i, process)
        return all(p.exitcode == 0 for p in self.processes)

    def _failure(self, i: int, process: Any) -> ProcessException:
        import signal  # loaded when first used

        if not self.failures[i].empty():
            told = self.failures[i].get()
            text = f"\n\n-- Process {i} terminated with the following error:\n{told}"
            return ProcessRaisedException(text, i, process.pid)
        code = process.exitcode
        if code < 0:
            name = signal.Signals(-code).name
            return ProcessExitedException(f"process {i} terminated with signal {name}", i, process.pid, code, name)
        return ProcessExitedException(f"process {i} terminated with exit code {code}", i, process.pid, code)


def start_processes(
    fn: Callable[..., Any], args: tuple[Any, ...] = (), nprocs: int = 1, join: bool = True, daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:  # fmt: skip
    """Run ``fn(i, *args)`` in processes i = 0, 1, ...

    Where MPI is installed its launcher starts them, so that they can form a group of ``facula.distributed``.
    """
    if start_method == "spawn" and not daemon:
        from .distributed import spawn as by_mpi  # loaded when first used

        if by_mpi.is_possible():
            return _joined(by_mpi.start(fn, args, nprocs), join)
    context = _python.get_context(start_method)
    failures = [context.SimpleQueue() for _ in range(nprocs)]
    processes: list[Any] = []
    for i in range(nprocs):
        process = context.Process(target=_work, args=(fn, i, args, failures[i]), daemon=daemon)  # type: ignore[attr-defined]
        process.start()
        processes.append(process)
    return _joined(ProcessContext(processes, failures), join)


def _joined(context: ProcessContext, join: bool) -> ProcessContext | None:
    if not join:
        return context
    while not context.join():
        pass
    return None


def spawn(
    fn: Callable[..., Any], args: tuple[Any, ...] = (), nprocs: int = 1, join: bool = True, daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:  # fmt: skip
    """Run ``fn(i, *args)`` in new processes i = 0, 1, ..."""
    return start_processes(fn, args, nprocs, join, daemon, start_method)
