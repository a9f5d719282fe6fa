"""A redirect: ``torch.distributions.lkj_cholesky``."""

from ._matrix_distributions import LKJCholesky

__all__ = ["LKJCholesky"]
