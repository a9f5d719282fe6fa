"""Softmax and log-softmax: one kernel each instead of a chain of five."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.dtypes import F32, F64, cast, cpp_name, not_for, widened
from ..._tensor import Tensor
from ..arrays.sums import add_up, maximum_reduce, ones, total
from ..arrays.tiles import TILE, each_rows
from ..arrays.types import Array
from ..machine import batching
from ..machine.namespaces import TENSORS
from ..machine.primitive import primitive
from ..machine.public import public
from ..machine.rule import Gradient
from ..reductions.reducing import check_dim

ndarray = np.ndarray

_OF_BACKWARD = {"input": "grad_output"}
"""What nodes of the gradients call what they save."""

_NARROW = 32
"""Of many rows no wider than this the maxima are found in half the time, or less, if these are turned to columns."""


def _shifted(x: Any, dim: int) -> Any:
    """A fresh float array from which the maximum has been taken."""
    x = widened(x)
    if not x.flags.c_contiguous:
        x = x.copy()
    if not x.size:
        return x.copy()
    return np.subtract(x, _maxima(x, dim))


def _maxima(x: Any, dim: int) -> Any:
    """The maxima along a dimension, ready to be broadcast."""
    if x.ndim == 1:  # the place of a vector's maximum is found in a fifth of the time that the maximum takes
        return x[x.argmax()]
    if x.ndim == 2 and dim in (1, -1) and x.shape[1] <= _NARROW < x.shape[0]:
        return maximum_reduce(x.T.copy(), 0)[:, None]
    return maximum_reduce(x, dim, None, None, True)


def _sums(x: Any, dim: int) -> Any:
    """Sums along a dimension, ready to be broadcast: a scalar for a vector, which NumPy broadcasts in half the time."""
    if x.ndim == 2 and x.shape[1] <= 512 and dim in (1, -1) and (x.dtype is F32 or x.dtype is F64):
        return x.dot(ones(x.shape[1], x.dtype)).reshape(-1, 1)
    return add_up(x, (dim,), x.ndim > 1)


# ---- large arrays, some rows at a time

_SMALL = 1024
_HARMLESS = 16
"""If no row's maximum is farther from 0 than this, exponentials neither overflow nor vanish without a shift."""


def _is_harmless(x: Any) -> bool:
    """Whether a small array needs no shift: the places of extremes are found in a fifth of the time of maxima."""
    if not 0 < x.size <= _SMALL or not (x.dtype is F32 or x.dtype is F64) or not x.flags.c_contiguous:
        return False
    least, greatest = x.item(x.argmin()), x.item(x.argmax())
    return -_HARMLESS <= least <= greatest <= _HARMLESS and x.__class__ is ndarray


def _goes_by_rows(x: Any, dim: int) -> bool:
    return (
        x.size > TILE and x.ndim > 1 and dim in (-1, x.ndim - 1) and x.__class__ is ndarray
        and x.flags.c_contiguous and (x.dtype is F32 or x.dtype is F64)
    )  # fmt: skip


def _by_rows(x: Any, logarithms: bool) -> Any:
    rows = x.reshape(-1, x.shape[-1])
    count, width = rows.shape
    out = np.empty(rows.shape, rows.dtype)
    top = np.empty((count, 1), rows.dtype)
    each_rows(count, width, lambda tile: maximum_reduce(rows[tile], 1, None, top[tile], True), 4 * TILE)
    shift = logarithms or not bool(np.absolute(top).max() <= _HARMLESS)

    def job(tile: slice) -> None:
        part, found = rows[tile], out[tile]
        if shift:
            part = np.subtract(part, top[tile], out=found)
        if logarithms:
            found -= np.log(add_up(np.exp(part), (1,), True))
        else:
            np.exp(part, out=found)
            found *= np.reciprocal(add_up(found, (1,), True))

    each_rows(count, width, job, 2 * TILE)
    return out.reshape(x.shape)


