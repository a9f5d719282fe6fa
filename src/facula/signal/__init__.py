"""``facula.signal``: what signal processing needs; so far, windows."""

from __future__ import annotations

from . import windows

__all__ = ["windows"]
