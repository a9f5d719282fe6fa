"""The gradients of convolutions as functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._tensor import Tensor
from ..autograd import grad
from ..autograd.grad_mode import enable_grad
from . import functional as F


def _gradients_of_convolution(n: int) -> tuple[Callable[..., Tensor], Callable[..., Tensor]]:
    """``conv<n>d_input`` and ``conv<n>d_weight``."""
    convolve = getattr(F, f"conv{n}d")

    def of_input(
        input_size: Any, weight: Tensor, grad_output: Tensor, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
        groups: int = 1,
    ) -> Tensor:  # fmt: skip
        with enable_grad():
            input = grad_output.new_zeros(tuple(input_size)).requires_grad_()
            output = convolve(input, weight.detach(), None, stride, padding, dilation, groups)
        found: Tensor = grad(output, input, grad_output)[0]
        return found

    def of_weight(
        input: Tensor, weight_size: Any, grad_output: Tensor, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
        groups: int = 1,
    ) -> Tensor:  # fmt: skip
        with enable_grad():
            weight = grad_output.new_zeros(tuple(weight_size)).requires_grad_()
            output = convolve(input.detach(), weight, None, stride, padding, dilation, groups)
        found: Tensor = grad(output, weight, grad_output)[0]
        return found

    for fn, what in ((of_input, "input"), (of_weight, "weight")):
        fn.__name__ = fn.__qualname__ = f"conv{n}d_{what}"
        fn.__doc__ = f"The gradient of ``conv{n}d`` with respect to its {what}."
    return of_input, of_weight


conv1d_input, conv1d_weight = _gradients_of_convolution(1)
conv2d_input, conv2d_weight = _gradients_of_convolution(2)
conv3d_input, conv3d_weight = _gradients_of_convolution(3)
