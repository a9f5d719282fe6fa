"""Tools beside the tensors: DLPack, checkpointing, handles of hooks."""

from typing import Any

from . import dlpack, hooks

__all__ = ["checkpoint", "dlpack", "hooks"]


def __getattr__(name: str) -> Any:
    if name != "checkpoint":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return importlib.import_module(f"{__name__}.checkpoint")
