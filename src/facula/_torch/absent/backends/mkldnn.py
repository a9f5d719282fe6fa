"""``torch.backends.mkldnn``: whatever library NumPy computes with, facula does not use this one itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def is_available() -> bool:
    return False


enabled = True
deterministic = False
allow_tf32 = True


def set_flags(
    _enabled: bool | None = None, _deterministic: bool | None = None, _allow_tf32: bool | None = None,
    _fp32_precision: str = "none",
) -> tuple[Any, ...]:  # fmt: skip
    """Settings for a while, without effect; returns those before."""
    global enabled, deterministic, allow_tf32
    before = enabled, deterministic, allow_tf32
    enabled, deterministic, allow_tf32 = (
        old if new is None else new for old, new in zip(before, (_enabled, _deterministic, _allow_tf32))
    )
    return before


@contextmanager
def flags(
    enabled: bool = False, deterministic: bool = False, allow_tf32: bool = True, fp32_precision: str = "none"
) -> Iterator[None]:
    """Within it, other settings hold."""
    before = set_flags(enabled, deterministic, allow_tf32)
    try:
        yield
    finally:
        set_flags(*before)
