"""PyTorch's module of this name."""

from ._trials import Poisson

__all__ = ["Poisson"]
