"""PyTorch's module of this name."""

from ._gamma_laws import Exponential

__all__ = ["Exponential"]
