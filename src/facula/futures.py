"""``torch.futures``: values that will be there later."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")
S = TypeVar("S")

__all__ = ["Future", "collect_all", "wait_all"]


class Future(Generic[T]):
    """A value that somebody sets once, and others wait for."""

    def __init__(self, *, devices: Any = None) -> None:
        self._set = threading.Event()
        self._lock = threading.Lock()
        self._value: Any = None
        self._error: BaseException | None = None
        self._callbacks: list[Callable[[Future[T]], None]] = []

    def done(self) -> bool:
        return self._set.is_set()

    def wait(self) -> T:
        """The value, as soon as it is there; an error is raised."""
        self._set.wait()
        return self.value()

    def value(self) -> T:
        """The value, which must be there."""
        if not self.done():
            raise RuntimeError("value() can only be called on a completed Future")
        if self._error is not None:
            raise self._error
        found: T = self._value
        return found

    def set_result(self, result: T) -> None:
        self._finish(result, None)

    def set_exception(self, result: BaseException) -> None:
        if not isinstance(result, Exception):
            raise AssertionError(f"{result} is of type {type(result)}, not an Exception.")
        self._finish(None, result)

    def _finish(self, value: Any, error: BaseException | None) -> None:
        with self._lock:
            if self.done():
                raise RuntimeError(
                    "Attempting to mark a completed Future as complete again. Note that a Future can only be marked "
                    "completed once."
                )
            self._value, self._error = value, error
            self._set.set()
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            self._call(callback)

    def _call(self, callback: Callable[[Future[T]], None]) -> None:
        try:
            callback(self)
        except Exception as error:
            print(_told(error), file=sys.stderr)

    def __reduce__(self) -> Any:
        raise RuntimeError("Can not pickle torch.futures.Future")

    def add_done_callback(self, callback: Callable[[Future[T]], None]) -> None:
        """Call ``callback(self)`` when the value is there, or at once. Its errors are only printed."""
        with self._lock:
            if not self.done():
                self._callbacks.append(callback)
                return
        self._call(callback)

    def then(self, callback: Callable[[Future[T]], S]) -> Future[S]:
        """The future of what a callback makes of this one; of a RuntimeError if the callback fails."""
        following: Future[S] = Future()

        def run(done: Future[T]) -> None:
            try:
                following.set_result(callback(done))
            except Exception as error:
                following.set_exception(RuntimeError(_told(error)))

        self.add_done_callback(run)
        return following


def _told(error: Exception) -> str:
    return f"Got the following error when running the callback: {type(error).__name__}: {error}"


def collect_all(futures: list[Future[Any]]) -> Future[list[Future[Any]]]:
    """A future that is done when all of these are, with the error of the first that has one."""
    result: Future[list[Future[Any]]] = Future()
    left = len(futures)
    lock = threading.Lock()
    if not futures:
        result.set_result([])

    def one_less(_: Future[Any]) -> None:
        nonlocal left
        with lock:
            left -= 1
            last = left == 0
        if last:
            result._finish(futures, next((f._error for f in futures if f._error is not None), None))

    for future in futures:
        future.add_done_callback(one_less)
    return result


def wait_all(futures: list[Future[Any]]) -> list[Any]:
    """The values of all futures."""
    return [future.wait() for future in collect_all(futures).wait()]
