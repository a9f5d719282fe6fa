"""Making and asking of groups: ``init_process_group``, ``new_group``, ``get_rank`` and the like."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from . import mpi
from . import process_group as groups
from .errors import no_group
from .process_group import NAMES, Backend, GroupMember, ProcessGroup, default_pg_timeout

__all__ = [
    "destroy_process_group", "get_backend", "get_backend_config", "get_default_backend_for_device", "get_global_rank",
    "get_group_rank", "get_node_local_rank", "get_pg_count", "get_process_group_ranks", "get_rank", "get_world_size",
    "init_process_group", "is_available", "is_backend_available", "is_gloo_available", "is_initialized",
    "is_mpi_available", "is_nccl_available", "is_torchelastic_launched", "is_ucc_available", "is_xccl_available",
    "new_group", "new_subgroups", "new_subgroups_by_enumeration", "split_group", "supports_complex",
]  # fmt: skip


def is_available() -> bool:
    """Whether groups can be made: mpi4py is there."""
    return mpi.is_installed()


def is_initialized() -> bool:
    """Whether this process is in a group yet."""
    return groups.is_initialized()


def is_mpi_available() -> bool:
    """Whether mpi4py is installed."""
    return mpi.is_installed()


def is_gloo_available() -> bool:
    """The name is taken for MPI's."""
    return mpi.is_installed()


def is_nccl_available() -> bool:
    """False: there is no GPU."""
    return False


def is_ucc_available() -> bool:
    """False."""
    return False


def is_xccl_available() -> bool:
    """False."""
    return False


def is_backend_available(backend: str) -> bool:
    """Whether a backend can be used."""
    return backend.lower() in ("mpi", "gloo") and mpi.is_installed()


def is_torchelastic_launched() -> bool:
    """Whether a launcher that restarts workers began this process; never."""
    return os.environ.get("TORCHELASTIC_RUN_ID") is not None


def supports_complex(reduceOp: Any) -> bool:
    """Whether a reduction takes complex numbers."""
    return reduceOp not in (
        groups.RedOpType.MAX, groups.RedOpType.MIN, groups.RedOpType.PRODUCT, groups.RedOpType.BAND,
        groups.RedOpType.BOR, groups.RedOpType.BXOR,
    )  # fmt: skip


def _backend_name(backend: str | None) -> str:
    """``cpu:gloo,cuda:nccl`` names one for each device; the CPU's counts."""
    if backend is None or backend == "undefined":
        return "mpi"
    name = str(backend).lower()
    if ":" in name:
        name = dict(part.split(":", 1) for part in name.split(",")).get("cpu", name.split(":")[-1])
    if name not in NAMES:
        raise AssertionError(f"Unknown backend type {name}")
    return name


def init_process_group(
    backend: str | None = None, init_method: str | None = None, timeout: timedelta | None = None,
    world_size: int = -1, rank: int = -1, store: Any = None, group_name: str = "", pg_options: Any = None,
    device_id: Any = None, _ranks: Any = None,
) -> None:  # fmt: skip
    """Make the default group of all processes that MPI has started.

    Any name of a backend is taken, and the transport is MPI. ``init_method`` and ``store`` are not needed, for MPI's
    launcher knows the processes; ``rank`` chooses the order.
    """
    if groups.is_initialized():
        raise ValueError("trying to initialize the default process group twice!")
    if not (store is None or init_method is None):
        raise AssertionError("Cannot specify both init_method and store.")
    name = _backend_name(backend)
    if init_method is None and rank < 0 and world_size < 0:
        rank, world_size = int(os.environ.get("RANK", -1)), int(os.environ.get("WORLD_SIZE", -1))
    groups.make_world(name, default_pg_timeout if timeout is None else timeout, world_size, rank, "default_pg")


def destroy_process_group(group: Any = None) -> None:
    """Forget a group, or all. After it another default group can be made."""
    if group == GroupMember.NON_GROUP_MEMBER:
        return
    if group is None and not groups.is_initialized():
        raise AssertionError("Process group cannot be None")
    groups.forget(group)


def get_rank(group: Any = None) -> int:
    """This process's rank in a group; -1 outside it."""
    found = groups.resolved(group)
    return -1 if found is None else found.rank()


def get_world_size(group: Any = None) -> int:
    """How many processes are in a group; -1 outside it."""
    found = groups.resolved(group)
    return -1 if found is None else found.size()


def get_backend(group: Any = None) -> str:
    """The name of a group's backend."""
    found = groups.resolved(group)
    if found is None:
        raise ValueError("Invalid process group specified")
    return Backend(found.backend)


def get_backend_config(group: Any = None) -> str:
    """A group's backend for each kind of device, in words."""
    name = get_backend(group)
    return f"cpu:{name},cuda:{name}"


def get_default_backend_for_device(device: Any) -> str:
    """The backend that serves a kind of device."""
    return "mpi"


def get_global_rank(group: ProcessGroup, group_rank: int) -> int:
    """The rank in the world of a rank in a group."""
    world = groups.default_group()
    if group is world:
        return group_rank
    if group not in groups._groups.values():
        raise ValueError(f"Group {group} is not registered, please create group with torch.distributed.new_group API")
    if group_rank not in range(group.size()):
        raise ValueError(f"Group rank {group_rank} is not part of group {group}")
    return group.ranks[group_rank]


