"""A redirect: ``torch.distributions.laplace``."""

from ._location_scale import Laplace

__all__ = ["Laplace"]
