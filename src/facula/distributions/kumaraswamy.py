"""PyTorch's module of this name."""

from ._transformed_laws import Kumaraswamy

__all__ = ["Kumaraswamy"]
