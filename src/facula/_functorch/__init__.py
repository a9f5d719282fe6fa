"""``torch._functorch``: where PyTorch keeps its transforms, for programs that reach into it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_MODULES = ("apis", "autograd_function", "eager_transforms", "vmap")


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")
