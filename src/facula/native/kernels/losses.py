"""Cross entropy and the negative log likelihood of classes, for rows of logits or log probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..library import kernel

_cross_entropy = kernel("cross_entropy", "fiFwWnnn", 1.0)
_cross_entropy_backward = kernel("cross_entropy_backward", "fiFwnnns", 1.0)
_nll = kernel("nll", "fiFwnnn", 0.02)
_nll_backward = kernel("nll_backward", "iFwnnns", 0.2)

NO_CLASS = -100


def _fits(x: Any, target: Any, weight: Any) -> bool:
    fits = x.ndim == 2 and target.shape == x.shape[:1] and x.shape[1] > 0
    return fits and (weight is None or weight.shape == x.shape[1:])


def cross_entropy(
    x: Any, target: Any, weight: Any = None, ignore_index: int = NO_CLASS, keep: bool = True
) -> tuple[Any, Any] | None:
    """((the sum of losses, the sum of weights) as an array; softmax, if it is kept for the backward pass)."""
    if not _fits(x, target, weight):
        return None
    out, shares = np.empty(2, x.dtype), np.empty(x.shape, x.dtype) if keep else None
    return (out, shares) if _cross_entropy(x, target, weight, out, shares, *x.shape, ignore_index) else None


def cross_entropy_backward(
    shares: Any, target: Any, scale: float, weight: Any = None, ignore_index: int = NO_CLASS
) -> Any:
    """The gradient of the logits, each row multiplied by ``scale``: by g / total weight, for the mean."""
    out = np.empty(shares.shape, shares.dtype)
    if not _fits(shares, target, weight):
        return None
    return out if _cross_entropy_backward(shares, target, weight, out, *out.shape, ignore_index, scale) else None


def nll(x: Any, target: Any, weight: Any = None, ignore_index: int = NO_CLASS) -> Any:
    """(the sum of losses, the sum of weights), as an array."""
    out = np.empty(2, x.dtype)
    if not _fits(x, target, weight) or not _nll(x, target, weight, out, *x.shape, ignore_index):
        return None
    return out


def nll_backward(
    shape: tuple[int, int], dtype: Any, target: Any, scale: float, weight: Any = None, ignore_index: int = NO_CLASS
) -> Any:
    out = np.empty(shape, dtype)
    if not _fits(out, target, weight):
        return None
    return out if _nll_backward(target, weight, out, *shape, ignore_index, scale) else None
