"""``torch.distributed.rpc``: calls of functions in other processes. There are none here, and this is where to ask."""

from __future__ import annotations

__all__ = ["is_available"]


def is_available() -> bool:
    """Whether functions can be called in other processes: no."""
    return False
