"""PyTorch's module of this name."""

from ._trials import ContinuousBernoulli

__all__ = ["ContinuousBernoulli"]
