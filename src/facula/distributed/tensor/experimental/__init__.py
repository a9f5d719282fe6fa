"""How plain tensors meet distributed ones, of which there are none here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["implicit_replication"]


@contextmanager
def implicit_replication() -> Iterator[None]:
    """Within, distributed tensors take plain ones for replicated: with plain ones alone nothing changes."""
    yield
