"""A mask of attention by blocks: which blocks of keys each block of queries looks at, in part or wholly."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from itertools import product
from math import ceil, prod
from typing import Any

import facula

from ..._tensor import Tensor
from ...func.vectorize import vmap

MaskMod = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]
Pair = tuple[Tensor | None, Tensor | None]
"""How many blocks, and which."""
NOTHING: Pair = (None, None)
DEFAULT_BLOCK_SIZE = 128


def noop_mask(batch: Tensor, head: Tensor, token_q: Tensor, token_kv: Tensor) -> Tensor:
    """The mask that lets everything through."""
    return batch.new_ones(size=(), dtype=facula.bool)


class BlockMask:
    """For each block of queries: how many blocks of keys it looks at, and which; those that it sees wholly apart.

    The same is kept the other way round, for each block of keys (``q_num_blocks``, ``q_indices``, ...). ``mask_mod``
    tells of a single place (batch, head, query, key) whether it is seen.
    """

    _TENSORS = (
        "kv_num_blocks", "kv_indices", "full_kv_num_blocks", "full_kv_indices", "q_num_blocks", "q_indices",
        "full_q_num_blocks", "full_q_indices",
    )  # fmt: skip
    _ORDERS = ("dq_write_order", "dq_write_order_full", "dq_kv_order", "dq_kv_order_spt")

    def __init__(
        self, seq_lengths: tuple[int, int], kv_num_blocks: Tensor, kv_indices: Tensor,
        full_kv_num_blocks: Tensor | None, full_kv_indices: Tensor | None, q_num_blocks: Tensor | None,
        q_indices: Tensor | None, full_q_num_blocks: Tensor | None, full_q_indices: Tensor | None,
        BLOCK_SIZE: tuple[int, int] = (DEFAULT_BLOCK_SIZE, DEFAULT_BLOCK_SIZE), mask_mod: MaskMod = noop_mask, *,
        dq_write_order: Tensor | None = None, dq_write_order_full: Tensor | None = None,
        dq_kv_order: Tensor | None = None, dq_kv_order_spt: bool | None = None,
    ) -> None:  # fmt: skip
        if kv_indices.dim() < 2:
            raise RuntimeError("BlockMask must have at least 2 dimensions")
        if (full_kv_num_blocks is None) != (full_kv_indices is None):
            raise AssertionError("full_kv_num_blocks and full_kv_indices must be both provided or omitted")
        if (full_q_num_blocks is None) != (full_q_indices is None):
            raise AssertionError("full_q_num_blocks and full_q_indices must be both provided or omitted")
        self.seq_lengths = seq_lengths
        self.kv_num_blocks, self.kv_indices = kv_num_blocks, kv_indices
        self.full_kv_num_blocks, self.full_kv_indices = full_kv_num_blocks, full_kv_indices
        self.q_num_blocks, self.q_indices = q_num_blocks, q_indices
        self.full_q_num_blocks, self.full_q_indices = full_q_num_blocks, full_q_indices
        self.dq_write_order, self.dq_write_order_full = dq_write_order, dq_write_order_full
        self.dq_kv_order, self.dq_kv_order_spt = dq_kv_order, dq_kv_order_spt
        self.BLOCK_SIZE = BLOCK_SIZE
        self.mask_mod = mask_mod

    @classmethod
    def from_kv_blocks(
        cls, kv_num_blocks: Tensor, kv_indices: Tensor, full_kv_num_blocks: Tensor | None = None,
        full_kv_indices: Tensor | None = None, BLOCK_SIZE: int | tuple[int, int] = DEFAULT_BLOCK_SIZE,
        mask_mod: MaskMod | None = None, seq_lengths: tuple[int, int] | None = None, compute_q_blocks: bool = True, *,
        dq_write_order: Tensor | None = None, dq_write_order_full: Tensor | None = None, dq_kv_order: Any = None,
    ) -> BlockMask:  # fmt: skip
        """A mask from what blocks of queries look at; the other direction is found from that."""
        if kv_indices.dim() < 2:
            raise RuntimeError("BlockMask must have at least 2 dimensions")
        if (full_kv_num_blocks is None) != (full_kv_indices is None):
            raise AssertionError("full_kv_num_blocks and full_kv_indices must be both provided or omitted")
        by_key: Pair = _turned(kv_num_blocks, kv_indices) if compute_q_blocks else NOTHING
        fully = compute_q_blocks and full_kv_num_blocks is not None
        full_by_key: Pair = _turned(full_kv_num_blocks, full_kv_indices) if fully else NOTHING
        sizes = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else BLOCK_SIZE
        lengths = seq_lengths or (kv_indices.shape[-2] * sizes[0], kv_indices.shape[-1] * sizes[1])
        return cls(
            lengths, kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices, *by_key, *full_by_key, sizes,
            mask_mod or noop_mask, dq_write_order=dq_write_order, dq_write_order_full=dq_write_order_full,
        )  # fmt: skip

    @classmethod
    def _of_dense(cls, partial: Tensor, full: Tensor | None, like: dict[str, Any]) -> BlockMask:
        whole: Pair = NOTHING if full is None else _ordered(full)
        return cls.from_kv_blocks(*_ordered(partial), *whole, **like)

    @property
    def shape(self) -> tuple[int, ...]:
        return (*self.kv_indices.shape[:-2], *self.seq_lengths)

    def numel(self) -> int:
        """How many places there are, seen or not."""
        return prod(self.shape)

    def sparsity(self) -> float:
        """How much of it is not looked at, in percent."""
        blocks = int(self.kv_num_blocks.sum())
        if self.full_kv_num_blocks is not None:
            blocks += int(self.full_kv_num_blocks.sum())
        return 100 * (1 - blocks * self.BLOCK_SIZE[0] * self.BLOCK_SIZE[1] / self.numel())

    def to_dense(self) -> Tensor:
        """1 for each block that is looked at, 0 for others."""
        partial = _dense(self.kv_num_blocks, self.kv_indices)
        return partial if self.full_kv_num_blocks is None else partial | self._dense_full()

    def _dense_full(self) -> Tensor:
        assert self.full_kv_num_blocks is not None and self.full_kv_indices is not None
        return _dense(self.full_kv_num_blocks, self.full_kv_indices)

    def to(self, device: Any) -> BlockMask:
        """The mask on a device."""
        moved = {name: getattr(self, name) for name in (*self._TENSORS, *self._ORDERS)}
        moved = {name: t.to(device) if isinstance(t, Tensor) else t for name, t in moved.items()}
        return BlockMask(self.seq_lengths, **moved, BLOCK_SIZE=self.BLOCK_SIZE, mask_mod=self.mask_mod)

    def as_tuple(self, flatten: bool = True) -> tuple[Any, ...]:
        """What it was made of; ``flatten``: pairs of numbers in their places."""
        lengths, sizes = (self.seq_lengths, self.BLOCK_SIZE) if flatten else ((self.seq_lengths,), (self.BLOCK_SIZE,))
        between = [getattr(self, name) for name in (*self._TENSORS, *self._ORDERS)]
        return (*lengths, *between, *sizes, self.mask_mod)

    def __getitem__(self, index: Any) -> BlockMask:
        """A part of it, by batch, head and block of queries; no dimension is lost."""
        given = index if isinstance(index, tuple) else (index,)
        at = tuple([slice(i, i + 1 or None) if isinstance(i, int) else i for i in given])[:3]
        full: Pair = NOTHING
        if self.full_kv_num_blocks is not None and self.full_kv_indices is not None:
            full = (self.full_kv_num_blocks[at], self.full_kv_indices[at])
        return BlockMask.from_kv_blocks(self.kv_num_blocks[at], self.kv_indices[at], *full, **self._options())

    def _options(self) -> dict[str, Any]:
        return {
            "BLOCK_SIZE": self.BLOCK_SIZE, "mask_mod": self.mask_mod, "seq_lengths": self.seq_lengths,
            "compute_q_blocks": self.q_indices is not None,
        }  # fmt: skip

    def _adjust(self, new_q_len: int, new_kv_len: int) -> BlockMask:
        """Its upper left corner, for other lengths."""
        part = (..., slice(ceil(new_q_len / self.BLOCK_SIZE[0])), slice(ceil(new_kv_len / self.BLOCK_SIZE[1])))
        partial = _dense(self.kv_num_blocks, self.kv_indices)[part]
        full = None if self.full_kv_num_blocks is None else self._dense_full()[part]
        return BlockMask._of_dense(partial, full, {**self._options(), "seq_lengths": (new_q_len, new_kv_len)})

    # ---- texts

    def to_string(self, grid_size: int | tuple[int, int] = (20, 20), limit: int = 4) -> str:
        """A picture of each batch and head: what is looked at is dark."""
        grid = (grid_size, grid_size) if isinstance(grid_size, int) else grid_size
        dense = self.to_dense()
        places = list(product(*map(range, dense.shape[:-2])))
        texts = [f"{place}\n{_picture(dense[place], grid)}\n" for place in places[:limit]]
        if len(places) > limit:
            texts.append(
                "...\nTo print out more, set BlockMask.to_string(limit=N)\n"
                "You can also index (BlockMask[batch, head]) to choose a specific batch or head"
            )
        return "\n".join(texts)

    def __str__(self) -> str:
        return f"BlockMask(shape={self.shape}, sparsity={self.sparsity():.2f}%, \n{self.to_string().strip()}\n)"

    def __repr__(self) -> str:
        def told(name: str) -> str:
            value = getattr(self, name)
            return f"    {name}={None if value is None else value.shape},\n"

        return (
            "BlockMask(\n" + "".join(map(told, self._TENSORS)) + f"    BLOCK_SIZE={self.BLOCK_SIZE},\n"
            f"    shape={self.shape},\n    sparsity={self.sparsity():.2f}%,\n"
            f"    mask_mod={getattr(self.mask_mod, '__name__', self.mask_mod)}\n)"
        )  # fmt: skip


def _picture(blocks: Tensor, grid: tuple[int, int]) -> str:
    rows, columns = blocks.shape
    down, across = max(ceil(rows / grid[0]), 1), max(ceil(columns / grid[1]), 1)

    def cell(i: int, j: int) -> str:
        share = blocks[i : i + down, j : j + across].float().mean().item()
        return "  " if share == 0 else "██" if share == 1 else "░░"

    return "\n".join("".join(cell(i, j) for j in range(0, columns, across)) for i in range(0, rows, down))


def _ordered(dense: Tensor) -> tuple[Tensor, Tensor]:
    """(how many there are in each row, their places and then all others)."""
    dense = dense.to(facula.int32)
    order = facula.argsort(dense, dim=-1, descending=True, stable=True)
    return dense.sum(-1).to(facula.int32), order.to(facula.int32).contiguous()


def _dense(counts: Tensor, places: Tensor) -> Tensor:
    columns = places.shape[-1]
    counted = (facula.arange(columns) < counts.unsqueeze(-1)).to(facula.int32)
    return facula.zeros(places.shape, dtype=facula.int32).scatter_(-1, places.long(), counted)


def _turned(counts: Any, places: Any) -> tuple[Tensor, Tensor]:
    return _ordered(_dense(counts, places).transpose(-2, -1))


# ---- from a function of places


def takes(fn: Callable[..., Any]) -> int:
    """How many arguments a function of places takes: 4 if it tells what is seen, 5 if it changes scores."""
    if not callable(fn):
        raise TypeError(f"{fn} is not a callable object")
    plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = inspect.signature(fn).parameters.values()
    count = sum(p.kind in plain and p.default is inspect.Parameter.empty for p in parameters)
    if any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters):
        return 4
    if count not in (4, 5):
        raise AssertionError(f"Expected 4 or 5 positional args, got {count}")
    return count


def each_place(fn: Callable[..., Any], scores: bool) -> Callable[..., Any]:
    """A function of one place as one of ranges of batches, heads, queries and keys; ``scores`` come before."""
    first: tuple[int | None, ...] = (0,) if scores else ()
    for at in (3, 2, 1, 0):
        dims = tuple([0 if i == at else None for i in range(4)])
        fn = vmap(fn, in_dims=first + dims, out_dims=0)
    return fn


def ranges(*sizes: int) -> list[Tensor]:
    return [facula.arange(n) for n in sizes]


def create_mask(
    mod_fn: Callable[..., Any], B: int | None, H: int | None, Q_LEN: int, KV_LEN: int, device: Any = None
) -> Tensor:
    """What a function of places lets through, at each place."""
    sizes = (B or 1, H or 1, Q_LEN, KV_LEN)
    found: Tensor
    if takes(mod_fn) == 4:
        found = each_place(mod_fn, False)(*ranges(*sizes))
        return found if found.dtype is facula.bool else found.bool()
    scores = each_place(mod_fn, True)(facula.zeros(sizes), *ranges(*sizes))
    return ~facula.isneginf(scores)


def create_block_mask(
    mask_mod: MaskMod, B: int | None, H: int | None, Q_LEN: int, KV_LEN: int, device: Any = None,
    BLOCK_SIZE: int | tuple[int, int] = DEFAULT_BLOCK_SIZE, _compile: bool = False, separate_full_blocks: bool = True,
    compute_dq_write_order: bool = False, dq_kv_order: bool = True,
) -> BlockMask:  # fmt: skip
    """The mask by blocks of a function of places. ``B`` or ``H`` None: the same for all batches or heads."""
    if takes(mask_mod) != 4:
        raise AssertionError(f"create-block_mask requires a mask_mod function! Got {mask_mod}")
    sizes = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else BLOCK_SIZE
    mask = create_mask(mask_mod, B, H, Q_LEN, KV_LEN, device)
    rows, columns = ceil(Q_LEN / sizes[0]), ceil(KV_LEN / sizes[1])
    padding = (0, columns * sizes[1] - KV_LEN, 0, rows * sizes[0] - Q_LEN)
    padded = facula.nn.functional.pad(mask, padding)
    seen = padded.reshape(*mask.shape[:2], rows, sizes[0], columns, sizes[1]).sum((3, 5))
    full = seen == sizes[0] * sizes[1] if separate_full_blocks else None
    partial = (seen > 0) if full is None else (seen > 0) & ~full
    return BlockMask._of_dense(
        partial, full, {"BLOCK_SIZE": sizes, "mask_mod": mask_mod, "seq_lengths": (Q_LEN, KV_LEN)}
    )


def or_masks(*mask_mods: MaskMod) -> MaskMod:
    """What one of several masks lets through."""
    return _joined(mask_mods, False)


def and_masks(*mask_mods: MaskMod) -> MaskMod:
    """What all of several masks let through."""
    return _joined(mask_mods, True)


def _joined(mask_mods: tuple[MaskMod, ...], every: bool) -> MaskMod:
    if not all(callable(mod) for mod in mask_mods):
        raise RuntimeError(f"All inputs should be callable mask_mods: {mask_mods}")

    def joined(b: Tensor, h: Tensor, q_idx: Tensor, kv_idx: Tensor) -> Tensor:
        found = b.new_full((), every, dtype=facula.bool)
        for mod in mask_mods:
            seen = mod(b, h, q_idx, kv_idx)
            found = found & seen if every else found | seen
        return found

    return joined
