"""Cross-map response normalization as PyTorch computes it, also where its windows are not the same for all channels."""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from ...autograd.function import Function, once_differentiable


class CrossMapLRN2d(Function):
    """x · (k + alpha / size · the sum of squares of neighbours)^-beta."""

    @staticmethod
    def forward(
        ctx: Any, input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1
    ) -> Tensor:
        if input.dim() != 4:
            raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.dim()}D instead.")
        reach = int((size - 1) / 2)
        squares = input.square()
        channels = input.size(1)
        sums = input.new_empty(input.shape)
        for c in range(channels):
            # PyTorch moves its window on without ever taking the first channel out
            first = max(c - reach, 0)
            sums[:, c] = squares[:, first : c + reach + 1].sum(1)
            if c > reach:
                sums[:, c] += squares[:, 0]
        ctx.scale = sums * (alpha / size) + k
        ctx.settings = size, alpha, beta
        output = input * ctx.scale.pow(-beta)
        ctx.save_for_backward(input, output)
        return output

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        input, output = ctx.saved_tensors
        size, alpha, beta = ctx.settings
        scale = ctx.scale
        before = int(size - (size - 1) / 2)
        ratio = grad_output * output / scale
        channels = input.size(1)
        grad = scale.pow(-beta) * grad_output
        for c in range(channels):
            near = ratio[:, max(c - before, 0) : max(c - before + size, 0)].sum(1)
            grad[:, c] -= 2 * alpha * beta / size * input[:, c] * near
        return grad, None, None, None, None
