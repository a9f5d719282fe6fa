"""A redirect: ``torch.distributions.logistic_normal``."""

from ._transformed_distributions import LogisticNormal

__all__ = ["LogisticNormal"]
