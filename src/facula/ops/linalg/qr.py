"""The QR decomposition, and products of Householder reflections, which it is made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.strides import by_columns
from ..._tensor import Tensor
from ..arrays import lapack
from ..arrays.elimination import LARGE, scipy_routine
from ..arrays.types import Array
from ..machine import batching
from ..machine.deprecated import warn_once
from ..machine.primitive import primitive
from ..machine.public import linalg, not_safely_castable, public
from ..machine.refusals import scalar_type
from .matrices import (
    adjoint,
    also_meta,
    by_composition,
    check_float,
    check_kernel,
    check_matrix,
    named,
    upper,
)

# ---- qr


@primitive(
    "LinalgQrBackward0", name="linalg_qr", outputs=2, batch=batching.last_dimensions,
    saved_names={"out0": "Q", "out1": "R", "input_shape": ""},
)  # fmt: skip
@also_meta
def qr_op(input: Array, mode: Any) -> tuple[Array, Any]:
    if mode == "r":
        return np.empty(0, input.dtype), by_columns(lapack.qr(input, "r"))
    q, r = lapack.qr(input, mode)
    return by_columns(q), by_columns(r)


@qr_op.vjp("input")
def qr_gradient_of_input(g: Any, out0: Any, out1: Any, mode: str, input_shape: Any, xp: Any) -> Any:
    m, n = input_shape[-2:]
    if mode == "r":
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use linalg.qr(A, "
            "mode='reduced') if you are going to differentiate through linalg.qr."
        )
    if mode == "complete" and m > n:
        raise RuntimeError("The QR decomposition is not differentiable when mode='complete' and nrows > ncols.")
    to_q, to_r = g
    if m >= n:
        return _tall(to_q, to_r, out0, out1, xp)
    last = out1.ndim - 1
    right = xp.slice(out1, last, m, n, 1)
    beyond = None
    if to_r is not None:
        to_right = xp.slice(to_r, last, m, n, 1)
        to_r = xp.slice(to_r, last, 0, m, 1)
        turned = xp.matmul(out0, xp.matmul(right, adjoint(to_right, xp)))
        to_q = turned if to_q is None else to_q + turned
        beyond = xp.slice_backward(xp.matmul(out0, to_right), input_shape, last, m, n, 1)
    first = xp.slice_backward(_tall(to_q, to_r, out0, xp.slice(out1, last, 0, m, 1), xp), input_shape, last, 0, m, 1)
    return first if beyond is None else first + beyond


def _tall(to_q: Any, to_r: Any, q: Any, r: Any, xp: Any) -> Any:
    """The gradient of a matrix that has at least as many rows as columns."""
    n = r.shape[-1]
    inner = None
    if to_r is not None:
        inner = xp.matmul(to_r, adjoint(r, xp))
    if to_q is not None:
        part = xp.matmul(adjoint(q, xp), to_q)
        inner = -part if inner is None else inner - part
    half = inner * upper(n, n, q, xp, 0.5)
    found = xp.matmul(q, half + adjoint(half, xp))
    if to_q is not None:
        found = found + to_q
    return xp.linalg_solve_triangular(adjoint(r, xp), found, False, False, False)


@linalg(autocast="full")
def qr(A: Tensor, mode: str = "reduced") -> Any:
    """The decomposition into an orthogonal and an upper triangular matrix."""
    check_matrix(A, "linalg.qr")
    check_float(A, "linalg.qr")
    if mode not in ("reduced", "r", "complete"):
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'"
        )
    return named("linalg_qr", qr_op(A, mode))


@public("qr", "qr", out=True, autocast="full")
def old_qr(input: Tensor, some: bool = True) -> Any:
    """``linalg.qr`` under its old name."""
    warn_once(
        "torch.qr is deprecated in favor of torch.linalg.qr and will be removed in a future PyTorch release.\nThe "
        "boolean parameter 'some' has been replaced with a string parameter 'mode'.\nQ, R = torch.qr(A, some)\nshould "
        "be replaced with\nQ, R = torch.linalg.qr(A, 'reduced' if some else 'complete')",
    )
    return named("qr", qr(input, "reduced" if some else "complete"))


# ---- reflections


@primitive("GeqrfBackward0", name="geqrf", outputs=2, batch=batching.item_by_item)
@also_meta
def geqrf_op(input: Array) -> tuple[Array, ...]:
    """LAPACK's form of the decomposition: R above, the vectors of the reflections below the diagonal."""
    transposed, tau = lapack.qr(input, "raw")
    return by_columns(transposed.swapaxes(-1, -2)), tau.astype(input.dtype, copy=False)


