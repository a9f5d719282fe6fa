"""PyTorch's module of this name."""

from ._transformed_laws import Gumbel

__all__ = ["Gumbel"]
