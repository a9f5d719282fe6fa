"""A redirect: ``torch.distributions.lowrank_multivariate_normal``."""

from ._covariance import _batch_capacitance_tril, _batch_lowrank_logdet, _batch_lowrank_mahalanobis  # noqa: F401
from ._normal_vectors import LowRankMultivariateNormal

__all__ = ["LowRankMultivariateNormal"]
