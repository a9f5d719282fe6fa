"""A redirect: ``torch.distributions.cauchy``."""

from ._location_scale import Cauchy

__all__ = ["Cauchy"]
