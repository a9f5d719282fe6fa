"""PyTorch's module of this name."""

from ._compound import Independent

__all__ = ["Independent"]
