"""``torch.profiler.itt``: marks for Intel's tracer, which is not here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["is_available", "mark", "range", "range_pop", "range_push"]


def is_available() -> bool:
    return False


def range_push(msg: str) -> None:
    _refuse()


def range_pop() -> None:
    _refuse()


def mark(msg: str) -> None:
    _refuse()


@contextmanager
def range(msg: str, *args: object, **kwargs: object) -> Iterator[None]:
    range_push(msg)
    yield


def _refuse() -> None:
    raise RuntimeError("ITT functions not installed. Are you sure you have a ITT build?")
