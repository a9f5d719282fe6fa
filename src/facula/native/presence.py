"""Whether there may be a native library, found out by a look at its folder: nothing is loaded, and little is imported.

What is found may still be refused when it is loaded; then NumPy's kernels do the work, as without it.
"""

from __future__ import annotations

import os

always = False
"""Whether kernels are used for arrays of all sizes: tests set it before anything is called."""


def folder() -> str:
    """Where libraries are built: ``FACULA_CACHE``, or facula in ``XDG_CACHE_HOME``, or in ``~/.cache``."""
    if given := os.environ.get("FACULA_CACHE"):
        return given
    base = os.environ.get("XDG_CACHE_HOME")
    if not base or not os.path.isabs(base):
        base = os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "facula")


def prebuilt_folder() -> str:
    """Where whoever distributes facula may put libraries for levels of processors."""
    return os.path.join(os.path.dirname(__file__), "prebuilt")


def is_off() -> bool:
    return os.environ.get("FACULA_NATIVE") == "0"


def expected() -> bool:
    """Whether a library lies where one is looked for."""
    return os.name == "posix" and not is_off() and any(map(_has_library, (folder(), prebuilt_folder())))


def _has_library(path: str) -> bool:
    try:
        return any(name.startswith("native-") and name.endswith(".so") for name in os.listdir(path))
    except OSError:
        return False
