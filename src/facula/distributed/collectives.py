"""Collectives: every process of a group calls the same, with tensors of the same size and dtype.

Tensors whose elements lie one after the other are sent and received in place. Half precision is reduced in float32 and
rounded once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from math import prod
from typing import Any

import numpy as np

from .._core import unresolved
from .._core.dtypes import SCALAR_TYPE_NAMES, widened
from .._tensor import Tensor
from . import monitor, mpi
from .errors import DistBackendError, not_a_tensor
from .process_group import ProcessGroup, resolved
from .queries import supports_complex, warn_not_in_group
from .reduce_op import RedOpType, ReduceOp
from .work import Work

__all__ = [
    "all_gather", "all_gather_coalesced", "all_gather_into_tensor", "all_gather_single", "all_reduce",
    "all_reduce_coalesced", "all_to_all", "all_to_all_single", "barrier", "broadcast", "gather", "monitored_barrier",
    "reduce", "reduce_scatter", "reduce_scatter_single", "reduce_scatter_tensor", "scatter",
]  # fmt: skip

Array = np.ndarray[Any, Any]
Group = ProcessGroup | None
Finish = Callable[[], None] | None


# ---- arguments


def check_tensor(value: Any, name: str) -> None:
    if not isinstance(value, Tensor):
        raise not_a_tensor(name, value)


def check_list(value: Any, name: str) -> None:
    if not isinstance(value, (list, tuple)) or not all(isinstance(t, Tensor) for t in value):
        raise not_a_tensor(name, value, "List[torch.Tensor]")


def check_same_dtype(*tensors: Any) -> None:
    flat = [t for each in tensors for t in (each if isinstance(each, (list, tuple)) else [each])]
    for t in flat[1:]:
        if t.dtype != flat[0].dtype:
            raise ValueError(f"Invalid usage of tensors with different dtypesFound {flat[0].dtype} and  {t.dtype}")


def root_of(group: ProcessGroup, call: str, name: str, rank: int | None, group_rank: int | None) -> int:
    """The rank within the group that ``src=`` or ``group_src=`` means."""
    if rank is not None and group_rank is not None:
        raise ValueError("Can't specify both group_rank and global_rank")
    if rank is not None:
        if group.group_name != "0":
            if rank not in group.ranks:
                raise ValueError(f"Global rank {rank} is not part of group {group}")
            rank = group.ranks.index(rank)
        group_rank = rank
    if group_rank is None:
        raise ValueError("Must specify global_rank or group_rank")
    if not 0 <= group_rank < group.size():
        raise RuntimeError(f"ProcessGroupGloo::{call}: invalid root rank: {group_rank}")
    return group_rank


def operation(op: Any, call: str, tensor: Tensor) -> tuple[RedOpType, Any]:
    """The operation and its factor, if it fits the dtype."""
    if not isinstance(op, (RedOpType, ReduceOp)):
        raise TypeError(f"{call}(): op must be a ReduceOp, not {type(op).__name__}")
    kind = op.op if isinstance(op, ReduceOp) else op
    dtype = tensor.dtype
    if dtype.is_complex and not supports_complex(kind):
        refusal = ValueError if call == "all_reduce" else RuntimeError
        raise refusal(f"{call} does not support {kind} on complex tensors")
    if kind.name in ("BAND", "BOR", "BXOR") and tensor._array.dtype.kind not in "biu":
        raise RuntimeError(f"Cannot use ReduceOp.{kind.name} with non-integral dtype")
    if kind is RedOpType.AVG and tensor._array.dtype.kind in "biu":
        raise RuntimeError(f"result type Float can't be cast to the desired output type {SCALAR_TYPE_NAMES[dtype]}")
    return kind, op.factor


def text(call: str, tensor: Tensor, *more: Any) -> str:
    """A call as errors show it."""
    shape = list(tensor._array.shape)
    return f"{call}({tensor.dtype.name} {shape}{''.join(f', {each}' for each in more)})"


# ---- memory


def contiguous(array: Array) -> Array:
    """As it is, if its elements lie one after the other; otherwise a copy."""
    array = unresolved.resolved(array)
    return array if array.flags.c_contiguous else np.ascontiguousarray(array)


def received(tensor: Tensor) -> tuple[Array, Finish]:
    """Memory for what is to be written into a tensor, and how it gets there."""
    array = tensor._array
    if array.flags.c_contiguous and array.flags.writeable and array.__class__ is np.ndarray:
        return array, None
    buffer = np.empty(array.shape, unresolved.memory_of(array).dtype)
    return buffer, lambda: np.copyto(array, buffer)


def joined(tensors: Sequence[Tensor]) -> Array:
    """All elements, one tensor after the other."""
    return np.concatenate([t._array.reshape(-1) for t in tensors])


def dealt(buffer: Array, tensors: Sequence[Tensor]) -> Callable[[], None]:
    """How parts of a buffer get into tensors."""

    def finish() -> None:
        at = 0
        for t in tensors:
            n = t._array.size
            t._array[...] = buffer[at : at + n].reshape(t._array.shape)
            at += n

    return finish


def one_after_the_other(finishes: Sequence[Callable[[], None]]) -> Callable[[], None]:
    def finish() -> None:
        for each in finishes:
            each()

    return finish


def reducible(array: Array) -> Array:
    """In the dtype in which it is reduced."""
    wide = widened(unresolved.resolved(array))
    if not mpi.can_reduce(wide.dtype):
        raise RuntimeError("Invalid scalar type")
    return wide


def scaled(array: Array, kind: RedOpType, factor: Any) -> Array:
    """What goes into the sum."""
    if kind is RedOpType.PREMUL_SUM:
        number = unresolved.resolved(factor._array) if isinstance(factor, Tensor) else factor
        return array * np.asarray(number, array.dtype)
    return array


def _reduced_in_place(tensor: Tensor, kind: RedOpType, factor: Any, size: int) -> tuple[Array, Finish]:
    """Memory that MPI reduces in place, and how the result gets into the tensor."""
    array = tensor._array
    wide = scaled(reducible(array), kind, factor)
    if wide is array and array.flags.c_contiguous and array.flags.writeable:
        if kind is not RedOpType.AVG:
            return array, None

        def divide() -> None:
            np.divide(array, size, out=array)

        return array, divide
    buffer = np.array(wide, order="C") if wide is array else contiguous(wide)

    def finish() -> None:
        np.copyto(array, buffer / size if kind is RedOpType.AVG else buffer, casting="unsafe")

    return buffer, finish


# ---- collectives that reduce


def all_reduce(tensor: Tensor, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False) -> Work | None:
    """Make the tensors of all processes one, which all get."""
    check_tensor(tensor, "tensor")
    among = resolved(group)
    if among is None:
        return warn_not_in_group("all_reduce")
    kind, factor = operation(op, "all_reduce", tensor)
    buffer, finish = _reduced_in_place(tensor, kind, factor, among.size())
    call = text("all_reduce", tensor, kind.name)
    if not buffer.size:
        return among.done([tensor], call, async_op)
    key = f"all_reduce {buffer.dtype.char} {buffer.size} {kind.name}"
    return among.start(call, key, among.data.all_reduce(buffer, kind), finish, [tensor], async_op, buffer.nbytes)


def all_reduce_coalesced(
    tensors: Any, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """``all_reduce`` of several tensors at once."""
    listed = [tensors] if isinstance(tensors, Tensor) else tensors
    check_list(listed, "tensors")
    check_same_dtype(*listed)
    among = resolved(group)
    if among is None:
        return warn_not_in_group("all_reduce_coalesced")
    kind, factor = operation(op, "all_reduce", listed[0])
    parts = [_reduced_in_place(t, kind, factor, among.size()) for t in listed]
    requests = [r for buffer, _ in parts for r in among.data.all_reduce(buffer, kind)]
    finishes = [finish for _, finish in parts if finish is not None]
    key = f"all_reduce_coalesced {[(b.dtype.char, b.size) for b, _ in parts]} {kind.name}"
    call = f"all_reduce_coalesced({len(listed)} tensors, {kind.name})"
    return among.start(call, key, requests, one_after_the_other(finishes), list(listed), async_op)


def reduce(
    tensor: Tensor, dst: int | None = None, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:  # fmt: skip
    """Make the tensors of all processes one, which one gets."""
    check_tensor(tensor, "tensor")
    among = resolved(group)
    if among is None:
        return warn_not_in_group("reduce")
    root = root_of(among, "reduce", "dst", dst, group_dst)
    kind, factor = operation(op, "reduce", tensor)
    call = text("reduce", tensor, f"dst={among.ranks[root]}", kind.name)
    key = f"reduce {tensor.dtype.name} {tensor._array.size} {root} {kind.name}"
    if among.rank() == root:
        buffer, finish = _reduced_in_place(tensor, kind, factor, among.size())
    else:
        buffer, finish = contiguous(scaled(reducible(tensor._array), kind, factor)), None
    return among.start(call, key, among.data.reduce(buffer, root, kind), finish, [tensor], async_op, buffer.nbytes)


def _reduce_scatter(
    call: str, output: Tensor, given: Array, counts: Sequence[int], op: Any, among: ProcessGroup, async_op: bool
) -> Work | None:
    kind, factor = operation(op, "reduce_scatter", output)
    wide = contiguous(scaled(reducible(given), kind, factor))
    array = output._array
    buffer = np.empty(array.size, wide.dtype)

    def finish() -> None:
        found = buffer / among.size() if kind is RedOpType.AVG else buffer
        np.copyto(array, found.reshape(array.shape), casting="unsafe")

    requests = among.data.reduce_scatter(wide, buffer, counts, kind)
    key = f"{call} {wide.dtype.char} {list(counts)} {kind.name}"
    return among.start(text(call, output, kind.name), key, requests, finish, [output], async_op, output._array.nbytes)


def reduce_scatter(
    output: Tensor, input_list: Any, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """Make the i-th tensors of all processes one, which the i-th process gets."""
    check_tensor(output, "output")
    check_list(input_list, "input_list")
    check_same_dtype(output, input_list)
    among = resolved(group)
    if among is None:
        return warn_not_in_group("reduce_scatter")
    if len(input_list) != among.size():
        raise RuntimeError("invalid input tensor list size, must be world size")
    counts = [t._array.size for t in input_list]
    if counts[among.rank()] != output._array.size:
        raise RuntimeError(
            f"reduce_scatter: the output has {output._array.size} elements, but the input for rank {among.rank()} has "
            f"{counts[among.rank()]}"
        )
    return _reduce_scatter("reduce_scatter", output, joined(input_list), counts, op, among, async_op)


def reduce_scatter_tensor(
    output: Tensor, input: Tensor, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """``reduce_scatter`` of one tensor's equal parts along its first dimension."""
    check_tensor(output, "output")
    check_tensor(input, "input")
    among = resolved(group)
    if among is None:
        return warn_not_in_group("reduce_scatter_tensor")
    check_same_dtype(output, input)
    size, n = among.size(), output._array.size
    if n * size != input._array.size:
        raise RuntimeError(
            "reduce_scatter_tensor: input tensor must be the same size as output size times world size "
            f"({n} * {size} vs. {input._array.size})"
        )
    return _reduce_scatter("reduce_scatter_tensor", output, input._array.reshape(-1), [n] * size, op, among, async_op)


