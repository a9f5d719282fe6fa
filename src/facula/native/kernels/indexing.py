"""Adding to places that an index names, in place: True if it was done."""

from __future__ import annotations

import math
from typing import Any

from ..library import kernel

_index_add = kernel("index_add", "wifnnnnns", 0.5)
_scatter_add = kernel("scatter_add", "wifnnnn", 1.5)


def index_add_(out: Any, dim: int, index: Any, source: Any, alpha: float = 1.0, allow_negative: bool = False) -> bool:
    """``out[..., index[i], ...] += alpha * source[..., i, ...]``."""
    if not out.ndim or out.ndim != source.ndim or index.ndim != 1:
        return False
    dim %= out.ndim
    places, count = out.shape[dim], source.shape[dim]
    if index.size != count or out.shape[:dim] != source.shape[:dim] or out.shape[dim + 1 :] != source.shape[dim + 1 :]:
        return False
    outer, inner = math.prod(out.shape[:dim]), math.prod(out.shape[dim + 1 :])
    lowest = -places if allow_negative else 0
    return _index_add(out, index, source, outer, places, count, inner, lowest, alpha)


def scatter_add_(out: Any, dim: int, index: Any, source: Any) -> bool:
    """``out[..., index[..., i, ...], ...] += source[..., i, ...]``."""
    if not out.ndim or index.shape != source.shape or out.ndim != index.ndim:
        return False
    dim %= out.ndim
    if out.shape[:dim] != index.shape[:dim] or out.shape[dim + 1 :] != index.shape[dim + 1 :]:
        return False
    outer, inner = math.prod(out.shape[:dim]), math.prod(out.shape[dim + 1 :])
    return _scatter_add(out, index, source, outer, out.shape[dim], index.shape[dim], inner)
