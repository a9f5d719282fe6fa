"""A redirect: ``torch.distributions.continuous_bernoulli``."""

from ._trials import ContinuousBernoulli

__all__ = ["ContinuousBernoulli"]
