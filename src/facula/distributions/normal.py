"""A redirect: ``torch.distributions.normal``."""

from ._location_scale import Normal

__all__ = ["Normal"]
