"""Collectives with derivatives: the gradient of each is another one of them, and so has a gradient, too.

What a process has given goes into what others got, so its gradient is the sum of theirs: all_reduce's is an
all_reduce of the gradients, all_gather's a reduce_scatter, broadcast's a reduce, gather's a scatter, all_to_all's an
all_to_all back.
"""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from ...autograd.function import Function
from .. import collectives
from ..process_group import ProcessGroup, default_group
from ..reduce_op import ReduceOp

__all__ = [
    "all_gather", "all_reduce", "all_to_all", "all_to_all_single", "broadcast", "gather", "reduce", "reduce_scatter",
    "scatter",
]  # fmt: skip


def _group(group: Any) -> ProcessGroup:
    found: ProcessGroup = default_group() if group is None else group
    return found


def _empty_like(tensor: Tensor) -> Tensor:
    from ... import empty  # loaded when first used

    return empty(tensor.shape, dtype=tensor.dtype)


class _AllReduce(Function):
    @staticmethod
    def forward(ctx: Any, op: Any, group: Any, tensor: Tensor) -> Tensor:
        ctx.group, ctx.op = group, op
        found = tensor.clone()
        collectives.all_reduce(found, op, group)
        return found

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return None, None, _AllReduce.apply(ctx.op, ctx.group, grad.contiguous())


class _Broadcast(Function):
    @staticmethod
    def forward(ctx: Any, src: int, group: Any, tensor: Tensor) -> Tensor:
        ctx.src, ctx.group = src, group
        found = tensor.clone()
        collectives.broadcast(found, src, group)
        return found

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        found = _Reduce.apply(ctx.src, ReduceOp.SUM, ctx.group, grad)
        return None, None, found if _is(ctx.src, ctx.group) else found * 0


class _Reduce(Function):
    @staticmethod
    def forward(ctx: Any, dst: int, op: Any, group: Any, tensor: Tensor) -> Tensor:
        ctx.dst, ctx.group = dst, group
        found = tensor.clone()
        collectives.reduce(found, dst, op, group)
        return found

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return None, None, None, _Broadcast.apply(ctx.dst, ctx.group, grad.contiguous())


def _is(rank: int, group: ProcessGroup) -> bool:
    return group.ranks[group.rank()] == rank


class _Gather(Function):
    @staticmethod
    def forward(ctx: Any, dst: int, group: Any, tensor: Tensor) -> tuple[Tensor, ...]:
        ctx.dst, ctx.group = dst, group
        found = [tensor * 0 for _ in range(group.size())]
        collectives.gather(tensor, found if _is(dst, group) else None, dst, group)
        return tuple(found)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        return None, None, _Scatter.apply(ctx.dst, ctx.group, *grads)


class _Scatter(Function):
    @staticmethod
    def forward(ctx: Any, src: int, group: Any, *tensors: Tensor) -> Tensor:
        ctx.src, ctx.group = src, group
        found = tensors[0] * 0
        given = [t.contiguous() for t in tensors] if _is(src, group) else None
        collectives.scatter(found, given, src, group)
        return found

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return None, None, *_Gather.apply(ctx.src, ctx.group, grad.contiguous())


class _AllGather(Function):
    @staticmethod
    def forward(ctx: Any, group: Any, tensor: Tensor) -> tuple[Tensor, ...]:
        ctx.group = group
        found = [_empty_like(tensor) for _ in range(group.size())]
        collectives.all_gather(found, tensor.contiguous(), group)
        return tuple(found)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        return None, _Reduce_Scatter.apply(ReduceOp.SUM, ctx.group, _empty_like(grads[0]), *grads)


class _Reduce_Scatter(Function):
    @staticmethod
    def forward(ctx: Any, op: Any, group: Any, output: Tensor, *tensors: Tensor) -> Tensor:
        ctx.group = group
        found = _empty_like(output)
        collectives.reduce_scatter(found, [t.contiguous() for t in tensors], op, group)
        return found

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return None, None, None, *_AllGather.apply(ctx.group, grad.contiguous())


class _AlltoAll(Function):
    @staticmethod
    def forward(ctx: Any, group: Any, outputs: list[Tensor], *tensors: Tensor) -> tuple[Tensor, ...]:
        ctx.group = group
        ctx.shapes = [(t.shape, t.dtype) for t in tensors]
        found = [_empty_like(t) for t in outputs]
        collectives.all_to_all(found, [t.contiguous() for t in tensors], group)
        return tuple(found)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        from ... import empty  # loaded when first used

        outputs = [empty(shape, dtype=dtype) for shape, dtype in ctx.shapes]
        return None, None, *_AlltoAll.apply(ctx.group, outputs, *grads)


class _AlltoAllSingle(Function):
    @staticmethod
    def forward(ctx: Any, group: Any, output: Tensor, come: Any, sent: Any, tensor: Tensor) -> Tensor:
        ctx.group, ctx.come, ctx.sent, ctx.shape = group, come, sent, tensor.shape
        found = _empty_like(output)
        collectives.all_to_all_single(found, tensor.contiguous(), come, sent, group)
        return found

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        from ... import empty  # loaded when first used

        output = empty(ctx.shape, dtype=grad.dtype)
        back = _AlltoAllSingle.apply(ctx.group, output, ctx.sent, ctx.come, grad.contiguous())
        return None, None, None, None, back


def all_reduce(tensor: Tensor, op: Any = ReduceOp.SUM, group: Any = None) -> Any:
    """The tensors of all processes made one."""
    return _AllReduce.apply(op, _group(group), tensor)


def broadcast(tensor: Tensor, src: int, group: Any = None) -> Any:
    """One process's tensor, everywhere."""
    return _Broadcast.apply(src, _group(group), tensor)


def reduce(tensor: Tensor, dst: int, op: Any = ReduceOp.SUM, group: Any = None) -> Any:
    """The tensors of all processes made one, at one of them; the others get their own back."""
    return _Reduce.apply(dst, op, _group(group), tensor)


def gather(tensor: Tensor, dst: int = 0, group: Any = None) -> Any:
    """The tensors of all processes, at one of them; the others get zeros."""
    return _Gather.apply(dst, _group(group), tensor)


def scatter(tensors: Any, src: int = 0, group: Any = None) -> Any:
    """The i-th of one process's tensors, at the i-th process."""
    return _Scatter.apply(src, _group(group), *tensors)


def all_gather(tensor: Tensor, group: Any = None) -> Any:
    """The tensors of all processes, everywhere."""
    return _AllGather.apply(_group(group), tensor)


def reduce_scatter(output: Tensor, input_list: Any, op: Any = ReduceOp.SUM, group: Any = None) -> Any:
    """The i-th tensors of all processes made one, at the i-th process. ``output`` says its shape."""
    return _Reduce_Scatter.apply(op, _group(group), output, *input_list)


def all_to_all(output_tensor_list: Any, input_tensor_list: Any, group: Any = None) -> Any:
    """The i-th tensor to the i-th process, and one from each."""
    return _AlltoAll.apply(_group(group), output_tensor_list, *input_tensor_list)


def all_to_all_single(
    output: Tensor, input: Tensor, output_split_sizes: Any = None, input_split_sizes: Any = None, group: Any = None
) -> Any:
    """The i-th part of a tensor to the i-th process, and one from each, as one tensor."""
    return _AlltoAllSingle.apply(_group(group), output, output_split_sizes, input_split_sizes, input)
