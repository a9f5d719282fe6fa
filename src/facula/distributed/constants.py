"""``torch.distributed.constants``."""

from __future__ import annotations

from .process_group import default_pg_timeout

__all__ = ["default_pg_timeout"]
