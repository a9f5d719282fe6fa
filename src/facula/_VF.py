"""``torch._VF``: operators in their raw forms, without PyTorch's Python around them."""

from __future__ import annotations

from typing import Any

from . import _C
from ._tensor import Tensor

__all__: list[str] = []


def unique_dim(
    input: Tensor, dim: int, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False
) -> tuple[Any, ...]:
    """Always all three: what differs, which of them each slice is, and how often each is there."""
    from .ops.reductions.counting import unique  # loaded when first used

    values, inverse, counts = unique(input, sorted, True, True, dim)
    return values, inverse, counts


def _add_relu(input: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
    """The sum where it is positive, else 0."""
    return input.add(other, alpha=alpha).relu_()


def _add_relu_(input: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
    """The same, written into ``input``."""
    return input.add_(other, alpha=alpha).relu_()


def __getattr__(name: str) -> Any:
    return getattr(_C._VariableFunctions, name)
