"""The operators, a file a family."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    if name == "aten":  # PyTorch has its operators under this name, too
        from importlib import import_module  # loaded when first used

        return import_module("facula.ops.aten")
    from importlib.util import find_spec  # loaded when first used

    if name.startswith("_") or find_spec(f"facula.ops.{name}") is not None:  # the import of a family asks first
        raise AttributeError(f"module 'facula.ops' has no attribute '{name}'")
    from .. import library  # it imports this module

    return library.load_library if name == "load_library" else library.namespace(name)