reduce_scatter_single = _reduce_scatter_base = reduce_scatter_tensor


# ---- collectives that move


def broadcast(
    tensor: Tensor, src: int | None = None, group: Any = None, async_op: bool = False, group_src: int | None = None
) -> Work | None:
    """Give one process's tensor to all."""
    check_tensor(tensor, "tensor")
    among = resolved(group)
    if among is None:
        return warn_not_in_group("broadcast")
    root = root_of(among, "broadcast", "src", src, group_src)
    if among.rank() == root:
        buffer, finish = contiguous(tensor._array), None
    else:
        buffer, finish = received(tensor)
    call = text("broadcast", tensor, f"src={among.ranks[root]}")
    key = f"broadcast {tensor.dtype.name} {buffer.size} {root}"
    return among.start(call, key, among.data.broadcast(buffer, root), finish, [tensor], async_op, buffer.nbytes)


def _options(tensor: Tensor) -> str:
    name = {"float32": "float", "float64": "double", "int64": "long int", "int32": "int"}.get(tensor.dtype.name)
    return (
        f"TensorOptions(dtype={name or tensor.dtype.name}, device=cpu, layout=Strided, requires_grad=false (default), "
        "pinned_memory=false (default), memory_format=(nullopt))"
    )


def _size(shape: Sequence[int]) -> str:
    return f"({', '.join(map(str, shape))})"


