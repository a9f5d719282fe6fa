"""What programs become, by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from . import custom
from .errors import InvalidBackend
from .programs import emit, program

Ready = Callable[[list[Any]], list[Any]]

_NAMES = {"auto": "auto", "inductor": "auto", "c": "c", "numpy": "numpy"}
_DEBUG = ("eager", "aot_eager")
_REGISTERED: dict[str, tuple[Callable[..., Any], tuple[str, ...]]] = {}
"""Those of users, and their tags."""


def register(name: str, fn: Callable[..., Any], tags: Any = ()) -> None:
    if name in _REGISTERED:
        raise AssertionError(f"duplicate name: {name}")
    _REGISTERED[name] = fn, tuple(tags)


def names(exclude_tags: Any = ()) -> list[str]:
    excluded = set(exclude_tags or ())
    registered = [name for name, (_, tags) in _REGISTERED.items() if not excluded & set(tags)]
    return sorted([*_NAMES, *registered, *(() if "debug" in excluded else _DEBUG)])


def of_user(name: str) -> Callable[..., Any] | None:
    """The function that a user has registered; None if the name is one of the library's."""
    if name in _REGISTERED:
        return _REGISTERED[name][0]
    chosen(name)
    return None


def chosen(backend: Any) -> Callable[[program.Program], Ready]:
    """The back end of a name."""
    if not isinstance(backend, str):
        raise InvalidBackend(backend)
    if backend in _REGISTERED:
        return custom.backend(_REGISTERED[backend][0])
    if backend in _DEBUG:
        return custom.eager
    if backend in _NAMES:
        return partial(emit.build, backend=_NAMES[backend])
    raise InvalidBackend(backend)
