"""A redirect: ``torch.distributions.von_mises``."""

from ._location_scale import VonMises, _log_modified_bessel_fn  # noqa: F401

__all__ = ["VonMises"]
