"""gelu of large float32 tensors that are recorded: the forward pass keeps the slopes, most of whose work it does."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..arrays.gelu import GELU_TILE, slopes_of_gelu
from ..arrays.tiles import each_tile
from ..arrays.types import Array
from ..machine import batching
from ..machine.meta import by_zeros
from ..machine.primitive import primitive
from ..pointwise.special import erf_array

_DENSITY = 1 / math.sqrt(2 * math.pi)


@primitive(
    "GeluBackward0", name="gelu_with_slopes", outputs=2, differentiable_outputs="first", batch=batching.item_by_item,
    saved_names={"out1": ""},
)  # fmt: skip
@by_zeros
def gelu_with_slopes_op(input: Array, approximate: str) -> tuple[Array, ...]:
    """(gelu, its derivative), without approximation."""
    found, slopes = (np.empty(input.shape, input.dtype) for _ in range(2))
    flat, into, slope = input.reshape(-1), found.reshape(-1), slopes.reshape(-1)
    fill = slopes_of_gelu if input.dtype == np.float32 else _exact_slopes

    def job(tile: slice) -> None:
        x, distribution = flat[tile], into[tile]
        fill(x, distribution, slope[tile])
        np.multiply(distribution, x, distribution)

    each_tile(flat.size, job, GELU_TILE)
    return found, slopes


def _exact_slopes(x: Any, distribution: Any, slopes: Any) -> None:
    distribution[...] = 0.5 * (1 + erf_array(x * math.sqrt(0.5)))
    slopes[...] = distribution + x * (np.exp(x * x * -0.5) * _DENSITY)


@gelu_with_slopes_op.raw_vjp
def _(g: Any, needs: Any, out1: Any) -> Any:
    return (g * out1,)


gelu_with_slopes_op.vjp(input=lambda g, input, approximate, xp: xp.gelu_backward(g, input, approximate))