def _check_alike(call: str, tensors: Sequence[Tensor], like: Tensor) -> None:
    for i, t in enumerate(tensors):
        if t.dtype != like.dtype:
            raise RuntimeError(
                f"ProcessGroupGloo::{call}: invalid tensor type at index {i} (expected {_options(like)}, got "
                f"{_options(t)})"
            )
        if t._array.shape != like._array.shape:
            raise RuntimeError(
                f"ProcessGroupGloo::{call}: invalid tensor size at index {i} (expected {_size(like._array.shape)}, got "
                f"{_size(t._array.shape)})"
            )


def all_gather(tensor_list: Any, tensor: Tensor, group: Any = None, async_op: bool = False) -> Work | None:
    """Give all processes' tensors to all."""
    check_list(tensor_list, "tensor_list")
    check_tensor(tensor, "tensor")
    check_same_dtype(tensor_list, tensor)
    among = resolved(group)
    if among is None:
        return warn_not_in_group("all_gather")
    if len(tensor_list) != among.size():
        raise RuntimeError(
            f"ProcessGroupGloo::allgather: invalid output tensor list at index 0 (expected length {among.size()}, got "
            f"{len(tensor_list)})"
        )
    _check_alike("allgather", tensor_list, tensor)
    given = contiguous(tensor._array)
    buffer = np.empty(given.size * among.size(), given.dtype)
    key = f"all_gather {tensor.dtype.name} {given.size}"
    requests = among.data.all_gather(given, buffer)
    return among.start(
        text("all_gather", tensor),
        key,
        requests,
        dealt(buffer, tensor_list),
        list(tensor_list),
        async_op,
        buffer.nbytes,
    )


