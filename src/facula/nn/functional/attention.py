"""Multi-head attention."""

from __future__ import annotations

import math
from typing import Any

import facula

from ..._tensor import Tensor
from ...autograd.graph import warn_user
from ...ops.networks.attention import scaled_dot_product_attention as _attention
from ...ops.products.linear import linear
from . import pad
from .activation import dropout, softmax


def multi_head_attention_forward(
    query: Tensor, key: Tensor, value: Tensor, embed_dim_to_check: int, num_heads: int, in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None, bias_k: Tensor | None, bias_v: Tensor | None, add_zero_attn: bool, dropout_p: float,
    out_proj_weight: Tensor, out_proj_bias: Tensor | None, training: bool = True,
    key_padding_mask: Tensor | None = None, need_weights: bool = True, attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False, q_proj_weight: Tensor | None = None, k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None, static_k: Tensor | None = None, static_v: Tensor | None = None,
    average_attn_weights: bool = True, is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:  # fmt: skip
    """Attention of several heads, each on its own projection of queries, keys and values: (length, batch, width).

    Returns the joined and projected outputs and, if wanted, the weights.
    """
    batched = _mha_shape_check(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not batched:
        same = key is query, value is key
        query = query.unsqueeze(1)
        key = query if same[0] else key.unsqueeze(1)
        value = key if same[1] else value.unsqueeze(1)
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)
    length, batch, width = query.shape
    key_padding_mask = _canonical_mask(
        key_padding_mask, "key_padding_mask", _none_or_dtype(attn_mask), "attn_mask", query.dtype
    )
    if is_causal and attn_mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
            "`generate_square_subsequent_mask` to create this mask."
        )
    if is_causal and key_padding_mask is None and not need_weights:
        attn_mask = None
    else:
        attn_mask = _canonical_mask(attn_mask, "attn_mask", None, "", query.dtype)
        is_causal = is_causal and key_padding_mask is None
    _check_widths(query, key, value, embed_dim_to_check, num_heads, use_separate_proj_weight)
    head = width // num_heads

    q, k, v = _projected(
        query, key, value, in_proj_weight, in_proj_bias, q_proj_weight, k_proj_weight, v_proj_weight,
        use_separate_proj_weight,
    )  # fmt: skip
    if attn_mask is not None:
        attn_mask = _checked_mask(attn_mask, length, key.shape[0], batch * num_heads)
    if bias_k is not None and bias_v is not None:
        assert static_k is None, "bias cannot be added to static key."
        assert static_v is None, "bias cannot be added to static value."
        k, v = (_cat([x, bias.repeat(1, batch, 1)], 0) for x, bias in ((k, bias_k), (v, bias_v)))
        attn_mask, key_padding_mask = _one_more(attn_mask), _one_more(key_padding_mask)
    else:
        assert bias_k is None, "bias_k is set but bias_v is None"
        assert bias_v is None, "bias_v is set but bias_k is None"

    q = q.view(length, batch * num_heads, head).transpose(0, 1)
    k = _heads(k, static_k, "static_k", batch * num_heads, head)
    v = _heads(v, static_v, "static_v", batch * num_heads, head)
    if add_zero_attn:
        shape = (batch * num_heads, 1, head)
        k, v = (_cat([x, x.new_zeros(shape)], 1) for x in (k, v))
        attn_mask, key_padding_mask = _one_more(attn_mask), _one_more(key_padding_mask)
    source = k.size(1)
    if key_padding_mask is not None:
        for i, wanted in enumerate((batch, source)):
            assert key_padding_mask.shape[i] == wanted, (
                f"Expected key_padded_mask.shape[{i}] to be {wanted}, but got {key_padding_mask.shape[i]}"
            )
        wide = key_padding_mask.view(batch, 1, 1, source).expand(-1, num_heads, -1, -1)
        wide = wide.reshape(batch * num_heads, 1, source)
        attn_mask = wide if attn_mask is None else attn_mask + wide
    p = dropout_p if training else 0.0

    if not need_weights:
        if attn_mask is not None:
            if attn_mask.size(0) == 1 and attn_mask.dim() == 3:
                attn_mask = attn_mask.unsqueeze(0)
            else:
                attn_mask = attn_mask.view(batch, num_heads, attn_mask.size(1), source)
        q = q.view(batch, num_heads, length, head)
        k, v = (x.view(batch, num_heads, source, head) for x in (k, v))
        joined: Any = _attention(q, k, v, attn_mask, p, is_causal)
        joined = joined.permute(2, 0, 1, 3).reshape(batch * length, width)
        out = linear(joined, out_proj_weight, out_proj_bias)
        out = out.view(length, batch, out.size(1))
        return (out if batched else out.squeeze(1)), None

    scaled = q * math.sqrt(1.0 / float(head))
    assert not (is_causal and attn_mask is None), "FIXME: is_causal not implemented for need_weights"
    if attn_mask is None:
        weights = scaled.bmm(k.transpose(-2, -1))
    else:
        weights = attn_mask.baddbmm(scaled, k.transpose(-2, -1))
    weights = softmax(weights, dim=-1)
    if p > 0.0:
        weights = dropout(weights, p=p)
    joined = weights.bmm(v).transpose(0, 1).reshape(length * batch, width)
    out = linear(joined, out_proj_weight, out_proj_bias)
    out = out.view(length, batch, out.size(1))
    weights = weights.view(batch, num_heads, length, source)
    if average_attn_weights:
        weights = weights.mean(dim=1)
    return (out, weights) if batched else (out.squeeze(1), weights.squeeze(0))


