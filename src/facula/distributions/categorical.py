"""PyTorch's module of this name."""

from ._categories import Categorical

__all__ = ["Categorical"]
