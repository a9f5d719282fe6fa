"""PyTorch's module of this name."""

from ._transformed_laws import LogNormal

__all__ = ["LogNormal"]
