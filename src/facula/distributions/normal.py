"""PyTorch's module of this name."""

from ._location_scale import Normal

__all__ = ["Normal"]
