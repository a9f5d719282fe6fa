"""``torch.profiler``: marks for a profiler. facula has none of its own: Python's, ``cProfile``, sees everything."""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable
from typing import Any

__all__ = ["ProfilerActivity", "profile", "record_function"]


class ProfilerActivity(enum.Enum):
    """What could be measured."""

    CPU = 0
    CUDA = 1
    XPU = 2
    MTIA = 3


class record_function:
    """A name for what happens within a ``with`` block, or in a decorated function."""

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name, self.args = name, args

    def __enter__(self) -> record_function:
        return self

    def __exit__(self, *exc: object) -> None:
        pass

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def named(*args: Any, **kwargs: Any) -> Any:
            with self:
                return func(*args, **kwargs)

        return named


class profile:
    """PyTorch's profiler, which facula lacks: it can be named, but not made."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError("facula lacks torch.profiler.profile: use Python's own profiler, cProfile")
