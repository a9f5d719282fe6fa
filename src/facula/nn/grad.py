"""The gradients of convolutions as functions."""

from __future__ import annotations

from typing import Any

from .._tensor import Tensor
from ..autograd import grad
from ..autograd.grad_mode import enable_grad
from . import functional as F


def _of_input(
    n: int, input_size: Any, weight: Tensor, grad_output: Tensor, stride: Any, padding: Any, dilation: Any, groups: int
) -> Tensor:
    with enable_grad():
        input = grad_output.new_zeros(tuple(input_size)).requires_grad_()
        output = getattr(F, f"conv{n}d")(input, weight.detach(), None, stride, padding, dilation, groups)
    found: Tensor = grad(output, input, grad_output)[0]
    return found


def _of_weight(
    n: int, input: Tensor, weight_size: Any, grad_output: Tensor, stride: Any, padding: Any, dilation: Any, groups: int
) -> Tensor:
    with enable_grad():
        weight = grad_output.new_zeros(tuple(weight_size)).requires_grad_()
        output = getattr(F, f"conv{n}d")(input.detach(), weight, None, stride, padding, dilation, groups)
    found: Tensor = grad(output, weight, grad_output)[0]
    return found


def conv1d_input(
    input_size: Any, weight: Tensor, grad_output: Tensor, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1,
) -> Tensor:  # fmt: skip
    """The gradient of ``conv1d`` with respect to its input."""
    return _of_input(1, input_size, weight, grad_output, stride, padding, dilation, groups)


def conv1d_weight(
    input: Tensor, weight_size: Any, grad_output: Tensor, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1,
) -> Tensor:  # fmt: skip
    """The gradient of ``conv1d`` with respect to its weight."""
    return _of_weight(1, input, weight_size, grad_output, stride, padding, dilation, groups)


def conv2d_input(
    input_size: Any, weight: Tensor, grad_output: Tensor, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1,
) -> Tensor:  # fmt: skip
    """The gradient of ``conv2d`` with respect to its input."""
    return _of_input(2, input_size, weight, grad_output, stride, padding, dilation, groups)


def conv2d_weight(
    input: Tensor, weight_size: Any, grad_output: Tensor, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1,
) -> Tensor:  # fmt: skip
    """The gradient of ``conv2d`` with respect to its weight."""
    return _of_weight(2, input, weight_size, grad_output, stride, padding, dilation, groups)


def conv3d_input(
    input_size: Any, weight: Tensor, grad_output: Tensor, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1,
) -> Tensor:  # fmt: skip
    """The gradient of ``conv3d`` with respect to its input."""
    return _of_input(3, input_size, weight, grad_output, stride, padding, dilation, groups)


def conv3d_weight(
    input: Tensor, weight_size: Any, grad_output: Tensor, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1,
) -> Tensor:  # fmt: skip
    """The gradient of ``conv3d`` with respect to its weight."""
    return _of_weight(3, input, weight_size, grad_output, stride, padding, dilation, groups)
