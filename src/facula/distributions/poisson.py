"""A redirect: ``torch.distributions.poisson``."""

from ._trials import Poisson

__all__ = ["Poisson"]
