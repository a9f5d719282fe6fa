"""Losses that PyTorch shows as one node."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.dtypes import F32, F64, not_for, of_numpy, promote_types, widened
from ..._core.strides import by_rows, laid_out
from ..arrays.types import Array
from ..machine.primitive import primitive
from ..machine.rules import in_dtype
from .items import loss_backward_of_items, loss_of_items

NONE, MEAN, SUM = 0, 1, 2


def in_one_dtype(x: Any, t: Any) -> tuple[Any, Any]:
    """Arrays in the dtype that PyTorch promotes both to."""
    if x.dtype == t.dtype:
        return x, t
    dt = promote_types(of_numpy(x.dtype), of_numpy(t.dtype)).numpy
    return x.astype(dt, copy=False), t.astype(dt, copy=False)


def _written(reduction: int) -> str:
    squares = "square(input - target)"
    return squares if reduction == NONE else f"{'mean' if reduction == MEAN else 'sum'}({squares})"


def _written_gradient(reduction: int, input_size: int) -> str:
    return f"(input - target) * (grad_output * {scale_of(reduction, input_size)!r})"


@primitive("MseLossBackward0", lowering=_written, name="mse_loss", batch=loss_of_items)
def mse_loss_op(input: Array, target: Array, reduction: int) -> Any:
    if input.dtype is target.dtype and (input.dtype is F32 or input.dtype is F64):
        difference = input - target
    else:
        input, target = in_one_dtype(input, target)
        difference = widened(input) - widened(target)
    if reduction == NONE:
        return laid_out((difference * difference).astype(input.dtype, copy=False), input, target)
    flat = difference.reshape(-1)
    total = flat.dot(flat)
    if reduction == MEAN:
        total = total / flat.size if flat.size else np.full((), np.nan, flat.dtype)
    return np.asarray(total, input.dtype)


@primitive(
    "MseLossBackwardBackward0", lowering=_written_gradient, name="mse_loss_backward", batch=loss_backward_of_items,
    saved_names={"grad_output_shape": "", "input_shape": ""},
)  # fmt: skip
def mse_loss_backward_op(grad_output: Array, input: Array, target: Array, reduction: int) -> Any:
    slope = input - target
    scale = grad_output * scale_of(reduction, input.size)
    if slope.dtype is scale.dtype is input.dtype and slope.ndim > scale.ndim:
        return by_rows(np.multiply(slope, scale, slope))
    return (slope * scale).astype(input.dtype, "C", copy=False)


def scale_of(reduction: int, n: int) -> float:
    return 2.0 / (n or 1) if reduction == MEAN else 2.0


def count(shape: tuple[int, ...]) -> int:
    n = 1
    for d in shape:
        n *= d
    return n


mse_loss_op.vjp(
    input=lambda g, input, target, reduction, xp: xp.mse_loss_backward(g, input, target, reduction),
    target=lambda g, input, target, reduction, xp: xp.mse_loss_backward(g, target, input, reduction),
)


@mse_loss_backward_op.vjp("grad_output")
def mse_loss_backward_gradient_of_grad_output(
    g: Any, input: Any, target: Any, grad_output_shape: Any, input_shape: Any, reduction: int, xp: Any
) -> Any:
    found = g * (input - target) * scale_of(reduction, count(input_shape))
    return found if grad_output_shape == input_shape else xp.sum_to(found, grad_output_shape)


@mse_loss_backward_op.vjp("input")
def mse_loss_backward_gradient_of_input(
    g: Any, grad_output: Any, input_shape: Any, input_dtype: Any, reduction: int, xp: Any
) -> Any:
    return in_dtype(g * (grad_output * scale_of(reduction, count(input_shape))), input_dtype, xp)


@mse_loss_backward_op.vjp("target")
def mse_loss_backward_gradient_of_target(
    g: Any, grad_output: Any, input_shape: Any, target_dtype: Any, reduction: int, xp: Any
) -> Any:
    return in_dtype(g * (grad_output * -scale_of(reduction, count(input_shape))), target_dtype, xp)


def mse_loss(input: Any, target: Any, reduction: int = MEAN) -> Any:
    """The squared differences: all of them, their mean or their sum."""
    dtype = promote_types(input.dtype, target.dtype)
    if not dtype.is_floating_point:
        raise not_for("mse_cpu", dtype)
    return mse_loss_op(input, target, reduction)

