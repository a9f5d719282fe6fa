"""Softmax and log-softmax: one kernel each instead of a chain of five."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._dtype import widened
from .._tensor import Tensor
from ._forms import public
from ._primitive import primitive
from ._reducing import add_up, check_dim, maximum_reduce
from ._refusals import not_for


def _shifted(x: Any, dim: int) -> Any:
    """A fresh float array from which the maximum has been taken."""
    x = widened(x)
    if not x.flags.c_contiguous:
        x = x.copy()
    if not x.size:
        return x.copy()
    # The place of a vector's maximum is found in a fifth of the time that the maximum takes.
    return np.subtract(x, x[x.argmax()] if x.ndim == 1 else maximum_reduce(x, dim, None, None, True))


def _sums(x: Any, dim: int) -> Any:
    """Sums along a dimension, ready to be broadcast: a scalar for a vector, which NumPy broadcasts in half the time."""
    return add_up(x, (dim,), x.ndim > 1)


@primitive("SoftmaxBackward0")
def softmax_op(input, dim: int):  # type: ignore[no-untyped-def]
    if not input.ndim:
        return np.ones((), input.dtype) + (input - input)
    x = _shifted(input, dim)
    np.exp(x, x)
    np.true_divide(x, _sums(x, dim), x)
    return x if x.dtype is input.dtype else x.astype(input.dtype)


@softmax_op.vjp("input")
def _(g: Any, out: Any, dim: int, xp: Any) -> Any:
    if not out.shape:
        return g * out - out * (g * out)
    if xp.is_raw and out.dtype.kind == "f" and out.dtype.itemsize > 2:
        weighted = np.multiply(g, out)
        return np.subtract(weighted, np.multiply(out, _sums(weighted, dim)), weighted)
    weighted = g * out
    return weighted - out * xp.sum_dim(weighted, (dim,), True)


@primitive("LogSoftmaxBackward0")
def log_softmax_op(input, dim: int):  # type: ignore[no-untyped-def]
    if not input.ndim:
        return input - input
    x = _shifted(input, dim)
    np.subtract(x, np.log(_sums(np.exp(x), dim)), x)
    return x if x.dtype is input.dtype else x.astype(input.dtype)


@log_softmax_op.vjp("input")
def _(g: Any, out: Any, dim: int, xp: Any) -> Any:
    if not out.shape:
        return g - xp.exp(out) * g
    if xp.is_raw and out.dtype.kind == "f" and out.dtype.itemsize > 2:
        grad = np.exp(out)
        np.multiply(grad, _sums(g, dim), grad)
        return np.subtract(g, grad, grad)
    return g - xp.exp(out) * xp.sum_dim(g, (dim,), True)


def _prepared(name: str, input: Tensor, dim: Any, dtype: Any) -> tuple[Tensor, int]:
    at = check_dim(dim, input._array.ndim)
    if dtype is not None:
        input = input.to(dtype)
    if input._array.dtype.kind not in "fV":
        last = "lastdim_" if at in (-1, input._array.ndim - 1) or not input._array.ndim else ""
        raise not_for(f"{name}_{last}kernel_impl", input.dtype)
    return input, at


@public("softmax", "softmax", out=True)
def softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """Exponentials scaled to sum to 1 along ``dim``."""
    return softmax_op.call(*_prepared("softmax", input, dim, dtype))


@public("log_softmax", "log_softmax", out=True)
def log_softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """The logarithm of ``softmax``, without overflow."""
    return log_softmax_op.call(*_prepared("log_softmax", input, dim, dtype))
