"""Attention whose scores a function changes, and whose mask is a function of places, plainly computed."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any, NamedTuple, TypedDict

import facula

from ..._tensor import Tensor
from ._block_mask import (
    DEFAULT_BLOCK_SIZE,
    BlockMask,
    and_masks,
    create_block_mask,
    create_mask,
    each_place,
    noop_mask,
    or_masks,
    ranges,
)

__all__ = [
    "AuxOutput", "AuxRequest", "BlockMask", "FlexKernelOptions", "and_masks", "create_block_mask", "create_mask",
    "flex_attention", "noop_mask", "or_masks",
]  # fmt: skip

_DEFAULT_SPARSE_BLOCK_SIZE = DEFAULT_BLOCK_SIZE
_score_mod_signature = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]
_mask_mod_signature = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]


class AuxRequest(NamedTuple):
    """What ``flex_attention`` is to return besides."""

    lse: bool = False
    max_scores: bool = False


class AuxOutput(NamedTuple):
    """What ``flex_attention`` has returned besides."""

    lse: Tensor | None = None
    max_scores: Tensor | None = None


class FlexKernelOptions(TypedDict, total=False):
    """Settings of PyTorch's kernels, without effect here."""

    num_warps: int
    num_stages: int
    BLOCK_M: int
    BLOCK_N: int
    PRESCALE_QK: bool
    ROWS_GUARANTEED_SAFE: bool
    BLOCKS_ARE_CONTIGUOUS: bool
    FORCE_USE_FLEX_ATTENTION: bool
    BACKEND: str


def _identity(score: Tensor, batch: Tensor, head: Tensor, token_q: Tensor, token_kv: Tensor) -> Tensor:
    return score


def flex_attention(
    query: Tensor, key: Tensor, value: Tensor, score_mod: _score_mod_signature | None = None,
    block_mask: BlockMask | None = None, scale: float | None = None, enable_gqa: bool = False,
    return_lse: bool = False, kernel_options: Any = None, *, return_aux: AuxRequest | None = None,
) -> Any:  # fmt: skip
    """Attention of (batch, heads, length, width), whose scores go through ``score_mod(score, b, h, q, kv)``.

    ``block_mask``: what each query sees, made by ``create_block_mask``; a query that sees nothing gets zeros. All of
    it is computed, whatever the mask, and is differentiable.
    """
    _check(query, key, value, block_mask, enable_gqa)
    if return_lse and return_aux is not None:
        raise ValueError(
            "Cannot specify both return_lse and return_aux. return_lse is deprecated, please use "
            "return_aux=AuxRequest(lse=True) instead."
        )
    batches, heads, queries, width = query.shape
    if enable_gqa and key.shape[1] != heads:
        key, value = (t.repeat_interleave(heads // t.shape[1], 1) for t in (key, value))
    wide = facula.promote_types(query.dtype, facula.float32)
    scores = (query.to(wide) @ key.to(wide).transpose(-2, -1)) * (1 / sqrt(width) if scale is None else scale)
    places = ranges(batches, heads, queries, key.shape[-2])
    if score_mod is not None:
        scores = each_place(score_mod, True)(scores, *places)
    if block_mask is not None:
        seen = each_place(block_mask.mask_mod, False)(*places)
        scores = scores.masked_fill(~seen, -float("inf"))
    lse = scores.logsumexp(-1)
    blind = facula.isneginf(lse)
    shares = facula.exp(scores - lse.masked_fill(blind, 0).unsqueeze(-1))
    out = (shares @ value.to(wide)).to(query.dtype)
    if return_aux is not None:
        largest = scores.amax(-1) if return_aux.max_scores else None
        return out, AuxOutput(lse if return_aux.lse else None, largest)
    return (out, lse) if return_lse else out


def _check(query: Tensor, key: Tensor, value: Tensor, block_mask: BlockMask | None, grouped: bool) -> None:
    if query.dim() != 4 or key.dim() != 4 or value.dim() != 4:
        raise NotImplementedError("NYI: query, key, and value must be 4D tensors")
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(
            "Expect query and key/value to have the same embedding dimension but got "
            f"E={query.shape[-1]} and E={key.shape[-1]}."
        )
    theirs, heads = query.shape[1], key.shape[1]
    if not grouped and theirs != heads:
        raise ValueError(
            f"Expect query and key/value to have the same number of heads but got Hq={theirs} and Hkv={heads}. Try "
            "setting enable_gqa=True for GQA."
        )
    if grouped and theirs % heads:
        raise ValueError(
            "Expect number of query heads to be a multiple of kv heads for GQA but got "
            f"Hq={theirs} and Hkv={heads}."
        )
    batches, others = query.shape[0], key.shape[0]
    if block_mask is None:
        if batches != others:
            raise ValueError(
                "Expect query and key/value to have the same batch size, or non-none block_mask, but got "
                f"block_mask=None, Bq={batches}, and Bkv={others}."
            )
        return
    if batches != others and block_mask.kv_num_blocks.shape[0] != batches:
        raise ValueError(
            "Expect query and key/value to have the same batch size, or block_mask and query to have the same batch "
            f"size, but got Bq={batches}, Bkv={others}, B_block_mask={block_mask.kv_num_blocks.shape[0]}."
        )
    lengths, made_for = (query.shape[-2], key.shape[-2]), block_mask.seq_lengths
    if lengths == made_for:
        return
    begin = (
        f"block_mask was created for block_mask.shape={block_mask.shape} but got q_len={lengths[0]} and "
        f"kv_len={lengths[1]}. "
    )
    if lengths[0] > made_for[0] or lengths[1] > made_for[1]:
        raise ValueError(
            begin + "As the block mask was created for a smaller length than you're using it for, you likely need to "
            "create a new block mask."
        )
    raise ValueError(
        begin + "As the block mask was created for a larger length than you're using it for, you can either 1. create "
        "a new block mask with the correct length, or 2. 'adjust' the existing block mask to the correct length by "
        "calling block_mask._adjust(q_len, kv_len). This essentially 'crops' the block mask to the upper left corner, "
        "which does not work for all mask_mods!"
    )
