"""A redirect: ``torch.distributions.dirichlet``."""

from ._gamma_family import Dirichlet, _Dirichlet, _Dirichlet_backward  # noqa: F401

__all__ = ["Dirichlet"]
