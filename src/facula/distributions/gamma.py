"""PyTorch's module of this name."""

from ._gamma_laws import Gamma, _standard_gamma  # noqa: F401

__all__ = ["Gamma"]
