"""Stores: keys and values that processes share.

``HashStore`` is of one process. ``FileStore`` is a file that all see, and a lock on it. ``TCPStore`` goes by its name
only: no socket is opened. In a process that MPI's launcher has started, rank 0's monitor keeps the keys and answers
over MPI; all ranks make the store. In any other process it is shared by those of the same host and port in this
process.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import pickle
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import Any

from . import monitor, mpi
from .errors import DistStoreError, QueueEmptyError

__all__ = ["FileStore", "HashStore", "PrefixStore", "Store", "TCPStore"]

Data = dict[str, Any]


def _bytes(value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


# ---- what can be done with the keys, wherever they are


def _set(data: Data, key: str, value: bytes) -> None:
    data[key] = value


def _get(data: Data, key: str) -> bytes | None:
    return data.get(key)


def _add(data: Data, key: str, amount: int) -> int:
    total = int(data.get(key, b"0")) + amount
    data[key] = str(total).encode()
    return total


def _compare_set(data: Data, key: str, expected: bytes, desired: bytes) -> bytes:
    if (key not in data and not expected) or data.get(key) == expected:
        data[key] = desired
    return data.get(key, expected)


def _append(data: Data, key: str, value: bytes) -> None:
    data[key] = data.get(key, b"") + value


def _delete(data: Data, key: str) -> bool:
    return data.pop(key, None) is not None


def _has(data: Data, keys: Sequence[str]) -> bool:
    return all(key in data for key in keys)


def _keys(data: Data) -> list[str]:
    return list(data)


def _push(data: Data, key: str, value: bytes) -> None:
    data.setdefault(f"queue of {key}", []).append(value)


def _pop(data: Data, key: str) -> bytes | None:
    queue = data.get(f"queue of {key}")
    return queue.pop(0) if queue else None


def _length(data: Data, key: str) -> int:
    return len(data.get(f"queue of {key}", ()))


class Store:
    """The common part: ``_do`` runs one of the functions above where the keys are."""

    def __init__(self) -> None:
        self._timeout = timedelta(seconds=300)

    def _do(self, function: Callable[..., Any], *arguments: Any) -> Any:
        raise NotImplementedError

    def __reduce__(self) -> Any:
        raise TypeError(f"cannot pickle 'torch._C._distributed_c10d.{type(self).__name__}' object")

    @property
    def timeout(self) -> timedelta:
        return self._timeout

    def set_timeout(self, timeout: timedelta) -> None:
        self._timeout = timeout

    def set(self, key: str, value: Any) -> None:
        self._do(_set, key, _bytes(value))

    def get(self, key: str) -> bytes:
        """The value, as soon as it is there."""
        self.wait([key])
        found: bytes = self._do(_get, key)
        return found

    def add(self, key: str, amount: int) -> int:
        total: int = self._do(_add, key, amount)
        return total

    def compare_set(self, key: str, expected_value: Any, desired_value: Any) -> bytes:
        found: bytes = self._do(_compare_set, key, _bytes(expected_value), _bytes(desired_value))
        return found

    def append(self, key: str, value: Any) -> None:
        self._do(_append, key, _bytes(value))

    def delete_key(self, key: str) -> bool:
        return bool(self._do(_delete, key))

    def check(self, keys: Sequence[str]) -> bool:
        return bool(self._do(_has, list(keys)))

    def list_keys(self) -> list[str]:
        found: list[str] = self._do(_keys)
        return found

    def num_keys(self) -> int:
        return len(self.list_keys())

    def multi_get(self, keys: Sequence[str]) -> list[bytes]:
        return [self.get(key) for key in keys]

    def multi_set(self, keys: Sequence[str], values: Sequence[Any]) -> None:
        for key, value in zip(keys, values):
            self.set(key, value)

    def queue_push(self, key: str, value: Any) -> None:
        self._do(_push, key, _bytes(value))

    def queue_pop(self, key: str, block: bool = True) -> bytes:
        until = time.monotonic() + self._timeout.total_seconds()
        while (found := self._do(_pop, key)) is None:
            if not block:
                raise QueueEmptyError("queue is empty")
            if time.monotonic() > until:
                raise DistStoreError(f"wait timeout after {_milliseconds(self._timeout)}ms, queue: {key}")
            time.sleep(1e-3)
        value: bytes = found
        return value

    def queue_len(self, key: str) -> int:
        return int(self._do(_length, key))

    def wait(self, keys: Sequence[str], timeout: timedelta | None = None) -> None:
        """Until all keys are there."""
        limit = self._timeout if timeout is None else timeout
        until = time.monotonic() + limit.total_seconds()
        while not self.check(keys):
            if time.monotonic() > until:
                raise DistStoreError(f"wait timeout after {_milliseconds(limit)}ms, keys: /{', /'.join(keys)}")
            time.sleep(1e-3)

    def has_extended_api(self) -> bool:
        return True

    def clone(self) -> Store:
        return self


def _milliseconds(timeout: timedelta) -> int:
    return int(timeout.total_seconds() * 1000)


class HashStore(Store):
    """Keys in this process's memory."""

    def __init__(self) -> None:
        super().__init__()
        self._data: Data = {}
        self._lock = threading.Lock()

    def _do(self, function: Callable[..., Any], *arguments: Any) -> Any:
        with self._lock:
            return function(self._data, *arguments)


