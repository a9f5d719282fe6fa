"""A redirect: ``torch.distributions.generalized_pareto``."""

from ._location_scale import GeneralizedPareto

__all__ = ["GeneralizedPareto"]
