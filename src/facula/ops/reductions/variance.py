"""Variance and standard deviation, in two passes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.devices import MetaArray
from ..._core.dtypes import F32, F64, widened
from ..._tensor import Tensor, computed
from ...autograd.graph import warn_user
from ..arrays.sums import add_squares, total
from ..arrays.types import Array
from ..machine import batching
from ..machine.errors import NoOverload, WrongArgument
from ..machine.namespaces import TENSORS
from ..machine.primitive import primitive
from ..machine.public import public
from ..machine.rules import in_both_namespaces, in_dtype, raw
from .reducing import axes, check_dims, count, summed_tangent, unsqueeze_reduced
from .sums import _FULL, mean_array

# ---- kernels


def _moments(x: Any, dim: Any, keepdim: bool, correction: Any) -> tuple[Any, Any]:
    """Variance and mean, of complex numbers as of pairs. The mean may have other dimensions of size 1."""
    x = widened(x)
    axis = axes(dim, x.ndim)
    n = count(x.shape, dim)
    middle = mean_array(x, axis, axis is not None)
    away = np.subtract(x, middle)
    dof = n - (1 if correction is None else correction) if n else 0
    if x.dtype.kind == "c":
        summed = total((away * np.conjugate(away)).real, axis, keepdim)
    else:
        summed = add_squares(away, axis, keepdim)
    return summed / summed.dtype.type(max(dof, 0)), middle


_LEAST = 1e-30
"""A variance of float32 that is less may have lost digits."""


def _variance(x: Any, dim: Any, keepdim: bool, correction: Any, least: float = -1.0) -> tuple[Any, Any]:
    """Variance and mean: in double precision if the squares, which ``least`` bounds, do not fit into single."""
    variance, middle = _moments(x, dim, keepdim, correction)
    if variance.dtype == F32 and variance.__class__ is not MetaArray and not _is_within(variance, least, np.inf):
        variance, _ = _moments(x.astype(np.complex128 if x.dtype.kind == "c" else F64), dim, keepdim, correction)
    return variance, middle


def _deviation(x: Any, dim: Any, keepdim: bool, correction: Any) -> tuple[Any, Any]:
    """Standard deviation and mean."""
    variance, middle = _variance(x, dim, keepdim, correction, _LEAST)
    return np.sqrt(variance), middle


def _is_within(x: Any, low: float, high: float) -> bool:
    if not x.ndim:
        return bool(low < x < high)
    return bool(x.size == 0 or low < np.minimum.reduce(x, None) <= np.maximum.reduce(x, None) < high)


_REAL = {np.dtype(np.complex64): F32, np.dtype(np.complex128): F64}


def _as(x: Any, like: Any) -> Any:
    """In the precision of ``like`` again."""
    is_real_part = like.dtype.kind == "c" != x.dtype.kind
    dtype = _REAL[like.dtype] if is_real_part else like.dtype
    return x if x.dtype == dtype else x.astype(dtype)


@primitive("VarBackward0", batch=batching.reduced_dimensions)
def var_op(input: Array, dim: Any, correction: Any, keepdim: bool) -> Any:
    return _as(_variance(input, dim, keepdim, correction)[0], input)


@primitive("StdBackward0", batch=batching.reduced_dimensions)
def std_op(input: Array, dim: Any, correction: Any, keepdim: bool) -> Any:
    return _as(_deviation(input, dim, keepdim, correction)[0], input)


@primitive("VarMeanBackward0", outputs=2, batch=batching.reduced_dimensions)
def var_mean_op(input: Array, dim: Any, correction: Any, keepdim: bool) -> tuple[Array, ...]:
    variance, middle = _variance(input, dim, keepdim, correction)
    return _as(variance, input), _as(np.reshape(middle, np.shape(variance)), input)


@primitive("StdMeanBackward0", outputs=2, saved_names={"out0": "result0"}, batch=batching.reduced_dimensions)
def std_mean_op(input: Array, dim: Any, correction: Any, keepdim: bool) -> tuple[Array, ...]:
    deviation, middle = _deviation(input, dim, keepdim, correction)
    return _as(deviation, input), _as(np.reshape(middle, np.shape(deviation)), input)


# ---- rules


def _var_grad(g: Any, x: Any, dim: Any, correction: Any, keepdim: bool, xp: Any) -> Any:
    n = count(x.shape, dim)
    dof = n - (1 if correction is None else correction)
    g = unsqueeze_reduced(g, x.shape, dim, keepdim, xp)
    away = x - (xp.mean_all(x) if dim is None else xp.mean_dim(x, dim, True))
    if dof <= 0 and (not dim or not x.shape):
        return in_dtype(g * xp.infinity_or_nan(away), raw(x).dtype, xp)
    return xp.times(g, 2.0 / dof if dof else np.inf) * away


def _std_grad(g: Any, x: Any, out: Any, dim: Any, correction: Any, keepdim: bool, xp: Any) -> Any:
    halved = xp.cleared(g / xp.times(out, 2), out == 0)
    return _var_grad(halved, x, dim, correction, keepdim, xp)


def _mean_grad(g: Any, x: Any, dim: Any, keepdim: bool, xp: Any) -> Any:
    n = count(x.shape, dim) or 1
    return xp.share_of_mean(g, x.shape, dim, keepdim, n)


def _infinity_or_nan(away: Any) -> Any:
    """Without degrees of freedom the slope is infinite, and undefined at the mean."""
    return np.where(away == 0, np.nan, np.inf).astype(away.real.dtype)


in_both_namespaces(
    "infinity_or_nan", _infinity_or_nan, lambda t: computed(t, lambda a: Tensor._wrap(_infinity_or_nan(a)))
)

var_op.vjp(input=lambda g, input, dim, correction, keepdim, xp: _var_grad(g, input, dim, correction, keepdim, xp))
std_op.vjp(
    input=lambda g, input, out, dim, correction, keepdim, xp: _std_grad(g, input, out, dim, correction, keepdim, xp)
)


@var_mean_op.vjp("input")
def var_mean_gradient_of_input(g: Any, input: Any, dim: Any, correction: Any, keepdim: bool, xp: Any) -> Any:
    grad = None if g[0] is None else _var_grad(g[0], input, dim, correction, keepdim, xp)
    return _with_mean(grad, g[1], input, dim, keepdim, xp)


@std_mean_op.vjp("input")
def std_mean_gradient_of_input(g: Any, input: Any, out0: Any, dim: Any, correction: Any, keepdim: bool, xp: Any) -> Any:
    grad = None if g[0] is None else _std_grad(g[0], input, out0, dim, correction, keepdim, xp)
    return _with_mean(grad, g[1], input, dim, keepdim, xp)


def _with_mean(grad: Any, g: Any, x: Any, dim: Any, keepdim: bool, xp: Any) -> Any:
    if g is None:
        return grad
    part = _mean_grad(g, x, dim, keepdim, xp)
    return part if grad is None else grad + part


@std_op.tangent
@std_mean_op.tangent
def std_tangent(op: Any, primals: Any, tangents: Any, attributes: Any, outs: Any) -> Any:
    dim, correction, keepdim = attributes
    (x,), (t,), out = primals, tangents, outs[0]
    slopes = _std_grad(out.new_ones(out.shape), x, out, dim, correction, keepdim, TENSORS)
    found = summed_tangent(slopes, t, dim, keepdim, out)
    return found if len(outs) == 1 else [found, t.mean(dim, keepdim)]


# ---- arguments


def _arguments(
    name: str, input: Tensor, dim: Any, unbiased: Any, keepdim: Any, correction: Any
) -> tuple[Any, Any, bool]:
    """(dim, correction, keepdim) of PyTorch's three forms: (unbiased), (dim, unbiased, keepdim), (dim, correction=)."""
    if isinstance(dim, bool):
        dim, unbiased = _FULL, dim
    if unbiased is not _FULL:
        if correction is not _FULL:
            raise NoOverload
        if not isinstance(unbiased, bool):
            raise WrongArgument("unbiased", unbiased, "bool")
        correction = 1 if unbiased else 0
    elif correction is _FULL:
        correction = None if dim is _FULL or dim is None else 1
    if input._array.dtype.kind in "biu":
        what = "std and var" if name in ("std", "var") else name
        raise RuntimeError(f"{what} only support floating point and complex dtypes")
    dims = None if dim is _FULL else check_dims(dim, input._array.ndim)
    if count(input._array.shape, dims) - (1 if correction is None else correction) <= 0:
        warn_user(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor "
            "(input numel divided by output numel).",
        )
    return dims, correction, keepdim is not _FULL and bool(keepdim)


