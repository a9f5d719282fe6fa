"""Samplers: in which order, and in which groups, a DataLoader takes a dataset's samples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

import facula

from ..._core.dtypes import float64
from ..._core.generator import Generator, stream_of

__all__ = [
    "BatchSampler", "RandomSampler", "Sampler", "SequentialSampler", "SubsetRandomSampler", "WeightedRandomSampler",
]  # fmt: skip

T_co = TypeVar("T_co", covariant=True)


def _require_count(name: str, value: Any) -> None:
    if type(value) is bool or not isinstance(value, int) or value <= 0:
        raise ValueError(f"{name} should be a positive integer value, but got {name}={value}")


def _require_flag(name: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise ValueError(f"{name} should be a boolean value, but got {name}={value}")


class Sampler(Generic[T_co]):
    """Gives indices, or lists of them: a subclass has ``__iter__`` and, where it can tell, ``__len__``."""

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """One after another, always in the same order."""

    def __init__(self, data_source: Any) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """In a random order, each once; or, with ``replacement``, any at any time."""

    def __init__(
        self, data_source: Any, replacement: bool = False, num_samples: int | None = None, generator: Any = None
    ) -> None:
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.data_source, self.generator = data_source, generator
        self.replacement, self._num_samples = replacement, num_samples
        count = self.num_samples
        if not isinstance(count, int) or count <= 0:
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={count}")

    @property
    def num_samples(self) -> int:
        """As many as the dataset has, which may change, unless given."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        from ...ops.creation.random import randint, randperm  # loaded when first used

        n, left = len(self.data_source), self.num_samples
        generator = self.generator if self.generator is not None else Generator().manual_seed(drawn_seed(None))
        if self.replacement:
            while left > 0:
                count = min(_AT_ONCE, left)
                yield from randint(high=n, size=(count,), generator=generator).tolist()
                left -= count
        else:
            while left >= n:
                yield from randperm(n, generator=generator).tolist()
                left -= n
            yield from randperm(n, generator=generator).tolist()[:left]

    def __len__(self) -> int:
        return self.num_samples


_AT_ONCE = 32


def drawn_seed(generator: Any) -> int:
    """A seed for another generator."""
    from ...ops.arrays.draws import long_words  # loaded when first used

    return int(long_words(stream_of(generator), 1)[0]) % 2**63


class SubsetRandomSampler(Sampler[int]):
    """Certain indices in a random order."""

    def __init__(self, indices: Sequence[int], generator: Any = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        from ...ops.creation.random import randperm  # loaded when first used

        for i in randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[i]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Indices drawn with the probabilities that their weights give."""

    def __init__(
        self, weights: Sequence[float], num_samples: int, replacement: bool = True, generator: Any = None
    ) -> None:
        from ...ops.creation.from_data import as_tensor  # loaded when first used

        _require_count("num_samples", num_samples)
        _require_flag("replacement", replacement)
        numbers = as_tensor(weights, dtype=float64)
        if numbers.dim() != 1:
            raise ValueError(f"weights should be a 1d sequence but given weights have shape {tuple(numbers.shape)}")
        self.weights, self.num_samples = numbers, num_samples
        self.replacement, self.generator = replacement, generator

    def __iter__(self) -> Iterator[int]:
        drawn = facula.multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator)
        yield from iter(drawn.tolist())

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """Another sampler's indices in groups."""

    def __init__(self, sampler: Iterable[int], batch_size: int, drop_last: bool) -> None:
        _require_count("batch_size", batch_size)
        _require_flag("drop_last", drop_last)
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        batch: list[int] = []
        for index in self.sampler:
            batch.append(index)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch

    def __len__(self) -> int:
        count = len(self.sampler)  # type: ignore[arg-type]
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)
