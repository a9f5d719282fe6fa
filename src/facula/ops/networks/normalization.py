"""What layer, batch and group norm share: checks, and derivatives in terms of the normalized values.

Those are computed again: saved means and deviations are no functions of the input in the graph.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import dtypes
from ..._tensor import Tensor
from ..machine import batching

_MIXED = "mixed dtype (CPU): "


def like(x: Any, dtype: Any) -> Any:
    return x if x.dtype == dtype else x.astype(dtype)


def check_dtypes(input: Tensor, parameters: tuple[Tensor | None, ...]) -> bool:
    """Whether float32 parameters go with an input of half precision; PyTorch's error if dtypes differ otherwise."""
    given = [p for p in parameters if p is not None]
    strangers = [p for p in given if p.dtype is not input.dtype]
    if not strangers:
        return False
    if not dtypes.is_half(input._array.dtype):
        if given[0].dtype is input.dtype or input.dtype is dtypes.float32:
            raise RuntimeError(f"{_MIXED}expect parameter to have scalar type of Float")
        raise RuntimeError(f"{_MIXED}all inputs must share same datatype.")
    if any(p.dtype is not dtypes.float32 for p in given):
        raise RuntimeError(f"{_MIXED}expect parameter to have scalar type of Float")
    return True


def normalized(x: Any, dims: tuple[int, ...], eps: float, xp: Any) -> tuple[Any, Any]:
    """(normalized values, inverse deviations), differentiably."""
    away = x - xp.mean_dim(x, dims, True)
    inverse = xp.rsqrt(xp.mean_dim(away * away, dims, True) + eps)
    return away * inverse, inverse


def gradient_of_normalized(g: Any, normal: Any, inverse: Any, dims: tuple[int, ...], xp: Any) -> Any:
    """The gradient of what was normalized, from that of the normalized values."""
    along = xp.mean_dim(g * normal, dims, True)
    return inverse * (g - xp.mean_dim(g, dims, True) - normal * along)


def given(gradients: list[Any], input: Any) -> list[Any]:
    """What a kernel found, with something empty for the gradients that nobody wants."""
    return [np.empty(0, input.dtype) if x is None else x for x in gradients]


def no_derivative(g: Any) -> Any:
    """The rule of what is given besides: a mean is a function of the input."""
    return None


class SecondDerivative:
    """The gradients that arrive for those of input, weight and bias, and normalized values."""

    def __init__(
        self, g: Any, needs: Any, normal: Any, inverse: Any, dims: tuple[int, ...], xp: Any, fixed: bool = False
    ) -> None:
        self.to_input, self.to_weight, self.to_bias = (x if need else None for x, need in zip(g, needs))
        self.normal = normal
        self.inverse = inverse
        self.dims = dims
        self.xp = xp
        self.fixed = fixed
        """Whether mean and deviation are given, and not the input's own."""

    def pulled(self, g: Any) -> Any:
        if self.fixed:
            return g * self.inverse
        return gradient_of_normalized(g, self.normal, self.inverse, self.dims, self.xp)

    def mean(self, x: Any) -> Any:
        return self.xp.mean_dim(x, self.dims, True)

    def curved(self, g: Any) -> Any:
        """What the gradient ``pulled(g)`` tells of the input that it depends on."""
        if self.fixed:
            return None
        a, normal = self.to_input, self.normal
        a_along, g_along = self.mean(a * normal), self.mean(g * normal)
        together = self.mean(a * g) - self.mean(a) * self.mean(g) - a_along * g_along
        bent = self.pulled(a * g_along + g * a_along)
        return -(normal * (self.inverse * self.inverse * together) + self.inverse * bent)


def added(*parts: Any) -> Any:
    total = None
    for part in parts:
        if part is not None:
            total = part if total is None else total + part
    return total


def affine(result: Any, call: batching.Call, shape: Any) -> Any:
    """``result * weight + bias``, of which some are batched; ``shape`` makes each item broadcast."""
    _, weight, bias = call.values
    if weight is not None:
        result = result * shape(weight, call.flags[1])
    return result if bias is None else result + shape(bias, call.flags[2])
