"""How much is said. The calls of ranks are compared at any level: see ``process_group.checks_calls``."""

from __future__ import annotations

import enum
import os

__all__ = ["DebugLevel", "get_debug_level", "set_debug_level", "set_debug_level_from_env"]


class DebugLevel(enum.Enum):
    OFF = 0
    INFO = 1
    DETAIL = 2


def _from_environment() -> DebugLevel:
    name = os.environ.get("TORCH_DISTRIBUTED_DEBUG", "OFF").upper()
    if name not in DebugLevel.__members__:
        raise RuntimeError("The value of TORCH_DISTRIBUTED_DEBUG must be one of `OFF`, `INFO`, or `DETAIL`.")
    return DebugLevel[name]


_level: DebugLevel | None = None


def get_debug_level() -> DebugLevel:
    return _from_environment() if _level is None else _level


def set_debug_level(level: DebugLevel) -> None:
    global _level
    _level = level


def set_debug_level_from_env() -> None:
    global _level
    _level = None
