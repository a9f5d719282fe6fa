"""PyTorch's module of this name."""

from ._matrix_laws import Wishart, _mvdigamma  # noqa: F401

__all__ = ["Wishart"]
