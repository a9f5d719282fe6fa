"""A redirect: ``torch.distributions.studentT``."""

from ._gamma_family import StudentT

__all__ = ["StudentT"]
