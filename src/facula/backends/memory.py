"""Whether freed memory is kept for the next large array; facula's own. See ``docs/notes/threads-and-memory.md``."""

from __future__ import annotations

from .._core.memory import keep_freed_memory, keeps_freed_memory

__all__ = ["keep_freed_memory", "keeps_freed_memory"]
