"""PyTorch's module of this name."""

from ._compound import MixtureSameFamily

__all__ = ["MixtureSameFamily"]
