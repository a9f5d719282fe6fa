"""DataLoader: batches of a dataset's samples, made here or by worker processes."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import warnings
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

from ._iterators import _BaseDataLoaderIter, _MultiProcessingDataLoaderIter, _SingleProcessDataLoaderIter
from ._utils.collate import default_collate, default_convert
from ._utils.fetch import IterableFetcher, MapFetcher
from ._utils.worker import get_worker_info
from .dataset import IterableDataset
from .sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler

__all__ = ["DataLoader", "default_collate", "default_convert", "get_worker_info"]

T_co = TypeVar("T_co", covariant=True)
_T = TypeVar("_T")
_worker_init_fn_t = Callable[[int], None]
_collate_fn_t = Callable[[list[_T]], Any]


class _DatasetKind:
    Map = 0
    Iterable = 1


class _InfiniteConstantSampler(Sampler[Any]):
    """For datasets without indices."""

    def __iter__(self) -> Iterator[Any]:
        return itertools.repeat(None)


_SETTLED = frozenset({"batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers"})


class DataLoader(Generic[T_co]):
    """Iterate over it to get a dataset's samples in batches."""

    dataset: Any
    batch_size: int | None
    num_workers: int
    pin_memory: bool
    drop_last: bool
    timeout: float
    sampler: Any
    pin_memory_device: str
    prefetch_factor: int | None
    batch_sampler: Any
    collate_fn: Callable[..., Any]
    generator: Any
    worker_init_fn: Callable[[int], None] | None
    persistent_workers: bool
    in_order: bool
    _dataset_kind: int
    _IterableDataset_len_called: int | None
    _iterator: Any = None
    __initialized = False

    def __init__(
        self, dataset: Any, batch_size: int | None = 1, shuffle: bool | None = None, sampler: Any = None,
        batch_sampler: Any = None, num_workers: int = 0, collate_fn: Callable[[list[Any]], Any] | None = None,
        pin_memory: bool = False, drop_last: bool = False, timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None, multiprocessing_context: Any = None, generator: Any = None,
        *, prefetch_factor: int | None = None, persistent_workers: bool = False, pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:  # fmt: skip
        _check_numbers(num_workers, timeout, prefetch_factor, persistent_workers)
        self.num_workers = num_workers
        self.multiprocessing_context = multiprocessing_context
        by_index = not isinstance(dataset, IterableDataset)
        if not by_index:
            _check_iterable_options(shuffle, sampler, batch_sampler)
        _check_exclusive(batch_size, shuffle, sampler, batch_sampler, drop_last)
        if sampler is None:
            sampler = _usual_sampler(dataset, shuffle, generator) if by_index else _InfiniteConstantSampler()
        if batch_sampler is not None:
            batch_size = None
        elif batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        usual_collate = default_convert if batch_sampler is None else default_collate
        settings = {
            "dataset": dataset, "_dataset_kind": _DatasetKind.Map if by_index else _DatasetKind.Iterable,
            "batch_size": batch_size, "sampler": sampler, "batch_sampler": batch_sampler, "drop_last": drop_last,
            "collate_fn": usual_collate if collate_fn is None else collate_fn, "generator": generator,
            "pin_memory": pin_memory, "pin_memory_device": pin_memory_device, "timeout": timeout,
            "prefetch_factor": 2 if num_workers > 0 and prefetch_factor is None else prefetch_factor,
            "worker_init_fn": worker_init_fn, "persistent_workers": persistent_workers, "in_order": in_order,
            "_IterableDataset_len_called": None, "_iterator": None,
        }  # fmt: skip
        for name, value in settings.items():
            setattr(self, name, value)
        self.__initialized = True
        self.check_worker_number_rationality()

    @property
    def multiprocessing_context(self) -> Any:
        """How workers are started: a context of ``multiprocessing``."""
        return self.__multiprocessing_context

    @multiprocessing_context.setter
    def multiprocessing_context(self, context: Any) -> None:
        if context is not None and self.num_workers <= 0:
            raise ValueError(
                "multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got "
                f"num_workers={self.num_workers}"
            )
        self.__multiprocessing_context = None if context is None else _context_of(context)

    def __setattr__(self, attr: str, value: Any) -> None:
        if attr in _SETTLED and self.__initialized:
            raise ValueError(f"{attr} attribute should not be set after {self.__class__.__name__} is initialized")
        super().__setattr__(attr, value)

    def __iter__(self) -> Any:
        if not (self.persistent_workers and self.num_workers):
            return self._get_iterator()
        if self._iterator is not None:
            self._iterator._reset(self)
        else:
            self._iterator = self._get_iterator()
        return self._iterator

    def _get_iterator(self) -> _BaseDataLoaderIter:
        if self.num_workers == 0:
            return _SingleProcessDataLoaderIter(self)
        self.check_worker_number_rationality()
        return _MultiProcessingDataLoaderIter(self)

    @property
    def _auto_collation(self) -> bool:
        return self.batch_sampler is not None

    @property
    def _index_sampler(self) -> Any:
        return self.batch_sampler if self._auto_collation else self.sampler

    @property
    def _fetcher(self) -> Any:
        return IterableFetcher if self._dataset_kind == _DatasetKind.Iterable else MapFetcher

    def __len__(self) -> int:
        if self._dataset_kind != _DatasetKind.Iterable:
            return len(self._index_sampler)
        length = self._IterableDataset_len_called = len(self.dataset)
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else -(-length // self.batch_size)

    def check_worker_number_rationality(self) -> None:
        """Warn of more workers than there are processors."""
        if not self.num_workers:
            return
        available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        if available is None or self.num_workers > available:
            suggested = "" if available is None else (
                f"Our suggested max number of worker in current system is {available}"
                f"{'' if hasattr(os, 'sched_getaffinity') else ' (`cpuset` is not taken into account)'}, which is "
                "smaller than what this DataLoader is going to create."
            )  # fmt: skip
            warnings.warn(
                f"This DataLoader will create {self.num_workers} worker processes in total. {suggested} Please "
                "be aware that excessive worker creation might get DataLoader running slow or even freeze, lower the "
                "worker number to avoid potential slowness/freeze if necessary.",
                stacklevel=3,
            )


def _check_numbers(workers: int, timeout: float, prefetch: int | None, persistent: bool) -> None:
    if workers < 0:
        raise ValueError(
            "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing."
        )
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if workers == 0 and prefetch is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to enable "
            "multiprocessing, otherwise set prefetch_factor to None."
        )
    if prefetch is not None and prefetch < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    if persistent and workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")


def _check_iterable_options(shuffle: Any, sampler: Any, batch_sampler: Any) -> None:
    start = "DataLoader with IterableDataset: expected unspecified"
    if shuffle not in (False, None):
        raise ValueError(f"{start} shuffle option, but got shuffle={shuffle}")
    if sampler is not None:
        raise ValueError(f"{start} sampler option, but got sampler={sampler}")
    if batch_sampler is not None:
        raise ValueError(f"{start} batch_sampler option, but got batch_sampler={batch_sampler}")


def _check_exclusive(batch_size: Any, shuffle: Any, sampler: Any, batch_sampler: Any, drop_last: bool) -> None:
    if sampler is not None and shuffle:
        raise ValueError("sampler option is mutually exclusive with shuffle")
    if batch_sampler is not None and (batch_size != 1 or shuffle or sampler is not None or drop_last):
        raise ValueError("batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last")
    if batch_sampler is None and batch_size is None and drop_last:
        raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")


def _usual_sampler(dataset: Any, shuffle: Any, generator: Any) -> Sampler[int]:
    return RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)


def _context_of(context: Any) -> multiprocessing.context.BaseContext:
    """A context of ``multiprocessing``, also by the name of its start method."""
    if isinstance(context, str):
        methods = multiprocessing.get_all_start_methods()
        if context not in methods:
            raise ValueError(
                f"multiprocessing_context option should specify a valid start method in {methods!r}, but got "
                f"multiprocessing_context={context!r}"
            )
        return multiprocessing.get_context(context)
    if not isinstance(context, multiprocessing.context.BaseContext):
        raise TypeError(
            "multiprocessing_context option should be a valid context object or a string specifying the start method, "
            f"but got multiprocessing_context={context}"
        )
    return context
