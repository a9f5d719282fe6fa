"""A redirect: ``torch.distributions.relaxed_bernoulli``."""

from ._transformed_distributions import RelaxedBernoulli
from ._trials import LogitRelaxedBernoulli

__all__ = ["LogitRelaxedBernoulli", "RelaxedBernoulli"]
