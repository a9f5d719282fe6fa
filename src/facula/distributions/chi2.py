"""A redirect: ``torch.distributions.chi2``."""

from ._gamma_family import Chi2

__all__ = ["Chi2"]
