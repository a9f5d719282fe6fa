"""Arithmetic with a number under the names that PyTorch's composite functions leave in graphs."""

from __future__ import annotations

import numpy as np

from ._elementwise import elementwise
from .pointwise import number_like


def _add(input, other: float):  # type: ignore[no-untyped-def]
    return np.add(input, number_like(other, input))


def _sub(input, other: float):  # type: ignore[no-untyped-def]
    return np.subtract(input, number_like(other, input))


def _mul(input, other: float):  # type: ignore[no-untyped-def]
    return np.multiply(input, number_like(other, input))


def _div(input, other: float):  # type: ignore[no-untyped-def]
    return np.true_divide(input, number_like(other, input))


add_number = elementwise("add_number", _add, "AddBackward1", scalars=("other",), input=lambda g: g)
sub_number = elementwise("sub_number", _sub, "SubBackward1", scalars=("other",), input=lambda g: g)
mul_number = elementwise("mul_number", _mul, "MulBackward1", scalars=("other",), input=lambda g, other: g * other)
div_number = elementwise(
    "div_number", _div, "DivBackward1", promote="float", scalars=("other",), input=lambda g, other: g / other
)
