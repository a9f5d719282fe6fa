"""Functions of each element, and their gradients: those that take attributes, beside what ``kernels`` has."""

from __future__ import annotations

from typing import Any

from ..kernels import elementwise as kernels
from ..kernels.elementwise import (
    exp,
    log,
    relu,
    sigmoid,
    sigmoid_backward,
    silu,
    silu_backward,
    tanh,
    tanh_backward,
)

__all__ = [
    "dropout", "exp", "gelu", "gelu_and_derivative", "gelu_backward", "log", "relu", "sigmoid", "sigmoid_backward",
    "silu", "silu_backward", "tanh", "tanh_backward", "threshold_backward",
]  # fmt: skip


def gelu(input: Any, approximate: str) -> Any:
    return (kernels.gelu if approximate == "none" else kernels.gelu_tanh)(input)


def gelu_backward(input: Any, other: Any, approximate: str) -> Any:
    return (kernels.gelu_backward if approximate == "none" else kernels.gelu_tanh_backward)(input, other)


def gelu_and_derivative(input: Any, approximate: str) -> Any:
    return kernels.gelu_and_derivative(input)


def threshold_backward(input: Any, other: Any, threshold: float) -> Any:
    return None if threshold else kernels.relu_backward(input, other)


def dropout(input: Any, mask: Any, scale: float) -> Any:
    return kernels.scale_masked(input, mask, scale)
