"""``torch.distributed``: one process, no group. What programs ask before they use more is answered."""

from __future__ import annotations

import enum
import os
from typing import Any, NoReturn

__all__ = [
    "ProcessGroup", "ReduceOp", "Work", "get_rank", "get_world_size", "group", "is_available", "is_gloo_available",
    "is_initialized", "is_mpi_available", "is_nccl_available", "is_torchelastic_launched",
]  # fmt: skip


def is_available() -> bool:
    return False


def is_initialized() -> bool:
    return False


def is_mpi_available() -> bool:
    return False


def is_gloo_available() -> bool:
    return False


def is_nccl_available() -> bool:
    return False


def is_torchelastic_launched() -> bool:
    return os.environ.get("TORCHELASTIC_RUN_ID") is not None


class ProcessGroup:
    """A group of processes: there is none yet."""


class Work:
    """A communication that is under way: there is none yet."""


class ReduceOp(enum.Enum):
    """How numbers of several processes are made one."""

    SUM = 0
    AVG = 1
    PRODUCT = 2
    MIN = 3
    MAX = 4
    BAND = 5
    BOR = 6
    BXOR = 7
    PREMUL_SUM = 8


class group:
    """The default group."""

    WORLD: ProcessGroup | None = None


def _no_group() -> ValueError:
    return ValueError("Default process group has not been initialized, please make sure to call init_process_group.")


def _needs_group(*args: Any, **kwargs: Any) -> NoReturn:
    raise _no_group()


all_gather = all_gather_object = all_reduce = all_to_all = barrier = broadcast = broadcast_object_list = _needs_group
gather = get_backend = irecv = isend = new_group = recv = reduce = reduce_scatter = scatter = send = _needs_group


def init_process_group(*args: Any, **kwargs: Any) -> NoReturn:
    raise RuntimeError("facula runs in one process: it lacks torch.distributed's process groups")


def destroy_process_group(group: Any = None) -> None:
    """There is none."""


def get_rank(group: Any = None) -> int:
    raise _no_group()


def get_world_size(group: Any = None) -> int:
    raise _no_group()
