"""Causal masks for queries and keys of different lengths."""

from __future__ import annotations

from enum import IntEnum, auto
from typing import Any

import facula

from ..._tensor import Tensor

__all__ = ["CausalBias", "CausalVariant", "causal_lower_right", "causal_upper_left"]


class CausalVariant(IntEnum):
    """Which corner the diagonal of a causal mask goes through."""

    UPPER_LEFT = auto()
    LOWER_RIGHT = auto()


class CausalBias(Tensor):
    """A causal mask for ``scaled_dot_product_attention``: a tensor of bools that knows how it was made."""

    variant: CausalVariant
    seq_len_q: int
    seq_len_kv: int

    def __new__(cls, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> CausalBias:
        if not isinstance(variant, CausalVariant):
            raise AssertionError("variant must be a CausalVariant")
        offset = seq_len_kv - seq_len_q if variant is CausalVariant.LOWER_RIGHT else 0
        mask = facula.ones(seq_len_q, seq_len_kv, dtype=facula.bool).tril(diagonal=offset)
        found: CausalBias = mask.as_subclass(cls)
        found.variant, found.seq_len_q, found.seq_len_kv = variant, seq_len_q, seq_len_kv
        return found

    def _materialize(self, device: Any = None) -> Tensor:
        return self.as_subclass(Tensor)

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        return repr(self._materialize())


def causal_upper_left(*size: int) -> CausalBias:
    """Query i sees keys up to i."""
    return _made(CausalVariant.UPPER_LEFT, size)


def causal_lower_right(*size: int) -> CausalBias:
    """The last query sees all keys, each one before it one key less."""
    return _made(CausalVariant.LOWER_RIGHT, size)


def _made(variant: CausalVariant, size: tuple[int, ...]) -> CausalBias:
    if len(size) != 2:
        raise AssertionError("causal_upper_left only supports 2D tensors")
    return CausalBias(variant, *size)
