"""A worker process: takes indices from one pipe and gives batches into another, until it is told to stop.

A thread of its own sends the batches, so that the next one is made while one waits to be taken.
"""

from __future__ import annotations

import io
import os
import pickle
import queue
import random
import sys
import threading
import traceback
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...._tensor import Tensor

__all__ = ["ExceptionWrapper", "WorkerInfo", "get_worker_info", "receive", "work"]

_LOOK_FOR_PARENT = 1.0
"""Seconds after which a worker that has nothing to do looks whether its parent is still there."""


@dataclass(frozen=True)
class WorkerInfo:
    """Which worker this process is."""

    id: int
    num_workers: int
    seed: int
    dataset: Any
    rng: Any = None
    worker_method: str = field(default="multiprocessing")


_worker_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """In a worker process: its number and the like; elsewhere None."""
    return _worker_info


# ---- errors on their way to the consumer


class _KeyErrorMessage(str):
    """A text that a KeyError shows as it is."""

    def __repr__(self) -> str:
        return str(self)


class ExceptionWrapper:
    """An exception and the text of its traceback, to be raised in another process."""

    def __init__(self, exc_info: Any = None, where: str = "in background") -> None:
        kind, value, trace = exc_info or sys.exc_info()
        assert kind is not None
        self.exc_type: Any = kind
        self.exc_msg = "".join(traceback.format_exception(kind, value, trace))
        self.where = where
        try:
            pickle.dumps(kind)
        except Exception:  # a class that no other process can find
            self.exc_type = RuntimeError
        self.name = kind.__name__

    def reraise(self) -> None:
        raise self._with(f"Caught {self.name} {self.where}.\nOriginal {self.exc_msg}")

    def _with(self, message: str) -> BaseException:
        """An exception of the same class that says this; a RuntimeError if the class takes no text."""
        if self.exc_type is KeyError:
            return KeyError(_KeyErrorMessage(message))
        by_name = bool(getattr(self.exc_type, "message", None))
        try:
            made = self.exc_type(message=message) if by_name else self.exc_type(message)
        except Exception:
            return RuntimeError(message)
        return made if isinstance(made, BaseException) else RuntimeError(message)


# ---- batches on their way to the consumer


class _Packer(pickle.Pickler):
    """Sends of a tensor what it shows, and not all of the memory that it looks at."""

    def reducer_override(self, obj: Any) -> Any:
        if not isinstance(obj, Tensor):
            return NotImplemented
        if obj.requires_grad and not obj.is_leaf:
            raise RuntimeError(
                "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not support "
                "crossing process boundaries.  If you just want to transfer the data, call detach() on the tensor "
                "before serializing (e.g., putting it on the queue)."
            )
        if type(obj) is Tensor and not obj.__dict__ and type(obj._array) is np.ndarray and obj._array.base is not None:
            return _unpacked, (np.ascontiguousarray(obj._array).reshape(obj._array.shape), obj.requires_grad)
        return NotImplemented


def _unpacked(array: Any, requires_grad: bool) -> Tensor:
    from ....ops.creation.factories import finish  # loaded when first used

    t = finish(array)
    return t.requires_grad_() if requires_grad else t


def packed(value: Any) -> tuple[bytes, list[Any]]:
    """A pickle, and the large pieces of memory that go beside it."""
    buffers: list[Any] = []
    file = io.BytesIO()
    _Packer(file, 5, buffer_callback=buffers.append).dump(value)
    return file.getvalue(), [b.raw() for b in buffers]


def _send(pipe: Any, message: tuple[bytes, list[Any]]) -> None:
    program, buffers = message
    pipe.send_bytes(pickle.dumps([b.nbytes for b in buffers]))
    for b in buffers:
        if b.nbytes:
            pipe.send_bytes(b)
    pipe.send_bytes(program)


def receive(pipe: Any) -> Any:
    """What a worker sent."""
    buffers = []
    for size in pickle.loads(pipe.recv_bytes()):
        memory = np.empty(size, np.uint8)
        if size:
            pipe.recv_bytes_into(memory.data)
        buffers.append(memory)
    return pickle.loads(pipe.recv_bytes(), buffers=buffers)


