"""A redirect: ``torch.distributions.beta``."""

from ._gamma_family import Beta

__all__ = ["Beta"]
