"""Process groups: which processes talk with each other, and by what."""

from __future__ import annotations

import os
import threading
import time
import zlib
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import numpy as np

from .._tensor import Tensor
from . import monitor, mpi
from .errors import DistBackendError, no_group
from .reduce_op import RedOpType
from .work import Done, Work, in_background

__all__ = ["Backend", "GroupMember", "ProcessGroup", "default_pg_timeout", "group"]

default_pg_timeout = timedelta(minutes=30)

NAMES = ("undefined", "gloo", "nccl", "xccl", "ucc", "mpi", "fake")


class Backend(str):
    """The name of a backend. The transport is MPI by whatever name."""

    UNDEFINED, GLOO, NCCL, XCCL, UCC, MPI = "undefined", "gloo", "nccl", "xccl", "ucc", "mpi"
    backend_list = list(NAMES)

    def __new__(cls, name: str) -> str:  # type: ignore[misc]
        if not isinstance(name, str):
            raise ValueError(f"Backend constructor parameter must be string-ish: {name=}")
        return name.lower()


class ProcessGroup:
    """Some processes, their ranks among each other, and MPI's communicators for them.

    ``data`` carries what users send. ``headers`` carries, beside each collective, a number that tells what it is: where
    the numbers of the ranks differ, they are in different calls.
    """

    def __init__(
        self, ranks: Sequence[int], comm: mpi.Communicator, headers: mpi.Communicator | None, timeout: timedelta,
        backend: str, name: str, description: str,
    ) -> None:  # fmt: skip
        self.ranks = list(ranks)
        self.data = comm
        self.headers = headers
        self.timeout = timeout.total_seconds()
        self.backend = backend
        self.group_name = name
        self.group_desc = description
        self._count = 0

    def rank(self) -> int:
        return self.data.rank

    def size(self) -> int:
        return self.data.size

    def name(self) -> str:
        return self.backend

    def global_rank(self, rank: int) -> int:
        return self.ranks[rank]

    def set_timeout(self, timeout: timedelta) -> None:
        self.timeout = timeout.total_seconds()

    def _get_sequence_number_for_group(self) -> int:
        return self._count

    @property
    def _device_types(self) -> list[Any]:
        from .. import device  # loaded when first used

        return [device("cpu")]

    def start(
        self, call: str, key: str, requests: mpi.Requests, finish: Callable[[], None] | None, result: Any,
        async_op: bool, size: int = 0,
    ) -> Work | None:  # fmt: skip
        """Wait for a collective that has been posted, or hand out its handle.

        ``key`` must be equal everywhere; ``size`` is the number of its bytes.
        """
        self._count += 1
        if self.headers is not None and self.data.size > 1:
            number = zlib.crc32(key.encode())
            extremes = np.array((number, -number))
            requests += self.headers.all_reduce(extremes, RedOpType.MAX)
            work: Work = Checked(requests, finish, result, call, self)
            work._extremes = extremes  # type: ignore[attr-defined]
        else:
            work = Work(requests, finish, result, call, self)
        work._bytes = size
        if async_op:
            return in_background(work)
        work.wait()
        return None

    def done(self, result: Any, call: str, async_op: bool) -> Work | None:
        """A collective that has nothing to do."""
        return Done(result, call, self) if async_op else None

    def __reduce__(self) -> Any:
        raise TypeError("cannot pickle 'ProcessGroup' object")


class Checked(Work):
    """A collective with its header."""

    _extremes: Any
    _told: mpi.Requests | None = None
    _complaint: BaseException | None = None
    _calls: Any

    def _is_there(self) -> bool:
        """Where the header differs, the data may never come, or MPI may complain of it: the header tells more."""
        if self._told is not None:
            return self._is_explained()
        if self._complaint is None:
            try:
                is_there = mpi.testall(self._requests)
            except mpi.error_type() as error:
                self._complaint, is_there = error, False
            if is_there and self._extremes[0] == -self._extremes[1]:
                return True
        if self._requests[-1].Test():
            if self._extremes[0] != -self._extremes[1]:
                self._ask()
            elif self._complaint is not None:
                raise self._complaint
        return False

    def _ask(self) -> None:
        """Everybody sees the difference, so everybody tells everybody which call it is in."""
        comm = self._group.headers
        own = np.frombuffer(self._call.encode()[:400].ljust(400), np.uint8)
        self._calls = np.zeros((comm.size, 400), np.uint8)
        self._calls[comm.rank] = own
        self._told = []
        for rank in range(comm.size):
            if rank != comm.rank:
                self._told += comm.receive(self._calls[rank], rank, 7)
                self._told += comm.send(own, rank, 7)

    def _is_explained(self) -> bool:
        assert self._told is not None
        if not mpi.testall(self._told):
            return False
        by_call: dict[str, list[int]] = {}
        for rank, call in enumerate(self._calls):
            by_call.setdefault(call.tobytes().decode(errors="replace").rstrip(), []).append(self._group.ranks[rank])
        told = "; ".join(
            f"{call} on rank{'s' if len(ranks) > 1 else ''} {', '.join(map(str, ranks))}"
            for call, ranks in by_call.items()
        )
        raise DistBackendError(f"The ranks of a group must make the same calls in the same order, but got {told}")


# ---- the default group, and all others

_default: ProcessGroup | None = None
_groups: dict[str, ProcessGroup] = {}
_created = 0
_making = threading.RLock()


class GroupMember:
    """What stands for a group in the processes that are not in it."""

    NON_GROUP_MEMBER = -100
    WORLD: ProcessGroup | None = None


class _World(type):
    @property
    def WORLD(cls) -> ProcessGroup | None:
        return _default

    @WORLD.setter
    def WORLD(cls, value: ProcessGroup | None) -> None:
        global _default
        _default = value


