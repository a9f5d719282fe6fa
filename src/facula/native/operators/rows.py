"""softmax and log_softmax over the last dimension, and their gradients; sums."""

from __future__ import annotations

from typing import Any

from ..kernels import rows as kernels
from ..kernels.rows import sum_all, sum_columns, sum_rows

__all__ = [
    "log_softmax", "log_softmax_backward", "softmax", "softmax_backward", "sum_all", "sum_columns", "sum_rows",
]  # fmt: skip


def softmax(input: Any, dim: int) -> Any:
    return kernels.softmax(input) if dim in (-1, input.ndim - 1) else None


def log_softmax(input: Any, dim: int) -> Any:
    return kernels.log_softmax(input) if dim in (-1, input.ndim - 1) else None


def softmax_backward(input: Any, output: Any, dim: int) -> Any:
    return kernels.softmax_backward(input, output) if dim in (-1, output.ndim - 1) else None


def log_softmax_backward(input: Any, output: Any, dim: int) -> Any:
    return kernels.log_softmax_backward(input, output) if dim in (-1, output.ndim - 1) else None
