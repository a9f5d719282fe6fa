"""Keeping freed memory for the next large array instead of giving it back to the system.

glibc maps arrays of some size freshly each time, and every page of theirs costs a fault when first touched: up to half
the time of an elementwise operation. With the settings here freed memory stays in the process, up to a limit. Elsewhere
than on glibc nothing is changed.
"""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Any

_TRIM_THRESHOLD, _TOP_PAD, _MMAP_MAX = -1, -2, -4
_KEPT = 1 << 30
"""Bytes at the end of the heap that are kept; more than that goes back."""

_DEFAULTS = {_TRIM_THRESHOLD: 128 << 10, _TOP_PAD: 128 << 10, _MMAP_MAX: 65536}
_KEEPING = {_TRIM_THRESHOLD: _KEPT, _TOP_PAD: 1 << 20, _MMAP_MAX: 0}

_kept = False


def keeps_freed_memory() -> bool:
    """Whether freed memory is kept for the next array."""
    return _kept


def keep_freed_memory(keep: bool = True) -> bool:
    """Keep freed memory from now on, or give it back; returns whether it is kept."""
    global _kept
    library = _glibc()
    if library is None:
        return False
    for name, value in (_KEEPING if keep else _DEFAULTS).items():
        if not library.mallopt(name, value):
            return _kept
    _kept = keep
    if not keep:
        library.malloc_trim(0)
    return _kept


def _glibc() -> Any:
    if not sys.platform.startswith("linux"):
        return None
    try:
        library = ctypes.CDLL(None)
    except OSError:
        return None
    return library if hasattr(library, "gnu_get_libc_version") else None


def begin() -> None:
    """What ``import facula`` does, unless ``FACULA_KEEP_MEMORY=0`` is set."""
    if os.environ.get("FACULA_KEEP_MEMORY", "1") != "0":
        keep_freed_memory()
