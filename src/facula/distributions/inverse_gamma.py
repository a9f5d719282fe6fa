"""PyTorch's module of this name."""

from ._transformed_laws import InverseGamma

__all__ = ["InverseGamma"]
