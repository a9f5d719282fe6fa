"""Writing diagonals, and the matrix of a vector's powers."""

from __future__ import annotations

from typing import Any

from ..._core import dtypes
from ..._core.strides import element_strides
from ..._tensor import Tensor
from ..machine.public import public


@public("fill_diagonal_", "fill_diagonal_")
def fill_diagonal_(input: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    """Set the main diagonal; with ``wrap`` that of a tall matrix begins anew after each block."""
    shape = input._array.shape
    if len(shape) < 2:
        raise RuntimeError("dimensions must larger than 1")
    if len(shape) > 2 and any(n != shape[0] for n in shape):
        raise RuntimeError("all dimensions of input must be of equal length")
    strides = element_strides(input._array)
    offset = input.storage_offset()
    step = (sum(strides),)
    length = min(shape)
    input.as_strided((length,), step, offset).fill_(fill_value)
    rows, columns = shape[:2]
    if wrap and len(shape) == 2 and rows > columns + 1:
        period = columns + 1
        left = -(-rows * columns // period) - length
        input.as_strided((left,), step, offset + strides[0] * period).fill_(fill_value)
    return input


@public("vander")
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """A matrix whose columns are the powers of a vector."""
    if x._array.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    columns = x._array.shape[0] if N is None else N
    if columns < 0:
        raise RuntimeError("N must be non-negative.")
    dtype = dtypes.int64 if x.dtype.category <= dtypes.INT else x.dtype
    powers = x.new_ones(x._array.shape[0], columns, dtype=dtype)
    if columns > 1:
        rest = powers.narrow(1, 1, columns - 1)
        rest.copy_(x.unsqueeze(-1))
        rest.copy_(rest.cumprod(1))
    return powers if increasing else powers.flip(1)