class FileStore(Store):
    """Keys in a file, which one process at a time changes."""

    def __init__(self, file_name: str, world_size: int = -1) -> None:
        super().__init__()
        self.path = file_name

    @contextlib.contextmanager
    def _locked(self) -> Iterator[Any]:
        import fcntl  # only where there is one

        with open(self.path, "a+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file

    def _do(self, function: Callable[..., Any], *arguments: Any) -> Any:
        with self._locked() as file:
            file.seek(0)
            content = file.read()
            data = pickle.loads(content) if content else {}
            result = function(data, *arguments)
            changed = pickle.dumps(data)
            if changed != content:
                file.truncate(0)
                file.write(changed)
                file.flush()
                os.fsync(file.fileno())
            return result


class PrefixStore(Store):
    """Another store, with something before each key."""

    def __init__(self, prefix: str, store: Store) -> None:
        super().__init__()
        self.prefix, self.underlying_store = prefix, store
        self._timeout = store.timeout

    def _do(self, function: Callable[..., Any], *arguments: Any) -> Any:
        if function is _keys:
            start = f"{self.prefix}/"
            return [k.removeprefix(start) for k in self.underlying_store.list_keys() if k.startswith(start)]
        key, *rest = arguments
        named = [f"{self.prefix}/{k}" for k in key] if isinstance(key, list) else f"{self.prefix}/{key}"
        return self.underlying_store._do(function, named, *rest)


_shared: dict[Any, HashStore] = {}
_numbers = itertools.count()
_pending: dict[int, list[Any]] = {}


def _answer(source: int, question: tuple[int, Any, Callable[..., Any], tuple[Any, ...]]) -> None:
    number, where, function, arguments = question
    store = _shared.setdefault(where, HashStore())
    monitor.post(("answer", (number, store._do(function, *arguments))), source)


def _take_answer(source: int, answer: tuple[int, Any]) -> None:
    number, value = answer
    _pending[number].append(value)


class TCPStore(Store):
    """Keys that the ranks of a program share; see above."""

    def __init__(
        self, host_name: str, port: int, world_size: int | None = None, is_master: bool = False,
        timeout: timedelta = timedelta(seconds=300), wait_for_workers: bool = True, multi_tenant: bool = False,
        master_listen_fd: int | None = None, use_libuv: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.host, self.port, self._timeout = host_name, port, timeout
        self._where = (host_name, port)
        place = mpi.place()
        self._is_far = place is not None and place[1] > 1
        if self._is_far:
            from .process_group import meet  # it imports this module's neighbours

            meet(-1, timeout)
            monitor.services.update(ask=_answer, answer=_take_answer)
        else:
            _shared.setdefault(self._where, HashStore())

    def _do(self, function: Callable[..., Any], *arguments: Any) -> Any:
        if not self._is_far or monitor.own_rank() == 0:
            return _shared.setdefault(self._where, HashStore())._do(function, *arguments)
        number = next(_numbers)
        answers = _pending[number] = []
        monitor.post(("ask", (number, self._where, function, arguments)), 0)
        until = time.monotonic() + self._timeout.total_seconds()
        while not answers:
            monitor.check_lost("TCPStore")
            if time.monotonic() > until:
                raise DistStoreError(f"rank 0, which keeps the store, does not answer for {self._timeout}")
            time.sleep(1e-3)
        del _pending[number]
        return answers[0]
