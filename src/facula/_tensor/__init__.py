"""Tensors: a class in two parts, and what is known of elements."""

from .elements import check_elements, computed, elements, known, learned
from .tensor import Tensor

__all__ = ["Tensor", "check_elements", "computed", "elements", "known", "learned"]
