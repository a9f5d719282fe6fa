"""``torch.backends.cudnn``: not here. Its switches may be set, to no effect."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

enabled = True
benchmark = False
benchmark_limit = 10
deterministic = False
allow_tf32 = True


def is_available() -> bool:
    return False


def version() -> int | None:
    return None


def is_acceptable(tensor: object) -> bool:
    return False


def set_flags(
    _enabled: bool | None = None, _benchmark: bool | None = None, _benchmark_limit: int | None = None,
    _deterministic: bool | None = None, _allow_tf32: bool | None = None, _fp32_precision: str | None = None,
) -> tuple[bool, bool, int, bool, bool]:  # fmt: skip
    """Set those that are given, and tell what they were."""
    global enabled, benchmark, benchmark_limit, deterministic, allow_tf32
    before = (enabled, benchmark, benchmark_limit, deterministic, allow_tf32)
    enabled = before[0] if _enabled is None else _enabled
    benchmark = before[1] if _benchmark is None else _benchmark
    benchmark_limit = before[2] if _benchmark_limit is None else _benchmark_limit
    deterministic = before[3] if _deterministic is None else _deterministic
    allow_tf32 = before[4] if _allow_tf32 is None else _allow_tf32
    return before


@contextmanager
def flags(
    enabled: bool = False, benchmark: bool = False, benchmark_limit: int = 10, deterministic: bool = False,
    allow_tf32: bool = True, fp32_precision: str = "none",
) -> Iterator[None]:  # fmt: skip
    """The switches, set within a ``with`` block."""
    before = set_flags(enabled, benchmark, benchmark_limit, deterministic, allow_tf32)
    try:
        yield
    finally:
        set_flags(*before)