def all_gather_coalesced(
    output_tensor_lists: Any, input_tensor_list: Any, group: Any = None, async_op: bool = False
) -> Work | None:
    """``all_gather`` of several tensors at once."""
    among = resolved(group)
    if among is None:
        return warn_not_in_group("all_gather_coalesced")
    check_list(input_tensor_list, "tensor_list")
    given = [contiguous(t._array) for t in input_tensor_list]
    buffers = [np.empty(g.size * among.size(), g.dtype) for g in given]
    requests = [r for g, b in zip(given, buffers) for r in among.data.all_gather(g, b)]
    finishes = [
        dealt(b, [outputs[i] for outputs in output_tensor_lists])
        if len(output_tensor_lists) == among.size()
        else dealt(b, output_tensor_lists[i])
        for i, b in enumerate(buffers)
    ]
    key = f"all_gather_coalesced {[(g.dtype.char, g.size) for g in given]}"
    call = f"all_gather_coalesced({len(given)} tensors)"
    return among.start(call, key, requests, one_after_the_other(finishes), output_tensor_lists, async_op)


def all_gather_into_tensor(
    output_tensor: Tensor, input_tensor: Tensor, group: Any = None, async_op: bool = False
) -> Work | None:
    """Give all processes' tensors to all, as one tensor: after one another, or stacked."""
    check_tensor(input_tensor, "input_tensor")
    check_tensor(output_tensor, "output_tensor")
    check_same_dtype(output_tensor, input_tensor)
    among = resolved(group)
    if among is None:
        return warn_not_in_group("all_gather_into_tensor")
    given, size = contiguous(input_tensor._array), among.size()
    if output_tensor._array.size != given.size * size:
        raise RuntimeError(
            "output tensor size must be equal to world_size times input tensor size "
            f"({output_tensor._array.size} vs. {size} * {given.size})"
        )
    buffer, finish = received(output_tensor)
    key = f"all_gather_into_tensor {input_tensor.dtype.name} {given.size}"
    requests = among.data.all_gather(given, buffer)
    return among.start(
        text("all_gather_into_tensor", input_tensor), key, requests, finish, [output_tensor], async_op, buffer.nbytes
    )