@geqrf_op.vjp("input")
def geqrf_gradient_of_input(g: Any) -> Any:
    raise NotImplementedError("the derivative for 'geqrf' is not implemented.")


@public("geqrf", "geqrf", out=True, autocast="full")
def geqrf(input: Tensor) -> Any:
    """The QR decomposition as LAPACK stores it."""
    if input._array.ndim < 2:
        raise RuntimeError(
            f"torch.geqrf: input must have at least 2 dimensions, but got {input._array.ndim} dimensions instead"
        )
    check_kernel(input, "geqrf_cpu")
    return named("geqrf", geqrf_op(input))


def _vectors(a: Any) -> Any:
    """The vectors of the reflections, as columns, from LAPACK's form."""
    m, n = a.shape[-2:]
    return np.tril(a, -1) + np.eye(m, n, dtype=a.dtype)


def _reflect(x: Any, v: Any, tau: Any) -> Any:
    """``(I - tau v v^H) x``, in place."""
    x -= (tau[..., None] * v)[..., :, None] * (np.conjugate(v)[..., None, :] @ x)
    return x


def _applied(a: Any, tau: Any, x: Any, transpose: bool) -> Any:
    """The product of the reflections, or its adjoint, times ``x``."""
    v = _vectors(a)
    order = range(tau.shape[-1])
    x = np.array(np.broadcast_to(x, (*a.shape[:-2], *x.shape[-2:])))
    for i in order if transpose else reversed(order):
        _reflect(x, v[..., :, i], np.conjugate(tau[..., i]) if transpose else tau[..., i])
    return x


def _reflected(a: Tensor, tau: Tensor, x: Tensor, transpose: bool) -> Tensor:
    """``_applied`` by operators."""
    order = range(tau._array.shape[-1])
    m, n = a._array.shape[-2:]
    mask = Tensor._wrap(np.tri(m, n, -1).astype(a._array.real.dtype))
    v = a * mask + Tensor._wrap(np.eye(m, n, dtype=a._array.dtype))
    for i in order if transpose else reversed(order):
        one = v.narrow(-1, i, 1)
        factor = tau[..., i, None, None]
        x = x - (factor.conj() if transpose else factor) * (one @ (one.mH @ x))
    return x


@primitive(
    "LinalgHouseholderProductBackward0", name="linalg_householder_product", batch=batching.last_dimensions,
    saved_names={"input": "input"},
)  # fmt: skip
@also_meta
def householder_op(input: Array, tau: Array) -> Any:
    name = "ungqr" if input.dtype.kind == "c" else "orgqr"
    routine = scipy_routine(name, input.dtype) if tau.shape[-1] >= LARGE else None
    if routine is None:
        return by_columns(_applied(input, tau, np.eye(*input.shape[-2:], dtype=input.dtype), False))
    result = by_columns(input)
    for at in np.ndindex(*input.shape[:-2]):
        result[at] = routine(input[at], tau[at], lwork=32 * input.shape[-1])[0]
    return result


_householder_rule = by_composition(
    lambda a, tau: _reflected(a, tau, Tensor._wrap(np.eye(*a._array.shape[-2:], dtype=a._array.dtype)), False), 0, 1
)
householder_op.vjp(
    input=lambda g, input, tau, out, xp: _householder_rule(g, (input, tau), xp)[0],
    tau=lambda g, input, tau, out, xp: _householder_rule(g, (input, tau), xp)[1],
)


@linalg(autocast="full", out_error=not_safely_castable("torch.linalg.householder_product"))
def householder_product(input: Tensor, tau: Tensor) -> Tensor:
    """The first columns of a product of reflections."""
    a, t = input._array, tau._array
    name = "torch.linalg.householder_product"
    if a.ndim < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    if a.shape[-2] < a.shape[-1]:
        raise RuntimeError(f"{name}: input.shape[-2] must be greater than or equal to input.shape[-1]")
    if a.shape[-1] < t.shape[-1]:
        raise RuntimeError(f"{name}: input.shape[-1] must be greater than or equal to tau.shape[-1]")
    if a.ndim - t.ndim != 1:
        raise RuntimeError(
            f"{name}: Expected tau to have one dimension less than input, but got tau.ndim equal to {t.ndim} and "
            f"input.ndim is equal to {a.ndim}"
        )
    if t.shape[:-1] != a.shape[:-2]:
        raise RuntimeError(
            f"{name}: Expected batch dimensions of tau to be equal to input.shape[:-2], but got {list(t.shape[:-1])}"
        )
    if a.dtype != t.dtype:
        raise RuntimeError(f"{name}: tau dtype {scalar_type(tau)} does not match input dtype {scalar_type(input)}")
    if input._array.shape[-1]:
        check_kernel(input, "orgqr_cpu")
    return householder_op(input, tau)


