"""A redirect: ``torch.distributions.negative_binomial``."""

from ._trials import NegativeBinomial

__all__ = ["NegativeBinomial"]