all_gather_single = _all_gather_base = all_gather_into_tensor


def gather(
    tensor: Tensor, gather_list: Any = None, dst: int | None = None, group: Any = None, async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:  # fmt: skip
    """Give all processes' tensors to one."""
    check_tensor(tensor, "tensor")
    if gather_list:
        check_list(gather_list, "gather_list")
    else:
        gather_list = []
    check_same_dtype(tensor, gather_list)
    among = resolved(group)
    if among is None:
        return warn_not_in_group("gather")
    root = root_of(among, "gather", "dst", 0 if dst is group_dst is None else dst, group_dst)
    if among.rank() == root:
        if not gather_list:
            raise ValueError("Argument ``gather_list`` must be specified on destination rank.")
        if len(gather_list) != among.size():
            raise RuntimeError(
                f"ProcessGroupGloo::gather: Incorrect output list size {len(gather_list)}. Output list size should be "
                f"{among.size()}, same as size of the process group."
            )
        _check_alike("gather", gather_list, tensor)
    elif gather_list:
        raise ValueError("Argument ``gather_list`` must NOT be specified on non-destination ranks.")
    given = contiguous(tensor._array)
    buffer = np.empty(given.size * among.size(), given.dtype) if gather_list else None
    finish = None if buffer is None else dealt(buffer, gather_list)
    key = f"gather {tensor.dtype.name} {given.size} {root}"
    call = text("gather", tensor, f"dst={among.ranks[root]}")
    return among.start(call, key, among.data.gather(given, buffer, root), finish, list(gather_list), async_op)


def scatter(
    tensor: Tensor, scatter_list: Any = None, src: int | None = None, group: Any = None, async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:  # fmt: skip
    """Give the i-th of one process's tensors to the i-th process."""
    check_tensor(tensor, "tensor")
    if scatter_list:
        check_list(scatter_list, "scatter_list")
    else:
        scatter_list = []
    check_same_dtype(tensor, scatter_list)
    among = resolved(group)
    if among is None:
        return warn_not_in_group("scatter")
    root = root_of(among, "scatter", "src", 0 if src is group_src is None else src, group_src)
    if among.rank() == root:
        if not scatter_list:
            raise ValueError("Argument ``scatter_list`` must be specified on source rank.")
        if len(scatter_list) != among.size():
            raise RuntimeError(
                f"ProcessGroupGloo::scatter: Incorrect input list size {len(scatter_list)}. Input list size should be "
                f"{among.size()}, same as size of the process group."
            )
        _check_alike("scatter", scatter_list, tensor)
    elif scatter_list:
        raise ValueError("Argument ``scatter_list`` must NOT be specified on non-source ranks.")
    buffer, finish = received(tensor)
    given = joined(scatter_list) if scatter_list else None
    key = f"scatter {tensor.dtype.name} {buffer.size} {root}"
    call = text("scatter", tensor, f"src={among.ranks[root]}")
    return among.start(call, key, among.data.scatter(given, buffer, root), finish, [tensor], async_op, buffer.nbytes)


def all_to_all_single(
    output: Tensor, input: Tensor, output_split_sizes: Sequence[int] | None = None,
    input_split_sizes: Sequence[int] | None = None, group: Any = None, async_op: bool = False,
) -> Work | None:  # fmt: skip
    """Give the i-th part of the tensor, along its first dimension, to the i-th process, and get one from each."""
    check_tensor(output, "output")
    check_tensor(input, "input")
    check_same_dtype(output, input)
    among = resolved(group)
    if among is None:
        return warn_not_in_group("all_to_all_single")
    sent = _counts(input, input_split_sizes, among.size())
    come = _counts(output, output_split_sizes, among.size())
    buffer, finish = received(output)
    requests = among.data.all_to_all(contiguous(input._array), buffer, sent, come)
    key = f"all_to_all_single {input.dtype.name}"
    return among.start(
        text("all_to_all_single", input), key, requests, finish, [output], async_op, output._array.nbytes
    )


def _counts(tensor: Tensor, splits: Sequence[int] | None, size: int) -> list[int]:
    """How many elements each part has."""
    shape = tensor._array.shape
    if not splits:
        if shape[0] % size:
            raise RuntimeError("Tensor's dim 0 does not divide equally across group size")
        splits = [shape[0] // size] * size
    if len(splits) != size:
        raise RuntimeError("Number of tensor splits not equal to group size")
    if sum(splits) != shape[0]:
        raise RuntimeError("Split sizes doesn't match total dim 0 size")
    return [n * prod(shape[1:]) for n in splits]


def all_to_all(
    output_tensor_list: Any, input_tensor_list: Any, group: Any = None, async_op: bool = False
) -> Work | None:
    """Give the i-th tensor to the i-th process, and get one from each."""
    check_list(output_tensor_list, "output_tensor_list")
    check_list(input_tensor_list, "input_tensor_list")
    check_same_dtype(output_tensor_list, input_tensor_list)
    among = resolved(group)
    if among is None:
        return warn_not_in_group("all_to_all")
    for name, tensors in (("input", input_tensor_list), ("output", output_tensor_list)):
        if len(tensors) != among.size():
            raise RuntimeError(
                f"ProcessGroupGloo::alltoall: {name} tensor list size {len(tensors)} does not match world size "
                f"{among.size()}"
            )
    given = joined(input_tensor_list)
    buffer = np.empty(sum(t._array.size for t in output_tensor_list), given.dtype)
    sent, come = ([t._array.size for t in tensors] for tensors in (input_tensor_list, output_tensor_list))
    requests = among.data.all_to_all(given, buffer, sent, come)
    call = f"all_to_all({input_tensor_list[0].dtype.name} {sent})"
    key = f"all_to_all {input_tensor_list[0].dtype.name}"
    return among.start(
        call, key, requests, dealt(buffer, output_tensor_list), list(output_tensor_list), async_op, buffer.nbytes
    )


# ---- barriers


def barrier(
    group: Any = None, async_op: bool = False, device_ids: Any = None, timeout: timedelta | None = None
) -> Work | None:
    """Wait until all are here."""
    among = resolved(group)
    if among is None:
        return warn_not_in_group("barrier")
    if timeout is None:
        return among.start("barrier()", "barrier", among.data.barrier(), None, [], async_op)
    work = among.start("barrier()", "barrier", among.data.barrier(), None, [], True)
    assert work is not None
    if async_op:
        return work
    work.wait(timeout)
    return None


def monitored_barrier(group: Any = None, timeout: timedelta | None = None, wait_all_ranks: bool = False) -> None:
    """Wait until all are here; who is not in time is named."""
    among = resolved(group)
    if among is None:
        return warn_not_in_group("monitored_barrier")
    seconds = among.timeout if timeout is None else timeout.total_seconds()
    call, comm, tag = "monitored_barrier()", among.data, 1 << 20
    mark = np.zeros(1, np.uint8)
    if comm.rank != 0:
        Work(comm.send(mark, 0, tag), None, [], call, among).wait(timedelta(seconds=seconds))
        Work(comm.receive(mark, 0, tag + 1), None, [], call, among).wait(timedelta(seconds=seconds + 2))
        return None
    arrivals = {r: Work(comm.receive(mark.copy(), r, tag), None, [], call, among) for r in range(1, comm.size)}
    missing = monitor.still_missing(arrivals, seconds, call, among, wait_all_ranks)
    if missing:
        ranks = ", ".join(str(among.ranks[r]) for r in missing)
        error = (
            f"[Rank {among.ranks[0]}]: Rank{'s' if len(missing) > 1 else ''} {ranks} failed to pass monitoredBarrier "
            "in "
            f"{int(seconds * 1000)} ms"
        )
        states = monitor.where_is_everybody([among.ranks[r] for r in missing])
        monitor.tell_lost(monitor.Lost(among.ranks[0], f"gave up: {error}"))
        raise DistBackendError(f"{error} ({'; '.join(states)})")
    for r in range(1, comm.size):
        Work(comm.send(mark, r, tag + 1), None, [], call, among).wait()
    return None
