"""Masked tensors out of data and masks."""

from __future__ import annotations

from typing import Any

from .core import MaskedTensor, joined, warn_of_prototype

__all__ = ["as_masked_tensor", "masked_tensor"]


def masked_tensor(data: Any, mask: Any, requires_grad: bool = False) -> MaskedTensor:
    """A new leaf with a copy of the data, and True in the mask where it counts."""
    return MaskedTensor(data, mask, requires_grad)


def as_masked_tensor(data: Any, mask: Any) -> MaskedTensor:
    """The data under a mask, with its history: gradients reach it, as masked tensors."""
    made = joined(data, mask)
    warn_of_prototype(data)
    return made
