"""``torch.distributed.algorithms``: uneven inputs, and what buckets of gradients go through."""

from __future__ import annotations

from .join import Join, Joinable, JoinHook

__all__ = ["Join", "JoinHook", "Joinable"]
