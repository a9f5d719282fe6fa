"""A redirect: ``torch.distributions.categorical``."""

from ._categories import Categorical

__all__ = ["Categorical"]
