"""Back ends: a captured program as something to call."""

from __future__ import annotations

import os
from typing import Any

from ...autograd.graph import warn_user
from ...native.build import BuildError
from .frame import Compiled

_told: set[str] = set()


def build(program: Any, backend: str = "auto") -> Compiled:
    """``backend``: ``"c"``, ``"numpy"``, or ``"auto"``: C where that works, else NumPy, which is said once."""
    if backend == "numpy" or os.environ.get("FACULA_NATIVE") == "0":
        return build_numpy(program)
    try:
        return build_c(program)
    except BuildError as error:
        if backend == "auto" and str(error) not in _told:
            _told.add(str(error))
            warn_user(f"compiled with NumPy, not with C: {error}")
        elif backend == "c":
            raise
    return build_numpy(program)


def build_numpy(program: Any) -> Compiled:
    from ..numpy import text  # loaded when first used

    return text.build(program)


def build_c(program: Any) -> Compiled:
    from ..c import driver  # loaded when first used

    return driver.build(program)
