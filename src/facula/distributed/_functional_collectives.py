"""``torch.distributed._functional_collectives``: collectives that change nothing, but give a new tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._tensor import Tensor
from .nn import functional
from .process_group import ProcessGroup, by_name, default_group
from .reduce_op import RedOpType, ReduceOp

__all__ = [
    "all_gather_single", "all_gather_single_autograd", "all_gather_tensor", "all_gather_tensor_autograd", "all_reduce",
    "all_reduce_coalesced", "all_to_all_single", "all_to_all_single_autograd", "broadcast", "reduce_scatter_single",
    "reduce_scatter_single_autograd", "reduce_scatter_tensor", "reduce_scatter_tensor_autograd", "wait_tensor",
]  # fmt: skip


def _resolved(group: Any) -> ProcessGroup:
    """A group, its name, a mesh of one dimension, or a mesh and the number of a dimension."""
    if group is None:
        return default_group()
    if isinstance(group, ProcessGroup):
        return group
    if isinstance(group, str):
        return by_name(group)
    mesh, dim = group if isinstance(group, tuple) else (group, 0)
    found: ProcessGroup = mesh.get_group(dim)
    return found


def _operation(name: Any) -> Any:
    return getattr(RedOpType, name.upper()) if isinstance(name, str) else name


def wait_tensor(tensor: Tensor) -> Tensor:
    """It is there."""
    return tensor


def all_reduce(self: Tensor, reduceOp: str, group: Any, tag: str = "") -> Any:
    return functional.all_reduce(self, _operation(reduceOp), _resolved(group))


def all_reduce_coalesced(self: Sequence[Tensor], reduceOp: str, group: Any, tag: str = "") -> list[Any]:
    return [all_reduce(each, reduceOp, group) for each in self]


def broadcast(self: Tensor, src: int, group: Any, tag: str = "") -> Any:
    found = _resolved(group)
    return functional.broadcast(self, found.ranks[src], found)


def all_gather_tensor(self: Tensor, gather_dim: int, group: Any, tag: str = "") -> Any:
    from .. import cat  # loaded when first used

    return cat(list(functional.all_gather(self, _resolved(group))), gather_dim)


def reduce_scatter_tensor(self: Tensor, reduceOp: str, scatter_dim: int, group: Any, tag: str = "") -> Any:
    found = _resolved(group)
    size = self.shape[scatter_dim]
    if size % found.size():
        raise AssertionError(f"input dimension 0 ({size}) must be a multiple of group_size {found.size()}")
    parts = self.chunk(found.size(), scatter_dim)
    return functional.reduce_scatter(parts[0], parts, _operation(reduceOp or ReduceOp.SUM), found)


def all_to_all_single(
    self: Tensor, output_split_sizes: Sequence[int] | None, input_split_sizes: Sequence[int] | None, group: Any,
    tag: str = "",
) -> Any:  # fmt: skip
    from .. import empty  # loaded when first used

    count = self.shape[0] if output_split_sizes is None else sum(output_split_sizes)
    output = empty((count, *self.shape[1:]), dtype=self.dtype)
    return functional.all_to_all_single(output, self, output_split_sizes, input_split_sizes, _resolved(group))


all_gather_single = all_gather_tensor_autograd = all_gather_single_autograd = all_gather_tensor
reduce_scatter_single = reduce_scatter_tensor_autograd = reduce_scatter_single_autograd = reduce_scatter_tensor
all_to_all_single_autograd = all_to_all_single
