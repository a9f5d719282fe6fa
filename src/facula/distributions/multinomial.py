"""PyTorch's module of this name."""

from ._categories import Multinomial

__all__ = ["Multinomial"]
