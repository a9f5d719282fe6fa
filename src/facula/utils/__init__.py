"""Tools beside the tensors: DLPack, checkpointing, handles of hooks."""

import os as _os
from typing import Any

from . import hooks
from .swapping import swap_tensors

# Where modules that only answer "no" are: see ``facula._torch.absent``.
__path__.append(_os.path.join(_os.path.dirname(__path__[0]), "_torch", "absent", "utils"))

__all__ = ["checkpoint", "data", "dlpack", "hooks", "swap_tensors"]

_LOADED_LATE = (
    "_python_dispatch", "_pytree", "benchmark", "checkpoint", "collect_env", "data", "deterministic", "dlpack",
    "flop_counter", "model_zoo", "module_tracker", "weak",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _LOADED_LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib  # loaded when first used

    return importlib.import_module(f"{__name__}.{name}")
