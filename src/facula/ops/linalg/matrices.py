"""What the families of linear algebra share: checks in PyTorch's words, named results, helpers of derivative rules.

The rules of these families use ``xp.matmul`` and each other's primitives only: they can be differentiated again.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import Any

import numpy as np

from ... import return_types
from ..._core import state
from ..._core.devices import MetaArray, empty_meta
from ..._core.dtypes import FLOAT, SCALAR_TYPE_NAMES, not_for
from ..._tensor import Tensor, elements, learned
from ...autograd.saved import PLAIN
from ..arrays import lapack
from ..machine.rules import in_both_namespaces
from ..machine.write import needs_gradient


class LinAlgError(RuntimeError):
    """A matrix does not have what is asked of it: it is singular, or not positive definite."""


LinAlgError.__name__ = "_LinAlgError"


def named(name: str, parts: Any) -> Any:
    """A result whose parts have names."""
    return getattr(return_types, name)(parts)


for _name, *_fields in (
    ("slogdet", "sign", "logabsdet"), ("linalg_slogdet", "sign", "logabsdet"), ("linalg_inv_ex", "inverse", "info"),
    ("linalg_cholesky_ex", "L", "info"), ("linalg_eigh", "eigenvalues", "eigenvectors"),
    ("linalg_eig", "eigenvalues", "eigenvectors"), ("linalg_svd", "U", "S", "Vh"), ("svd", "U", "S", "V"),
    ("linalg_qr", "Q", "R"), ("qr", "Q", "R"), ("geqrf", "a", "tau"), ("linalg_solve_ex", "result", "info"),
    ("triangular_solve", "solution", "cloned_coefficient"), ("linalg_lu", "P", "L", "U"), ("lu_unpack", "P", "L", "U"),
    ("linalg_lu_factor", "LU", "pivots"), ("linalg_lu_factor_ex", "LU", "pivots", "info"),
    ("linalg_ldl_factor", "LD", "pivots"), ("linalg_ldl_factor_ex", "LD", "pivots", "info"),
    ("linalg_lstsq", "solution", "residuals", "rank", "singular_values"),
):  # fmt: skip
    return_types.define(_name, *_fields)


def saves_factors(*inputs: Tensor) -> bool:
    """Whether a decomposition is saved for the gradient, as hooks see it. Transforms and programs do without."""
    if not all(type(t) in PLAIN for t in inputs) or (state.special and state.modes.capture is not None):
        return False
    return needs_gradient(*inputs)


# ---- checks


def no_pinv(input: Any) -> RuntimeError:
    return RuntimeError(
        f"linalg.pinv({SCALAR_TYPE_NAMES[input.dtype]}{{{list(input._array.shape)}}}): expected a tensor with 2 or "
        "more dimensions of float, double, cfloat or cdouble types"
    )


def check_matrix(input: Any, name: str, argument: str = "A") -> None:
    if input._array.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor {argument} must have at least 2 dimensions.")


def check_square(input: Any, name: str, argument: str = "A") -> None:
    check_matrix(input, name, argument)
    rows, columns = input._array.shape[-2:]
    if rows != columns:
        raise RuntimeError(
            f"{name}: {argument} must be batches of square matrices, but they are {rows} by {columns} matrices"
        )


_KERNELS = {
    "linalg.det": "lu_cpu", "linalg.lu": "lu_cpu", "linalg.lu_factor": "lu_cpu", "linalg.solve": "lu_cpu",
    "linalg.cholesky": "cholesky_cpu", "linalg.cholesky_ex": "cholesky_cpu", "cholesky": "cholesky_cpu",
    "linalg.qr": "geqrf_cpu", "linalg.svd": "linalg_svd_cpu", "linalg.cond": "linalg_svd_cpu",
    "linalg.eigh": "linalg_eigh_cpu",
    "linalg.eig": "linalg_eig_out_cpu", "linalg.eigvals": "linalg_eig_out_cpu",
    "torch.linalg.ldl_factor_ex": "ldl_factor_kernel_cpu", "linalg.solve_triangular": "triangular_solve_cpu",
}  # fmt: skip
"""The kernels of those that have no sentence of their own about low precision."""
_CALLED_FOR_NOTHING = frozenset(["linalg.qr", "linalg.eig", "linalg.eigvals", "linalg.solve_triangular"])
"""Kernels that PyTorch calls even if there are no elements, and which then refuse low precision."""


_ASKED_BY_KERNELS = frozenset(["linalg.eigh", "linalg.lu_factor", "cholesky"])
"""Those where integers, too, are refused by the kernels only."""


def check_float(input: Any, name: str) -> None:
    d = input.dtype
    is_whole = d.category < FLOAT
    if not is_whole and d.itemsize != 2:
        return
    if name == "torch.linalg.lstsq":
        raise RuntimeError("This function doesn't handle types other than float and double")
    if name == "linalg.pinv":
        raise no_pinv(input)
    if is_whole and name not in _ASKED_BY_KERNELS:
        asked = "linalg.svd" if name == "linalg.cond" else name
        raise RuntimeError(f"{asked}: Expected a floating point or complex tensor as input. Got {SCALAR_TYPE_NAMES[d]}")
    kernel = _KERNELS.get(name)
    if not input._array.size and (name == "linalg.matrix_exp" or (kernel and name not in _CALLED_FOR_NOTHING)):
        return
    if kernel is not None:
        raise not_for(kernel, d)
    if name == "linalg.matrix_rank":
        raise RuntimeError("This function doesn't handle types other than float and double")
    raise RuntimeError(f"{name}: Low precision dtypes not supported. Got {SCALAR_TYPE_NAMES[d]}")


def check_kernel(t: Any, label: str) -> None:
    """What is said of dtypes that a kernel of LAPACK lacks."""
    if t.dtype.category < FLOAT or t.dtype.itemsize == 2:
        raise not_for(label, t.dtype)


def check_same_dtype(a: Any, b: Any, name: str) -> None:
    if a._array.dtype != b._array.dtype:
        x, y = SCALAR_TYPE_NAMES[a.dtype], SCALAR_TYPE_NAMES[b.dtype]
        raise RuntimeError(
            f"{name}: Expected A and B to have the same dtype, but found A of type {x} and B of type {y} instead"
        )


def check_equation(A: Any, B: Any, left: bool, name: str) -> None:
    """That the sizes of ``AX = B`` (or ``XA = B``) fit."""
    a, b = A._array.shape, B._array.shape
    if a[-2] != (b[-2] if left else b[-1]):
        raise RuntimeError(
            f"{name}: Incompatible shapes of A and B for the equation {'AX = B' if left else 'XA = B'} "
            f"({a[-2]}x{a[-1]} and {b[-2]}x{b[-1]})"
        )


def broadcast_batches(A: Any, B: Any, name: str) -> tuple[int, ...]:
    a, b = A._array.shape[:-2], B._array.shape[:-2]
    try:
        return np.broadcast_shapes(a, b)
    except ValueError:
        from ..machine.operands import broadcast_error  # loaded when first used

        raise broadcast_error(a, b) from None


def failures(array: Any, passes: Any) -> Any:
    """For each matrix of a batch 0, or the first size of a leading block that fails."""
    n = array.shape[-1]
    found = np.zeros(array.shape[:-2], np.int32)
    for i, matrix in enumerate(array.reshape(-1, n, n) if array.size else ()):
        for k in range(1, n + 1):
            if not passes(matrix, k):
                found.reshape(-1)[i] = k
                break
    return found


def first_failure(infos: Any) -> tuple[str, int]:
    """(which of the batch, as PyTorch's messages begin with it; its number)."""
    flat = infos.reshape(-1)
    at = int(np.flatnonzero(flat)[0])
    return f"(Batch element {at}): " if infos.ndim else "", int(flat[at])


def has_pivot(matrix: Any, k: int) -> bool:
    """Whether the k-th step of Gaussian elimination finds something to divide by.

    The last one is LAPACK's to say: it may be zero or not by a rounding error.
    """
    if k == len(matrix):
        try:
            lapack.inv(matrix)
        except np.linalg.LinAlgError:
            return False
        return True
    work = matrix.astype(np.complex128)
    for step in range(k):
        at = step + int(np.argmax(np.abs(work[step:, step])))
        if work[at, step] == 0:
            return step < k - 1
        work[[step, at]] = work[[at, step]]
        work[step + 1 :] -= np.outer(work[step + 1 :, step] / work[step, step], work[step])
    return True


def is_positive(matrix: Any, k: int) -> bool:
    try:
        factor = lapack.cholesky(matrix[:k, :k])
    except np.linalg.LinAlgError:
        return False
    return all_positive(factor)


def all_positive(factor: Any) -> bool:
    """Whether a factor is one: LAPACK may not mind NaN, nor infinities, beyond which PyTorch's gives NaN."""
    pivots = factor.diagonal(0, -2, -1).real
    return not (np.isnan(pivots).any() or np.isinf(pivots[..., :-1]).any())


def in_turn(solve: Any, *arrays: Any, like: Any) -> Any:
    """A NumPy function on each matrix of a batch of its own; NaN where it fails."""
    result = np.full(like, np.nan, arrays[0].dtype)
    batch = like[:-2]
    spread = [np.broadcast_to(a, (*batch, *a.shape[-2:])) for a in arrays]
    for at in np.ndindex(*batch):
        with suppress(np.linalg.LinAlgError):
            result[at] = solve(*(a[at] for a in spread))
    return result


def info_tensor(infos: Any) -> Tensor:
    return Tensor._wrap(np.asarray(infos, np.int32))


def also_meta(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel whose results have the same shapes whatever the values; on the meta device it runs on unit matrices."""

    @wraps(kernel)
    def run(*args: Any) -> Any:
        if not any(a.__class__ is MetaArray for a in args):
            return kernel(*args)
        result = kernel(*(_unit(a) if a.__class__ is MetaArray else a for a in args))
        if isinstance(result, tuple):
            return tuple(empty_meta(r.shape, r.dtype) for r in result)
        return empty_meta(result.shape, result.dtype)

    return run


def _unit(a: Any) -> Any:
    if a.ndim < 2:
        return np.ones(a.shape, a.dtype)
    return np.broadcast_to(np.eye(*a.shape[-2:], dtype=a.dtype), a.shape).copy()


def all_finite(input: Any) -> bool:
    """Whether there are neither infinities nor NaN, as far as can be known."""
    found: bool = learned(input, _is_finite)
    return found


def _is_finite(array: Any) -> bool:
    return array.__class__ is MetaArray or bool(np.isfinite(array).all())


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


in_both_namespaces("constant", lambda array: array, Tensor._wrap)


def eye(n: int, like: Any, xp: Any) -> Any:
    return xp.constant(np.eye(n, dtype=real_dtype(like)))


def lower(n: int, m: int, like: Any, xp: Any, diagonal: float = 1.0) -> Any:
    """A mask of the lower triangle, with a factor for the diagonal."""
    mask = np.tri(n, m, -1) + diagonal * np.eye(n, m)
    return xp.constant(mask.astype(real_dtype(like)))


def upper(n: int, m: int, like: Any, xp: Any, diagonal: float = 1.0) -> Any:
    mask = np.tri(m, n, -1).T + diagonal * np.eye(n, m)
    return xp.constant(mask.astype(real_dtype(like)))


def array_of(x: Any) -> Any:
    """The NumPy array of what a rule is given, in either namespace, under wrappings of transforms."""
    return x if isinstance(x, (np.ndarray, np.generic)) else elements(x)


def real_dtype(like: Any) -> Any:
    dt = array_of(like).dtype
    return np.dtype(np.float32 if dt.itemsize == 8 else np.float64) if dt.kind == "c" else dt


def is_complex(x: Any) -> bool:
    return bool(array_of(x).dtype.kind == "c")


def total(*parts: Any) -> Any:
    """The sum of those that are there."""
    given = [p for p in parts if p is not None]
    result = given[0] if given else None
    for p in given[1:]:
        result = result + p
    return result


def require_no_phase(diagonal: Any, size: Any, message: str) -> None:
    """Of complex eigenvectors and singular vectors: the loss must not depend on their phases."""
    phase = np.abs(array_of(diagonal).imag)
    allowed = 1e-2 if phase.dtype == np.float32 else 1e-6
    if phase.size and not (phase <= allowed * (1 + np.abs(array_of(size)).max(initial=0))).all():
        raise RuntimeError(message)


def by_composition(compose: Any, *wanted: int) -> Any:
    """Derivatives of a fused kernel, by those of the operators that ``compose`` makes it of.

    ``rule(g, tensors, xp)`` gives the gradients of the tensors at the positions ``wanted``.
    """

    def rule(g: Any, tensors: tuple[Any, ...], xp: Any) -> tuple[Any, ...]:
        from ...func.reverse import Reverse  # loaded when first used

        raw = xp.is_raw
        if raw:
            tensors, g = tuple(Tensor._wrap(t) for t in tensors), Tensor._wrap(g)
        with Reverse([tensors[i] for i in wanted], implicit=True) as trace:
            given = list(tensors)
            for i, t in zip(wanted, trace.inputs):
                given[i] = t
            made = compose(*given)
        found = trace.pull([made], [g])
        grads = [tensors[i].new_zeros(tensors[i].shape) if t is None else t for i, t in zip(wanted, found)]
        return tuple(t._array if raw else t for t in grads)

    return rule