# ---- the process


STOP, ABORT, RESUME, DONE = "stop", "abort", "resume", "done"
"""STOP: end when all is sent. ABORT: end now. RESUME: begin anew. DONE: the dataset has ended."""


def work(
    kind: Any, dataset: Any, tasks: Any, results: Any, auto_collation: bool, collate_fn: Any, drop_last: bool,
    base_seed: int, init_fn: Any, worker_id: int, num_workers: int,
) -> None:  # fmt: skip
    """All that a worker does. Its messages are (number of the task, worker, value)."""
    global _worker_info
    parent = os.getppid()
    outbox: queue.Queue[Any] = queue.Queue()
    sender = threading.Thread(target=_post, args=(outbox, results), daemon=True)
    try:
        _seed(base_seed, worker_id)
        _worker_info = WorkerInfo(worker_id, num_workers, base_seed + worker_id, dataset)
        fetcher: Any = None
        broken: Any = None
        try:
            if init_fn is not None:
                init_fn(worker_id)
            fetcher = kind(dataset, auto_collation, collate_fn, drop_last)
        except Exception:
            broken = ExceptionWrapper(where=f"in DataLoader worker process {worker_id}")
        sender.start()
        inbox: deque[Any] = deque()
        while (task := _next_task(inbox, tasks, parent)) != STOP:
            if task == ABORT:
                return
            number, index = task
            value: Any
            if number == RESUME:
                value = None
                try:
                    fetcher = kind(dataset, auto_collation, collate_fn, drop_last)
                except Exception:
                    broken = ExceptionWrapper(where=f"in DataLoader worker process {worker_id}")
            elif broken is not None:
                value, broken = broken, None
            else:
                value = _fetched(fetcher, index, kind, worker_id)
            outbox.put(_message(number, worker_id, value))
            del value, task
        outbox.put(None)
        sender.join()
    except KeyboardInterrupt:
        pass  # the parent has been interrupted, too, and says so


def _fetched(fetcher: Any, index: Any, kind: Any, worker_id: int) -> Any:
    from .fetch import IterableFetcher  # loaded when first used

    try:
        return ("batch", fetcher.fetch(index))
    except Exception as error:
        if isinstance(error, StopIteration) and kind is IterableFetcher:
            return DONE
        return ExceptionWrapper(where=f"in DataLoader worker process {worker_id}")


def _message(number: Any, worker_id: int, value: Any) -> tuple[bytes, list[Any]]:
    try:
        return packed((number, worker_id, value))
    except Exception:  # what the user's code gave cannot be sent
        return packed((number, worker_id, ExceptionWrapper(where=f"in DataLoader worker process {worker_id}")))


def _next_task(inbox: deque[Any], tasks: Any, parent: int) -> Any:
    """The next task; but if what has come by now says so, or nobody is there to give any, ABORT."""
    try:
        while not inbox and not tasks.poll(_LOOK_FOR_PARENT):
            if os.getppid() != parent:
                return ABORT
        while tasks.poll(0):
            inbox.append(tasks.recv())
    except (EOFError, OSError):
        return ABORT
    return ABORT if inbox[-1] == ABORT else inbox.popleft()


def _post(outbox: queue.Queue[Any], results: Any) -> None:
    while (message := outbox.get()) is not None:
        try:
            _send(results, message)
        except (BrokenPipeError, OSError):  # nobody listens any more
            return


def _seed(base_seed: int, worker_id: int) -> None:
    from ...._core.settings import set_num_threads  # loaded when first used
    from ....random import manual_seed  # loaded when first used

    set_num_threads(1)
    random.seed(base_seed + worker_id)
    manual_seed(base_seed + worker_id)
    np.random.seed(_generate_state(base_seed, worker_id))


def _generate_state(base_seed: int, worker_id: int) -> list[int]:
    """What NumPy's generator is seeded with in a worker."""
    seeds = [worker_id, base_seed % 2**32, base_seed >> 32, 0]
    return [int(word) for word in np.random.SeedSequence(seeds).generate_state(4)]
