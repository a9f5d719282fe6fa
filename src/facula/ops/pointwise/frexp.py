"""``frexp``: a number as mantissa times a power of two."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import return_types
from ..._core.dtypes import cpp_name, dtype, widened
from ..._core.strides import repeats_laid_out
from ..._tensor import Tensor
from ..arrays.types import Array
from ..machine import batching
from ..machine.primitive import primitive
from ..machine.public import public
from ..machine.rules import constant, raw

return_types.define("frexp", "mantissa", "exponent")


@primitive(
    "FrexpBackward0", name="frexp", outputs=2, differentiable_outputs="first", batch=batching.broadcast,
    saved_names={"out1": "exponent"},
)  # fmt: skip
def frexp_op(input: Array) -> tuple[Array, ...]:
    mantissa, exponent = np.frexp(widened(input))
    exponent = np.asarray(np.where(np.isfinite(mantissa), exponent, 0), np.int32)
    return repeats_laid_out(np.asarray(mantissa, input.dtype), input), repeats_laid_out(exponent, input)


@frexp_op.vjp("input")
def frexp_gradient_of_input(g: Any, out1: Any, xp: Any) -> Any:
    return g / constant(np.asarray(np.ldexp(1.0, raw(out1)), raw(g).dtype), xp)


def _other_out(wanted: dtype, given: dtype, field: str) -> str:
    if field == "exponent":
        return f"torch.frexp() expects exponent to have int dtype but got {cpp_name(given)}"
    return f"torch.frexp() expects mantissa to have dtype {cpp_name(wanted)} but got {cpp_name(given)}"


@public("frexp", "frexp", out="exact", out_error=_other_out)
def frexp(input: Tensor) -> Any:
    """Mantissas between 0.5 and 1 (or 0) and exponents of two."""
    if not input.dtype.is_floating_point:
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    return return_types.frexp(frexp_op(input))
