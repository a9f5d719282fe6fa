"""``torch.utils._mode_utils``: doing without dispatch for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .._C import _DisableTorchDispatch

__all__ = ["no_dispatch"]


@contextmanager
def no_dispatch() -> Iterator[None]:
    """Within it, neither dispatch modes nor classes with ``__torch_dispatch__`` hear of operators."""
    guard = _DisableTorchDispatch()
    try:
        yield
    finally:
        del guard
