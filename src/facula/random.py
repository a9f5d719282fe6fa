"""The seed and the state of the default generator."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ._core.generator import Generator, default_generator

__all__ = [
    "default_generator", "fork_rng", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state",
]  # fmt: skip


def manual_seed(seed: Any) -> Generator:
    """Begin the default stream that belongs to ``seed``."""
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """Begin a default stream that nobody can foresee, and tell its seed."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed that the default stream began with."""
    return default_generator.initial_seed()


def get_rng_state() -> Any:
    """Where the default stream is, as a tensor of bytes."""
    return default_generator.get_state()


def set_rng_state(new_state: Any) -> None:
    """Continue the default stream from a state that ``get_rng_state`` gave."""
    default_generator.set_state(new_state)


@contextmanager
def fork_rng(devices: Any = None, enabled: bool = True, device_type: str = "cpu", **_: Any) -> Iterator[None]:
    """Within the ``with`` block draws do not count: afterwards the default stream is where it was."""
    if not enabled:
        yield
        return
    before = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(before)
