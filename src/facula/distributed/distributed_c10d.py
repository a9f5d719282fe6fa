"""``torch.distributed.distributed_c10d``: the path by which some programs import what ``torch.distributed`` has."""

# ruff: noqa: F401
from __future__ import annotations

from .collectives import *  # noqa: F403
from .objects import *  # noqa: F403
from .point_to_point import *  # noqa: F403
from .process_group import Backend, GroupMember, ProcessGroup, default_pg_timeout, group
from .queries import *  # noqa: F403
from .queries import _rank_not_in_group
from .queries import get_default_group as _get_default_group
from .reduce_op import ReduceOp, reduce_op
from .work import Work
