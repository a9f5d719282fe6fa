"""A redirect: ``torch.distributions.inverse_gamma``."""

from ._transformed_distributions import InverseGamma

__all__ = ["InverseGamma"]