def get_group_rank(group: ProcessGroup, global_rank: int) -> int:
    """The rank in a group of a rank in the world."""
    world = groups.default_group()
    if group is world:
        return global_rank
    if group not in groups._groups.values():
        raise ValueError(f"Group {group} is not registered, please create group with torch.distributed.new_group API")
    if global_rank not in group.ranks:
        raise ValueError(f"Global rank {global_rank} is not part of group {group}")
    return group.ranks.index(global_rank)


def get_process_group_ranks(group: Any) -> list[int]:
    """The ranks in the world of those in a group."""
    return list((groups.default_group() if group is None else group).ranks)


def get_pg_count() -> int:
    """How many groups there are."""
    return groups.count()


def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """The rank among the processes of this machine."""
    if "LOCAL_RANK" in os.environ:
        return int(os.environ["LOCAL_RANK"])
    if fallback_rank is not None:
        return int(fallback_rank)
    raise RuntimeError(
        "LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow `get_node_local_rank` to work, "
        "assuming you are not running in a multi-device context and want the code to run locally instead."
    )


def new_group(
    ranks: Sequence[int] | None = None, timeout: timedelta | None = None, backend: str | None = None,
    pg_options: Any = None, use_local_synchronization: bool = False, group_desc: str | None = None,
    device_id: Any = None, sort_ranks: bool = True,
) -> Any:  # fmt: skip
    """A group of some ranks. All processes call it, in the same order, also those that are not in it."""
    world = groups.default_group()
    size = world.size()
    chosen = list(range(size)) if ranks is None else list(ranks)
    if len(chosen) > size:
        raise ValueError(
            "the new group's world size should be less or equal to the world size set by init_process_group"
        )
    for rank in chosen:
        if not 0 <= rank < size:
            raise ValueError(f"Rank {rank} is out of range. Valid ranks are 0 to {size - 1} (world_size={size})")
    if len(set(chosen)) != len(chosen):
        raise ValueError(f"ranks list must not contain duplicate entries, got {chosen}")
    if sort_ranks:
        chosen = sorted(chosen)
    name = None if backend is None else _backend_name(backend)
    return groups.make_part(chosen, timeout, name, group_desc, use_local_synchronization)


def new_subgroups_by_enumeration(
    ranks_per_subgroup_list: Sequence[Sequence[int]], timeout: timedelta | None = None, backend: str | None = None,
    pg_options: Any = None, group_desc: str | None = None,
) -> tuple[Any, list[Any]]:  # fmt: skip
    """One group for each list of ranks; the own one, and all."""
    if not ranks_per_subgroup_list:
        raise ValueError("The arg 'ranks_per_subgroup_list' cannot be empty")
    seen: dict[int, int] = {}
    made, own = [], None
    for i, ranks in enumerate(ranks_per_subgroup_list):
        for rank in ranks:
            if rank in seen:
                raise ValueError(f"Rank {rank} has appeared in both subgroup {seen[rank]} and {i}")
            seen[rank] = i
        made.append(new_group(ranks, timeout, backend, pg_options, group_desc=group_desc))
        if get_rank() in ranks:
            own = made[-1]
    return own, made


def new_subgroups(
    group_size: int | None = None, group: Any = None, timeout: timedelta | None = None, backend: str | None = None,
    pg_options: Any = None, group_desc: str | None = None,
) -> tuple[Any, list[Any]]:  # fmt: skip
    """Groups of so many neighbours each; the own one, and all."""
    if group_size is None:
        group_size = int(os.environ.get("LOCAL_WORLD_SIZE", get_world_size()))
    if group_size <= 0:
        raise ValueError(f"The arg 'group_size' ({group_size}) must be positive")
    size = get_world_size()
    if size < group_size:
        raise ValueError(f"The arg 'group_size' ({group_size}) must not exceed the world size ({size})")
    if size % group_size != 0:
        raise ValueError(f"The world size ({size}) must be divisible by '{group_size=}'")
    lists = [list(range(start, start + group_size)) for start in range(0, size, group_size)]
    return new_subgroups_by_enumeration(lists, timeout, backend, pg_options, group_desc)


def split_group(
    parent_pg: Any = None, split_ranks: Sequence[Sequence[int]] | None = None, timeout: timedelta | None = None,
    pg_options: Any = None, group_desc: str | None = None, backend: Any = None,
) -> Any:  # fmt: skip
    """The part of a group, of those that its ranks are split into, in which this process is; None if in none."""
    if not split_ranks:
        raise ValueError("split_ranks cannot be None or empty")
    parent = groups.default_group() if parent_pg is None else parent_pg
    for ranks in split_ranks:
        if parent.rank() in ranks:
            chosen = [parent.ranks[r] for r in ranks]
            return groups.make_part(chosen, timeout, backend, group_desc, True)
    return None


def _rank_not_in_group(group: Any) -> bool:
    return group is not None and group == GroupMember.NON_GROUP_MEMBER


def warn_not_in_group(name: str) -> Any:
    """What a process does in the place of a call that is not its group's: nothing."""
    rank = get_rank() if is_initialized() else -1
    warnings.warn(f"Running {name} on global rank {rank} which does not belong to the given group.", stacklevel=3)
    return None


def get_default_group() -> ProcessGroup:
    if not groups.is_initialized():
        raise no_group()
    return groups.default_group()
