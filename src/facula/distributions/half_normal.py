"""A redirect: ``torch.distributions.half_normal``."""

from ._transformed_distributions import HalfNormal

__all__ = ["HalfNormal"]
