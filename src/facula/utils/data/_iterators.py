"""What ``iter(DataLoader)`` gives: one iterator that makes the batches itself, and one that has workers make them.

NOTE [workers]: each worker has two pipes of its own, for tasks and for results. The consumer waits for results and for
the end of processes at once, so it learns of a worker that dies. A worker that dies within a message ends its pipe,
because nobody else holds that end. Workers are daemons, they stop when told so, when the pipe ends, or when their
parent is gone; an iterator that is deleted tells them, and ends those that do not listen.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
import time
import warnings
import weakref
from collections import deque
from multiprocessing.connection import wait
from typing import Any

from ..._core import state
from ._utils.worker import ABORT, DONE, RESUME, STOP, ExceptionWrapper, receive, work
from .sampler import drawn_seed

_WORKERS_REPEAT = (
    "For multiprocessing data-loading, this could be caused by not properly configuring the IterableDataset replica at "
    "each worker. Please see https://pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset for examples."
)


class _BaseDataLoaderIter:
    """What both have: the sampler, and the count of batches."""

    def __init__(self, loader: Any) -> None:
        self._dataset = loader.dataset
        self._fetcher_kind = loader._fetcher
        self._auto_collation = loader._auto_collation
        self._drop_last = loader.drop_last
        self._collate_fn = loader.collate_fn
        self._index_sampler = loader._index_sampler
        self._announced = loader._IterableDataset_len_called
        self._warn = loader._fetcher.__name__ == "IterableFetcher"
        self._num_workers = loader.num_workers
        if loader.pin_memory:
            warnings.warn(
                "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be "
                "used.",
                stacklevel=4,
            )
        self._reset(loader)

    def _reset(self, loader: Any) -> None:
        self._indices = iter(self._index_sampler)
        self._num_yielded = 0
        self._announced = loader._IterableDataset_len_called
        self._base_seed = drawn_seed(loader.generator)

    def __iter__(self) -> _BaseDataLoaderIter:
        return self

    def __len__(self) -> int:
        return len(self._index_sampler)

    def __next__(self) -> Any:
        if state.special and state.modes.profiled is not None:
            from ...autograd.profiler import record_function  # loaded when first used

            with record_function(f"enumerate(DataLoader)#{type(self).__name__}.__next__"):
                batch = self._next_data()
        else:
            batch = self._next_data()
        self._num_yielded += 1
        if self._warn and self._announced is not None and self._num_yielded > self._announced:
            warnings.warn(self._more_than_announced(), stacklevel=2)
        return batch

    def _more_than_announced(self) -> str:
        message = (
            f"Length of IterableDataset {self._dataset} was reported to be {self._announced}(when accessing "
            f"len(dataloader)), but {self._num_yielded} samples have been fetched. "
        )
        return message + _WORKERS_REPEAT if self._num_workers else message

    def _next_data(self) -> Any:
        raise NotImplementedError


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """Makes each batch when it is asked for."""

    def __init__(self, loader: Any) -> None:
        super().__init__(loader)
        if loader.timeout:
            raise AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")
        self._fetcher = self._fetcher_kind(self._dataset, self._auto_collation, self._collate_fn, self._drop_last)

    def _next_data(self) -> Any:
        return self._fetcher.fetch(next(self._indices))


class _Worker:
    """A worker process, seen from outside."""

    def __init__(self, context: Any, number: int, arguments: tuple[Any, ...], count: int) -> None:
        task_reader, self.tasks = context.Pipe(duplex=False)
        self.results, result_writer = context.Pipe(duplex=False)
        kind, dataset, *rest = arguments
        self.process = context.Process(
            target=work, args=(kind, dataset, task_reader, result_writer, *rest, number, count), daemon=True
        )
        self.process.start()
        task_reader.close()
        result_writer.close()  # so that the pipe ends with the worker
        self.number = number
        self.active = True
        self.waiting = 0
        """How many tasks it has that it has not answered."""

    def give(self, task: Any) -> None:
        with contextlib.suppress(BrokenPipeError, OSError):  # it is gone, which waiting for its results will show
            self.tasks.send(task)

    def close(self, deadline: float) -> None:
        for pipe in (self.tasks, self.results):
            with contextlib.suppress(OSError):
                pipe.close()
        self.process.join(max(0.0, deadline - time.monotonic()))
        if self.process.is_alive():
            self.process.terminate()
            self.process.join(_PATIENCE)
            if self.process.is_alive():
                self.process.kill()
                self.process.join()
        self.process.close()


_PATIENCE = 5.0
"""Seconds that a worker has to end after it has been told to."""


def _shut_down(workers: list[_Worker], owner: int) -> None:
    if os.getpid() != owner or not workers:  # a forked child has the list, but not the processes
        return
    for worker in workers:
        worker.give(ABORT)
    deadline = time.monotonic() + _PATIENCE
    while workers:
        workers.pop().close(deadline)


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """Has workers make batches ahead of time: each has up to ``prefetch_factor`` tasks at once."""

    def __init__(self, loader: Any) -> None:
        self._pool: list[_Worker] = []
        self._started = False
        super().__init__(loader)
        self._prefetch = loader.prefetch_factor
        self._timeout = loader.timeout
        self._in_order = loader.in_order
        self._persistent = loader.persistent_workers
        self._finish = weakref.finalize(self, _shut_down, self._pool, os.getpid())
        self._lock = threading.Lock()
        context = loader.multiprocessing_context or multiprocessing
        for number in range(loader.num_workers):
            arguments = (
                self._fetcher_kind, self._dataset, self._auto_collation, self._collate_fn, self._drop_last,
                self._base_seed, loader.worker_init_fn,
            )  # fmt: skip
            self._pool.append(_Worker(context, number, arguments, loader.num_workers))
        self._started = True
        self._begin()

    @property
    def _workers(self) -> list[Any]:
        """The processes."""
        return [worker.process for worker in self._pool]

    def _reset(self, loader: Any) -> None:
        super()._reset(loader)
        if not self._started:
            return
        while any(worker.waiting for worker in self._pool):  # what was left of the time before
            self._receive(self._timeout)
        for worker in self._pool:
            worker.active = True
            worker.waiting += 1
            worker.give((RESUME, None))
        while any(worker.waiting for worker in self._pool):
            self._receive(self._timeout)
        self._begin()

    def _begin(self) -> None:
        self._sent = 0
        self._due = 0
        self._ready: dict[int, Any] = {}
        self._arrived: deque[int] = deque()
        self._exhausted = False
        self._turn = 0
        for _ in range(self._prefetch * len(self._pool)):
            self._give_next()

    @property
    def _active(self) -> list[_Worker]:
        return [worker for worker in self._pool if worker.active]

    def _give_next(self) -> None:
        """One more task, for the next worker in turn that may have one."""
        if self._exhausted:
            return
        for _ in range(len(self._pool)):
            worker = self._pool[self._turn]
            self._turn = (self._turn + 1) % len(self._pool)
            if worker.active and (self._in_order or worker.waiting < self._prefetch):
                break
        else:
            return
        try:
            index = next(self._indices)
        except StopIteration:
            self._exhausted = True
            return
        worker.waiting += 1
        worker.give((self._sent, index))
        self._sent += 1

    def _next_data(self) -> Any:
        if not self._pool:
            raise StopIteration
        while True:
            if self._in_order:
                while self._due < self._sent and self._ready.get(self._due) is _NOTHING:
                    del self._ready[self._due]
                    self._due += 1
                if self._due in self._ready:
                    value = self._ready.pop(self._due)
                    self._due += 1
                    return self._delivered(value)
            elif self._arrived:
                return self._delivered(self._ready.pop(self._arrived.popleft()))
            if not any(worker.waiting for worker in self._pool):
                if not self._persistent:
                    self._shutdown_workers()
                raise StopIteration
            self._receive(self._timeout)

    def _delivered(self, value: Any) -> Any:
        self._give_next()
        if isinstance(value, ExceptionWrapper):
            value.reraise()
        return value[1]

    def _receive(self, timeout: float) -> None:
        """Wait for one message and take it in."""
        number, worker_id, value = self._wait_for_message(timeout)
        worker = self._pool[worker_id]
        worker.waiting -= 1
        if number == RESUME:
            return
        if isinstance(value, str) and value == DONE:
            worker.active = False
            value = _NOTHING
            if not self._persistent:
                worker.give(STOP)
            self._give_next()
        self._ready[number] = value
        if value is not _NOTHING:
            self._arrived.append(number)
        else:
            if not self._in_order:
                del self._ready[number]

    def _wait_for_message(self, timeout: float) -> Any:
        deadline = time.monotonic() + timeout if timeout > 0 else None
        while True:
            busy = [worker for worker in self._pool if worker.waiting]
            things = {worker.results: worker for worker in busy} | {worker.process.sentinel: worker for worker in busy}
            found = wait(list(things), None if deadline is None else max(0.0, deadline - time.monotonic()))
            if not found:
                self._shutdown_workers()
                raise RuntimeError(f"DataLoader timed out after {timeout} seconds")
            pipes = [thing for thing in found if not isinstance(thing, int)]
            if pipes:
                worker = things[pipes[0]]
                try:
                    return receive(pipes[0])
                except (EOFError, OSError):
                    self._died(worker)
            for thing in found:
                if not things[thing].results.poll(0):
                    self._died(things[thing])

    def _died(self, worker: _Worker) -> None:
        worker.process.join(_PATIENCE)
        code, pid = worker.process.exitcode, worker.process.pid
        worker.waiting = 0
        self._shutdown_workers()
        if code is not None and code < 0:
            name = signal.strsignal(-code) or str(-code)
            raise RuntimeError(f"DataLoader worker (pid {pid}) is killed by signal: {name}. ")
        raise RuntimeError(f"DataLoader worker (pid(s) {pid}) exited unexpectedly")

    def _shutdown_workers(self) -> None:
        """Tell all workers to stop, and see that they do."""
        with self._lock:
            _shut_down(self._pool, os.getpid())


class _Nothing:
    pass


_NOTHING = _Nothing()
"""Stands for the batch that a worker could not make because its dataset had ended."""
