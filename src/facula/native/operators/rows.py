"""softmax and log_softmax over the last dimension, and their gradients."""

from __future__ import annotations

from typing import Any

from ..kernels import rows as kernels


def softmax(input: Any, dim: int) -> Any:
    return kernels.softmax(input) if dim in (-1, input.ndim - 1) else None


def log_softmax(input: Any, dim: int) -> Any:
    return kernels.log_softmax(input) if dim in (-1, input.ndim - 1) else None


def softmax_backward(input: Any, output: Any, dim: int) -> Any:
    return kernels.softmax_backward(input, output) if dim in (-1, output.ndim - 1) else None


def log_softmax_backward(input: Any, output: Any, dim: int) -> Any:
    return kernels.log_softmax_backward(input, output) if dim in (-1, output.ndim - 1) else None
