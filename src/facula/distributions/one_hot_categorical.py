"""A redirect: ``torch.distributions.one_hot_categorical``."""

from ._categories import OneHotCategorical, OneHotCategoricalStraightThrough

__all__ = ["OneHotCategorical", "OneHotCategoricalStraightThrough"]
