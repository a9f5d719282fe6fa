"""PyTorch's module of this name."""

from ._gamma_laws import StudentT

__all__ = ["StudentT"]
