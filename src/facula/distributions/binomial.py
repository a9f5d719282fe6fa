"""PyTorch's module of this name."""

from ._trials import Binomial

__all__ = ["Binomial"]
