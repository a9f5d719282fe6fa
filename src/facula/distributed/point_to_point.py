"""From one process to another: ``send``, ``recv``, and their forms that do not wait."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from .._tensor import Tensor
from .collectives import check_tensor, contiguous, received, text
from .process_group import ProcessGroup, resolved
from .queries import warn_not_in_group
from .work import Receive, Work, in_background

__all__ = ["P2POp", "batch_isend_irecv", "irecv", "isend", "recv", "send"]


def _peer(group: ProcessGroup, rank: int | None, group_rank: int | None) -> int:
    """The other's rank within the group."""
    if rank is not None and group_rank is not None:
        raise ValueError("Can't specify both group_rank and global_rank")
    if rank is not None:
        if rank not in group.ranks:
            raise ValueError(f"Global rank {rank} is not part of group {group}")
        return group.ranks.index(rank)
    if group_rank is None:
        raise ValueError("Must specify global_rank or group_rank")
    if not 0 <= group_rank < group.size():
        raise ValueError(f"Group rank {group_rank} is not part of group {group}")
    return group_rank


def _sent(tensor: Tensor, dst: int | None, group: Any, tag: int, group_dst: int | None, name: str) -> Work | None:
    check_tensor(tensor, "tensor")
    among = resolved(group)
    if among is None:
        warn_not_in_group(name)
        return None
    to = _peer(among, dst, group_dst)
    if to == among.rank():
        raise ValueError(
            "Invalid destination rank: destination rank should not be the same as the rank of the current process."
        )
    array = contiguous(tensor._array)
    call = text(name, tensor, f"dst={among.ranks[to]}", *((f"tag={tag}",) if tag else ()))
    work = Work(among.data.send(array, to, tag), None, [tensor], call, among)
    work._bytes = array.nbytes
    return work


def _awaited(tensor: Tensor, src: int | None, group: Any, tag: int, group_src: int | None, name: str) -> Receive | None:
    check_tensor(tensor, "tensor")
    among = resolved(group)
    if among is None:
        warn_not_in_group(name)
        return None
    source = None if src is group_src is None else _peer(among, src, group_src)
    if source == among.rank():
        raise ValueError("Invalid source rank: source rank should not be the same as the rank of the current process.")
    array, finish = received(tensor)
    whom = "any" if source is None else among.ranks[source]
    call = text(name, tensor, f"src={whom}", *((f"tag={tag}",) if tag else ()))
    work = Receive(among.data.receive(array, source, tag), finish, [tensor], call, among)
    work._bytes = array.nbytes
    return work


def isend(
    tensor: Tensor, dst: int | None = None, group: Any = None, tag: int = 0, group_dst: int | None = None
) -> Work | None:
    """Send; the tensor must not change until the handle has been waited for."""
    work = _sent(tensor, dst, group, tag, group_dst, "isend")
    return None if work is None else in_background(work)


def irecv(
    tensor: Tensor, src: int | None = None, group: Any = None, tag: int = 0, group_src: int | None = None
) -> Work | None:
    """Receive, from anybody if no source is given; the tensor is ready when the handle has been waited for."""
    work = _awaited(tensor, src, group, tag, group_src, "irecv")
    return None if work is None else in_background(work)


def send(tensor: Tensor, dst: int | None = None, group: Any = None, tag: int = 0, group_dst: int | None = None) -> None:
    """Send, and wait until the tensor may change."""
    work = _sent(tensor, dst, group, tag, group_dst, "send")
    if work is not None:
        work.wait()


def recv(tensor: Tensor, src: int | None = None, group: Any = None, tag: int = 0, group_src: int | None = None) -> int:
    """Receive, and say from whom."""
    work = _awaited(tensor, src, group, tag, group_src, "recv")
    if work is None:
        return -1
    work.wait()
    return work.source_rank()


class P2POp:
    """One ``isend`` or ``irecv`` of ``batch_isend_irecv``."""

    def __init__(
        self, op: Callable[..., Any], tensor: Tensor, peer: int | None = None, group: Any = None, tag: int = 0,
        group_peer: int | None = None,
    ) -> None:  # fmt: skip
        if op not in (isend, irecv):
            raise ValueError(
                "Invalid ``op``. Expected ``op`` to be of type ``torch.distributed.isend`` or "
                "``torch.distributed.irecv``."
            )
        check_tensor(tensor, "tensor")
        self.op, self.tensor, self.tag = op, tensor, tag
        among = resolved(group)
        assert among is not None
        self.group = among
        self.group_peer = _peer(among, peer, group_peer)
        self.peer = among.ranks[self.group_peer]

    def __repr__(self) -> str:
        here = self.group.rank()
        source, target = (here, self.group_peer) if self.op is isend else (self.group_peer, here)
        return (
            f"P2POp({self.op.__name__} pg={self.group.group_name}, group_src={source}, group_dst={target},  "
            f"{self.tensor.shape}, {self.tensor.dtype})"
        )


def batch_isend_irecv(p2p_op_list: list[P2POp]) -> list[Any]:
    """Start several, and give their handles."""
    if not all(isinstance(p2p, P2POp) for p2p in p2p_op_list):
        raise ValueError("Invalid ``p2p_op_list``. Each op is expected to to be of type ``torch.distributed.P2POp``.")
    first = p2p_op_list[0].group
    if any(p2p.group is not first for p2p in p2p_op_list):
        raise ValueError("All ops need to use the same group.")
    works = [p2p.op(p2p.tensor, group=p2p.group, tag=p2p.tag, **_end(p2p)) for p2p in p2p_op_list]
    return [work for work in works if work is not None]


def _end(p2p: P2POp) -> dict[str, int]:
    return {"group_dst" if p2p.op is isend else "group_src": p2p.group_peer}


class _CoalescingManager:
    """Handles of what was started within ``_coalescing_manager``."""

    def __init__(self) -> None:
        self.works: list[Any] = []

    def append(self, work: Any = None) -> None:
        if work:
            self.works.append(work)

    def wait(self) -> None:
        for work in self.works:
            work.wait()


@contextlib.contextmanager
def _coalescing_manager(group: Any = None, device: Any = None, async_ops: bool = False) -> Iterator[_CoalescingManager]:
    """MPI needs no such hint: what is started within is started at once."""
    manager = _CoalescingManager()
    yield manager
    if not async_ops:
        manager.wait()
