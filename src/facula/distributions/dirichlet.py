"""PyTorch's module of this name."""

from ._gamma_laws import Dirichlet, _Dirichlet, _Dirichlet_backward  # noqa: F401

__all__ = ["Dirichlet"]
