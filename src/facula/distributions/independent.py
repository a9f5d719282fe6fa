"""A redirect: ``torch.distributions.independent``."""

from ._compound import Independent

__all__ = ["Independent"]
