"""``torch.distributed``: several processes, on one machine or on many, over MPI.

``mpi.py`` is the one file that touches mpi4py, and is asked when a group is made. Collectives and the rest start MPI's
non-blocking calls; ``work.py`` waits for them; ``monitor.py`` watches the other processes; ``launch.py`` starts them.
"""

# ruff: noqa: F401
from __future__ import annotations

from importlib import import_module as _import_module
from typing import Any as _Any

from .collectives import *  # noqa: F403
from .collectives import _all_gather_base, _reduce_scatter_base
from .errors import DistBackendError, DistError, DistNetworkError, DistStoreError, QueueEmptyError
from .objects import *  # noqa: F403
from .point_to_point import *  # noqa: F403
from .point_to_point import _coalescing_manager, _CoalescingManager
from .process_group import Backend, GroupMember, ProcessGroup, default_pg_timeout, group
from .queries import *  # noqa: F403
from .queries import _rank_not_in_group
from .reduce_op import ReduceOp, _make_nccl_premul_sum, reduce_op
from .work import Work

_SUBMODULES = (
    "_functional_collectives", "algorithms", "checkpoint", "constants", "device_mesh", "distributed_c10d",
    "elastic", "launch", "nn", "optim", "run",
)  # fmt: skip

_LATER = {
    "DeviceMesh": "device_mesh", "init_device_mesh": "device_mesh",
    "FileStore": "store", "HashStore": "store", "PrefixStore": "store", "Store": "store", "TCPStore": "store",
    "DebugLevel": "debug", "get_debug_level": "debug", "set_debug_level": "debug", "set_debug_level_from_env": "debug",
    "GradBucket": "buckets", "BuiltinCommHookType": "buckets",
}  # fmt: skip


def __getattr__(name: str) -> _Any:
    if name in _LATER:
        return getattr(_import_module(f".{_LATER[name]}", __name__), name)
    if name in _SUBMODULES:
        return _import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
