"""A redirect: ``torch.distributions.uniform``."""

from ._location_scale import Uniform

__all__ = ["Uniform"]
