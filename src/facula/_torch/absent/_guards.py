"""``torch._guards``: no modes of tensors without data, and nothing is being traced into a compiler."""

from __future__ import annotations

from typing import Any


def active_fake_mode() -> None:
    """There is none."""


def detect_fake_mode(inputs: Any = None) -> None:
    """Nothing is of one."""
