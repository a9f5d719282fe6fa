"""PyTorch's module of this name."""

from ._location_scale import Cauchy

__all__ = ["Cauchy"]
