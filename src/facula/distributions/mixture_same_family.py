"""A redirect: ``torch.distributions.mixture_same_family``."""

from ._compound import MixtureSameFamily

__all__ = ["MixtureSameFamily"]
