"""A redirect: ``torch.distributions.wishart``."""

from ._matrix_distributions import Wishart, _mvdigamma  # noqa: F401

__all__ = ["Wishart"]
