"""The operators, a file a family."""

from __future__ import annotations

import os as _os
from typing import Any

# Modules that old pickles name are found here: see ``facula._old_paths``.
__path__.append(_os.path.join(_os.path.dirname(__path__[0]), "_old_paths", "ops"))


def __getattr__(name: str) -> Any:
    if name in ("aten", "prims"):  # PyTorch has its operators under these names, too
        from importlib import import_module  # loaded when first used

        return import_module(f"facula.ops.{name}")
    from importlib.util import find_spec  # loaded when first used

    if name.startswith("__") or find_spec(f"facula.ops.{name}") is not None:  # the import of a family asks first
        raise AttributeError(f"module 'facula.ops' has no attribute '{name}'")
    from .. import library  # it imports this module

    if name == "load_library":
        return library.load_library
    found = globals()[name] = library.namespace(name)
    return found
