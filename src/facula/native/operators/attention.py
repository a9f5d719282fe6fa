"""Attention, and its gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels import products as kernels


def attention(
    query: Any, key: Any, value: Any, attn_mask: Any, dropout_p: float, is_causal: bool, scale: float | None, keep: bool
) -> Any:
    """Shares are not kept: computing them again takes less time than reading them."""
    found = kernels.attention(query, key, value, attn_mask, is_causal, scale)
    return None if found is None else (*found, np.empty((len(query), 0), query.dtype))


def attention_backward(
    grad_out: Any, query: Any, key: Any, value: Any, attn_mask: Any, out: Any, logsumexp: Any, shares: Any,
    dropout_p: float, is_causal: bool, scale: float | None, needs: tuple[bool, ...],
) -> Any:  # fmt: skip
    if shares.size:
        return None
    up = grad_out if grad_out.strides[-1] == grad_out.itemsize else np.ascontiguousarray(grad_out)
    found = kernels.attention_backward(up, query, key, value, out, logsumexp, attn_mask, is_causal, scale)
    return None if found is None else [x if need else None for x, need in zip(found, needs)]
