"""A redirect: ``torch.distributions.binomial``."""

from ._trials import Binomial

__all__ = ["Binomial"]
