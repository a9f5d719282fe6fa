"""Kernels in C for large arrays, where a compiler is at hand: ``facula native build``.

Nothing is built without being asked, and nothing depends on it: the NumPy kernels are the reference and stay. See
``README.md`` in this folder.
"""

from __future__ import annotations

from .library import in_use, why_not

__all__ = ["in_use", "why_not"]
