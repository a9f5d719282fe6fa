"""A redirect: ``torch.distributions.multivariate_normal``."""

from ._covariance import _batch_mahalanobis, _batch_mv, _precision_to_scale_tril  # noqa: F401
from ._normal_vectors import MultivariateNormal

__all__ = ["MultivariateNormal"]
