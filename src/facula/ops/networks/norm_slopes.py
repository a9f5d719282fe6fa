"""The gradients of layer norm and batch norm as operators of their own: one node with all three, as PyTorch has it.

Their derivatives take the mean and the deviation for what they are: functions of the input.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays.normalization import gradient_of_normalized, normalized
from ..arrays.types import Array
from ..machine import batching
from ..machine.meta import by_zeros
from ..machine.primitive import primitive
from .normalization import across, batch_gradients, batch_normalized, last, layer_gradients, per_channel


def _all(found: Any, like: Any) -> list[Any]:
    """Gradients, with something empty for those that nobody wants."""
    return [np.empty(0, like.dtype) if x is None else x for x in found]


def _nothing(g: Any) -> Any:
    """The rule of what is given besides: a mean is a function of the input."""
    return None


class _Parts:
    """What arrives for the three gradients, and normalized values: what the rules of both norms are made of."""

    def __init__(
        self, g: Any, wanted: Any, normal: Any, inverse: Any, dims: tuple[int, ...], xp: Any, fixed: bool = False
    ) -> None:
        self.to_input, self.to_weight, self.to_bias = (x if want else None for x, want in zip(g, wanted))
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


def _sum(*parts: Any) -> Any:
    total = None
    for part in parts:
        if part is not None:
            total = part if total is None else total + part
    return total


# ---- layer norm


@primitive(
    "NativeLayerNormBackwardBackward0", name="native_layer_norm_backward", outputs=3, batch=batching.item_by_item,
    saved_names={"input": "input", "normalized_shape": "normalized_shape", "wanted": "", "eps": ""},
)  # fmt: skip
@by_zeros
def layer_norm_backward_op(
    grad_out: Array, input: Array, mean: Array, rstd: Array, weight: Array, bias: Array,
    normalized_shape: tuple[int, ...], eps: float, wanted: tuple[bool, ...],
) -> Any:  # fmt: skip
    return _all(layer_gradients(grad_out, wanted, input, weight, bias, mean, rstd, normalized_shape), input)


def _of_layer(g: Any, wanted: Any, input: Any, normalized_shape: Any, eps: float, xp: Any) -> _Parts:
    dims = last(len(normalized_shape))
    return _Parts(g, wanted, *normalized(input, dims, eps, xp), dims, xp)


@layer_norm_backward_op.vjp("grad_out")
def layer_norm_backward_gradient_of_grad_out(
    g: Any, grad_out: Any, input: Any, mean: Any, rstd: Any, weight: Any, normalized_shape: Any, eps: float,
    wanted: Any, xp: Any,
) -> Any:  # fmt: skip
    p = _of_layer(g, wanted, input, normalized_shape, eps, xp)
    by_input = None if p.to_input is None else p.pulled(p.to_input)
    if by_input is not None and weight is not None:
        by_input = by_input * weight
    by_bias = None if p.to_bias is None else xp.expand(p.to_bias, tuple(input.shape))
    return _sum(by_input, None if p.to_weight is None else p.to_weight * p.normal, by_bias)


@layer_norm_backward_op.vjp("input")
def layer_norm_backward_gradient_of_input(
    g: Any, grad_out: Any, input: Any, weight: Any, normalized_shape: Any, eps: float, wanted: Any, xp: Any
) -> Any:
    p = _of_layer(g, wanted, input, normalized_shape, eps, xp)
    by_input = None if p.to_input is None else p.curved(grad_out if weight is None else grad_out * weight)
    return _sum(by_input, None if p.to_weight is None else p.pulled(p.to_weight * grad_out))


@layer_norm_backward_op.vjp("weight")
def layer_norm_backward_gradient_of_weight(
    g: Any, grad_out: Any, input: Any, normalized_shape: Any, eps: float, wanted: Any, xp: Any
) -> Any:
    p = _of_layer(g, wanted, input, normalized_shape, eps, xp)
    return None if p.to_input is None else xp.sum_to(grad_out * p.pulled(p.to_input), normalized_shape)


layer_norm_backward_op.vjp(mean=_nothing, rstd=_nothing, bias=_nothing)


# ---- batch norm


@primitive(
    "NativeBatchNormBackwardBackward0", name="native_batch_norm_backward", outputs=3,
    saved_names={"input": "input", "wanted": ""}, batch=batching.item_by_item,
)  # fmt: skip
@by_zeros
def batch_norm_backward_op(
    grad_out: Array, input: Array, weight: Array, running_mean: Array, running_var: Array, save_mean: Array,
    save_invstd: Array, train: bool, eps: float, wanted: tuple[bool, ...],
) -> Any:  # fmt: skip
    found = batch_gradients(
        grad_out, wanted, input, weight, weight, running_mean, running_var, save_mean, save_invstd, train, eps
    )
    return _all(found, input)


def _of_batch(
    g: Any, wanted: Any, input: Any, running_mean: Any, running_var: Any, train: bool, eps: float, xp: Any
) -> _Parts:
    normal, inverse = batch_normalized(input, running_mean, running_var, train, eps, xp)
    p = _Parts(g, wanted, normal, inverse, across(input.ndim), xp, not train)
    p.to_weight, p.to_bias = (
        None if x is None else per_channel(x, input.ndim, xp) for x in (p.to_weight, p.to_bias)
    )
    return p


@batch_norm_backward_op.vjp("grad_out")
def batch_norm_backward_gradient_of_grad_out(
    g: Any, grad_out: Any, input: Any, weight: Any, running_mean: Any, running_var: Any, save_mean: Any,
    save_invstd: Any, train: bool, eps: float, wanted: Any, xp: Any,
) -> Any:  # fmt: skip
    p = _of_batch(g, wanted, input, running_mean, running_var, train, eps, xp)
    by_input = None if p.to_input is None else p.pulled(p.to_input)
    if by_input is not None and weight is not None:
        by_input = by_input * per_channel(weight, input.ndim, xp)
    by_bias = None if p.to_bias is None else xp.expand(p.to_bias, tuple(input.shape))
    return _sum(by_input, None if p.to_weight is None else p.to_weight * p.normal, by_bias)


@batch_norm_backward_op.vjp("input")
def batch_norm_backward_gradient_of_input(
    g: Any, grad_out: Any, input: Any, weight: Any, running_mean: Any, running_var: Any, train: bool, eps: float,
    wanted: Any, xp: Any,
) -> Any:  # fmt: skip
    p = _of_batch(g, wanted, input, running_mean, running_var, train, eps, xp)
    scaled = grad_out if weight is None else grad_out * per_channel(weight, input.ndim, xp)
    by_input = None if p.to_input is None else p.curved(scaled)
    return _sum(by_input, None if p.to_weight is None else p.pulled(p.to_weight * grad_out))


@batch_norm_backward_op.vjp("weight")
def batch_norm_backward_gradient_of_weight(
    g: Any, grad_out: Any, input: Any, running_mean: Any, running_var: Any, train: bool, eps: float, wanted: Any,
    xp: Any,
) -> Any:  # fmt: skip
    p = _of_batch(g, wanted, input, running_mean, running_var, train, eps, xp)
    if p.to_input is None:
        return None
    return xp.sum_dim(grad_out * p.pulled(p.to_input), across(input.ndim), False)


batch_norm_backward_op.vjp(save_mean=_nothing, save_invstd=_nothing)
