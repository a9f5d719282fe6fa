"""PyTorch's module of this name."""

from ._gamma_laws import FisherSnedecor

__all__ = ["FisherSnedecor"]
