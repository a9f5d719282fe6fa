"""Where PyTorch has ``FullyShardedDataParallel``."""

from __future__ import annotations

from . import FullyShardedDataParallel

__all__ = ["FullyShardedDataParallel"]
