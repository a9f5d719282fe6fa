"""Layer norm and RMS norm: over the last dimensions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core import dtypes
from ..._core.dtypes import not_for, widened
from ..._tensor import Tensor
from ..arrays.meta import by_zeros
from ..arrays.normalization import normalize_rows, row_gradients
from ..arrays.strides import is_channels_last
from ..arrays.sums import add_up
from ..arrays.types import Array
from ..machine import batching
from ..machine.errors import WrongArgument
from ..machine.namespaces import TENSORS
from ..machine.primitive import primitive
from ..machine.public import public
from ..pointwise.with_numbers import add_number_op
from .normalization import (
    SecondDerivative,
    added,
    affine,
    check_dtypes,
    given,
    gradient_of_normalized,
    like,
    no_derivative,
    normalized,
)


@primitive(
    "NativeLayerNormBackward0", name="native_layer_norm", outputs=3, differentiable_outputs="first",
    saved_names={
        "input": "input", "out1": "result1", "out2": "result2", "normalized_shape": "normalized_shape", "eps": "",
    },
    native=("norms:layer_norm", 64), lowering="library",
)  # fmt: skip
@by_zeros
def layer_norm_op(
    input: Array, weight: Array, bias: Array, normalized_shape: tuple[int, ...], eps: float, mixed: bool
) -> tuple[Array, ...]:
    lead = input.shape[: input.ndim - len(normalized_shape)]
    rows = np.ascontiguousarray(widened(input)).reshape(math.prod(lead), math.prod(normalized_shape))
    scale, shift = (None if p is None else widened(p).reshape(-1) for p in (weight, bias))
    out, mean, inverse = normalize_rows(rows, eps, scale, shift)
    kept = lead + (1,) * len(normalized_shape)
    moments = inverse.dtype if mixed else input.dtype
    return (
        like(out, input.dtype).reshape(input.shape),
        like(mean, moments).reshape(kept),
        like(inverse, moments).reshape(kept),
    )


def _last(n: int) -> tuple[int, ...]:
    return tuple(range(-n, 0))


@primitive(
    "NativeLayerNormBackwardBackward0", name="native_layer_norm_backward", outputs=3,
    saved_names={"input": "input", "normalized_shape": "normalized_shape", "eps": ""},
    native=("norms:layer_norm_backward", 64), lowering="library",
)  # fmt: skip
@by_zeros
def layer_norm_backward_op(
    grad_out: Array, input: Array, mean: Array, rstd: Array, weight: Array | None, bias: Array | None,
    normalized_shape: tuple[int, ...], eps: float, needs: tuple[bool, ...],
) -> list[Array]:  # fmt: skip
    n = math.prod(normalized_shape)
    wide = widened(grad_out).reshape(math.prod(grad_out.shape[: grad_out.ndim - len(normalized_shape)]), n)
    to_input, to_weight, to_bias = needs
    found: list[Any] = [None, None, None]
    if bias is not None and to_bias:
        found[2] = like(add_up(np.ascontiguousarray(wide), (0,)), bias.dtype).reshape(normalized_shape)
    if to_input or to_weight:
        middle, inverse = (widened(m).reshape(-1, 1) for m in (mean, rstd))
        scale = None if weight is None else widened(weight).reshape(-1)
        rows = widened(input).reshape(wide.shape)
        by_input, by_weight = row_gradients(wide, rows, middle, inverse, scale, to_input, to_weight)
        if weight is not None and to_weight:
            found[1] = like(by_weight, weight.dtype).reshape(normalized_shape)
        if to_input:
            found[0] = like(by_input, input.dtype).reshape(input.shape)
    return given(found, input)


layer_norm_op.gradient(layer_norm_backward_op, "input", "weight", "bias", mean="out1", rstd="out2")


@layer_norm_backward_op.compose
def layer_norm_gradients(
    grad_out: Any, input: Any, mean: Any, rstd: Any, weight: Any, bias: Any, normalized_shape: Any, eps: float,
    needs: Any,
) -> list[Any]:  # fmt: skip
    dims = _last(len(normalized_shape))
    to_input, to_weight, to_bias = needs
    normal, inverse = normalized(input, dims, eps, TENSORS) if to_input or to_weight else (None, None)
    scaled = grad_out if weight is None else grad_out * weight
    return [
        gradient_of_normalized(scaled, normal, inverse, dims, TENSORS) if to_input else None,
        TENSORS.sum_to(grad_out * normal, normalized_shape) if to_weight else None,
        TENSORS.sum_to(grad_out, normalized_shape) if to_bias else None,
    ]


def _second(g: Any, needs: Any, input: Any, normalized_shape: Any, eps: float, xp: Any) -> SecondDerivative:
    dims = _last(len(normalized_shape))
    return SecondDerivative(g, needs, *normalized(input, dims, eps, xp), dims, xp)


@layer_norm_backward_op.vjp("grad_out")
def layer_norm_backward_gradient_of_grad_out(
    g: Any, grad_out: Any, input: Any, mean: Any, rstd: Any, weight: Any, normalized_shape: Any, eps: float,
    needs: Any, xp: Any,
) -> Any:  # fmt: skip
    p = _second(g, needs, input, normalized_shape, eps, xp)
    by_input = None if p.to_input is None else p.pulled(p.to_input)
    if by_input is not None and weight is not None:
        by_input = by_input * weight
    by_bias = None if p.to_bias is None else xp.expand(p.to_bias, tuple(input.shape))
    return added(by_input, None if p.to_weight is None else p.to_weight * p.normal, by_bias)


@layer_norm_backward_op.vjp("input")
def layer_norm_backward_gradient_of_input(
    g: Any, grad_out: Any, input: Any, weight: Any, normalized_shape: Any, eps: float, needs: Any, xp: Any
) -> Any:
    p = _second(g, needs, input, normalized_shape, eps, xp)
    by_input = None if p.to_input is None else p.curved(grad_out if weight is None else grad_out * weight)
    return added(by_input, None if p.to_weight is None else p.pulled(p.to_weight * grad_out))


@layer_norm_backward_op.vjp("weight")
def layer_norm_backward_gradient_of_weight(
    g: Any, grad_out: Any, input: Any, normalized_shape: Any, eps: float, needs: Any, xp: Any
) -> Any:
    p = _second(g, needs, input, normalized_shape, eps, xp)
    return None if p.to_input is None else xp.sum_to(grad_out * p.pulled(p.to_input), normalized_shape)


layer_norm_backward_op.vjp(mean=no_derivative, rstd=no_derivative, bias=no_derivative)


@layer_norm_op.batch
def layer_norm_batched(call: batching.Call) -> Any:
    if not call.flags[1] and not call.flags[2]:
        return call.run(call.values)
    plain, mean, scale = call.run([call.full(0), None, None])
    ndim = call.ndim(0)
    return [affine(plain, call, lambda v, flag: batching.padded(v, ndim) if flag else v), mean, scale]


def _checked_shape(normalized_shape: Any) -> tuple[int, ...]:
    if not isinstance(normalized_shape, (tuple, list)):
        raise WrongArgument("normalized_shape", normalized_shape, "tuple of ints")
    shape = tuple(normalized_shape)
    if not shape:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            "normalized_shape = []"
        )
    return shape


def _check_normalized(
    input: Tensor, shape: tuple[int, ...], parameters: dict[str, Tensor | None], separator: str = ", "
) -> None:
    for name, p in parameters.items():
        if p is not None and p._array.shape != shape:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                f"{list(p._array.shape)} and normalized_shape = {list(shape)}"
            )
    if input._array.shape[max(input._array.ndim - len(shape), 0) :] != shape:
        rest = "".join(f"{separator}{n}" if i == 0 else f", {n}" for i, n in enumerate(shape))
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [*{rest}], but got input of size"
            f"{list(input._array.shape)}"
        )


@public("native_layer_norm")
def native_layer_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None, bias: Tensor | None, eps: float
) -> Any:
    """(normalized, mean, 1 / deviation) over the last dimensions."""
    shape = _checked_shape(normalized_shape)
    mixed = check_dtypes(input, (weight, bias))
    _check_normalized(input, shape, {"weight": weight, "bias": bias})
    if input._array.dtype.kind not in "fV":
        raise not_for("LayerNormKernelImpl", input.dtype)
    return tuple(layer_norm_op(input, weight, bias, shape, eps, mixed))


@public("layer_norm")
def layer_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5,
    cudnn_enable: bool = True,
) -> Tensor:  # fmt: skip
    """Mean 0 and variance 1 over the last dimensions, then scaled and shifted element by element."""
    found: Tensor = native_layer_norm(input, normalized_shape, weight, bias, eps)[0]
    return found


@public("rms_norm")
def rms_norm(input: Tensor, normalized_shape: Any, weight: Tensor | None = None, eps: float | None = None) -> Tensor:
    """Divided by the root of the mean of the squares over the last dimensions, then scaled element by element."""
    shape = _checked_shape(normalized_shape)
    if input.ndim < len(shape):
        raise ValueError(f"Input tensor must have at least {len(shape)} dimensions, but got {input.ndim}")
    _check_normalized(input, shape, {"weight": weight}, separator="")
    dtype = input.dtype
    if dtype.category < dtypes.FLOAT:
        raise not_for("rms_norm", dtype)
    if eps is None:
        eps = float(np.finfo(np.float64 if dtype.itemsize == (16 if dtype.is_complex else 8) else np.float32).eps)
    x = input.to(dtypes.float32) if dtypes.is_half(input._array.dtype) else input
    found = x * add_number_op(x.pow(2).mean(_last(len(shape)), keepdim=True), eps).rsqrt()
    if weight is not None:
        found = found * weight
    is_last = not found.wraps and found._array.ndim == 4 and is_channels_last(found._array)
    return (found if is_last else found.contiguous()).to(dtype)
