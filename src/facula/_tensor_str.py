"""Print options under the module name that PyTorch has them in."""

from __future__ import annotations

from ._repr import get_printoptions, printoptions, set_printoptions

__all__ = ["get_printoptions", "printoptions", "set_printoptions"]
