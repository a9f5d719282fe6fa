"""A redirect: ``torch.distributions.pareto``."""

from ._transformed_distributions import Pareto

__all__ = ["Pareto"]
