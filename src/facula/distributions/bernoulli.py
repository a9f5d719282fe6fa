"""PyTorch's module of this name."""

from ._trials import Bernoulli

__all__ = ["Bernoulli"]
