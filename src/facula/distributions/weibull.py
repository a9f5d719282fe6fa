"""PyTorch's module of this name."""

from ._transformed_laws import Weibull

__all__ = ["Weibull"]
