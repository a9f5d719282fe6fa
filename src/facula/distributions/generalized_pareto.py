"""PyTorch's module of this name."""

from ._location_scale import GeneralizedPareto

__all__ = ["GeneralizedPareto"]
