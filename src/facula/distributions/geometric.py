"""PyTorch's module of this name."""

from ._trials import Geometric

__all__ = ["Geometric"]
