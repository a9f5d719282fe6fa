"""A redirect: ``torch.distributions.half_cauchy``."""

from ._transformed_distributions import HalfCauchy

__all__ = ["HalfCauchy"]
