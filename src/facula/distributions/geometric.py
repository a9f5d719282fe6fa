"""A redirect: ``torch.distributions.geometric``."""

from ._trials import Geometric

__all__ = ["Geometric"]
