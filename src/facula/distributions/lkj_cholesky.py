"""PyTorch's module of this name."""

from ._matrix_laws import LKJCholesky

__all__ = ["LKJCholesky"]