@primitive("SoftmaxBackward0", batch=batching.moved_dimensions, native=("rows:softmax", 64), lowering="library")
def softmax_op(input: Array, dim: int) -> Any:
    if not input.ndim:
        return np.ones((), input.dtype) + (input - input)
    if not input.size:
        return np.zeros_like(input)
    if _goes_by_rows(input, dim):
        return _by_rows(input, False)
    x = np.exp(input) if _is_harmless(input) else np.exp(x := _shifted(input, dim), x)
    np.true_divide(x, _sums(x, dim), x)
    return x if x.dtype is input.dtype else x.astype(input.dtype)


@primitive(
    "SoftmaxBackwardDataBackward0", name="softmax_backward_data", batch=batching.moved_dimensions,
    saved_names=_OF_BACKWARD, native=("rows:softmax_backward", 64), lowering="library",
)  # fmt: skip
def softmax_backward_op(input: Array, output: Array, dim: int) -> Any:
    """``input``: the gradient that arrives; ``output``: what softmax gave."""
    g, out = input, output
    if not out.shape:
        return g * out - out * (g * out)
    if out.dtype.kind == "f" and out.dtype.itemsize > 2:
        if _goes_by_rows(out, dim) and g.dtype is out.dtype:
            return _softmax_gradient(g, out)
        weighted = np.multiply(g, out)
        return np.subtract(weighted, np.multiply(out, _sums(weighted, dim)), weighted)
    g, wide = widened(g), widened(out)
    weighted = g * wide
    return cast(weighted - wide * total(weighted, (dim,), True), out.dtype)


@softmax_backward_op.vjp("output")
def softmax_backward_gradient_of_output(g: Any, input: Any, output: Any, dim: int, xp: Any) -> Any:
    return g * (input - _kept_sums(input * output, dim, xp)) - input * _kept_sums(g * output, dim, xp)


softmax_backward_op.vjp(input=Gradient(softmax_backward_op))
softmax_op.vjp(input=Gradient(softmax_backward_op, output="out"))


def _kept_sums(x: Any, dim: int, xp: Any) -> Any:
    """Sums along a dimension, which stays; there is nothing to sum in 0 dimensions."""
    return xp.sum_dim(x, (dim,), True) if x.shape else x


def _softmax_gradient(g: Any, out: Any) -> Any:
    width = out.shape[-1]
    up, rows = g.reshape(-1, width), out.reshape(-1, width)
    grad = np.empty(rows.shape, rows.dtype)

    def job(tile: slice) -> None:
        found = np.subtract(up[tile], np.vecdot(up[tile], rows[tile])[:, None], out=grad[tile])
        found *= rows[tile]

    each_rows(rows.shape[0], width, job, 2 * TILE)
    return grad.reshape(out.shape)


@primitive("LogSoftmaxBackward0", batch=batching.moved_dimensions, native=("rows:log_softmax", 64), lowering="library")
def log_softmax_op(input: Array, dim: int) -> Any:
    if not input.ndim:
        return input - input
    if not input.size:
        return np.zeros_like(input)
    if _goes_by_rows(input, dim):
        return _by_rows(input, True)
    x = _shifted(input, dim)
    np.subtract(x, np.log(_sums(np.exp(x), dim)), x)
    return x if x.dtype is input.dtype else x.astype(input.dtype)


@primitive(
    "LogSoftmaxBackwardDataBackward0", name="log_softmax_backward_data", batch=batching.moved_dimensions,
    saved_names=_OF_BACKWARD, native=("rows:log_softmax_backward", 64), lowering="library",
)  # fmt: skip
def log_softmax_backward_op(input: Array, output: Array, dim: int) -> Any:
    g, out = input, output
    if not out.shape:
        return g - np.exp(out) * g
    if out.dtype.kind == "f" and out.dtype.itemsize > 2:
        if _goes_by_rows(out, dim) and g.dtype is out.dtype:
            return _log_softmax_gradient(g, out)
        grad = np.exp(out)
        np.multiply(grad, _sums(g, dim), grad)
        return np.subtract(g, grad, grad)
    g, wide = widened(g), widened(out)
    return cast(g - np.exp(wide) * total(g, (dim,), True), out.dtype)


