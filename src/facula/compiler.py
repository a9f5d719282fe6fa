"""``torch.compiler``: nothing is being compiled, and functions that ask about it are told so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = [
    "allow_in_graph", "assume_constant_result", "compile", "cudagraph_mark_step_begin", "disable", "is_compiling",
    "is_dynamo_compiling", "is_exporting", "list_backends", "reset", "set_stance",
]  # fmt: skip


def is_compiling() -> bool:
    return False


def is_dynamo_compiling() -> bool:
    return False


def is_exporting() -> bool:
    return False


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """Keeps a function out of compilation: ``@disable`` or ``@disable()``."""
    return (lambda f: f) if fn is None else fn


def allow_in_graph(fn: Any) -> Any:
    return fn


def assume_constant_result(fn: Any) -> Any:
    return fn


def reset() -> None:
    """There are no compiled functions to forget."""


def cudagraph_mark_step_begin() -> None:
    """There are no CUDA graphs."""


def list_backends(exclude_tags: Any = ("debug", "experimental")) -> list[str]:
    return []


class set_stance:
    """What compiled functions should do; also a context manager and a decorator. There are none."""

    def __init__(
        self, stance: str = "default", *, skip_guard_eval_unsafe: bool = False, force_backend: Any = None
    ) -> None:
        self.stance = stance

    def __call__(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        return fn

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        pass


def compile(
    model: Any = None, *, fullgraph: bool = False, dynamic: bool | None = None, backend: Any = "inductor",
    mode: str | None = None, options: Any = None, disable: bool = False, **_: Any,
) -> Any:  # fmt: skip
    """The function or module itself: it runs op by op, with the results that PyTorch promises of a compiled one."""
    return (lambda fn: fn) if model is None else model
