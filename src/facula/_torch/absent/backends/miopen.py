"""AMD's library of kernels, which is not here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

immediate = False


def set_flags(_immediate: Any = None) -> tuple[Any, ...]:
    global immediate
    before = (immediate,)
    if _immediate is not None:
        immediate = _immediate
    return before


@contextmanager
def flags(immediate: Any = False) -> Iterator[None]:
    """Settings within a block, without effect."""
    before = set_flags(immediate)
    try:
        yield
    finally:
        set_flags(*before)
