"""PyTorch's module of this name."""

from ._location_scale import Uniform

__all__ = ["Uniform"]
