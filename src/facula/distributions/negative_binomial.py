"""PyTorch's module of this name."""

from ._trials import NegativeBinomial

__all__ = ["NegativeBinomial"]
