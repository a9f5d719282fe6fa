"""``mp.spawn`` through MPI's launcher: the ranks are processes that MPI has started, and so can form a group.

What multiprocessing does for a process that it starts anew is done here for all ranks at once: the function, its
arguments and how to find the main program are pickled, and pipes and locks among the arguments are handed on as open
files, which mpiexec leaves open for the ranks.
"""

from __future__ import annotations

import io
import os
import pickle
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from multiprocessing import context, reduction, resource_tracker
from multiprocessing import spawn as python_spawn
from multiprocessing.connection import Connection
from multiprocessing.popen_spawn_posix import _DupFd
from typing import Any

from ..multiprocessing import ProcessContext
from . import launch, mpi


def is_possible() -> bool:
    """Whether MPI is there, and this process is not one of its ranks: those cannot start others."""
    return os.name == "posix" and mpi.place() is None and mpi.can_launch()


class _Files:
    """What multiprocessing asks when it pickles pipes: which files the new processes get."""

    DupFd = _DupFd

    def __init__(self) -> None:
        self.files: list[int] = []

    def duplicate_for_child(self, file: int) -> int:
        self.files.append(file)
        return file


class Rank:
    """A process that mpiexec has started, as multiprocessing's Process shows one."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.pid: int | None = None
        self.exitcode: int | None = None
        self.error: str | None = None
        self.sentinel = connection.fileno()

    def hear(self) -> None:
        """What it has said: its pid, an error, its exit code. A pipe that ends without one means that it was killed."""
        try:
            while self.exitcode is None:
                kind, value = self.connection.recv()
                setattr(self, kind, value)
                if kind == "pid" or kind == "error":
                    return
        except (EOFError, OSError):
            self.exitcode = -9

    def join(self, timeout: float | None = None) -> None:
        while self.exitcode is None and (timeout is None or self.connection.poll(timeout)):
            self.hear()

    def is_alive(self) -> bool:
        return self.exitcode is None

    def terminate(self) -> None:
        """The ranks end together: see ``_Ranks``."""


class _Told:
    """A rank's error, where ProcessContext looks for it."""

    def __init__(self, rank: Rank) -> None:
        self.rank = rank

    def empty(self) -> bool:
        return self.rank.error is None

    def get(self) -> str | None:
        return self.rank.error


class Ranks(ProcessContext):
    """All ranks, and the launcher, which ends with the last of them."""

    def __init__(self, launcher: subprocess.Popen[bytes], ranks: list[Rank]) -> None:
        super().__init__(ranks, [_Told(rank) for rank in ranks])
        self.launcher = launcher
        for rank in ranks:
            rank.hear()

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        from multiprocessing.connection import wait  # loaded when first used

        running = {rank.connection: rank for rank in self.processes if rank.exitcode is None}
        for connection in wait(list(running), timeout):
            running[connection].hear()
        failed = [i for i, rank in enumerate(self.processes) if rank.exitcode not in (None, 0)]
        if failed:
            for rank in self.processes:
                rank.join(launch.GRACE)
            failed = [i for i in failed if self.processes[i].error is not None] or failed
            self._end()
            raise self._failure(failed[0], self.processes[failed[0]])
        if all(rank.exitcode == 0 for rank in self.processes):
            self.launcher.wait()
            return True
        return False

    def _end(self) -> None:
        if self.launcher.poll() is None:
            self.launcher.terminate()
        self.launcher.wait()


def start(fn: Callable[..., Any], args: tuple[Any, ...], count: int) -> Ranks:
    """Run ``fn(i, *args)`` in ranks i = 0, 1, ..."""
    files, mine, theirs = _Files(), [], []
    for _ in range(count):
        here, there = os.pipe()
        mine.append(Connection(here, writable=False))
        theirs.append(there)
    parts = io.BytesIO()
    context.set_spawning_popen(files)  # type: ignore[arg-type]
    try:
        reduction.dump(python_spawn.get_preparation_data("facula rank"), parts)
        reduction.dump((fn, args), parts)
    finally:
        context.set_spawning_popen(None)
    tracker = resource_tracker.getfd()
    assert tracker is not None
    with tempfile.NamedTemporaryFile(suffix=".facula-spawn", delete=False) as file:
        pickle.dump((tracker, theirs), file)
        file.write(parts.getvalue())
    code = f"from facula.distributed.spawn import become_rank; become_rank({file.name!r})"
    line = launch.command(count, [sys.executable, *_flags(), "-c", code])
    environment = {**launch.environment(count), "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    launcher = subprocess.Popen(
        line, pass_fds=[*files.files, *theirs, tracker], env=environment, stdin=subprocess.DEVNULL
    )
    for there in theirs:
        os.close(there)
    try:
        return Ranks(launcher, [Rank(connection) for connection in mine])
    finally:
        os.unlink(file.name)


def _flags() -> list[str]:
    return subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]


def become_rank(path: str) -> None:
    """What each rank does: learn who it is, load the main program's names, call the function, tell how it ended."""
    with open(path, "rb") as file:
        tracker, pipes = pickle.load(file)
        launch.take_place()
        place = mpi.place()
        assert place is not None
        rank = place[0]
        for name in ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_RANK"):
            os.environ.pop(name, None)
        for i, pipe in enumerate(pipes):
            if i != rank:
                os.close(pipe)
        parent = Connection(pipes[rank], readable=False)
        parent.send(("pid", os.getpid()))
        resource_tracker._resource_tracker._fd = tracker  # type: ignore[attr-defined]
        python_spawn.prepare(pickle.load(file))
        fn, args = pickle.load(file)
    code = 1
    try:
        fn(rank, *args)
        code = 0
    except KeyboardInterrupt:
        code = 0
    except SystemExit as exit:
        code = exit.code if isinstance(exit.code, int) else int(exit.code is not None)
    except Exception as error:
        import traceback  # loaded when first used

        from . import monitor  # loaded when first used

        parent.send(("error", traceback.format_exc()))
        monitor.note_error(error)
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    parent.send(("exitcode", code))
    sys.exit(code)
