"""PyTorch's module of this name."""

from ._transformed_laws import Pareto

__all__ = ["Pareto"]
