"""How a dimension of a mesh holds a tensor: in pieces, as a whole, or as parts that are still to be reduced."""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor

__all__ = ["Partial", "Placement", "Replicate", "Shard"]


class Placement:
    """What the placements have in common: they are told apart by their class and by what they were made with."""

    def __init__(self) -> None:
        self._how: tuple[Any, ...] = ()

    def is_shard(self, dim: int | None = None) -> bool:
        return isinstance(self, Shard) and dim in (None, self.dim)

    def is_replicate(self) -> bool:
        return isinstance(self, Replicate)

    def is_partial(self, reduce_op: str | None = None) -> bool:
        return isinstance(self, Partial) and reduce_op in (None, self.reduce_op)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Placement) and type(self) is type(other) and self._how == other._how

    def __hash__(self) -> int:
        return hash((type(self).__name__, self._how))


class Shard(Placement):
    """Each process has a piece along one dimension of the tensor, as ``chunk`` cuts it."""

    def __init__(self, dim: int) -> None:
        self._how = (dim,)

    @property
    def dim(self) -> int:
        dim: int = self._how[0]
        return dim

    @staticmethod
    def local_shard_size_and_offset(curr_local_size: int, num_chunks: int, rank: int) -> tuple[int, int]:
        """How long the piece of a rank is, and where it begins."""
        chunk = -(-curr_local_size // num_chunks)
        start = min(chunk * rank, curr_local_size)
        return min(chunk, curr_local_size - start), start

    _local_shard_size_and_offset = local_shard_size_and_offset

    def _split_tensor(
        self, tensor: Tensor, num_chunks: int, *, with_padding: bool = True, contiguous: bool = True
    ) -> tuple[list[Tensor], list[int]]:
        """The pieces of all ranks and, if they are filled up to one size, by how much each of them was."""
        from ... import nn  # modules use groups

        size = tensor.size(self.dim)
        longest = self.local_shard_size_and_offset(size, num_chunks, 0)[0]
        pieces, missing = [], []
        for rank in range(num_chunks):
            length, start = self.local_shard_size_and_offset(size, num_chunks, rank)
            piece = tensor.narrow(self.dim, start, length)
            if with_padding:
                missing.append(longest - length)
                if missing[-1]:
                    after = tensor.ndim - 1 - self.dim % tensor.ndim
                    piece = nn.functional.pad(piece, [0, 0] * after + [0, missing[-1]])
            pieces.append(piece.contiguous() if contiguous else piece)
        return pieces, missing

    def __repr__(self) -> str:
        return f"Shard(dim={self.dim})"

    def __str__(self) -> str:
        return f"S({self.dim})"


class _StridedShard(Placement):
    """As ``Shard``, of what was cut into ``split_factor`` pieces before."""

    def __init__(self, dim: int, *, split_factor: int = 1) -> None:
        self._how = (dim, split_factor)

    @property
    def dim(self) -> int:
        dim: int = self._how[0]
        return dim

    @property
    def split_factor(self) -> int:
        factor: int = self._how[1]
        return factor

    def __repr__(self) -> str:
        return f"_StridedShard(dim={self.dim}, sf={self.split_factor})"

    def __str__(self) -> str:
        return f"_S({self.dim}, {self.split_factor})"


class Replicate(Placement):
    """Each process has all of the tensor."""

    def __repr__(self) -> str:
        return "Replicate()"

    def __str__(self) -> str:
        return "R"


class Partial(Placement):
    """Each process has a tensor of the whole size, and all of them reduced are the tensor."""

    def __init__(self, reduce_op: str = "sum") -> None:
        self._how = (reduce_op,)

    @property
    def reduce_op(self) -> str:
        operation: str = self._how[0]
        return operation

    def __repr__(self) -> str:
        return f"Partial({self.reduce_op})"

    def __str__(self) -> str:
        return f"P({self.reduce_op})"
