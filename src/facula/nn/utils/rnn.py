"""Sequences of several lengths: padding and packing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import facula

from ..._tensor import Tensor
from ...ops.machine.errors import type_of
from ...ops.machine.signatures import mistake
from ...ops.networks import packing

__all__ = [
    "PackedSequence", "invert_permutation", "pack_padded_sequence", "pack_sequence", "pad_packed_sequence",
    "pad_sequence", "unpack_sequence", "unpad_sequence",
]  # fmt: skip


class PackedSequence_(NamedTuple):
    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None
    unsorted_indices: Tensor | None


class PackedSequence(PackedSequence_):
    """The rows of all steps, how many sequences each step has, and how sequences were sorted by length."""

    def __new__(
        cls, data: Any, batch_sizes: Tensor | None = None, sorted_indices: Tensor | None = None,
        unsorted_indices: Tensor | None = None,
    ) -> PackedSequence:  # fmt: skip
        if batch_sizes is None:
            if not isinstance(data, (list, tuple)) or len(data) != 2:
                raise AssertionError("Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        elif batch_sizes.device.type != "cpu":
            raise ValueError(
                "batch_sizes should always be on CPU. Instances of PackedSequence should never be created manually. "
                "They should be instantiated by functions like pack_sequence and pack_padded_sequences in "
                "nn.utils.rnn. "
                "https://pytorch.org/docs/stable/nn.html#torch.nn.utils.rnn.pack_sequence"
            )
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """With another dtype or device; this sequence itself if nothing changes."""
        data = self.data.to(*args, **kwargs)
        return self if data is self.data else self._with(data)

    def _with(self, data: Tensor) -> PackedSequence:
        return type(self)(data, self.batch_sizes, self.sorted_indices, self.unsorted_indices)

    def cpu(self, *args: Any, **kwargs: Any) -> PackedSequence:
        return self.to(*args, device="cpu", **kwargs)

    def cuda(self, *args: Any, **kwargs: Any) -> PackedSequence:
        return self.to(*args, device="cuda", **kwargs)

    def pin_memory(self) -> PackedSequence:
        return self._with(self.data.pin_memory())

    def double(self) -> PackedSequence:
        return self._cast("double")

    def float(self) -> PackedSequence:
        return self._cast("float")

    def half(self) -> PackedSequence:
        return self._cast("half")

    def long(self) -> PackedSequence:
        return self._cast("long")

    def int(self) -> PackedSequence:
        return self._cast("int")

    def short(self) -> PackedSequence:
        return self._cast("short")

    def char(self) -> PackedSequence:
        return self._cast("char")

    def byte(self) -> PackedSequence:
        return self._cast("byte")

    def _cast(self, name: str) -> PackedSequence:
        data = getattr(self.data, name)()
        return self if data is self.data else self._with(data)

    @property
    def is_cuda(self) -> bool:
        return False

    def is_pinned(self) -> bool:
        return False


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """The permutation that undoes one."""
    if permutation is None:
        return None
    places = facula.empty_like(permutation)
    return places.scatter_(0, permutation, facula.arange(permutation.numel(), device=permutation.device))


def pack_padded_sequence(
    input: Tensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Pack sequences that lie padded in one tensor, (steps, batch, ...) or with the batch first."""
    lengths = facula.as_tensor(lengths, dtype=facula.int64)
    sorted_indices = None
    if not enforce_sorted:
        lengths, sorted_indices = lengths.sort(descending=True)
        input = input.index_select(0 if batch_first else 1, sorted_indices)
    wrong = mistake("_pack_padded_sequence", (input, lengths, batch_first), {}, False)
    if wrong is not None:
        raise wrong
    data, batch_sizes = packing.pack_padded_sequence(input, lengths, batch_first)
    return PackedSequence(data, batch_sizes, sorted_indices, None)


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple[Tensor, Tensor]:
    """(padded sequences, their lengths), in the order in which they were before packing."""
    steps = sequence.batch_sizes.size(0)
    if not steps:
        raise RuntimeError("batch_sizes can not be empty")
    given = (sequence.data, sequence.batch_sizes, batch_first, padding_value, total_length or steps)
    wrong = mistake("_pad_packed_sequence", given, {}, False)
    if wrong is not None:
        raise wrong
    out, lengths = packing.pad_packed_sequence(
        sequence.data, sequence.batch_sizes, batch_first, padding_value, _checked(total_length, steps)
    )
    unsorted_indices = sequence.unsorted_indices
    if unsorted_indices is not None:
        return out.index_select(0 if batch_first else 1, unsorted_indices), lengths[unsorted_indices]
    return out, lengths


def _checked(total_length: int | None, steps: int) -> int:
    if total_length is None:
        return steps
    if total_length < steps:
        raise ValueError(
            "Expected total_length to be at least the length of the longest sequence in input, but got "
            f"total_length={total_length} and max sequence length being {steps}"
        )
    return total_length


def pad_sequence(
    sequences: Any, batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Tensor:
    """Sequences of several lengths in one tensor, filled up to the longest."""
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}"
        )
    for at, (name, kind, value) in enumerate((("batch_first", bool, batch_first), ("padding_side", str, padding_side))):
        if not isinstance(value, kind):
            where = f"'{name}' (position {2 + 2 * at})"
            raise TypeError(f"pad_sequence(): argument {where} must be {kind.__name__}, not {type_of(value)}")
    each = sequences.unbind(0) if isinstance(sequences, Tensor) else tuple(sequences)
    return packing.pad_sequence(each, batch_first, padding_value, padding_side)


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list[Tensor]:
    """The sequences of a padded tensor, each with its length."""
    if not batch_first:
        padded_sequences = padded_sequences.transpose(0, 1)
    steps = facula.arange(padded_sequences.shape[1], device=lengths.device)
    return [sequence[steps < n] for sequence, n in zip(padded_sequences, lengths)]


def pack_sequence(sequences: list[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Pack sequences of several lengths."""
    lengths = facula.as_tensor([sequence.size(0) for sequence in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, False, enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """The sequences that were packed."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
