"""A redirect: ``torch.distributions.relaxed_categorical``."""

from ._categories import ExpRelaxedCategorical
from ._transformed_distributions import RelaxedOneHotCategorical

__all__ = ["ExpRelaxedCategorical", "RelaxedOneHotCategorical"]
