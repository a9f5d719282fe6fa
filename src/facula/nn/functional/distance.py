"""Lengths and angles."""

from __future__ import annotations

from typing import Any

import facula

from ..._tensor import Tensor
from ...ops.losses import distance as _ops

cosine_similarity: Any = _ops.cosine_similarity.public  # type: ignore[attr-defined]
pairwise_distance: Any = _ops.pairwise_distance.public  # type: ignore[attr-defined]


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Tensor | None = None) -> Tensor:
    """``input`` divided by its norm along ``dim``."""
    length = input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)
    if out is None:
        return input / length
    result: Tensor = facula.div(input, length, out=out)
    return result
