"""Distances between vectors, renormalisation, covariance."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from .. import _dtype
from .._tensor import Tensor
from ._basic import fit, raw
from ._forms import FUNCTIONS, public
from ._primitive import primitive
from .norms import norm_gradient, vector_norm, vector_norm_op

# ---- dist


@primitive("DistBackward0", name="dist")
def dist_op(input, other, p: Any):  # type: ignore[no-untyped-def]
    return vector_norm_op.kernel(np.asanyarray(input - other), p, None, False, None)


def _dist_gradient(g: Any, input: Any, other: Any, out: Any, p: Any, xp: Any) -> Any:
    return None if p == 0 else norm_gradient(g, input - other, out, p, None, xp)


@dist_op.vjp("input")
def _(g: Any, input: Any, other: Any, out: Any, p: Any, input_dtype: Any, xp: Any) -> Any:
    grad = _dist_gradient(g, input, other, out, p, xp)
    return grad if grad is None else fit(grad, input.shape, input_dtype, xp)


@dist_op.vjp("other")
def _(g: Any, input: Any, other: Any, out: Any, p: Any, other_dtype: Any, xp: Any) -> Any:
    grad = _dist_gradient(g, input, other, out, p, xp)
    return grad if grad is None else fit(-grad, other.shape, other_dtype, xp)


@public("dist", "dist")
def dist(input: Tensor, other: Tensor, p: Any = 2) -> Tensor:
    """The norm of the difference."""
    return dist_op(input, other, p)


# ---- cdist


@primitive("CdistBackward0", name="cdist")
def cdist_op(input, other, p: float, by_product: bool):  # type: ignore[no-untyped-def]
    if by_product:
        squares = (input * input).sum(-1, keepdims=True) + (other * other).sum(-1)[..., None, :]
        squares = squares - 2 * np.matmul(input, np.swapaxes(other, -1, -2))
        return np.sqrt(np.maximum(squares, 0))
    return vector_norm_op.kernel(input[..., :, None, :] - other[..., None, :, :], p, (-1,), False, None)


@cdist_op.vjp("input")
def _(g: Any, input: Any, other: Any, out: Any, p: float, xp: Any) -> Any:
    return _cdist_gradient(g, input, other, out, p, xp)


@cdist_op.vjp("other")
def _(g: Any, input: Any, other: Any, out: Any, p: float, xp: Any) -> Any:
    return _cdist_gradient(xp.transpose(g, -1, -2), other, input, xp.transpose(out, -1, -2), p, xp)


def _cdist_gradient(g: Any, x: Any, y: Any, out: Any, p: float, xp: Any) -> Any:
    """The gradient with respect to the rows of x, whose distances to the rows of y are ``out``."""
    if p == 0:
        return None
    if p == 2:
        weight = xp.either(out == 0, 0.0, g / out)
        grad = x * xp.sum_dim(weight, (-1,), True) - xp.matmul(weight, y)
    else:
        apart = xp.unsqueeze(x, -2) - xp.unsqueeze(y, -3)
        grad = xp.sum_dim(norm_gradient(xp.unsqueeze(g, -1), apart, xp.unsqueeze(out, -1), p, (-1,), xp), (-2,), False)
    return fit(grad, x.shape, raw(x).dtype, xp)


@public("cdist", "")
def cdist(
    x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary"
) -> Tensor:
    """The distance of each row of ``x1`` to each row of ``x2``."""
    a, b = x1._array, x2._array
    for name, t in (("X1", x1), ("X2", x2)):
        if t._array.dtype.kind not in "fV":
            raise RuntimeError(
                f"cdist only supports floating-point dtypes, {name} got: {_dtype.SCALAR_TYPE_NAMES[t.dtype]}"
            )
    for name, array in (("X1", a), ("X2", b)):
        if array.ndim < 2:
            raise RuntimeError(
                f"cdist only supports at least 2D tensors, {name} got: {array.ndim}D"
            )
    if a.shape[-1] != b.shape[-1]:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {a.shape[-1]} X2: {b.shape[-1]}")
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    large = a.shape[-2] > 25 or b.shape[-2] > 25
    by_product = p == 2 and (
        compute_mode == "use_mm_for_euclid_dist"
        or (compute_mode == "use_mm_for_euclid_dist_if_necessary" and large)
    )
    return cdist_op(x1, x2, float(p), by_product)


@public("pdist", "")
def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """The distances between the rows, each pair once."""
    n = input._array.shape[0]
    i, j = np.triu_indices(n, 1)
    return vector_norm(input[Tensor._wrap(i)] - input[Tensor._wrap(j)], p, -1)


# ---- renorm


@public("renorm", "renorm", out=True, inplace="renorm_")
def renorm(input: Tensor, p: Any, dim: int, maxnorm: float) -> Tensor:
    """Slices along ``dim`` whose norm exceeds ``maxnorm`` scaled down to it."""
    n = input._array.ndim
    if p <= 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if n < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {n} dimensions")
    dims = tuple(i for i in range(n) if i != dim % n)
    size = vector_norm(input, p, dims, True)
    return input * FUNCTIONS["where"](size > maxnorm, maxnorm / (size + 1e-7), 1.0)


# ---- covariance


@public("cov", "cov")
def cov(input: Tensor, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Tensor:
    """The covariance of variables given as rows."""
    if input._array.ndim > 2:
        raise RuntimeError(
            "cov(): expected input to have two or fewer dimensions but got an input with "
            f"{input._array.ndim} dimensions"
        )
    if input.dtype is _dtype.bool_:
        raise RuntimeError("cov(): bool dtype is not supported for input")
    x = input if input._array.ndim == 2 else input.reshape(1, -1)
    if x._array.dtype.kind in "iu":
        x = x.to(_dtype.default)
    weight = None
    if fweights is not None:
        weight = fweights
    if aweights is not None:
        weight = aweights if weight is None else weight * aweights
    n = x._array.shape[1]
    if weight is None:
        scale = n - correction
        away = x - x.mean(1, keepdim=True)
        product = away @ away.t().conj()
    else:
        whole = weight.sum()
        away = x - (x * weight).sum(1, keepdim=True) / whole
        product = (away * weight) @ away.t().conj()
        scale = whole - correction * (1 if aweights is None else (weight * aweights).sum() / whole)
    if (scale if isinstance(scale, int) else scale.item()) <= 0:
        warnings.warn(
            "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations.",
            stacklevel=3,
        )
        scale = 0
    return (product / scale).squeeze()


@public("corrcoef", "corrcoef")
def corrcoef(input: Tensor) -> Tensor:
    """Pearson's correlation of variables given as rows."""
    if input._array.ndim > 2:
        raise RuntimeError(
            "corrcoef(): expected input to have two or fewer dimensions but got an input with "
            f"{input._array.ndim} dimensions"
        )
    c = cov(input)
    if not c._array.ndim:
        return c / c
    deviation = c.diagonal().sqrt()
    scaled = c / deviation.unsqueeze(1) / deviation
    return scaled if scaled._array.dtype.kind == "c" else scaled.clamp(-1, 1)