@public("orgqr", "orgqr", out=True, autocast="full")
def orgqr(input: Tensor, input2: Tensor) -> Tensor:
    """``linalg.householder_product`` under its old name."""
    return householder_product(input, input2)


def _multiplied(apply: Any, a: Any, tau: Any, c: Any, left: bool, transpose: bool) -> Any:
    if left:
        return apply(a, tau, c, transpose)
    turned = c.conj().swapaxes(-1, -2)
    return apply(a, tau, turned, not transpose).conj().swapaxes(-1, -2)


@primitive("OrmqrBackward0", name="ormqr", batch=batching.item_by_item)
@also_meta
def ormqr_op(input: Array, input2: Array, input3: Array, left: bool, transpose: bool) -> Any:
    return by_columns(_multiplied(_applied, input, input2, input3, left, transpose))


def _ormqr_rule(g: Any, input: Any, input2: Any, input3: Any, left: bool, transpose: bool, xp: Any) -> Any:
    rule = by_composition(
        lambda a, tau, c: _multiplied(_reflected, a, tau, c, left, transpose), 0, 1, 2
    )
    return rule(g, (input, input2, input3), xp)


def _ormqr_rule_of(position: int) -> Any:
    def rule(g: Any, input: Any, input2: Any, input3: Any, left: bool, transpose: bool, xp: Any) -> Any:
        return _ormqr_rule(g, input, input2, input3, left, transpose, xp)[position]

    return rule


ormqr_op.vjp(input=_ormqr_rule_of(0), input2=_ormqr_rule_of(1), input3=_ormqr_rule_of(2))


@public("ormqr", "ormqr", out=True, autocast="full")
def ormqr(input: Tensor, input2: Tensor, input3: Tensor, left: bool = True, transpose: bool = False) -> Tensor:
    """A product of reflections times a matrix."""
    a, t, c = input._array, input2._array, input3._array
    for array, name in ((a, "input"), (c, "other")):
        if array.ndim < 2:
            raise RuntimeError(f"torch.ormqr: {name} must have at least 2 dimensions.")
    size, which = (c.shape[-2], -2) if left else (c.shape[-1], -1)
    if size < t.shape[-1]:
        raise RuntimeError(f"torch.ormqr: other.shape[{which}] must be greater than or equal to tau.shape[-1]")
    if size != a.shape[-2]:
        raise RuntimeError(f"torch.ormqr: other.shape[{which}] must be equal to input.shape[-2]")
    if t.shape[-1] != min(size, a.shape[-1]):
        raise RuntimeError(f"torch.ormqr: tau.shape[-1] must be equal to min(other.shape[{which}], input.shape[-1])")
    if a.ndim - t.ndim != 1:
        raise RuntimeError(
            "torch.ormqr: Expected tau to have one dimension less than input, but got tau.ndim equal to "
            f"{t.ndim} and input.ndim is equal to {a.ndim}"
        )
    if a.ndim != c.ndim:
        raise RuntimeError(
            "torch.ormqr: Expected other to have the same number of dimensions as input, but got other.ndim equal to "
            f"{c.ndim} and input.ndim is equal to {a.ndim}"
        )
    if t.shape[:-1] != a.shape[:-2]:
        raise RuntimeError(
            "torch.ormqr: Expected batch dimensions of tau to be equal to input.shape[:-2], but got "
            f"{list(t.shape[:-1])}"
        )
    if c.shape[:-2] != a.shape[:-2]:
        raise RuntimeError(
            "torch.ormqr: Expected batch dimensions of other to be equal to input.shape[:-2], but got "
            f"{list(c.shape[:-2])}"
        )
    for other, name in ((input2, "tau"), (input3, "other")):
        if other.dtype is not input.dtype:
            raise RuntimeError(
                f"torch.ormqr: Expected input and {name} to have the same dtype, but input has dtype "
                f"{scalar_type(input)} and {name} has dtype {scalar_type(other)}"
            )
    if input._array.shape[-1]:
        check_kernel(input, "ormqr_cpu")
    return ormqr_op(input, input2, input3, left, transpose)
