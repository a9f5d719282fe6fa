"""``Work``: a communication that is under way, and how it is waited for.

MPI moves data only while somebody calls it. So whoever waits asks again and again, at first without pause, then with
small ones; and while handles of ``async_op=True`` are open, a thread asks in the background, so that they go on while
Python computes.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from ..futures import Future
from . import monitor, mpi
from .errors import DistBackendError

__all__ = ["Work"]

EAGER = 5e-4
"""Seconds of waiting without pause: longer than a small message takes, shorter than anybody notices."""
EAGER_BYTE = 2e-9
"""The same for each byte: a long message goes on only as fast as it is asked for."""
PAUSE = 1e-4
"""Seconds between two looks of the background thread."""

_pass_on: Callable[[], None] = getattr(os, "sched_yield", lambda: time.sleep(0))


class Work:
    """Requests of MPI, what is done with their data when it has come, and whom they concern."""

    def __init__(
        self, requests: mpi.Requests, finish: Callable[[], None] | None, result: Any, call: str, group: Any
    ) -> None:
        self._requests = requests
        self._finish = finish
        self._result = result
        self._call = call
        self._group = group
        self._lock = threading.Lock()
        self._done = False
        self._error: Exception | None = None
        self._future: Future[Any] | None = None
        self._source: int | None = None
        self._bytes = 0

    # ---- what users ask

    def wait(self, timeout: timedelta | None = None) -> bool:
        """Until it is done. An error of this process or of another is raised."""
        if not self._done:
            self._wait(self._group.timeout if timeout is None or not timeout else timeout.total_seconds())
        if self._error is not None:
            raise self._error
        return True

    def is_completed(self) -> bool:
        return self._done or self._advance()

    def is_success(self) -> bool:
        return self.is_completed() and self._error is None

    def exception(self) -> Exception | None:
        return self._error

    def result(self) -> Any:
        self.wait()
        return self._result

    def synchronize(self) -> None:
        self.wait()

    def source_rank(self) -> int:
        """Who sent what was received."""
        return self._group.rank() if self._source is None else self._source

    _source_rank = source_rank

    def get_future(self) -> Future[Any]:
        """The tensors, as soon as they are there. What is done ``then`` is done in the thread that finds it out."""
        with self._lock:
            if self._future is None:
                self._future = Future()
                if self._done:
                    self._tell(self._future)
            return self._future

    # ---- how it goes on

    def _advance(self) -> bool:
        """Whether it is done. Of several threads that ask at once, one looks."""
        if self._done:
            return True
        if not self._lock.acquire(blocking=False):
            return False
        try:
            if self._done:
                return True
            try:
                if not self._is_there():
                    return False
                if self._finish is not None:
                    self._finish()
            except Exception as error:
                self._error = self._explained(error)
            self._requests, self._finish = [], None
            self._done = True
            future = self._future
        finally:
            self._lock.release()
        if future is not None:
            self._tell(future)
        return True

    def _is_there(self) -> bool:
        return mpi.testall(self._requests)

    def _explained(self, error: Exception) -> Exception:
        if isinstance(error, mpi.error_type()):
            return DistBackendError(f"{self._call} on rank {monitor.own_rank()}: {error}")
        return error

    def _tell(self, future: Future[Any]) -> None:
        if self._error is not None:
            future.set_exception(self._error)
        else:
            future.set_result(self._result)

    def _fail(self, error: Exception) -> None:
        with self._lock:
            if self._done:
                return
            self._error, self._done = error, True
            future = self._future
        if future is not None:
            self._tell(future)

    def _wait(self, timeout: float) -> None:
        begun = time.monotonic()
        eager = EAGER + EAGER_BYTE * self._bytes
        while not self._advance():
            if time.monotonic() - begun > eager:
                break
            _pass_on()
        else:
            return
        pause = PAUSE / 2
        with monitor.waiting_in(self._call):
            while not self._advance():
                try:
                    monitor.check(self._call, self._group)
                    if time.monotonic() - begun > timeout:
                        raise monitor.timed_out(self._call, timeout, self._group)
                except DistBackendError as error:
                    self._fail(error)
                    return
                time.sleep(pause)
                pause = min(pause * 1.1, 1e-3)

    def __repr__(self) -> str:
        return f"<Work: {self._call}{', done' if self._done else ''}>"


class Receive(Work):
    """A message that is waited for: it tells who sent it, and must fill the tensor."""

    def _is_there(self) -> bool:
        come = mpi.test_receive(self._requests[0])
        if come is None:
            return False
        source, count = come
        self._source = self._group.global_rank(source)
        if count != self._bytes:
            raise DistBackendError(
                f"{self._call} on rank {monitor.own_rank()} wants {self._bytes} bytes, but rank {self._source} has "
                f"sent {count}"
            )
        return True


class Done(Work):
    """What took no time."""

    def __init__(self, result: Any, call: str, group: Any) -> None:
        super().__init__([], None, result, call, group)
        self._done = True


# ---- the thread that lets open handles go on

_open: list[Work] = []
_news = threading.Condition()
_thread: threading.Thread | None = None


def in_background(work: Work) -> Work:
    """Let it go on while Python does something else."""
    global _thread
    with _news:
        _open.append(work)
        _news.notify()
    if _thread is None or not _thread.is_alive():
        _thread = threading.Thread(target=_go_on, name="facula-mpi-progress", daemon=True)
        _thread.start()
    return work


def _go_on() -> None:
    while True:
        with _news:
            while not _open:
                _news.wait()
        waiting = [work for work in list(_open) if not work._advance()]
        with _news:
            _open[:] = [work for work in _open if not work._done]
        if waiting:
            time.sleep(PAUSE)