class group(metaclass=_World):
    """``group.WORLD`` is the default group."""


def default_group() -> ProcessGroup:
    if _default is None:
        raise no_group()
    return _default


def resolved(group: Any) -> ProcessGroup | None:
    """The group that is meant; None if this process is not in it."""
    if group is None:
        return default_group()
    if group == GroupMember.NON_GROUP_MEMBER:
        default_group()
        return None
    found: ProcessGroup = group
    return found


def is_initialized() -> bool:
    return _default is not None


def checks_calls() -> bool:
    """Whether collectives carry a header that tells calls apart; ``FACULA_DISTRIBUTED_CHECK=0`` turns it off."""
    return os.environ.get("FACULA_DISTRIBUTED_CHECK", "1") != "0"


_order: list[int] = []


def meet(rank: int, timeout: timedelta) -> list[int]:
    """Find all processes of MPI, once, and watch them from then on: MPI's ranks in the order of ours."""
    with mpi.no_longer_than(timeout.total_seconds()):
        world = mpi.Communicator.world()
    if not _order:
        order, places = _greeted(world, rank, timeout.total_seconds())
        monitor.begin(world.part(order, 1), places)
        _order[:] = order
    return _order


def make_world(backend: str, timeout: timedelta, world_size: int, rank: int, description: str) -> ProcessGroup:
    """The default group. Everybody greets MPI's rank 0, which knows then who is missing."""
    global _default, _created
    with _making:
        _created = 0
        with mpi.no_longer_than(timeout.total_seconds()):
            world = mpi.Communicator.world()
        size = world.size if world_size < 0 else world_size
        if size != world.size:
            raise RuntimeError(
                f"world_size is {size}, but MPI has started {world.size} process{'es' if world.size > 1 else ''}: "
                "start "
                f"the program with `facula run --nproc {size}`, torchrun, mpiexec or mp.spawn, for processes that "
                "MPI did "
                "not start cannot join"
            )
        order = meet(rank, timeout)
        comm = world.part(order, 2)
        headers = world.part(order, 3) if checks_calls() else None
        _default = ProcessGroup(range(size), comm, headers, timeout, backend, "0", description)
        _groups["0"] = _default
        GroupMember.WORLD = _default
        _created = 1
        return _default


def _greeted(world: mpi.Communicator, rank: int, timeout: float) -> tuple[list[int], list[monitor.Place]]:
    """MPI's ranks in the order of ours, and where they run."""
    wanted = world.rank if rank < 0 else rank
    own = (wanted, monitor.own_place())
    until = time.monotonic() + timeout
    if world.rank != 0:
        greeting = world.post(own, 0, 4)
        while True:
            message = world.collect(5)
            if message is not None and greeting.Test():
                answer = message[1]
                break
            if time.monotonic() > until:
                raise DistBackendError(
                    f"init_process_group on rank {wanted} timed out after {timeout:g} s: rank 0 has not called it, or "
                    "waits for others"
                )
            time.sleep(1e-3)
    else:
        here = {0: own}
        while len(here) < world.size:
            message = world.collect(4)
            if message is not None:
                here[message[0]] = message[1]
            elif time.monotonic() > until:
                missing = ", ".join(str(r) for r in range(world.size) if r not in here)
                raise DistBackendError(
                    f"init_process_group on rank {wanted} timed out after {timeout:g} s: MPI's ranks {missing} of "
                    f"{world.size} have not called it"
                )
            else:
                time.sleep(1e-4)
        answer = [here[r] for r in range(world.size)]
        sent = [world.post(answer, r, 5) for r in range(1, world.size)]
        while not all(request.Test() for request in sent):
            time.sleep(1e-4)
    ranks = [each[0] for each in answer]
    if sorted(ranks) != list(range(world.size)):
        raise ValueError(f"the ranks of {world.size} processes must be 0 to {world.size - 1}, but got {ranks}")
    order = sorted(range(world.size), key=ranks.__getitem__)
    return order, [answer[r][1] for r in order]


def make_part(
    ranks: Sequence[int], timeout: timedelta | None, backend: str | None, description: str | None, local: bool
) -> ProcessGroup | int:
    """A group of some ranks of the world. All processes come here, in the same order, or the members if ``local``."""
    global _created
    with _making:
        world = default_group()
        _created += 1
        number = _created
        if not local:
            world.start(
                f"new_group({list(ranks)})", f"new_group {list(ranks)}", world.data.barrier(), None, None, False
            )
        if world.rank() not in ranks:
            return GroupMember.NON_GROUP_MEMBER
        tag = 8 + (zlib.crc32(str(list(ranks)).encode()) % 16000 if local else number % 16000) * 2
        with monitor.waiting_in(f"new_group({list(ranks)})"):
            comm = world.data.part(ranks, tag)
            headers = world.data.part(ranks, tag + 1) if world.headers is not None else None
        made = ProcessGroup(
            ranks, comm, headers, timedelta(seconds=world.timeout) if timeout is None else timeout,
            world.backend if backend is None else backend, str(number), description or "undefined",
        )  # fmt: skip
        _groups[made.group_name] = made
        return made


def forget(group: ProcessGroup | None) -> None:
    """Of one group, or of all. MPI itself stays: the next group uses it."""
    global _default
    if group is None or group is _default:
        _groups.clear()
        _default = GroupMember.WORLD = None
    else:
        _groups.pop(group.group_name, None)


def by_name(name: str) -> ProcessGroup:
    return _groups[name]


def count() -> int:
    return _created


def array_of(tensor: Tensor) -> Any:
    return tensor._array
