"""The derivatives of softmax and log_softmax as operators of their own."""

from __future__ import annotations

from typing import Any

from ..._core.dtypes import cpp_name
from ..._tensor import Tensor
from ..arrays.types import Array
from ..machine import batching
from ..machine.primitive import primitive
from ..machine.public import public
from ..reductions.reducing import check_dim
from .softmax import log_softmax_gradient, softmax_gradient


def _sums(x: Any, dim: int, xp: Any) -> Any:
    """Sums along a dimension, which stays; there is nothing to sum in 0 dimensions."""
    return xp.sum_dim(x, (dim,), True) if x.shape else x


_SAVED = {"input": "grad_output"}


@primitive(
    "SoftmaxBackwardDataBackward0", name="softmax_backward_data", batch=batching.moved_dimensions, saved_names=_SAVED
)
def softmax_data_op(input: Array, output: Array, dim: int) -> Any:
    """``input``: the gradient that arrives; ``output``: what softmax gave."""
    return softmax_gradient(input, output, dim)


@softmax_data_op.vjp("output")
def softmax_data_gradient_of_output(g: Any, input: Any, output: Any, dim: int, xp: Any) -> Any:
    return g * (input - _sums(input * output, dim, xp)) - input * _sums(g * output, dim, xp)


softmax_data_op.vjp(input=lambda g, output, dim, xp: xp.softmax_backward_data(g, output, dim))


@primitive(
    "LogSoftmaxBackwardDataBackward0", name="log_softmax_backward_data", batch=batching.moved_dimensions,
    saved_names=_SAVED,
)  # fmt: skip
def log_softmax_data_op(input: Array, output: Array, dim: int) -> Any:
    return log_softmax_gradient(input, output, dim)


log_softmax_data_op.vjp(
    input=lambda g, output, dim, xp: g - _sums(g * xp.exp(output), dim, xp),
    output=lambda g, input, output, dim, xp: -g * xp.exp(output) * _sums(input, dim, xp),
)


def _data(op: Any, grad_output: Tensor, output: Tensor, dim: int, input_dtype: Any) -> Tensor:
    if grad_output.dtype is not output.dtype:
        wanted, found = (cpp_name(t.dtype).capitalize() for t in (grad_output, output))
        raise RuntimeError(f"expected scalar type {wanted} but found {found}")
    result: Tensor = op(grad_output, output, check_dim(dim, grad_output._array.ndim))
    return result if result.dtype is input_dtype else result.to(input_dtype)


@public("_softmax_backward_data", out=True)
def softmax_backward_data(grad_output: Tensor, output: Tensor, dim: int, input_dtype: Any) -> Tensor:
    """The gradient of softmax's input, from that of its output."""
    return _data(softmax_data_op, grad_output, output, dim, input_dtype)


@public("_log_softmax_backward_data", out=True)
def log_softmax_backward_data(grad_output: Tensor, output: Tensor, dim: int, input_dtype: Any) -> Tensor:
    """The gradient of log_softmax's input, from that of its output."""
    return _data(log_softmax_data_op, grad_output, output, dim, input_dtype)
