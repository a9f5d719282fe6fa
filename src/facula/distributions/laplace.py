"""PyTorch's module of this name."""

from ._location_scale import Laplace

__all__ = ["Laplace"]
