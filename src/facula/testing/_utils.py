"""``torch.testing._utils``: random numbers as if nothing had been drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import facula

from ..utils._mode_utils import no_dispatch

__all__ = ["freeze_rng_state", "wrapper_set_seed"]


@contextmanager
def freeze_rng_state() -> Iterator[None]:
    """The generator is after it in the state that it had before, whatever modes are on."""
    with no_dispatch():
        before = facula.get_rng_state()
    try:
        yield
    finally:
        with no_dispatch():
            facula.set_rng_state(before)


def wrapper_set_seed(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What an operator gives from seed 42, without a trace in the generator."""
    with freeze_rng_state():
        facula.manual_seed(42)
        return op(*args, **kwargs)