@public("var", "var", out=True, overloads=True)
def var(
    input: Tensor, dim: Any = _FULL, unbiased: Any = _FULL, keepdim: Any = _FULL, *, correction: Any = _FULL
) -> Tensor:
    """The variance; divided by n - correction, which is 1 unless given."""
    return var_op.call(input, *_arguments("var", input, dim, unbiased, keepdim, correction))


@public("std", "std", out=True, overloads=True)
def std(
    input: Tensor, dim: Any = _FULL, unbiased: Any = _FULL, keepdim: Any = _FULL, *, correction: Any = _FULL
) -> Tensor:
    """The standard deviation."""
    return std_op.call(input, *_arguments("std", input, dim, unbiased, keepdim, correction))


@public("var_mean", overloads=True)
def var_mean(
    input: Tensor, dim: Any = _FULL, unbiased: Any = _FULL, keepdim: Any = _FULL, *, correction: Any = _FULL
) -> Any:
    """(variance, mean)."""
    return tuple(var_mean_op(input, *_arguments("var_mean", input, dim, unbiased, keepdim, correction)))


@public("std_mean", overloads=True)
def std_mean(
    input: Tensor, dim: Any = _FULL, unbiased: Any = _FULL, keepdim: Any = _FULL, *, correction: Any = _FULL
) -> Any:
    """(standard deviation, mean)."""
    return tuple(std_mean_op(input, *_arguments("std_mean", input, dim, unbiased, keepdim, correction)))
