"""The kernels of attention, forward and backward, in blocks of scores that stay in the cache.

A block is a part of the batch, of its heads and of the queries. Under a causal mask queries are cut to several blocks,
as early ones see few keys: what no query of a block sees is not computed.

NOTE [kept shares]: the shares that each query gives to the keys are what most of the work goes into. Where these take
little memory the forward pass keeps them; else the backward pass computes them again from the logarithms of their sums.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from .sums import add_up, maximum_reduce

_TILE = 1 << 18
"""How many scores a block has at most, unless one head has more."""

_ROWS = 32
"""How many queries a block has at least under a causal mask, and a quarter of all if that is more."""

_KEPT = 4
"""Shares are kept if there are at most so many times as many keys as numbers in each."""

_BOUND = math.exp(60)
"""If sums of exponentials lie between this and its inverse, no maximum need be taken off before ``exp``."""


class Block(NamedTuple):
    """Where the queries of a block lie and the keys that they see, and which of the kept shares are theirs."""

    queries: tuple[slice, slice, slice]
    keys: tuple[slice, slice, slice]
    shape: tuple[int, int, int, int]
    start: int
    is_first: bool
    """Whether no other block before has seen these keys."""


def _heads(batch: int, heads: int, size: int) -> Iterator[tuple[slice, slice]]:
    """Parts of a batch of heads whose scores, ``size`` for each head, fit into a tile."""
    if heads * size <= _TILE:
        step = max(_TILE // (heads * size), 1)
        for b in range(0, batch, step):
            yield slice(b, min(b + step, batch)), slice(0, heads)
        return
    step = max(_TILE // size, 1)
    for b in range(batch):
        for h in range(0, heads, step):
            yield slice(b, b + 1), slice(h, min(h + step, heads))


@lru_cache(maxsize=32)
def _blocks(batch: int, heads: int, length: int, keys: int, is_causal: bool) -> tuple[Block, ...]:
    """All blocks. Those that see all keys come first."""
    rows = max(_ROWS, -(-length // 4)) if is_causal and length == keys else length
    found: list[Block] = []
    start = 0
    for b, h in _heads(batch, heads, min(rows, length) * keys):
        for first in reversed(range(0, length, rows)):
            last = min(first + rows, length)
            seen = last if rows < length else keys
            shape = (b.stop - b.start, h.stop - h.start, last - first, seen)
            found.append(Block((b, h, slice(first, last)), (b, h, slice(0, seen)), shape, start, last == length))
            start += math.prod(shape)
    return tuple(found)


@lru_cache(maxsize=64)
def _hidden(first: int, last: int, keys: int, dtype: Any) -> Any:
    """For some queries: 0 for the keys that each sees, -inf for those that come later."""
    return np.where(np.tri(last - first, keys, first, dtype=bool), 0, -np.inf).astype(dtype)


def exponentials(scores: Any) -> tuple[Any, Any, Any]:
    """(exp of scores less their row's maximum, in place; the sums; the maxima): a row of -inf gives zeros."""
    top = maximum_reduce(scores, -1, keepdims=True)
    top = np.where(np.isneginf(top), top.dtype.type(0), top)
    scores -= top
    np.exp(scores, out=scores)
    return scores, add_up(scores, (scores.ndim - 1,), True), top


class _Scores:
    """Scaled and masked scores of blocks."""

    def __init__(self, query: Any, key: Any, mask: Any, is_causal: bool, scale: float | None) -> None:
        self.query, self.key = query, key
        batch, heads, length, width = query.shape
        keys = key.shape[2]
        self.scale = query.dtype.type(1 / math.sqrt(width) if scale is None else scale)
        self.is_causal = is_causal
        self.mask = None if mask is None else np.broadcast_to(mask, (batch, heads, length, keys))
        self.blocks = _blocks(batch, heads, length, keys, is_causal)
        self._buffers: dict[int, Any] = {}

    def buffer(self, which: int, shape: tuple[int, ...]) -> Any:
        """Memory that the blocks use one after the other."""
        size = math.prod(shape)
        found = self._buffers.get(which)
        if found is None or found.size < size:
            found = self._buffers[which] = np.empty(size, self.query.dtype)
        return found[:size].reshape(shape)

    def of(self, block: Block, out: Any) -> Any:
        scores = np.matmul(self.query[block.queries], self.key[block.keys].swapaxes(2, 3), out=out)
        scores *= self.scale
        rows, keys = block.queries[2], block.keys[2]
        if self.mask is not None:
            scores += self.mask[(*block.queries, keys)]
        if self.is_causal:
            few = (rows.stop - rows.start) * keys.stop <= _TILE
            scores += (_hidden if few else _hidden.__wrapped__)(rows.start, rows.stop, keys.stop, scores.dtype)
        return scores


def attend(
    query: Any, key: Any, value: Any, mask: Any, is_causal: bool, scale: float | None, may_keep: bool
) -> tuple[Any, Any, Any]:
    """(output, logarithms of the sums of exponentials, kept shares: none for each of the batch if they are not)."""
    scores = _Scores(query, key, mask, is_causal, scale)
    out = np.empty_like(query)
    logs = np.empty(query.shape[:3], query.dtype)
    keeps = may_keep and key.shape[2] <= _KEPT * query.shape[3]
    last = scores.blocks[-1]
    kept = np.empty(last.start + math.prod(last.shape) if keeps else 0, query.dtype)
    for block in scores.blocks:
        memory = _part(kept, block) if keeps else scores.buffer(0, block.shape)
        shares = scores.of(block, memory)
        sums = add_up(np.exp(shares, shares), (3,), True)
        if sums.min() > 1 / _BOUND and sums.max() < _BOUND:
            logs[block.queries] = np.log(sums)[..., 0]
        else:
            shares, sums, top = exponentials(scores.of(block, memory))
            logs[block.queries] = np.where(sums == 0, sums.dtype.type(0), np.log(sums) + top)[..., 0]
            sums = np.where(sums == 0, sums.dtype.type(1), sums)
        if keeps:
            shares *= 1 / sums
        found = np.matmul(shares, value[block.keys], out=out[block.queries])
        if not keeps:
            found /= sums
    return out, logs, kept.reshape(query.shape[0], -1)


def _part(kept: Any, block: Block) -> Any:
    return kept.reshape(-1)[block.start : block.start + math.prod(block.shape)].reshape(block.shape)


def attention_gradients(
    g: Any, needs: tuple[bool, ...], operands: tuple[Any, Any, Any], mask: Any, is_causal: bool,
    scale: float | None, out: Any, logs: Any, kept: Any,
) -> list[Any]:  # fmt: skip
    """The gradients of query, key and value, those that are needed."""
    query, key, value = operands
    to_query, to_key, to_value = needs
    scores = _Scores(query, key, mask, is_causal, scale)
    found: list[Any] = [np.empty_like(x) if need else None for x, need in zip(operands, needs)]
    along = _row_sums(g * out)[..., None] if to_query or to_key else None
    for block in scores.blocks:
        up = g[block.queries]
        if kept.size:
            shares = _part(kept, block)
        else:
            shares = scores.of(block, scores.buffer(0, block.shape))
            shares -= logs[block.queries][..., None]
            np.exp(shares, shares)
        if to_value:
            _put(found[2], block, shares, up)
        if along is None:
            continue
        slopes = np.matmul(up, value[block.keys].swapaxes(2, 3), out=scores.buffer(1, block.shape))
        slopes -= along[block.queries]
        slopes *= shares
        slopes *= scores.scale
        if to_query:
            np.matmul(slopes, key[block.keys], out=found[0][block.queries])
        if to_key:
            _put(found[1], block, slopes, query[block.queries])
    return found


def _put(total: Any, block: Block, weights: Any, rows: Any) -> None:
    """Add to each key's total the rows of those that see it, weighted."""
    weights, into = weights.swapaxes(2, 3), total[block.keys]
    if block.is_first:
        np.matmul(weights, rows, out=into)
    else:
        into += np.matmul(weights, rows)


def _row_sums(x: Any) -> Any:
    """Sums over the last dimension; heads of a batch mostly lie in the order of what they were split from."""
    if x.flags.c_contiguous:
        return add_up(x, (3,))
    return add_up(x.swapaxes(1, 2), (3,)).swapaxes(1, 2)
