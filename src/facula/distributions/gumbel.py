"""A redirect: ``torch.distributions.gumbel``."""

from ._transformed_distributions import Gumbel

__all__ = ["Gumbel"]
