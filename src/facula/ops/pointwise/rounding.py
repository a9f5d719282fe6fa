"""Rounding, and angles in degrees and radians."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core.strides import copied
from ..._tensor import Tensor
from ..arrays.types import Array
from ..machine.elementwise import Elementwise, elementwise
from ..machine.public import FUNCTIONS, OTHER_THAN_FOUND, expose, public
from ..machine.refusals import only
from ..machine.rules import no_gradient
from ..machine.write import inplace_form
from .arithmetic import number_like


def _whole(name: str, ufunc: Any, complex_message: str) -> Elementwise:
    refuse = only(f"{name}_vml_cpu", "if")

    def kernel(input: Array) -> Any:
        return ufunc(input) if input.dtype.kind == "f" else copied(input)

    def check(array: Any) -> None:
        if array.dtype.kind == "c" and complex_message:
            raise NotImplementedError(complex_message)
        refuse(array)

    lowering = f"{'rint' if name == 'round' else name}(input)"
    return elementwise(name, kernel, f"{name.title()}Backward0", check=check, lowering=lowering, input=no_gradient)


for _name, _ufunc, _aliases in (("floor", np.floor, ""), ("ceil", np.ceil, ""), ("trunc", np.trunc, " fix")):
    _op = _whole(_name, _ufunc, f"{_name} is not supported for complex inputs")
    _names = _name + _aliases
    expose(_op, _names, _names, " ".join(f"{n}_" for n in _names.split()), out_error=OTHER_THAN_FOUND)

round_whole_op = _whole("round", np.rint, "")


def _rounded_to(input: Array, decimals: int) -> Any:
    scale = number_like(10.0 ** abs(decimals), input)
    if decimals < 0:
        return np.multiply(np.rint(np.true_divide(input, scale)), scale)
    return np.true_divide(np.rint(np.multiply(input, scale)), scale)


round_decimals_op = elementwise(
    "round_decimals", _rounded_to, "RoundBackward1", check=only("round_cpu", "f"), input=no_gradient
)


@public("round", "round", out="exact", out_error=OTHER_THAN_FOUND)
def round(input: Tensor, *, decimals: int | None = None) -> Tensor:
    """The nearest whole number, halves to the even one; or the nearest with so many decimals."""
    return round_whole_op(input) if decimals is None else round_decimals_op(input, decimals)


def special_round(input: Tensor, *, decimals: int = 0, out: Any = None) -> Tensor:
    """``round`` to so many decimals, none unless they are asked for."""
    rounded: Tensor = FUNCTIONS["round"](input, decimals=decimals, out=out)
    return rounded


_round_in_place, _round_decimals_in_place = inplace_form(round_whole_op), inplace_form(round_decimals_op)


@public("round_", "round_")
def round_(input: Tensor, *, decimals: int | None = None) -> Any:
    """``round`` in place."""
    return _round_in_place(input) if decimals is None else _round_decimals_in_place(input, decimals)


frac_op = elementwise(
    "frac", lambda input: np.subtract(input, np.trunc(input)), "FracBackward0", check=only("frac_cpu", "f"),
    lowering="input - trunc(input)",
    input=lambda g: g,
)  # fmt: skip
expose(frac_op, "frac", "frac", "frac_", out_error=OTHER_THAN_FOUND)


def _no_complex(name: str) -> Any:
    def check(array: Any) -> None:
        if array.dtype.kind == "c":
            raise RuntimeError(f"{name} is not supported for complex tensors.")

    return check


def _times(name: str, node: str, factor: float) -> Elementwise:
    def kernel(input: Array) -> Any:
        return np.multiply(input, number_like(factor, input))

    op = elementwise(
        name, kernel, node, promote="float", check=_no_complex(name), input=lambda g, xp: xp.times(g, factor)
    )
    return expose(op, name, name, f"{name}_")


deg2rad_op = _times("deg2rad", "Deg2RadBackward0", math.pi / 180)
rad2deg_op = _times("rad2deg", "Rad2DegBackward0", 180 / math.pi)
