"""PyTorch's module of this name."""

from ._categories import ExpRelaxedCategorical
from ._transformed_laws import RelaxedOneHotCategorical

__all__ = ["ExpRelaxedCategorical", "RelaxedOneHotCategorical"]