def _cat(tensors: list[Tensor], dim: int) -> Tensor:
    joined: Tensor = facula.cat(tensors, dim)
    return joined


def _one_more(mask: Tensor | None) -> Tensor | None:
    """A mask for one more key, which is always seen."""
    return None if mask is None else pad(mask, (0, 1))


def _heads(x: Tensor, static: Tensor | None, name: str, n: int, head: int) -> Tensor:
    if static is None:
        return x.view(x.shape[0], n, head).transpose(0, 1)
    for i, wanted in ((0, n), (2, head)):
        assert static.size(i) == wanted, f"expecting {name}.size({i}) of {wanted}, but got {static.size(i)}"
    return static


# ---- projections


def _projected(
    query: Tensor, key: Tensor, value: Tensor, weight: Tensor | None, bias: Tensor | None, q_weight: Tensor | None,
    k_weight: Tensor | None, v_weight: Tensor | None, separate: bool,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    if separate:
        for name, w in (("q", q_weight), ("k", k_weight), ("v", v_weight)):
            assert w is not None, f"use_separate_proj_weight is True but {name}_proj_weight is None"
        biases: Any = (None, None, None) if bias is None else bias.chunk(3)
        given = zip((query, key, value), (q_weight, k_weight, v_weight), biases)
        q, k, v = (linear(x, w, b) for x, w, b in given)
        return q, k, v
    assert weight is not None, "use_separate_proj_weight is False but in_proj_weight is None"
    width = query.size(-1)
    if key is not value:
        weights = weight.chunk(3)
        biases = (None, None, None) if bias is None else bias.chunk(3)
        q, k, v = (linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases))
        return q, k, v
    if query is key:
        q, k, v = _split(linear(query, weight, bias), 3)
        return q, k, v
    parts = [width, width * 2]
    w_query, w_rest = weight.split(parts)
    b_query, b_rest = (None, None) if bias is None else bias.split(parts)
    q = linear(query, w_query, b_query)
    k, v = _split(linear(key, w_rest, b_rest), 2)
    return q, k, v


def _split(x: Tensor, n: int) -> list[Tensor]:
    """Parts of the last dimension, each dense."""
    parts = x.unflatten(-1, (n, x.size(-1) // n)).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
    return [parts[i] for i in range(n)]


# ---- checks


def _mha_shape_check(
    query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Tensor | None, attn_mask: Tensor | None,
    num_heads: int,
) -> bool:  # fmt: skip
    """Whether the input is a batch; refuses what does not fit together."""
    rank = query.dim()
    assert rank in (2, 3), (
        f"query should be unbatched 2D or batched 3D tensor but received {rank}-D query tensor"
    )
    kind = "batched (3-D)" if rank == 3 else "unbatched (2-D)"
    assert key.dim() == value.dim() == rank, (
        f"For {kind} `query`, expected `key` and `value` to be {rank}-D but found {key.dim()}-D and {value.dim()}-D "
        "tensors respectively"
    )
    if key_padding_mask is not None:
        assert key_padding_mask.dim() == rank - 1, (
            f"For {kind} `query`, expected `key_padding_mask` to be `None` or {rank - 1}-D but found "
            f"{key_padding_mask.dim()}-D tensor instead"
        )
    if attn_mask is not None:
        assert attn_mask.dim() in (2, 3), (
            f"For {kind} `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found {attn_mask.dim()}-D tensor "
            "instead"
        )
        if rank == 2 and attn_mask.dim() == 3:
            expected = (num_heads, query.shape[0], key.shape[0])
            assert attn_mask.shape == expected, (
                f"Expected `attn_mask` shape to be {expected} but got {attn_mask.shape}"
            )
    return rank == 3


def _none_or_dtype(input: Tensor | None) -> Any:
    if input is None:
        return None
    if not isinstance(input, Tensor):
        raise RuntimeError("input to _none_or_dtype() must be None or torch.Tensor")
    return input.dtype


def _canonical_mask(
    mask: Tensor | None, mask_name: str, other_type: Any, other_name: str, target_type: Any, check_other: bool = True
) -> Tensor | None:
    """A mask to be added: -inf where a mask of booleans says True."""
    if mask is None:
        return None
    is_float = mask.dtype.is_floating_point
    is_bool = mask._array.dtype.kind == "b"
    assert is_float or is_bool, f"only bool and floating types of {mask_name} are supported"
    if check_other and other_type is not None and mask.dtype != other_type:
        warn_user(
            f"Support for mismatched {mask_name} and {other_name} is deprecated. Use same type for both instead.",
        )
    if is_float:
        return mask
    return mask.new_zeros(mask.shape, dtype=target_type).masked_fill_(mask, float("-inf"))


def _check_widths(
    query: Tensor, key: Tensor, value: Tensor, width: int, heads: int, separate: bool
) -> None:
    have = query.shape[-1]
    assert have == width, f"was expecting embedding dimension of {width}, but got {have}"
    assert have // heads * heads == have, f"embed_dim {have} not divisible by num_heads {heads}"
    if separate:
        assert key.shape[:2] == value.shape[:2], (
            f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}"
        )
    else:
        assert key.shape == value.shape, f"key shape {key.shape} does not match value shape {value.shape}"


def _checked_mask(mask: Tensor, length: int, source: int, n: int) -> Tensor:
    wanted = (length, source) if mask.dim() == 2 else (n, length, source)
    if tuple(mask.shape) != wanted:
        raise RuntimeError(
            f"The shape of the {mask.dim()}D attn_mask is {mask.shape}, but should be {wanted}."
        )
    return mask.unsqueeze(0) if mask.dim() == 2 else mask
