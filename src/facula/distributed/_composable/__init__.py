"""``torch.distributed._composable``, where older programs look for ``fully_shard``."""

from __future__ import annotations

from ..fsdp import fully_shard

__all__ = ["fully_shard"]
