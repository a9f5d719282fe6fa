"""Arithmetic with a number under the names that PyTorch's composite functions leave in graphs.

Rules have it as ``xp.times`` and so on: on arrays these are Python's operators, on tensors the nodes that PyTorch's own
rules record. ``x * 2`` in a rule leaves what it leaves in a program: a product of two tensors.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..._tensor import Tensor
from ..arrays.types import Array
from ..machine.elementwise import elementwise
from ..machine.rules import in_both_namespaces
from .arithmetic import div_op, number_like, sub_op
from .powers import pow_number_op


def _add(input: Array, other: float) -> Any:
    return np.add(input, number_like(other, input))


def _sub(input: Array, other: float) -> Any:
    return np.subtract(input, number_like(other, input))


def _mul(input: Array, other: float) -> Any:
    return np.multiply(input, number_like(other, input))


def _div(input: Array, other: float) -> Any:
    return np.true_divide(input, number_like(other, input))


add_number_op = elementwise(
    "add_number", _add, "AddBackward1", lowering="input + other", scalars=("other",), input=lambda g: g
)
sub_number_op = elementwise(
    "sub_number", _sub, "SubBackward1", lowering="input - other", scalars=("other",), input=lambda g: g
)
mul_number_op = elementwise(
    "mul_number", _mul, "MulBackward1", lowering="input * other", scalars=("other",),
    input=lambda g, other, xp: xp.times(g, other.conjugate()),
)  # fmt: skip
div_number_op = elementwise(
    "div_number", _div, "DivBackward1", lowering="input / other", promote="float", scalars=("other",),
    input=lambda g, other, xp: xp.over(g, other.conjugate()),
)  # fmt: skip
mul_number_op.rounded_numbers = div_number_op.rounded_numbers = ()


def _beside(number: Any, x: Any) -> Any:
    """A number as a tensor of 0 dimensions."""
    dt = x._array.dtype
    if isinstance(number, complex) and dt.kind != "c":
        dt = np.result_type(dt, np.complex64)
    return Tensor._wrap(np.asarray(number, dt))


def _from_number(number: Any, x: Any) -> Any:
    return sub_op(_beside(number, x), x)


def _number_over(number: Any, x: Any) -> Any:
    return div_op(_beside(number, x), x)


def _square_of_array(x: Any) -> Any:
    return x * x


def _square_of_tensor(x: Any) -> Any:
    return pow_number_op(x, 2)


in_both_namespaces("times", operator.mul, mul_number_op)
in_both_namespaces("over", operator.truediv, div_number_op)
in_both_namespaces("plus", operator.add, add_number_op)
in_both_namespaces("minus", operator.sub, sub_number_op)
in_both_namespaces("number_minus", operator.sub, _from_number)
in_both_namespaces("number_over", operator.truediv, _number_over)
in_both_namespaces("squared", _square_of_array, _square_of_tensor)
