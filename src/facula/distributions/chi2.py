"""PyTorch's module of this name."""

from ._gamma_laws import Chi2

__all__ = ["Chi2"]
