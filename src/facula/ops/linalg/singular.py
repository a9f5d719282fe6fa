"""Singular values, and what is computed from them: pseudoinverses, ranks, condition numbers, low-rank factors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import dtypes
from ..._core.strides import by_columns
from ..._tensor import Tensor, elements, known
from ..arrays import lapack
from ..arrays.types import Array
from ..machine import batching
from ..machine.primitive import primitive
from ..machine.public import FUNCTIONS, linalg, not_safely_castable, public
from ..machine.refusals import refuse_gradient
from .matrices import (
    LinAlgError,
    adjoint,
    all_finite,
    also_meta,
    array_of,
    check_float,
    check_matrix,
    check_square,
    columns,
    eye,
    first_failure,
    is_complex,
    named,
    no_pinv,
    require_no_phase,
    rows,
    total,
)

# ---- the decomposition


@primitive(
    "LinalgSvdBackward0", name="linalg_svd", outputs=3,
    saved_names={"out0": "U", "out1": "S", "out2": "Vh", "input_shape": ""}, batch=batching.last_dimensions,
)  # fmt: skip
@also_meta
def svd_op(input: Array, full_matrices: bool) -> tuple[Array, ...]:
    u, s, vh = lapack.svd(input, full_matrices=full_matrices)
    return by_columns(u), s, by_columns(vh)


@svd_op.vjp("input")
def svd_gradient_of_input(
    g: Any, out0: Any, out1: Any, out2: Any, full_matrices: bool, input_shape: Any, xp: Any
) -> Any:
    to_u, to_s, to_vh = g
    m, n = input_shape[-2:]
    k = min(m, n)
    if full_matrices and m != n:
        last = out0.ndim - 1
        out0, out2 = xp.slice(out0, last, 0, k, 1), xp.slice(out2, last - 1, 0, k, 1)
        to_u = None if to_u is None else xp.slice(to_u, last, 0, k, 1)
        to_vh = None if to_vh is None else xp.slice(to_vh, last - 1, 0, k, 1)
    uh, v = adjoint(out0, xp), adjoint(out2, xp)
    if to_u is None and to_vh is None:
        return xp.matmul(out0 * rows(to_s, xp), out2)
    turned_u = None if to_u is None else xp.matmul(uh, to_u)
    turned_v = None if to_vh is None else xp.matmul(out2, adjoint(to_vh, xp))
    found = xp.matmul(out0, xp.matmul(_inner(turned_u, to_s, turned_v, out1, is_complex(out0), xp), out2))
    if to_u is not None and m > k:
        outside = to_u - xp.matmul(out0, turned_u)
        found = found + xp.matmul(outside / rows(out1, xp), out2)
    if to_vh is not None and n > k:
        outside = to_vh - xp.matmul(xp.matmul(to_vh, v), out2)
        found = found + xp.matmul(out0 / rows(out1, xp), outside)
    return found


def _inner(turned_u: Any, to_s: Any, turned_v: Any, s: Any, has_phases: bool, xp: Any) -> Any:
    """The gradient between the singular vectors."""
    one = eye(s.shape[-1], s, xp)
    squares = s * s
    gaps = rows(squares, xp) - columns(squares, xp) + one
    if has_phases:
        both = [array_of(t) for t in (turned_u, turned_v) if t is not None]
        require_no_phase(
            np.diagonal(sum(both), 0, -2, -1), both[0],
            "svd_backward: The singular vectors in the complex case are specified up to multiplication by e^{i phi}. "
            "The specified loss function depends on this phase term, making it ill-defined.",
        )  # fmt: skip
    inner = None if to_s is None else one * rows(to_s, xp)
    if turned_u is not None:
        skew = turned_u - adjoint(turned_u, xp)
        inner = total(inner, skew * (1 - one) / gaps * rows(s, xp))
        if has_phases:
            inner = inner + one * skew / (rows(s, xp) * 2)
    if turned_v is not None:
        skew = turned_v - adjoint(turned_v, xp)
        inner = total(inner, columns(s, xp) * (skew * (1 - one) / gaps))
    return inner


def _decomposed(A: Tensor, full_matrices: bool, name: str) -> Any:
    check_matrix(A, name)
    check_float(A, name)
    check_finite(A, name)
    return svd_op(A, full_matrices)


def check_finite(A: Tensor, name: str = "linalg.svd") -> None:
    if not all_finite(A):
        which, _ = first_failure(~np.isfinite(elements(A)).all((-2, -1)))
        raise LinAlgError(
            f"{name}: {which}The algorithm failed to converge because the input matrix contained non-finite values."
        )


@linalg(autocast="full")
def svd(A: Tensor, full_matrices: bool = True, *, driver: str | None = None) -> Any:
    """The singular value decomposition: ``A = U @ diag(S) @ Vh``."""
    _refuse_driver(driver)
    return named("linalg_svd", _decomposed(A, full_matrices, "linalg.svd"))


@linalg(autocast="full")
def svdvals(A: Tensor, *, driver: str | None = None) -> Tensor:
    """The singular values, descending."""
    _refuse_driver(driver)
    return _decomposed(A, False, "linalg.svd")[1]


def _refuse_driver(driver: Any) -> None:
    if driver is not None:
        raise RuntimeError(
            "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend."
        )


@public("svd", "svd", out=True, autocast="full")
def old_svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> Any:
    """The singular value decomposition: ``input = U @ diag(S) @ V.mH``."""
    if input._array.ndim < 2:
        raise RuntimeError(
            f"linalg.svd: input should have at least 2 dimensions, but has {input._array.ndim} dimensions instead"
        )
    if not compute_uv:
        *batch, m, n = input._array.shape
        zeros = FUNCTIONS["zeros"]
        parts = zeros(*batch, m, m, dtype=input.dtype), svdvals(input), zeros(*batch, n, n, dtype=input.dtype)
        return named("svd", parts)
    u, s, vh = _decomposed(input, not some, "linalg.svd")
    return named("svd", (u, s, vh.mH))


# ---- the pseudoinverse


@primitive("LinalgPinvBackward0", name="linalg_pinv", batch=batching.last_dimensions)
@also_meta
def pinv_op(input: Array, atol: Any, rtol: Any, hermitian: bool) -> Any:
    """``atol`` and ``rtol``: numbers, or arrays with a number for each matrix."""
    if not input.size:
        return np.zeros((*input.shape[:-2], input.shape[-1], input.shape[-2]), input.dtype)
    if hermitian:
        values, vectors = lapack.eigh(input)
        kept = np.abs(values) > _threshold(np.abs(values).max(-1), atol, rtol)[..., None]
        inverse = np.where(kept, 1 / np.where(kept, values, 1), 0).astype(values.dtype)
        return (vectors * inverse[..., None, :]) @ np.conjugate(vectors.swapaxes(-1, -2))
    u, s, vh = lapack.svd(input, full_matrices=False)
    kept = s > _threshold(s.max(-1), atol, rtol)[..., None]
    inverse = np.where(kept, 1 / np.where(kept, s, 1), 0).astype(s.dtype)
    return np.conjugate(vh.swapaxes(-1, -2) * inverse[..., None, :]) @ np.conjugate(u.swapaxes(-1, -2))


def _threshold(largest: Any, atol: Any, rtol: Any) -> Any:
    return np.maximum(atol, rtol * largest)


@pinv_op.vjp("input")
def pinv_gradient_of_input(g: Any, input: Any, out: Any, xp: Any) -> Any:
    h, gh = adjoint(out, xp), adjoint(g, xp)
    found = -xp.matmul(h, xp.matmul(g, h))
    right = xp.matmul(gh, out)
    found = found + xp.matmul(right - xp.matmul(input, xp.matmul(out, right)), h)
    left = xp.matmul(out, gh)
    return found + xp.matmul(h, left - xp.matmul(xp.matmul(left, out), input))


def _tolerances(input: Tensor, atol: Any, rtol: Any, name: str, given_rcond: bool = False) -> tuple[Any, Any]:
    given = []
    for value, which in ((atol, "atol"), (rtol, "rtol")):
        if isinstance(value, Tensor):
            if value._array.dtype.kind == "c":
                called = "rcond" if given_rcond and which == "rtol" else which
                got = dtypes.SCALAR_TYPE_NAMES[value.dtype]
                raise RuntimeError(f"{name}: {called} tensor of complex type is not supported. Got {got}")
            value = known(value)
        given.append(value)
    absolute, relative = given
    if relative is None:
        default = max(input._array.shape[-2:]) * np.finfo(input._array.dtype).eps
        positive = absolute is not None and np.asarray(absolute) > 0
        relative = default if absolute is None else np.where(positive, 0.0, default)
    return (0.0 if absolute is None else absolute), relative


@linalg(out_error=not_safely_castable("linalg.pinv"))
def pinv(input: Tensor, rcond: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None) -> Tensor:
    """The pseudoinverse; singular values up to ``max(atol, rtol * largest)`` count as 0."""
    if input._array.ndim < 2:
        raise no_pinv(input)
    if hermitian:
        check_square(input, "linalg.pinv")
    check_float(input, "linalg.pinv")
    if rcond is not None:
        rtol = rcond
    refuse_gradient("linalg_pinv", **{k: v for k, v in (("atol", atol), ("rtol", rtol)) if isinstance(v, Tensor)})
    absolute, relative = _tolerances(input, atol, rtol, "torch.linalg.pinv", rcond is not None)
    if not hermitian:
        check_finite(input)
    return pinv_op(input, absolute, relative, hermitian)


@public("pinverse", "pinverse", autocast="full")
def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """``linalg.pinv`` under its old name."""
    return pinv(input, rcond)


# ---- numbers that tell about a matrix


@linalg(out_error=not_safely_castable("torch.linalg.matrix_rank"))
def matrix_rank(
    input: Tensor, tol: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None
) -> Tensor:
    """How many singular values are larger than ``max(atol, rtol * largest)``."""
    check_matrix(input, "torch.linalg.matrix_rank", "input")
    check_float(input, "linalg.matrix_rank")
    if tol is not None:
        atol, rtol = tol, 0.0
    absolute, relative = _tolerances(input, atol, rtol, "torch.linalg.matrix_rank")
    array = input._array
    if hermitian:
        check_square(input, "linalg.matrix_rank")
        values = np.abs(lapack.eigvalsh(array))
    else:
        check_finite(input)
        values = lapack.svd(array, compute_uv=False)
    largest = values.max(-1, initial=0)
    found = (values > np.asarray(_threshold(largest, absolute, relative))[..., None]).sum(-1)
    return Tensor._wrap(np.asarray(found, np.int64))


@linalg(autocast="full", out_error=not_safely_castable("linalg.cond"), looks_first=True)
def cond(input: Tensor, p: Any = None) -> Tensor:
    """The norm of a matrix times the norm of its inverse."""
    from ..reductions.norms import matrix_norm  # loaded when first used

    check_matrix(input, "linalg.cond")
    if input._array.size:
        check_float(input, "linalg.cond")
    if p not in (None, "fro", "nuc", 1, -1, 2, -2, float("inf"), float("-inf")):
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p}")
    shape = input._array.shape
    if p in (None, 2, -2) and input._array.size:
        values = svdvals(input)
        first, last = values.narrow(-1, 0, 1), values.narrow(-1, values._array.shape[-1] - 1, 1)
        return ((last / first) if p == -2 else (first / last)).squeeze(-1)
    if p not in (None, 2, -2):
        check_square(input, f"linalg.cond(ord={p})")
    if not input._array.size:
        return FUNCTIONS["zeros"](shape[:-2], dtype=_real_of(input))
    if p == "nuc":
        values = svdvals(input)
        return values.sum(-1) * values.reciprocal().sum(-1)
    from .inverse import inv_ex  # loaded when first used

    inverse, info = inv_ex(input)
    if info._array.any():
        inverse = inverse.masked_fill((info > 0)[..., None, None], float("inf"))
    largest = float("inf")
    return (matrix_norm(input, p) * matrix_norm(inverse, p)).nan_to_num(largest, largest, -largest)


def _real_of(input: Tensor) -> Any:
    return {dtypes.complex64: dtypes.float32, dtypes.complex128: dtypes.float64}.get(input.dtype, input.dtype)


# ---- low-rank factors, by random projections


def _basis(A: Tensor, q: int, niter: int, M: Tensor | None) -> Tensor:
    """An orthonormal basis of about the range of a matrix."""
    from .qr import qr  # loaded when first used

    if M is not None:
        A = A - M
    start = FUNCTIONS["randn"](A._array.shape[-1], q, dtype=A.dtype)
    Q = qr(A @ start)[0]
    for _ in range(niter):
        Q = qr(A.mH @ Q)[0]
        Q = qr(A @ Q)[0]
    return Q


@public("svd_lowrank")
def svd_lowrank(A: Tensor, q: int | None = 6, niter: int | None = 2, M: Tensor | None = None) -> Any:
    """The singular value decomposition of a matrix (or of ``A - M``) that has about rank ``q``."""
    q = 6 if q is None else q
    niter = 2 if niter is None else niter
    m, n = A._array.shape[-2:]
    if M is not None:
        M = M.broadcast_to(A.shape)
    if m < n:
        A = A.mH
        M = None if M is None else M.mH
    Q = _basis(A, q, niter, M)
    B = Q.mH @ (A if M is None else A - M)
    U, S, Vh = svd(B, False)
    V = Vh.mH
    U = Q @ U
    return (V, S, U) if m < n else (U, S, V)


@public("pca_lowrank")
def pca_lowrank(A: Tensor, q: int | None = None, center: bool = True, niter: int = 2) -> Any:
    """The principal components of the rows of a matrix."""
    m, n = A._array.shape[-2:]
    if q is None:
        q = min(6, m, n)
    elif not 0 <= q <= min(m, n):
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(m, n)}")
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    return svd_lowrank(A - A.mean(-2, True) if center else A, q, niter)
