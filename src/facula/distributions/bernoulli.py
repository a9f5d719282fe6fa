"""A redirect: ``torch.distributions.bernoulli``."""

from ._trials import Bernoulli

__all__ = ["Bernoulli"]
