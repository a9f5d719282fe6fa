"""A redirect: ``torch.distributions.multinomial``."""

from ._categories import Multinomial

__all__ = ["Multinomial"]
