"""``torch.accelerator``: there is none here."""

from __future__ import annotations

from typing import Any

__all__ = ["current_accelerator", "device_count", "empty_cache", "is_available", "synchronize"]


def is_available() -> bool:
    return False


def device_count() -> int:
    return 0


def current_accelerator(check_available: bool = False) -> None:
    return None


def synchronize(device: Any = None) -> None:
    """Nothing to wait for."""


def empty_cache() -> None:
    """Nothing to free."""
