"""A redirect: ``torch.distributions.log_normal``."""

from ._transformed_distributions import LogNormal

__all__ = ["LogNormal"]
