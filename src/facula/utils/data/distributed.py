"""A sampler for training in several processes: each takes its own part of the dataset."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ..._core.generator import Generator
from .sampler import Sampler

__all__ = ["DistributedSampler"]


class DistributedSampler(Sampler[int]):
    """Every ``num_replicas``-th index, from ``rank`` on, of the same order in all processes.

    Call ``set_epoch`` before each epoch, or the order is the same in all of them.
    """

    def __init__(
        self, dataset: Any, num_replicas: int | None = None, rank: int | None = None, shuffle: bool = True,
        seed: int = 0, drop_last: bool = False,
    ) -> None:  # fmt: skip
        if num_replicas is None:
            num_replicas = _process_group().get_world_size()
        if rank is None:
            rank = _process_group().get_rank()
        if rank not in range(num_replicas):
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset, self.rank, self.num_replicas = dataset, rank, num_replicas
        self.shuffle, self.seed, self.epoch, self.drop_last = shuffle, seed, 0, drop_last
        count = len(dataset)
        self.num_samples = count // num_replicas if drop_last else -(-count // num_replicas)
        self.total_size = num_replicas * self.num_samples

    def __iter__(self) -> Iterator[int]:
        from ...ops.creation.random import randperm  # loaded when first used

        count = len(self.dataset)
        if self.shuffle:
            order = randperm(count, generator=Generator().manual_seed(self.seed + self.epoch)).tolist()
        else:
            order = list(range(count))
        if self.drop_last:
            order = order[: self.total_size]
        else:
            missing = self.total_size - len(order)
            order += (order * math.ceil(missing / max(len(order), 1)))[:missing]
        if len(order) != self.total_size:
            raise AssertionError(f"Number of indices ({len(order)}) does not match total_size ({self.total_size})")
        return iter(order[self.rank : self.total_size : self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Which epoch comes next: the order depends on it."""
        self.epoch = epoch


def _process_group() -> Any:
    from ... import distributed  # loaded when first used

    return distributed
