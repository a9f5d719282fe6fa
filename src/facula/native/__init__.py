"""Kernels in C for large arrays, where a compiler is at hand: ``facula native build``.

Nothing is built without being asked, and nothing depends on it: the NumPy kernels are the reference and stay. See
``README.md`` in this folder.
"""

from __future__ import annotations


def in_use() -> bool:
    """Whether kernels of the native library are at hand."""
    from . import library  # loaded when first used

    return library.load() is not None


def why_not() -> str | None:
    """Why the library is not in use; None if it is."""
    from . import library  # loaded when first used

    return library.why_not()


__all__ = ["in_use", "why_not"]
