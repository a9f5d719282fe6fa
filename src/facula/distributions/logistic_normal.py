"""PyTorch's module of this name."""

from ._transformed_laws import LogisticNormal

__all__ = ["LogisticNormal"]