log_softmax_backward_op.vjp(
    input=lambda g, output, dim, xp: g - _kept_sums(g * xp.exp(output), dim, xp),
    output=lambda g, input, output, dim, xp: -g * xp.exp(output) * _kept_sums(input, dim, xp),
)
log_softmax_op.vjp(input=Gradient(log_softmax_backward_op, output="out"))


@log_softmax_op.tangent
def log_softmax_tangent(op: Any, primals: Any, tangents: Any, attributes: Any, outs: Any) -> Any:
    (x,), (t,), (dim,) = primals, tangents, attributes
    return t - _kept_sums(t * softmax_op(x, dim), dim, TENSORS)


def _log_softmax_gradient(g: Any, out: Any) -> Any:
    width = out.shape[-1]
    up, rows = g.reshape(-1, width), out.reshape(-1, width)
    grad = np.empty(rows.shape, rows.dtype)

    def job(tile: slice) -> None:
        found = np.exp(rows[tile], out=grad[tile])
        found *= add_up(up[tile], (1,), True)
        np.subtract(up[tile], found, out=found)

    each_rows(rows.shape[0], width, job, 2 * TILE)
    return grad.reshape(out.shape)


def _prepared(name: str, input: Tensor, dim: Any, dtype: Any) -> tuple[Tensor, int]:
    at = check_dim(dim, input._array.ndim)
    if dtype is not None:
        input = input.to(dtype)
    if input._array.dtype.kind not in "fV" and input._array.size:
        last = "lastdim_" if at in (-1, input._array.ndim - 1) or not input._array.ndim else ""
        raise not_for(f"{name}_{last}kernel_impl", input.dtype)
    return input, at


@public("softmax", "softmax", out="exact")
def softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """Exponentials scaled to sum to 1 along ``dim``."""
    return softmax_op.call(*_prepared("softmax", input, dim, dtype))


@public("log_softmax", "log_softmax", out="exact")
def log_softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """The logarithm of ``softmax``, without overflow."""
    return log_softmax_op.call(*_prepared("log_softmax", input, dim, dtype))


@public("_softmax", out=True)
def softmax_of_one_dtype(input: Tensor, dim: int, half_to_float: bool) -> Tensor:
    """``softmax`` without a dtype; the conversion that it knows is one of CUDA's."""
    if half_to_float:
        raise RuntimeError("softmax with half to float conversion is not supported on CPU")
    return softmax_op.call(*_prepared("softmax", input, dim, None))


@public("_log_softmax", out=True)
def log_softmax_of_one_dtype(input: Tensor, dim: int, half_to_float: bool) -> Tensor:
    """``log_softmax`` without a dtype."""
    if half_to_float:
        raise RuntimeError("softmax with half to float conversion is not supported on CPU")
    return log_softmax_op.call(*_prepared("log_softmax", input, dim, None))


def _data(op: Any, grad_output: Tensor, output: Tensor, dim: int, input_dtype: Any) -> Tensor:
    if grad_output.dtype is not output.dtype:
        wanted, found = (cpp_name(t.dtype).capitalize() for t in (grad_output, output))
        raise RuntimeError(f"expected scalar type {wanted} but found {found}")
    result: Tensor = op(grad_output, output, check_dim(dim, grad_output._array.ndim))
    return result if result.dtype is input_dtype else result.to(input_dtype)


@public("_softmax_backward_data", out=True)
def softmax_backward_data(grad_output: Tensor, output: Tensor, dim: int, input_dtype: Any) -> Tensor:
    """The gradient of softmax's input, from that of its output."""
    return _data(softmax_backward_op, grad_output, output, dim, input_dtype)


@public("_log_softmax_backward_data", out=True)
def log_softmax_backward_data(grad_output: Tensor, output: Tensor, dim: int, input_dtype: Any) -> Tensor:
    """The gradient of log_softmax's input, from that of its output."""
    return _data(log_softmax_backward_op, grad_output, output, dim, input_dtype)
