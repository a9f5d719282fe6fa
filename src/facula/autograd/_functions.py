"""``torch.autograd._functions``: what is left of PyTorch's old functions."""

from __future__ import annotations

from typing import Any

from .function import Function

__all__ = ["Resize"]


class Resize(Function):
    """A tensor in another size of as many elements."""

    @staticmethod
    def forward(ctx: Any, tensor: Any, sizes: Any) -> Any:
        if tensor.numel() != _product(sizes):
            raise RuntimeError(
                f"requested resize to {'x'.join(map(str, sizes))} ({_product(sizes)} elements in total), but the given "
                f"tensor has a size of {'x'.join(map(str, tensor.size()))} ({tensor.numel()} elements). autograd's "
                "resize can only change the shape of a given tensor, while preserving the number of elements. "
            )
        ctx.input_sizes = tensor.size()
        return tensor.contiguous().view(*sizes).clone()

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return grad_output.contiguous().view(ctx.input_sizes), None


def _product(sizes: Any) -> int:
    total = 1
    for n in sizes:
        total *= n
    return total
