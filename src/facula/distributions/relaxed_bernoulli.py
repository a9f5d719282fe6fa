"""PyTorch's module of this name."""

from ._transformed_laws import RelaxedBernoulli
from ._trials import LogitRelaxedBernoulli

__all__ = ["LogitRelaxedBernoulli", "RelaxedBernoulli"]
