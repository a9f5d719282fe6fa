"""A redirect: ``torch.distributions.gamma``."""

from ._gamma_family import Gamma, _standard_gamma  # noqa: F401

__all__ = ["Gamma"]
