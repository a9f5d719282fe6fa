"""Packed sequences: the steps of sequences of several lengths, one step of all of them after the other."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import numpy as np

from ..._tensor import Tensor
from ..arrays.types import Array
from ..machine import batching
from ..machine.any_state import wrap
from ..machine.errors import type_of
from ..machine.primitive import primitive
from ..machine.public import public
from ..machine.refusals import scalar_type

# ---- the rows that sequences have, out of an array that has all


def _rows(batch_sizes: tuple[int, ...], steps: int) -> tuple[Any, Any]:
    """(step, sequence) of each row; steps beyond those there are have none."""
    sizes = batch_sizes[:steps]
    step = np.repeat(np.arange(len(sizes)), sizes)
    return step, np.concatenate([np.arange(n) for n in sizes])


@primitive("PackPaddedSequenceBackward0", name="pack_rows", batch=batching.item_by_item, kind="linear")
def pack_rows_op(input: Array, batch_sizes: tuple[int, ...], batch_first: bool) -> Any:
    array = input.swapaxes(0, 1) if batch_first else input
    return array[_rows(batch_sizes, array.shape[0])]


@primitive("PackPaddedSequenceBackwardBackward0", name="unpack_rows", batch=batching.item_by_item, kind="linear")
def unpack_rows_op(input: Array, batch_sizes: tuple[int, ...], batch_first: bool, shape: tuple[int, ...]) -> Any:
    """The adjoint: rows at their places, zeros elsewhere."""
    found = np.zeros(shape, input.dtype)
    array = found.swapaxes(0, 1) if batch_first else found
    array[_rows(batch_sizes, array.shape[0])] = input
    return found


pack_rows_op.vjp(
    input=lambda g, batch_sizes, batch_first, input_shape, xp: xp.unpack_rows(g, batch_sizes, batch_first, input_shape)
)
unpack_rows_op.vjp(input=lambda g, batch_sizes, batch_first, xp: xp.pack_rows(g, batch_sizes, batch_first))


@public("_pack_padded_sequence")
def pack_padded_sequence(input: Tensor, lengths: Tensor, batch_first: bool) -> tuple[Tensor, Tensor]:
    """(rows of all steps, number of sequences in each step), for lengths in decreasing order."""
    if not input.numel():
        raise RuntimeError("Cannot pack empty tensors.")
    if lengths.dim() != 1 or lengths.dtype.numpy != np.int64:
        raise RuntimeError(
            f"'lengths' argument should be a 1D CPU int64 tensor, but got {lengths.dim()}D {lengths.device} "
            f"{scalar_type(lengths)} tensor"
        )
    batch = input.size(0 if batch_first else 1)
    n = lengths._array
    if len(n) != batch:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(n)} (batch_size={batch})"
        )
    if n[-1] <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    if (n[1:] > n[:-1]).any():
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you "
            "do not need ONNX exportability."
        )
    sizes = (n[:, None] > np.arange(n[0])).sum(0)
    return pack_rows_op(input, tuple(sizes.tolist()), batch_first), wrap(sizes)


@public("_pad_packed_sequence")
def pad_packed_sequence(
    data: Tensor, batch_sizes: Tensor, batch_first: bool, padding_value: float, total_length: int = -1
) -> tuple[Tensor, Tensor]:
    """(a tensor with padding, the lengths of sequences)."""
    sizes = batch_sizes.tolist()
    steps = len(sizes)
    if not steps:
        raise RuntimeError("batch_sizes can not be empty")
    if total_length > 0:
        steps = total_length
    rest = tuple(data.shape[1:])
    out = data.new_full((steps, sizes[0], *rest), padding_value)
    step = row = 0
    for n, same in groupby(sizes):
        count = len(list(same))
        part = data[row : row + count * n].view(count, n, *rest)
        out.narrow(0, step, count).narrow(1, 0, n).copy_(part)
        step, row = step + count, row + count * n
    lengths = (np.asarray(sizes)[:, None] > np.arange(sizes[0])).sum(0)
    return (out.transpose(0, 1) if batch_first else out), wrap(lengths)


# ---- padding


def pad_sequence(sequences: Any, batch_first: bool, padding_value: float, padding_side: str) -> Tensor:
    """Sequences of several lengths side by side, filled up to the longest."""
    for i, t in enumerate(sequences):
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type_of(t)}")
    if not sequences:
        raise RuntimeError("received an empty list of sequences")
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    first = sequences[0]
    if not first.dim():
        raise RuntimeError("ArrayRef: invalid slice, N = 1; size = 0")
    longest, n = max(len(s) for s in sequences), len(sequences)
    shape = (n, longest) if batch_first else (longest, n)
    out: Tensor = first.new_full((*shape, *first.shape[1:]), padding_value)
    for i, s in enumerate(sequences):
        start = longest - len(s) if padding_side == "left" else 0
        out.select(0 if batch_first else 1, i).narrow(0, start, len(s)).copy_(s)
    return out
