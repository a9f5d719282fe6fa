"""``torch.utils._mode_utils``: doing without dispatch for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ._python_dispatch import _disable_current_modes

__all__ = ["no_dispatch"]


@contextmanager
def no_dispatch() -> Iterator[None]:
    """Within it, no dispatch mode hears of operators."""
    with _disable_current_modes():
        yield
