"""Distances between vectors, renormalisation, covariance."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import dtypes
from ..._core.dtypes import widened
from ..._core.strides import by_rows
from ..._tensor import Tensor, known
from ...autograd.graph import warn_user
from ..arrays.types import Array
from ..machine import batching
from ..machine.arguments import as_int, one_dim
from ..machine.namespaces import TENSORS
from ..machine.operands import common_shape
from ..machine.primitive import primitive
from ..machine.public import public
from ..machine.rules import fit, no_gradient, raw
from ..machine.write import inplace_form
from ..pointwise.complex import complex as make_complex
from ..reductions.norms import no_norm, norm_gradient, vector_norm_op, vector_norm_tangent
from ..views.shape import view

# ---- dist


@primitive("DistBackward0", name="dist")
def dist_op(input: Array, other: Array, p: Any) -> Any:
    difference = np.asanyarray(input - other)
    if input.dtype != other.dtype:
        difference = difference.astype(_promoted(input, other), copy=False)
    return vector_norm_op.kernel(difference, p, None, False, None)


def _promoted(x: Any, y: Any) -> Any:
    """The dtype of a difference: a 0-d array does not widen one with dimensions."""
    a, b = dtypes.of_numpy(x.dtype), dtypes.of_numpy(y.dtype)
    if bool(x.ndim) == bool(y.ndim):
        return dtypes.promote_types(a, b).numpy
    return (dtypes.result_dtype(a, b, None) if x.ndim else dtypes.result_dtype(b, a, None)).numpy


def _dist_gradient(g: Any, input: Any, other: Any, out: Any, p: Any, xp: Any) -> Any:
    return None if p == 0 else norm_gradient(g, input - other, out, p, None, xp)


@dist_op.vjp("input")
def dist_gradient_of_input(g: Any, input: Any, other: Any, out: Any, p: Any, input_dtype: Any, xp: Any) -> Any:
    grad = _dist_gradient(g, input, other, out, p, xp)
    return grad if grad is None else fit(grad, input.shape, input_dtype, xp)


@dist_op.vjp("other")
def dist_gradient_of_other(g: Any, input: Any, other: Any, out: Any, p: Any, other_dtype: Any, xp: Any) -> Any:
    grad = _dist_gradient(g, input, other, out, p, xp)
    return grad if grad is None else fit(-grad, other.shape, other_dtype, xp)


@dist_op.tangent
def dist_tangent(op: Any, primals: Any, tangents: Any, attributes: Any, outs: Any) -> Any:
    (p,), (x, y), (dx, dy) = attributes, primals, tangents
    apart = dx if dy is None else -dy if dx is None else dx - dy
    return vector_norm_tangent(vector_norm_op, [x - y], [apart], (p, None, False, None), outs)


@dist_op.batch
def dist_batched(call: batching.Call) -> Any:
    (p,) = call.attributes
    ndim = max(call.ndim(0), call.ndim(1))
    a, b = (batching.padded(v, ndim) for v in call.all_full())
    return vector_norm_op((a - b).reshape(call.size, -1), p, (1,), False, None)


@public("dist", "dist")
def dist(input: Tensor, other: Tensor, p: Any = 2) -> Tensor:
    """The norm of the difference."""
    if input._array.dtype.kind in "biu" and other._array.dtype.kind in "biu":
        dt = (input - other).dtype
        raise RuntimeError(
            "norm(): input dtype should be either floating point or complex. Got "
            f"{dtypes.SCALAR_TYPE_NAMES[dt]} instead."
        )
    if _is_bool(input) or _is_bool(other):
        return input - other  # which refuses them
    common_shape(input._array.shape, other._array.shape)
    if isinstance(p, complex):
        raise RuntimeError("linalg.vector_norm: Expected a non-complex scalar as the order of norm.")
    return dist_op(input, other, p)


def _is_bool(tensor: Tensor) -> bool:
    return bool(tensor._array.dtype == np.bool_)


# ---- cdist


@primitive(
    "EuclideanDistBackward0", name="euclidean_dist", batch=batching.broadcast_fully,
    saved_names={"input": "x1", "other": "x2"},
)  # fmt: skip
def euclidean_dist_op(input: Array, other: Array, p: float) -> Any:
    """By products of matrices: quick for many rows, and less exact."""
    squares = (input * input).sum(-1, keepdims=True) + (other * other).sum(-1)[..., None, :]
    squares = squares - 2 * np.matmul(input, np.swapaxes(other, -1, -2))
    return np.sqrt(np.maximum(squares, 0))


@primitive(
    "CdistBackward0", name="cdist", batch=batching.broadcast_fully, saved_names={"input": "x1", "other": "x2"}
)
def cdist_op(input: Array, other: Array, p: float) -> Any:
    return vector_norm_op.kernel(input[..., :, None, :] - other[..., None, :, :], p, (-1,), False, None)


@cdist_op.vjp("input")
@euclidean_dist_op.vjp("input")
def cdist_gradient_of_input(g: Any, input: Any, other: Any, out: Any, p: float, xp: Any) -> Any:
    return _cdist_gradient(g, input, other, out, p, xp)


@cdist_op.vjp("other")
@euclidean_dist_op.vjp("other")
def cdist_gradient_of_other(g: Any, input: Any, other: Any, out: Any, p: float, xp: Any) -> Any:
    return _cdist_gradient(xp.transpose(g, -1, -2), other, input, xp.transpose(out, -1, -2), p, xp)


def _cdist_gradient(g: Any, x: Any, y: Any, out: Any, p: float, xp: Any) -> Any:
    """The gradient with respect to the rows of x, whose distances to the rows of y are ``out``."""
    if p == 0:
        return no_gradient(x, xp)
    if p == 2:
        weight = xp.either(out == 0, 0.0, g / out)
        grad = x * xp.sum_dim(weight, (-1,), True) - xp.matmul(weight, y)
    else:
        apart = xp.unsqueeze(x, -2) - xp.unsqueeze(y, -3)
        grad = xp.sum_dim(_pull(xp.unsqueeze(g, -1), apart, xp.unsqueeze(out, -1), p, xp), (-2,), False)
    return fit(grad, x.shape, raw(x).dtype, xp)


def _pull(g: Any, apart: Any, out: Any, p: float, xp: Any) -> Any:
    """The gradient of distances with respect to differences: 0 where there is none, all of it for each of a tie."""
    if p == np.inf:
        return g * xp.keep(xp.sgn(apart), xp.abs(apart) == out)
    same = out == 0
    return xp.either(same, 0.0, norm_gradient(g, apart, xp.either(same, 1.0, out), p, (-1,), xp))


_COMPUTE_MODES = (
    "use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist",
)  # fmt: skip


@public("cdist", "", autocast="full", looks_first=True)
def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary") -> Tensor:
    """The distance of each row of ``x1`` to each row of ``x2``."""
    if not any(compute_mode == known for known in _COMPUTE_MODES):
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    a, b = x1._array, x2._array
    for name, t in (("X1", x1), ("X2", x2)):
        if t._array.dtype.kind not in "fV":
            raise RuntimeError(
                f"cdist only supports floating-point dtypes, {name} got: {dtypes.SCALAR_TYPE_NAMES[t.dtype]}"
            )
    for name, array in (("X1", a), ("X2", b)):
        if array.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {name} got: {array.ndim}D")
    if a.shape[-1] != b.shape[-1]:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {a.shape[-1]} X2: {b.shape[-1]}")
    if not p >= 0:
        raise RuntimeError("cdist only supports non-negative p values")
    large = a.shape[-2] > 25 or b.shape[-2] > 25
    by_product = p == 2 and (
        compute_mode == "use_mm_for_euclid_dist" or (compute_mode == "use_mm_for_euclid_dist_if_necessary" and large)
    )
    if by_product and a.size and b.size:
        result = euclidean_dist_op(x1, x2, 2.0)
        return view(result, result._array.shape)
    return cdist_op(x1, x2, float(p))


# ---- pdist


def _pairs(n: int) -> tuple[Any, Any]:
    """The first and the second of every pair."""
    return np.triu_indices(n, 1)


@primitive("PdistBackward0", name="pdist", batch=batching.item_by_item)
def pdist_op(input: Array, p: float) -> Any:
    first, second = _pairs(len(input))
    return vector_norm_op.kernel(input[first] - input[second], p, (-1,), False, None)


@pdist_op.vjp("input")
def pdist_gradient_of_input(g: Any, input: Any, out: Any, p: float, xp: Any) -> Any:
    if p == 0:
        return no_gradient(input, xp)
    first, second = _pairs(input.shape[0])
    apart = xp.index(input, (first,)) - xp.index(input, (second,))
    grad = _pull(xp.unsqueeze(g, -1), apart, xp.unsqueeze(out, -1), p, xp)
    return xp.unindex(grad, (first,), input.shape) - xp.unindex(grad, (second,), input.shape)


@public("pdist", "", functionals="pdist")
def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """The distances between the rows, each pair once."""
    if input._array.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input._array.ndim}D")
    if input._array.dtype.kind not in "fV":
        raise RuntimeError("pdist only supports floating-point dtypes")
    if not p >= 0:
        raise RuntimeError("pdist only supports non-negative p values")
    return pdist_op(input.contiguous(), float(p))


# ---- renorm


_TINY = 1e-7
"""What PyTorch adds to norms before it divides by them."""


@primitive("RenormBackward0", name="renorm", batch=batching.item_by_item)
def renorm_op(input: Array, p: float, dims: tuple[int, ...], maxnorm: float) -> Any:
    wide = widened(input)
    size = vector_norm_op.kernel(wide, p, dims, True, None)
    scale = np.where(size > maxnorm, maxnorm / (size + _TINY), 1.0).astype(size.dtype)
    return by_rows((wide * scale).astype(input.dtype, copy=False))


@renorm_op.vjp("input")
def renorm_gradient_of_input(g: Any, input: Any, p: float, dims: Any, maxnorm: float, xp: Any) -> Any:
    size = xp.vector_norm(input, p, dims, True, None)
    above = size + _TINY
    excess = xp.real(xp.sum_dim(g * xp.conj(input), dims, True)) * (-maxnorm / (above * above))
    scaled = g * (maxnorm / above) + norm_gradient(excess, input, size, p, dims, xp)
    return xp.either(size > maxnorm, scaled, g)


@renorm_op.tangent
def renorm_tangent(op: Any, primals: Any, tangents: Any, attributes: Any, outs: Any) -> Any:
    (x,), (t,), (p, dims, maxnorm) = primals, tangents, attributes
    form = p, dims, True, None
    size = vector_norm_op(x, *form)
    above = size + _TINY
    by_size = vector_norm_tangent(vector_norm_op, primals, tangents, form, [size])
    scaled = (t - x * (by_size / above)) * (maxnorm / above)
    return TENSORS.either(size > maxnorm, scaled, t)


def _renormed(input: Tensor, p: Any, dim: int, maxnorm: float) -> tuple[Any, ...]:
    n = input._array.ndim
    if not p > 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if n < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {n} dimensions")
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm:g}")
    if input._array.dtype.kind in "biu":
        raise dtypes.beside_out(no_norm(input.dtype), input.dtype)
    at = one_dim(dim, n)
    return input, float(p), tuple(i for i in range(n) if i != at), float(maxnorm)


@public("renorm", "renorm", out="exact")
def renorm(input: Tensor, p: Any, dim: int, maxnorm: float) -> Tensor:
    """Slices along ``dim`` whose norm exceeds ``maxnorm`` scaled down to it."""
    return renorm_op(*_renormed(input, p, dim, maxnorm))


_renorm_in_place = inplace_form(renorm_op)


@public("", "renorm_")
def renorm_(input: Tensor, p: Any, dim: int, maxnorm: float) -> Tensor:
    """``renorm`` in place."""
    changed: Tensor = _renorm_in_place(*_renormed(input, p, dim, maxnorm))
    return changed


# ---- covariance


def _check_weights(name: str, weights: Any, x: Tensor, kinds: str, wanted: str) -> None:
    if weights is None:
        return
    w = weights._array
    if w.ndim > 1:
        raise RuntimeError(
            f"cov(): expected {name} to have one or fewer dimensions but got {name} with {w.ndim} dimensions"
        )
    if w.dtype.kind not in kinds:
        found = dtypes.SCALAR_TYPE_NAMES[weights.dtype]
        raise RuntimeError(f"cov(): expected {name} to have {wanted} dtype but got {name} with {found} dtype")
    if w.size != x._array.shape[1]:
        raise RuntimeError(
            f"cov(): expected {name} to have the same numel as there are observations in the input but got {w.size} != "
            f"{x._array.shape[1]}"
        )
    if (known(weights) < 0).any():
        raise RuntimeError(f"cov(): {name} cannot be negative")


@public("cov", "cov")
def cov(input: Tensor, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Tensor:
    """The covariance of variables given as rows."""
    correction = as_int(correction)
    if input._array.ndim > 2:
        raise RuntimeError(
            "cov(): expected input to have two or fewer dimensions but got an input with "
            f"{input._array.ndim} dimensions"
        )
    if input.dtype is dtypes.bool_:
        raise RuntimeError("cov(): bool dtype is not supported for input")
    x = input if input._array.ndim == 2 else input.reshape(1, -1)
    if x._array.dtype.kind in "iu":
        x = x.to(dtypes.default)
    _check_weights("fweights", fweights, x, "iu", "integral")
    _check_weights("aweights", aweights, x, "fV", "floating point")
    weight = None
    if fweights is not None:
        weight = fweights
    if aweights is not None:
        weight = aweights if weight is None else weight * aweights
    whole = Tensor._wrap(np.asarray(x._array.shape[1])) if weight is None else weight.sum()
    if weight is not None and whole.item() == 0:
        raise RuntimeError("cov(): weights sum to zero, can't be normalized")
    weighted = x if weight is None else x * weight
    away = x - (weighted.sum(1) / whole).unsqueeze(1)
    product = away @ (away if weight is None else away * weight).t().conj()
    scale = whole
    if correction:
        scale = whole - correction * (1 if aweights is None else (weight * aweights).sum() / whole)
    if scale.item() <= 0:
        warn_user(
            "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations.",
        )
        scale.zero_()
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
    variances = c.diag()
    deviations = (variances.real if variances.is_complex() else variances).sqrt()
    scaled = c / deviations.view(-1, 1) / deviations.view(1, -1)
    if not scaled.is_complex():
        return scaled.clamp(-1, 1)
    imaginary = scaled.imag.clamp(-1, 1)
    return make_complex(scaled.real.clamp(-1, 1), imaginary)
