"""A redirect: ``torch.distributions.exponential``."""

from ._gamma_family import Exponential

__all__ = ["Exponential"]
