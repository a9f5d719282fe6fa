"""PyTorch's module of this name."""

from ._transformed_laws import HalfCauchy

__all__ = ["HalfCauchy"]
