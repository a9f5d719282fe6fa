"""Determinants, inverses, solutions of linear systems, and decompositions of matrices; batches everywhere.

The rules use ``xp.matmul`` and each other's primitives only, so that they can be differentiated again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import return_types
from .._device import MetaArray
from .._dtype import FLOAT, SCALAR_TYPE_NAMES
from .._tensor import Tensor
from ._basic import in_both_worlds
from ._forms import EXACT_OUT, FUNCTIONS, public
from ._primitive import primitive

EXACT_OUT.update(("det", "inverse", "cholesky"))


class LinAlgError(RuntimeError):
    """A matrix does not have what is asked of it: it is singular, or not positive definite."""


LinAlgError.__name__ = "_LinAlgError"


for _name, *_fields in (
    ("slogdet", "sign", "logabsdet"), ("linalg_slogdet", "sign", "logabsdet"), ("linalg_inv_ex", "inverse", "info"),
    ("linalg_cholesky_ex", "L", "info"), ("linalg_eigh", "eigenvalues", "eigenvectors"), ("linalg_svd", "U", "S", "Vh"),
    ("linalg_qr", "Q", "R"),
):  # fmt: skip
    return_types.define(_name, *_fields)


def _named(name: str, parts: Any) -> Any:
    return getattr(return_types, name)(parts)


# ---- checks


def check_matrix(input: Any, name: str) -> None:
    if input._array.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")


def check_square(input: Any, name: str) -> None:
    check_matrix(input, name)
    rows, columns = input._array.shape[-2:]
    if rows != columns:
        raise RuntimeError(f"{name}: A must be batches of square matrices, but they are {rows} by {columns} matrices")


def check_float(input: Any, name: str) -> None:
    d = input.dtype
    if d.category < FLOAT:
        raise RuntimeError(
            f"{name}: Expected a floating point or complex tensor as input. Got {SCALAR_TYPE_NAMES[d]}"
        )
    if d.itemsize == 2:
        raise RuntimeError(f"{name}: Low precision dtypes not supported. Got {SCALAR_TYPE_NAMES[d]}")


def _first_failure(array: Any, passes: Any) -> tuple[str, int]:
    """(which of the batch, as PyTorch's messages begin with it; the first size of a leading block that fails)."""
    n = array.shape[-1]
    for i, matrix in enumerate(array.reshape(-1, n, n)):
        for k in range(1, n + 1):
            if not passes(matrix, k):
                return f"(Batch element {i}): " if array.ndim > 2 else "", k
    return "", n


def _has_pivot(matrix: Any, k: int) -> bool:
    """Whether the k-th step of Gaussian elimination finds something to divide by."""
    work = matrix.astype(np.complex128)
    for step in range(k):
        at = step + int(np.argmax(np.abs(work[step:, step])))
        if work[at, step] == 0:
            return step < k - 1
        work[[step, at]] = work[[at, step]]
        work[step + 1 :] -= np.outer(work[step + 1 :, step] / work[step, step], work[step])
    return True


def _is_positive(matrix: Any, k: int) -> bool:
    try:
        np.linalg.cholesky(matrix[:k, :k])
    except np.linalg.LinAlgError:
        return False
    return True


# ---- what the rules share


def adjoint(x: Any, xp: Any) -> Any:
    return xp.transpose(xp.conj(x), x.ndim - 2, x.ndim - 1)


def columns(x: Any, xp: Any) -> Any:
    """Vectors as matrices of one column."""
    return xp.view(x, (*x.shape, 1))


def rows(x: Any, xp: Any) -> Any:
    return xp.view(x, (*x.shape[:-1], 1, x.shape[-1]))


def scaling(x: Any, xp: Any) -> Any:
    """One number for each matrix, with the matrix's number of dimensions."""
    return xp.view(x, (*x.shape, 1, 1))


in_both_worlds("constant", lambda array: array, Tensor._wrap)


def lower(n: int, m: int, like: Any, xp: Any, diagonal: float = 1.0) -> Any:
    """A mask of the lower triangle, with a factor for the diagonal."""
    mask = np.tri(n, m, -1) + diagonal * np.eye(n, m)
    return xp.constant(mask.astype(real_dtype(like)))


def real_dtype(like: Any) -> Any:
    dt = like.dtype if isinstance(like, (np.ndarray, np.generic)) else like._array.dtype
    return np.dtype(np.float32 if dt.itemsize == 8 else np.float64) if dt.kind == "c" else dt


# ---- inverse


@primitive("LinalgInvExBackward0", name="linalg_inv", saved_names={"out": "inverse"})
def inv_op(input):  # type: ignore[no-untyped-def]
    return input.copy() if input.__class__ is MetaArray else np.linalg.inv(input)


@inv_op.vjp("input")
def _(g: Any, out: Any, xp: Any) -> Any:
    h = adjoint(out, xp)
    return -xp.matmul(h, xp.matmul(g, h))


@public("inverse", "inverse", out=True)
def inv(input: Tensor) -> Tensor:
    """The inverse of square matrices."""
    check_square(input, "linalg.inv")
    check_float(input, "linalg.inv")
    try:
        return inv_op(input)
    except np.linalg.LinAlgError:
        which, k = _first_failure(input._array, _has_pivot)
        raise LinAlgError(
            f"linalg.inv: {which}The diagonal element {k} is zero, the inversion could not be completed because the "
            "input matrix is singular."
        ) from None


# ---- determinants


@primitive("LinalgDetBackward0", name="linalg_det", saved_names={"input": "A"})
def det_op(input):  # type: ignore[no-untyped-def]
    return np.linalg.det(input)


@det_op.vjp("input")
def _(g: Any, input: Any, xp: Any) -> Any:
    return scaling(g, xp) * xp.conj(xp.cofactors(input))


def _raw_cofactors(a: Any) -> Any:
    """The derivative of the determinant, for singular matrices as well: from the singular values."""
    u, s, vh = np.linalg.svd(a)
    n = s.shape[-1]
    others = np.stack([np.delete(s, i, -1).prod(-1) for i in range(n)], -1) if n else s
    phase = np.linalg.det(u) * np.linalg.det(vh)
    return np.conjugate((u * others[..., None, :]) @ vh) * phase[..., None, None]


def _tensor_cofactors(a: Any) -> Any:
    return det(a)[..., None, None] * inv(a).mT


in_both_worlds("cofactors", _raw_cofactors, _tensor_cofactors)


@public("det", "det", out=True)
def det(input: Tensor) -> Tensor:
    """The determinant of square matrices."""
    check_square(input, "linalg.det")
    check_float(input, "linalg.det")
    return det_op(input)


@primitive("LinalgSlogdetBackward0", name="linalg_slogdet", outputs=2, saved_names={"input": "A"})
def slogdet_op(input):  # type: ignore[no-untyped-def]
    sign, logabsdet = np.linalg.slogdet(input)
    return sign, logabsdet


@slogdet_op.vjp("input")
def _(g: Any, input: Any, xp: Any) -> Any:
    if g[1] is None:
        return None
    return scaling(g[1], xp) * adjoint(xp.linalg_inv(input), xp)


def linalg_slogdet(A: Tensor) -> Any:
    """The sign of the determinant, and the logarithm of its absolute value."""
    check_square(A, "linalg.slogdet")
    check_float(A, "linalg.slogdet")
    return _named("linalg_slogdet", slogdet_op(A))


@public("slogdet", "slogdet", out=True)
def slogdet(input: Tensor) -> Any:
    """The sign of the determinant, and the logarithm of its absolute value."""
    return _named("slogdet", linalg_slogdet(input))


@public("logdet", "logdet")
def logdet(input: Tensor) -> Tensor:
    """The logarithm of the determinant; nan if that is negative."""
    sign, logabsdet = slogdet(input)
    if input._array.dtype.kind == "c":
        return logabsdet + sign.log()
    return FUNCTIONS["where"](sign.detach() == -1.0, float("nan"), logabsdet)


# ---- solve


@primitive(
    "LinalgSolveExBackward0", name="linalg_solve",
    saved_names={"input": "A", "input_shape": "", "other_shape": "", "is_vector": ""},
)  # fmt: skip
def solve_op(input, other, left: bool, is_vector: bool):  # type: ignore[no-untyped-def]
    if input.__class__ is MetaArray:
        return np.matmul(input, other) if left else np.matmul(other, input)
    if is_vector:
        return np.linalg.solve(input, other[..., None])[..., 0]
    if not left:
        return np.linalg.solve(input.swapaxes(-1, -2), other.swapaxes(-1, -2)).swapaxes(-1, -2).copy()
    return np.linalg.solve(input, other)


@solve_op.vjp("input")
def _(g: Any, input: Any, out: Any, left: bool, is_vector: bool, input_shape: Any, xp: Any) -> Any:
    h = adjoint(input, xp)
    if is_vector:
        found = columns(xp.linalg_solve(h, g, True, True), xp) * rows(xp.conj(out), xp)
    elif left:
        found = xp.matmul(xp.linalg_solve(h, g, True, False), adjoint(out, xp))
    else:
        found = xp.matmul(adjoint(out, xp), xp.linalg_solve(h, g, False, False))
    return xp.sum_to(-found, input_shape)


@solve_op.vjp("other")
def _(g: Any, input: Any, left: bool, is_vector: bool, other_shape: Any, xp: Any) -> Any:
    return xp.sum_to(xp.linalg_solve(adjoint(input, xp), g, left, is_vector), other_shape)


def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """The solution of ``A @ X = B``, or, with ``left=False``, of ``X @ A = B``."""
    check_square(A, "linalg.solve")
    check_float(A, "linalg.solve")
    a, b = A._array.shape, B._array.shape
    is_vector = len(b) == 1 or (len(a) - 1 == len(b) and b == a[:-1])
    size = b[-1] if is_vector or not left else b[-2]
    if size != a[-1]:
        shown = (size, 1) if is_vector else b[-2:]
        raise RuntimeError(
            f"linalg.solve: Incompatible shapes of A and B for the equation {'AX = B' if left else 'XA = B'} "
            f"({a[-2]}x{a[-1]} and {shown[0]}x{shown[1]})"
        )
    try:
        return solve_op(A, B, left, is_vector)
    except np.linalg.LinAlgError:
        where = _first_failure(A._array, _has_pivot)[0]
        raise LinAlgError(
            f"torch.linalg.solve: {where}The solver failed because the input matrix is singular."
        ) from None


@primitive(
    "LinalgSolveTriangularBackward0", name="linalg_solve_triangular", saved_names={"input_shape": "", "other_shape": ""}
)
def solve_triangular_op(input, other, upper: bool, left: bool, unitriangular: bool):  # type: ignore[no-untyped-def]
    a = np.triu(input) if upper else np.tril(input)
    if unitriangular:
        n = a.shape[-1]
        a = a * (1 - np.eye(n, dtype=a.dtype)) + np.eye(n, dtype=a.dtype)
    return solve_op.kernel(a, other, left, False)


@solve_triangular_op.vjp("other")
def _(g: Any, input: Any, upper: bool, left: bool, unitriangular: bool, other_shape: Any, xp: Any) -> Any:
    found = xp.linalg_solve_triangular(adjoint(input, xp), g, not upper, left, unitriangular)
    return xp.sum_to(found, other_shape)


@solve_triangular_op.vjp("input")
def _(g: Any, input: Any, out: Any, upper: bool, left: bool, unitriangular: bool, input_shape: Any, xp: Any) -> Any:
    to_other = xp.linalg_solve_triangular(adjoint(input, xp), g, not upper, left, unitriangular)
    found = xp.matmul(to_other, adjoint(out, xp)) if left else xp.matmul(adjoint(out, xp), to_other)
    n = input_shape[-1]
    mask = lower(n, n, g, xp, 0.0 if unitriangular else 1.0)
    return xp.sum_to(-(found * (xp.transpose(mask, 0, 1) if upper else mask)), input_shape)


def solve_triangular(
    input: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Tensor:
    """The solution of a system whose matrix is triangular; the other triangle is not looked at."""
    check_square(input, "linalg.solve_triangular")
    check_float(input, "linalg.solve_triangular")
    return solve_triangular_op(input, B, upper, left, unitriangular)


# ---- cholesky


@primitive("LinalgCholeskyExBackward0", name="linalg_cholesky", saved_names={"out": "L"})
def cholesky_op(input, upper: bool):  # type: ignore[no-untyped-def]
    if input.__class__ is MetaArray:
        return input.copy()
    found = np.linalg.cholesky(np.conjugate(input.swapaxes(-1, -2)) if upper else input)
    return np.conjugate(found.swapaxes(-1, -2)).copy() if upper else found


@cholesky_op.vjp("input")
def _(g: Any, out: Any, upper: bool, xp: Any) -> Any:
    factor, g = (adjoint(out, xp), adjoint(g, xp)) if upper else (out, g)
    h = adjoint(factor, xp)
    n = out.shape[-1]
    inner = xp.matmul(h, g) * lower(n, n, out, xp, 0.5)
    inner = (inner + adjoint(inner, xp)) * 0.5
    return xp.linalg_solve(factor, xp.linalg_solve(h, inner, True, False), False, False)


@public("cholesky", "cholesky", out=True)
def cholesky(input: Tensor, upper: bool = False) -> Tensor:
    """The triangular factor of a positive definite matrix."""
    check_square(input, "linalg.cholesky")
    check_float(input, "linalg.cholesky")
    try:
        return cholesky_op(input, upper)
    except np.linalg.LinAlgError:
        which, k = _first_failure(input._array, _is_positive)
        raise LinAlgError(
            f"linalg.cholesky: {which}The factorization could not be completed because the input is not "
            f"positive-definite (the leading minor of order {k} is not positive-definite)."
        ) from None


# ---- eigenvalues of symmetric matrices


@primitive(
    "LinalgEighBackward0", name="linalg_eigh", outputs=2,
    saved_names={"out0": "eigenvalues", "out1": "eigenvectors"},
)  # fmt: skip
def eigh_op(input, uplo: Any):  # type: ignore[no-untyped-def]
    values, vectors = np.linalg.eigh(input, uplo)
    return values, vectors


@eigh_op.vjp("input")
def _(g: Any, out0: Any, out1: Any, xp: Any) -> Any:
    to_values, to_vectors = g
    h = adjoint(out1, xp)
    if to_vectors is None:
        return xp.matmul(out1 * rows(to_values, xp), h)
    n = out0.shape[-1]
    eye = xp.constant(np.eye(n, dtype=real_dtype(out0)))
    gaps = rows(out0, xp) - columns(out0, xp) + eye
    inner = xp.matmul(h, to_vectors) * (1 - eye) / gaps
    if to_values is not None:
        inner = inner + eye * rows(to_values, xp)
    return xp.matmul(out1, xp.matmul(inner, h))


def eigh(A: Tensor, UPLO: str = "L") -> Any:
    """Eigenvalues, ascending, and eigenvectors of symmetric or Hermitian matrices."""
    check_square(A, "linalg.eigh")
    check_float(A, "linalg.eigh")
    return _named("linalg_eigh", eigh_op(A, UPLO))


def eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:
    """Eigenvalues of symmetric or Hermitian matrices, ascending."""
    return eigh(A, UPLO)[0]


# ---- singular values


@primitive(
    "LinalgSvdBackward0", name="linalg_svd", outputs=3,
    saved_names={"out0": "U", "out1": "S", "out2": "Vh", "input_shape": ""},
)  # fmt: skip
def svd_op(input, full_matrices: bool):  # type: ignore[no-untyped-def]
    u, s, vh = np.linalg.svd(input, full_matrices=full_matrices)
    return u, s, vh


@svd_op.vjp("input")
def _(g: Any, out0: Any, out1: Any, out2: Any, full_matrices: bool, input_shape: Any, xp: Any) -> Any:
    to_u, to_s, to_vh = g
    m, n = input_shape[-2:]
    k = min(m, n)
    if full_matrices and m != n:
        if to_u is not None or to_vh is not None:
            raise RuntimeError(
                "svd_backward: with full_matrices=True the singular vectors beyond the number of singular values are "
                "not determined and have no derivative: use full_matrices=False."
            )
        last = out0.ndim - 1
        out0, out2 = xp.slice(out0, last, 0, k, 1), xp.slice(out2, last - 1, 0, k, 1)
    uh, v = adjoint(out0, xp), adjoint(out2, xp)
    if to_u is None and to_vh is None:
        return xp.matmul(out0 * rows(to_s, xp), out2)
    eye = xp.constant(np.eye(k, dtype=real_dtype(out1)))
    squares = out1 * out1
    gaps = rows(squares, xp) - columns(squares, xp) + eye
    inner = eye * rows(to_s, xp) if to_s is not None else None
    if to_u is not None:
        turned = xp.matmul(uh, to_u)
        part = (turned - adjoint(turned, xp)) / gaps * rows(out1, xp)
        inner = part if inner is None else inner + part
    if to_vh is not None:
        turned = xp.matmul(adjoint(v, xp), adjoint(to_vh, xp))
        part = columns(out1, xp) * ((turned - adjoint(turned, xp)) / gaps)
        inner = part if inner is None else inner + part
    found = xp.matmul(out0, xp.matmul(inner, out2))
    if to_u is not None and m > k:
        outside = to_u - xp.matmul(out0, xp.matmul(uh, to_u))
        found = found + xp.matmul(outside / rows(out1, xp), out2)
    if to_vh is not None and n > k:
        outside = to_vh - xp.matmul(xp.matmul(to_vh, v), out2)
        found = found + xp.matmul(out0 / rows(out1, xp), outside)
    return found


def svd(A: Tensor, full_matrices: bool = True, *, driver: str | None = None) -> Any:
    """The singular value decomposition: ``A = U @ diag(S) @ Vh``."""
    check_matrix(A, "linalg.svd")
    check_float(A, "linalg.svd")
    return _named("linalg_svd", svd_op(A, full_matrices))


def svdvals(A: Tensor, *, driver: str | None = None) -> Tensor:
    """The singular values, descending."""
    return svd(A, False)[1]


# ---- qr


@primitive(
    "LinalgQrBackward0", name="linalg_qr", outputs=2, saved_names={"out0": "Q", "out1": "R", "input_shape": ""}
)
def qr_op(input, mode: Any):  # type: ignore[no-untyped-def]
    q, r = np.linalg.qr(input, mode)
    return q, r


@qr_op.vjp("input")
def _(g: Any, out0: Any, out1: Any, mode: str, input_shape: Any, xp: Any) -> Any:
    m, n = input_shape[-2:]
    if m < n or (mode != "reduced" and m != n):
        raise RuntimeError(
            "The QR decomposition is not differentiable when mode='complete' and nrows > ncols, or when nrows < ncols."
        )
    to_q, to_r = g
    inner = None
    if to_r is not None:
        inner = xp.matmul(to_r, adjoint(out1, xp))
    if to_q is not None:
        part = xp.matmul(adjoint(out0, xp), to_q)
        inner = -part if inner is None else inner - part
    upper = inner * xp.transpose(lower(n, n, out0, xp, 0.5), 0, 1)
    found = xp.matmul(out0, upper + adjoint(upper, xp))
    if to_q is not None:
        found = found + to_q
    return xp.linalg_solve(adjoint(out1, xp), found, False, False)


def qr(A: Tensor, mode: str = "reduced") -> Any:
    """The decomposition into an orthogonal and an upper triangular matrix."""
    check_matrix(A, "linalg.qr")
    check_float(A, "linalg.qr")
    if mode == "r":
        from .create import empty

        return _named("linalg_qr", (empty(0, dtype=A.dtype), qr_op(A, "reduced")[1]))
    return _named("linalg_qr", qr_op(A, mode))


# ---- what reports failure instead of raising


def _info(input: Any, failed: int) -> Any:
    return Tensor._wrap(np.full(input._array.shape[:-2], failed, np.int32))


def _failed(input: Any, passes: Any) -> tuple[Any, Any]:
    return Tensor._wrap(np.full_like(input._array, np.nan)), _info(input, _first_failure(input._array, passes)[1])


def inv_ex(A: Tensor, *, check_errors: bool = False) -> Any:
    """The inverse, and for each matrix 0 or which diagonal element was found to be zero."""
    try:
        return _named("linalg_inv_ex", (inv(A), _info(A, 0)))
    except LinAlgError:
        if check_errors:
            raise
        return _named("linalg_inv_ex", _failed(A, _has_pivot))


def cholesky_ex(A: Tensor, *, upper: bool = False, check_errors: bool = False) -> Any:
    """The triangular factor, and for each matrix 0 or the order of the first minor that is not positive definite."""
    try:
        return _named("linalg_cholesky_ex", (cholesky(A, upper), _info(A, 0)))
    except LinAlgError:
        if check_errors:
            raise
        return _named("linalg_cholesky_ex", _failed(A, _is_positive))
