"""PyTorch's module of this name."""

from ._gamma_laws import Beta

__all__ = ["Beta"]
