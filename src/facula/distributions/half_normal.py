"""PyTorch's module of this name."""

from ._transformed_laws import HalfNormal

__all__ = ["HalfNormal"]
