"""Scaled dot-product attention: a fused kernel, and the same of other operators where PyTorch has no fused one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core import dtypes, state
from ..._core.dtypes import cpp_name, widened
from ..._tensor import Tensor
from ..activations.dropout import dropped
from ..arrays.attention import attend, attention_gradients, exponentials
from ..arrays.meta import by_zeros
from ..arrays.types import Array
from ..machine import batching
from ..machine.any_state import wrap
from ..machine.autocast import is_on, lowered
from ..machine.namespaces import TENSORS
from ..machine.primitive import primitive
from ..machine.public import FUNCTIONALS, public
from ..pointwise.with_numbers import mul_number_op

# ---- softmax of rows that may be masked as a whole


@primitive("SafeSoftmaxBackward0", name="safe_softmax", batch=batching.moved_dimensions)
@by_zeros
def safe_softmax_op(input: Array, dim: int) -> Any:
    """Softmax over the last dimension."""
    if not input.size:
        return input.copy()
    shares, sums, _ = exponentials(widened(input).copy())
    shares /= np.where(sums == 0, sums.dtype.type(1), sums)
    return shares.astype(input.dtype, copy=False)


@safe_softmax_op.vjp("input")
def safe_softmax_gradient_of_input(g: Any, out: Any, dim: int, xp: Any) -> Any:
    return xp.softmax_backward_data(g, out, dim)


# ---- the kernel


def _repeated(x: Any, heads: int) -> Any:
    """Heads of keys or values, each as often as queries share it."""
    return x if x.shape[1] == heads else np.repeat(x, heads // x.shape[1], axis=1)


@primitive(
    "ScaledDotProductFlashAttentionForCpuBackward0", name="flash_attention", outputs=3, differentiable_outputs="first",
    saved_names={"out0": "output", "out1": "logsumexp", "out2": ""}, native=("attention:attention", 1024),
    lowering="library",
)  # fmt: skip
@by_zeros
def flash_attention_op(
    query: Array, key: Array, value: Array, attn_mask: Array | None, dropout_p: float, is_causal: bool,
    scale: float | None, keep: bool,
) -> tuple[Array, ...]:  # fmt: skip
    """(output, logarithms of the sums of exponentials, shares kept for the backward pass or nothing)."""
    q = widened(query)
    k, v = (_repeated(widened(x), q.shape[1]) for x in (key, value))
    out, logs, kept = attend(q, k, v, attn_mask, is_causal, scale, keep)
    return out.astype(query.dtype, copy=False), logs, kept


@primitive(
    name="flash_attention_backward", outputs=3, native=("attention:attention_backward", 1024), lowering="library"
)
@by_zeros
def flash_attention_backward_op(
    grad_out: Array, query: Array, key: Array, value: Array, attn_mask: Array | None, out: Array, logsumexp: Array,
    shares: Array, dropout_p: float, is_causal: bool, scale: float | None, needs: tuple[bool, ...],
) -> list[Array | None]:  # fmt: skip
    q = widened(query)
    k, v = (_repeated(widened(x), q.shape[1]) for x in (key, value))
    found = attention_gradients(
        widened(grad_out), needs, (q, k, v), attn_mask, is_causal, scale, widened(out), logsumexp, shares
    )
    return [
        None if x is None else _gathered(x, like.shape).astype(like.dtype, copy=False)
        for x, like in zip(found, (query, key, value))
    ]


flash_attention_op.gradient(
    flash_attention_backward_op, "query", "key", "value", out="out0", logsumexp="out1", shares="out2"
)


def _gathered(x: Any, shape: tuple[int, ...]) -> Any:
    """The gradients of heads that several queries shared, added up."""
    if x.shape == shape:
        return x
    return x.reshape(*shape[:2], -1, *shape[2:]).sum(2)


# ---- the same by other primitives, for higher derivatives


def _spread_heads(x: Any, heads: int) -> Any:
    batch, own, *rest = x.shape
    if own == heads:
        return x
    wide = TENSORS.expand(TENSORS.view(x, (batch, own, 1, *rest)), (batch, own, heads // own, *rest))
    return TENSORS.reshape(wide, (batch, heads, *rest))


def _gather_heads(x: Any, own: int) -> Any:
    batch, heads, *rest = x.shape
    if own == heads:
        return x
    return TENSORS.sum_dim(TENSORS.reshape(x, (batch, own, heads // own, *rest)), (2,), False)


@flash_attention_backward_op.compose
def flash_attention_gradients(
    grad_out: Any, query: Any, key: Any, value: Any, attn_mask: Any, out: Any, logsumexp: Any, shares: Any,
    dropout_p: float, is_causal: bool, scale: float | None, needs: Any,
) -> list[Any]:  # fmt: skip
    xp, own = TENSORS, key.shape[1]
    length, width = query.shape[2:]
    factor = 1 / math.sqrt(width) if scale is None else scale
    key, value = (_spread_heads(x, query.shape[1]) for x in (key, value))
    scores = xp.matmul(query, xp.transpose(key, 2, 3)) * factor
    if attn_mask is not None:
        scores = scores + attn_mask
    if is_causal:
        causal = np.where(np.tri(length, key.shape[2], dtype=bool), 0, -np.inf)
        scores = scores + wrap(causal.astype(query._array.dtype))
    shares = xp.safe_softmax(scores, -1)
    to_query, to_key, to_value = needs
    by_query = by_key = by_value = None
    if to_query or to_key:
        by_scores = xp.matmul(grad_out, xp.transpose(value, 2, 3)) * shares
        by_scores = by_scores - shares * xp.sum_dim(by_scores, (3,), True)
        by_query = xp.matmul(by_scores, key) * factor if to_query else None
        if to_key:
            by_key = _gather_heads(xp.matmul(xp.transpose(by_scores, 2, 3), query) * factor, own)
    if to_value:
        by_value = _gather_heads(xp.matmul(xp.transpose(shares, 2, 3), grad_out), own)
    return [by_query, by_key, by_value]


@flash_attention_op.batch
def flash_attention_batched(call: batching.Call) -> Any:
    q, k, v = (batching.joined(call.full(i)) for i in range(3))
    mask = call.values[3]
    if mask is not None and call.flags[3]:
        samples = call.shape(0)[0]
        mask = batching.padded(mask, 4)
        mask = batching.joined(mask.expand(call.size, samples, *mask.shape[2:]))
    elif mask is not None and mask.dim() == 4 and mask.shape[0] > 1:
        mask = batching.joined(mask.unsqueeze(0).expand(call.size, *mask.shape))
    return [batching.parted(r, call.size) for r in call.run([q, k, v, mask])]


# ---- arguments


def _check(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None) -> None:
    q, k, v = (t.dtype for t in (query, key, value))
    if not q is k is v:
        raise RuntimeError(
            "Expected query, key, and value to have the same dtype, but got query.dtype: "
            f"{cpp_name(q)} key.dtype: {cpp_name(k)} and value.dtype: {cpp_name(v)} instead."
        )
    if min(query.dim(), key.dim(), value.dim()) < 2:
        raise RuntimeError(
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
            f"{query.dim()} key.dim: {key.dim()} and value.dim: {value.dim()} instead."
        )
    if attn_mask is not None and attn_mask.dtype not in (dtypes.ALIASES["bool"], q, dtypes.float32):
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
            f"{cpp_name(attn_mask.dtype)} and  query.dtype: {cpp_name(q)} instead."
        )


def _is_fusable(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None, dropout_p: float, enable_gqa: bool
) -> bool:
    q, k, v = query._array, key._array, value._array
    if dropout_p > 0 or not q.ndim == k.ndim == v.ndim == 4 or q.dtype.kind not in "fV":
        return False
    if not q.size or not k.size or not v.size or k.shape != v.shape or q.shape[-1] != k.shape[-1]:
        return False
    if q.shape[0] != k.shape[0] or (q.shape[1] != k.shape[1] and not (enable_gqa and q.shape[1] % k.shape[1] == 0)):
        return False
    if any(x.strides[-1] != x.itemsize and x.shape[-1] > 1 for x in (q, k, v)):
        return False
    if attn_mask is None:
        return True
    return attn_mask.dim() in (2, 4) and not (attn_mask.requires_grad and state.grad_enabled())


def _as_numbers(attn_mask: Tensor, dtype: Any) -> Tensor:
    """A mask that is added: 0 for True, -inf for False."""
    if attn_mask._array.dtype != np.bool_:
        return attn_mask
    numbers = np.zeros(attn_mask._array.shape, dtype.numpy)
    numbers[~attn_mask._array] = -np.inf
    return wrap(numbers)


@public("", name="scaled_dot_product_attention", autocast="low", looks_first=True)
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, dropout_p: float = 0.0,
    is_causal: bool = False, *, scale: float | None = None, enable_gqa: bool = False,
) -> Tensor:  # fmt: skip
    """``softmax(query @ key.T * scale + mask) @ value``, with a scale of 1 / sqrt(width) unless given."""
    if is_on():
        query, key, value, attn_mask = lowered(query, key, value, attn_mask)
    _check(query, key, value, attn_mask)
    shape = (*query._array.shape[:-1], value._array.shape[-1])
    if 0 in shape or not key._array.shape[-2]:
        empty: Tensor = query.new_zeros(shape) + mul_number_op(query.sum() + key.sum() + value.sum(), 0)
        return empty
    if attn_mask is not None:
        attn_mask = _as_numbers(attn_mask, query.dtype)
    if _is_fusable(query, key, value, attn_mask, dropout_p, enable_gqa):
        keep = state.grad_enabled() and (query.requires_grad or key.requires_grad or value.requires_grad)
        found: Tensor = flash_attention_op(query, key, value, attn_mask, dropout_p, is_causal, scale, keep)[0]
        return found
    return _composed(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa)


def _causal(rows: int, columns: int, dtype: dtypes.dtype) -> Tensor:
    """The mask of what each place may look at: itself and what is before it."""
    return _as_numbers(wrap(np.tri(rows, columns, dtype=bool)), dtype)


def _composed(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None, dropout_p: float, is_causal: bool,
    scale: float | None, enable_gqa: bool,
) -> Tensor:  # fmt: skip
    dtype = query.dtype
    if dtypes.is_half(query._array.dtype):
        query, key, value = (t.to(dtypes.float32) for t in (query, key, value))
    if is_causal:
        if attn_mask is not None:
            raise RuntimeError(
                "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True"
            )
        given = query._array.shape[-2], key._array.shape[-2], query.dtype
        capture = state.modes.capture if state.special else None
        attn_mask = _causal(*given) if capture is None else capture.function(_causal, given, {}, True)
    if enable_gqa:
        key, value = (_with_heads_of(query, t) for t in (key, value))
    width = query._array.shape[-1]
    factor = math.sqrt((1 / math.sqrt(width) if width else 0.0) if scale is None else abs(scale))
    left = mul_number_op(query, factor if scale is None or scale >= 0 else -factor)
    scores = left.matmul(mul_number_op(key.transpose(-2, -1), factor))
    if attn_mask is not None:
        scores = scores + attn_mask
    shares: Any = safe_softmax_op(scores, -1)
    if dropout_p > 0:
        shares = dropped(shares, dropout_p, True, False)
    found: Tensor = shares.matmul(value)
    return found.to(dtype)


def _with_heads_of(query: Tensor, x: Tensor) -> Tensor:
    heads, own = query._array.shape[-3], x._array.shape[-3]
    if heads == own:
        return x
    if heads % own:
        raise RuntimeError("Number of heads in key and value must divide the number of heads in ")
    return x.repeat_interleave(heads // own, dim=-3)


FUNCTIONALS["scaled_dot_product_attention"] = scaled_dot_product_attention.public  # type: ignore[attr-defined]
