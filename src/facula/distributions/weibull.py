"""A redirect: ``torch.distributions.weibull``."""

from ._transformed_distributions import Weibull

__all__ = ["Weibull"]
