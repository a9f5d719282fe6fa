"""What programs become, by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from . import emit, program
from .errors import InvalidBackend

Ready = Callable[[list[Any]], list[Any]]

_NAMES = {"auto": "auto", "inductor": "auto", "c": "c", "numpy": "numpy"}
_DEBUG = ("eager", "aot_eager")


def names(exclude_tags: Any = ()) -> list[str]:
    return sorted([*_NAMES, *(() if "debug" in (exclude_tags or ()) else _DEBUG)])


def chosen(backend: Any) -> Callable[[program.Program], Ready]:
    """The back end of a name."""
    if backend in _DEBUG:
        return eager
    if backend in _NAMES:
        return partial(emit.build, backend=_NAMES[backend])
    raise InvalidBackend(backend)


def eager(captured: program.Program) -> Ready:
    """Kernel by kernel."""
    return lambda arrays: program.run(captured, arrays)
