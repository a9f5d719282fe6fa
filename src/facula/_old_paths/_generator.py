"""A redirect for old pickles: see ``facula._old_paths``."""

from typing import Any

from facula._core.generator import Generator

__all__ = ["Generator", "_generator_from"]


def _generator_from(state: Any) -> Generator:
    return Generator().set_state(state)
