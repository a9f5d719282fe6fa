"""A redirect: ``torch.distributions.transformed_distribution``."""

from ._compound import TransformedDistribution

__all__ = ["TransformedDistribution"]
