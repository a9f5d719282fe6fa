"""PyTorch's module of this name."""

from ._compound import TransformedDistribution

__all__ = ["TransformedDistribution"]
