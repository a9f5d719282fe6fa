"""``torch.distributed.algorithms.ddp_comm_hooks``: what may be done with a bucket of gradients."""

from __future__ import annotations

import enum
from typing import Any

from . import default_hooks

__all__ = ["DDPCommHookType", "default_hooks", "register_ddp_comm_hook"]


class DDPCommHookType(enum.Enum):
    ALLREDUCE = "allreduce_hook"
    FP16_COMPRESS = "fp16_compress_hook"
    BF16_COMPRESS = "bf16_compress_hook"
    NOOP = "noop_hook"


def register_ddp_comm_hook(comm_hook_type: DDPCommHookType, model: Any, state: Any = None) -> None:
    """Register a hook by its name."""
    model.register_comm_hook(state, getattr(default_hooks, comm_hook_type.value))
