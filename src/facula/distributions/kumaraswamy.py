"""A redirect: ``torch.distributions.kumaraswamy``."""

from ._transformed_distributions import Kumaraswamy

__all__ = ["Kumaraswamy"]
