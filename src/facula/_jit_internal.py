"""``torch._jit_internal``: marks for a compiler that is not here. Each gives back what it is given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

__all__ = ["Final"]



def _copy_to_script_wrapper(fn: Callable[..., Any]) -> Callable[..., Any]:
    return fn


def export(fn: Callable[..., Any]) -> Callable[..., Any]:
    return fn


def unused(fn: Callable[..., Any]) -> Callable[..., Any]:
    return fn


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    return drop if callable(drop) else lambda fn: fn


def is_scripting() -> bool:
    return False
