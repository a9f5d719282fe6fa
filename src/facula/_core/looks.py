"""Functions that look at elements, to check them or to learn what to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Look = TypeVar("Look", bound=Callable[..., object])


def passes(where: str) -> Callable[[Look], Look]:
    """Say which elements a look has nothing to say about: an expression in the names of its parameters, the first of
    which is the array. Where it is true of all elements, a check does not raise, and what is learned is None or False:
    so programs in C can look for themselves."""

    def said(look: Look) -> Look:
        look.passes = where  # type: ignore[attr-defined]
        return look

    return said
