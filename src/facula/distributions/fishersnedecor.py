"""A redirect: ``torch.distributions.fishersnedecor``."""

from ._gamma_family import FisherSnedecor

__all__ = ["FisherSnedecor"]
