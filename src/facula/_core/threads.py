"""Threads for large work: how many, and a pool whose members take tiles of a task until none is left.

NumPy's kernels let other threads run, so that two threads take little more than half the time on large arrays. Nothing
is started before the first large task asks for it.

NOTE [threads of BLAS]: BLAS has threads of its own, which follow the same number. After a call that they share, those
of OpenBLAS go on turning for some 25 ms and take the processors from whoever shares the next task. So BLAS works alone
while tasks run and, once a library is in use that shares large products itself, at all times but in ``sharing_blas``.

NOTE [tasks]: whoever has a task works on it like the pool's members, and waits only for tiles that others have taken.
If these get no time to run, or do not exist any more (after a fork), the task is done all the same, by one thread.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any

from . import blas, quiet


def _first_count() -> int:
    """As many as PyTorch begins with: what the environment says, or one for each processor."""
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        given = os.environ.get(name, "").split(",")[0]
        if given.isdigit() and int(given) > 0:
            return int(given)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


count = _first_count()
"""How many threads may work at once, the caller's included."""

_listeners: list[Callable[[int], Any]] = []


def follow(listener: Callable[[int], Any]) -> None:
    """Call this with the number, now and whenever it is set: of a library whose threads share what BLAS shared."""
    _listeners.append(listener)
    listener(count)
    _set_blas(1)


def set_count(threads: int) -> None:
    """Let so many threads work at once, here and in BLAS."""
    global count
    count = threads
    for listener in _listeners:
        listener(threads)
    _set_blas(_of_blas())


def _of_blas() -> int:
    """How many threads BLAS has between tasks."""
    return 1 if _listeners else count


@contextmanager
def sharing_blas() -> Iterator[None]:
    """Inside, BLAS has all its threads: for large calls that nobody else shares."""
    changes = count > 1 == _of_blas() and not _running
    if changes:
        _set_blas(count)
    try:
        yield
    finally:
        if changes:
            _set_blas(1)


def _set_blas(threads: int) -> None:
    setter = blas.thread_setter()
    if setter is not None:
        setter(threads)


class _Task:
    """Calls of a function with numbers from 0 on, shared by whoever comes."""

    __slots__ = ("call", "done", "error", "finished", "lock", "numbers", "total")

    def __init__(self, call: Callable[[int], Any], total: int) -> None:
        self.call = call
        self.total = total
        self.numbers = itertools.count()
        self.finished = 0
        self.error: BaseException | None = None
        self.lock = threading.Lock()
        self.done = threading.Lock()
        self.done.acquire()

    def work(self) -> None:
        mine = 0
        for number in self.numbers:
            if number >= self.total:
                break
            try:
                if self.error is None:
                    self.call(number)
            except BaseException as error:
                self.error = error
            mine += 1
        if mine:
            with self.lock:
                self.finished += mine
                if self.finished == self.total:
                    self.done.release()


_tasks: SimpleQueue[_Task] = SimpleQueue()
_members = 0
_running = 0
_running_lock = threading.Lock()


def _serve(tasks: SimpleQueue[_Task]) -> None:
    quiet.begin()
    while True:
        task = tasks.get()
        task.work()
        del task


def share(call: Callable[[int], Any], total: int) -> None:
    """``call(0)`` … ``call(total - 1)``, in any order, on several threads; returns when all are done."""
    helpers = min(count, total) - 1
    if helpers <= 0:
        for number in range(total):
            call(number)
        return
    while _members < helpers:
        _start_one()
    task = _Task(call, total)
    _count_running(1)
    try:
        for _ in range(helpers):
            _tasks.put(task)
        task.work()
        task.done.acquire()
    finally:
        _count_running(-1)
    if task.error is not None:
        raise task.error


def _count_running(change: int) -> None:
    """While tasks run, BLAS has one thread."""
    global _running
    with _running_lock:
        _running += change
        if _running == (change > 0) and _of_blas() > 1:
            _set_blas(count if change < 0 else 1)


def _start_one() -> None:
    global _members
    if not _members and hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_forget)
    _members += 1
    threading.Thread(target=_serve, args=(_tasks,), name="facula", daemon=True).start()


def _forget() -> None:
    """In a forked process there are no members."""
    global _members, _running, _running_lock, _tasks
    _members = _running = 0
    _running_lock = threading.Lock()
    _tasks = SimpleQueue()
