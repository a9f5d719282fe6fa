"""Positive definite matrices: the Cholesky factor, and what can be computed from it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.devices import MetaArray
from ..._core.strides import by_columns
from ..._tensor import Tensor, elements
from ..arrays import lapack
from ..arrays.types import Array
from ..machine import batching
from ..machine.deprecated import warn_once
from ..machine.primitive import Primitive
from ..machine.public import linalg, not_safely_castable, public
from .inverse import singular
from .matrices import (
    LinAlgError,
    adjoint,
    all_positive,
    also_meta,
    check_float,
    check_kernel,
    check_square,
    failures,
    first_failure,
    in_turn,
    info_tensor,
    is_positive,
    lower,
    named,
)

# ---- the factor


def _read(input: Any, upper: Any) -> Any:
    """The matrix whose lower triangle is the one to be read."""
    return np.conjugate(input.swapaxes(-1, -2)) if upper else input


def _factor(input: Any, upper: Any) -> Any:
    if input.__class__ is MetaArray:
        return input.copy()
    found = lapack.cholesky(_read(input, upper))
    if not all_positive(found):
        raise np.linalg.LinAlgError
    return np.conjugate(found.swapaxes(-1, -2)) if upper else found


def _kernel(input: Array, upper: bool) -> Any:
    return by_columns(_factor(input, upper))


def _kernel_where_possible(input: Array, upper: bool) -> Any:
    """NaN for matrices that are not positive definite."""
    return by_columns(in_turn(lambda a: _factor(a, upper), input, like=input.shape))


def _rule(g: Any, out: Any, upper: bool, xp: Any) -> Any:
    factor, g = (adjoint(out, xp), adjoint(g, xp)) if upper else (out, g)
    h = adjoint(factor, xp)
    n = out.shape[-1]
    inner = xp.matmul(h, g)
    below = adjoint(inner * lower(n, n, out, xp, 0.0), xp)
    inner = xp.times(inner * lower(n, n, out, xp) + below, 0.5)
    return xp.linalg_solve_triangular(
        factor, xp.linalg_solve_triangular(h, inner, True, True, False), False, False, False
    )


cholesky_op = Primitive(
    "linalg_cholesky", _kernel, "LinalgCholeskyExBackward0", batch=batching.last_dimensions, saved_names={"out": "L"}
).vjp(input=_rule)
cholesky_where_possible_op = cholesky_op.under(
    "linalg_cholesky_where_possible", "LinalgCholeskyExBackward0", _kernel_where_possible
)


def _old_kernel(input: Array, upper: bool) -> Any:
    return _kernel(input, upper) if input.size else input.copy()


old_cholesky_op = cholesky_op.under("cholesky", "CholeskyBackward0", _old_kernel, saved_names={"out": "result"})


def _not_positive(name: str, infos: Any) -> LinAlgError:
    which, k = first_failure(infos)
    return LinAlgError(
        f"{name}: {which}The factorization could not be completed because the input is not positive-definite (the "
        f"leading minor of order {k} is not positive-definite)."
    )


@linalg(autocast="full")
def cholesky(input: Tensor, *, upper: bool = False) -> Tensor:
    """The triangular factor of a positive definite matrix."""
    check_square(input, "linalg.cholesky")
    check_float(input, "linalg.cholesky")
    try:
        return cholesky_op(input, upper)
    except np.linalg.LinAlgError:
        raise _not_positive("linalg.cholesky", failures(_read(input._array, upper), is_positive)) from None


@linalg(autocast="full")
def cholesky_ex(input: Tensor, *, upper: bool = False, check_errors: bool = False) -> Any:
    """The triangular factor, and for each matrix 0 or the order of the first minor that is not positive definite."""
    check_square(input, "linalg.cholesky")
    check_float(input, "linalg.cholesky")
    try:
        return named("linalg_cholesky_ex", (cholesky_op(input, upper), info_tensor(np.zeros(input._array.shape[:-2]))))
    except np.linalg.LinAlgError:
        infos = failures(_read(input._array, upper), is_positive)
        if check_errors:
            raise _not_positive("linalg.cholesky_ex", infos) from None
        return named("linalg_cholesky_ex", (cholesky_where_possible_op(input, upper), info_tensor(infos)))


@public("cholesky", "cholesky", out="exact", autocast="full")
def old_cholesky(input: Tensor, upper: bool = False) -> Tensor:
    """``linalg.cholesky`` under its old name."""
    warn_once(
        "torch.cholesky is deprecated in favor of torch.linalg.cholesky and will be removed in a future PyTorch "
        "release.\nL = torch.cholesky(A)\nshould be replaced with\nL = torch.linalg.cholesky(A)\nand\nU = "
        "torch.cholesky(A, upper=True)\nshould be replaced with\nU = torch.linalg.cholesky(A).mH\nThis transform will "
        "produce equivalent results for all valid (symmetric positive definite) inputs.",
    )
    if input._array.size:  # nothing is asked of nothing
        check_square(input, "cholesky")
        check_float(input, "cholesky")
    try:
        return old_cholesky_op(input, upper)
    except np.linalg.LinAlgError:
        raise _not_positive("cholesky", failures(_read(input._array, upper), is_positive)) from None


# ---- inverses and solutions, given the factor


def _product(factor: Any, upper: bool) -> Any:
    """The matrix that a factor is of; only its own triangle counts."""
    f = np.triu(factor) if upper else np.tril(factor)
    h = np.conjugate(f.swapaxes(-1, -2))
    return h @ f if upper else f @ h


@also_meta
def _inverse_kernel(input: Array, upper: bool) -> Any:
    if (input.diagonal(0, -2, -1) == 0).any():  # rounding may hide it in the product
        raise np.linalg.LinAlgError
    return by_columns(lapack.inv(_product(input, upper)))


cholesky_inverse_op = Primitive(
    "cholesky_inverse", _inverse_kernel, "CholeskyInverseBackward0", batch=batching.last_dimensions
)


@cholesky_inverse_op.vjp("input")
def cholesky_inverse_gradient_of_input(g: Any, input: Any, out: Any, upper: bool, xp: Any) -> Any:
    inner = xp.matmul(out, xp.matmul(g + adjoint(g, xp), out))
    return -xp.matmul(input, inner) if upper else -xp.matmul(inner, input)


@public(
    "cholesky_inverse", "cholesky_inverse", out=True, out_error=not_safely_castable("cholesky_inverse"), autocast="full"
)
def cholesky_inverse(input: Tensor, upper: bool = False) -> Tensor:
    """The inverse of a matrix of which the Cholesky factor is known."""
    check_square(input, "cholesky_inverse")
    check_kernel(input, "cholesky_inverse_out_cpu")
    try:
        return cholesky_inverse_op(input, upper)
    except np.linalg.LinAlgError:
        on_diagonal = elements(input).diagonal(0, -2, -1) == 0
        raise singular("cholesky_inverse", np.where(on_diagonal.any(-1), on_diagonal.argmax(-1) + 1, 0)) from None


@also_meta
def _solve_kernel(input: Array, input2: Array, upper: bool) -> Any:
    return by_columns(lapack.solve(_product(input2, upper), input))


cholesky_solve_op = Primitive(
    "cholesky_solve", _solve_kernel, "CholeskySolveBackward0", batch=batching.broadcast_fully,
    saved_names={"input_shape": "", "input2_shape": ""},
)  # fmt: skip


@cholesky_solve_op.vjp("input")
def cholesky_solve_gradient_of_input(g: Any, input2: Any, upper: bool, input_shape: Any, xp: Any) -> Any:
    return xp.sum_to(xp.cholesky_solve(g, input2, upper), input_shape)


@cholesky_solve_op.vjp("input2")
def cholesky_solve_gradient_of_input2(g: Any, input2: Any, out: Any, upper: bool, input2_shape: Any, xp: Any) -> Any:
    inner = xp.matmul(xp.cholesky_solve(g, input2, upper), adjoint(out, xp))
    inner = inner + adjoint(inner, xp)
    found = xp.matmul(input2, inner) if upper else xp.matmul(inner, input2)
    return xp.sum_to(-found, input2_shape)


@public(
    "cholesky_solve", "cholesky_solve", out=True, out_error=not_safely_castable("cholesky_solve"), autocast="full"
)
def cholesky_solve(input: Tensor, input2: Tensor, upper: bool = False) -> Tensor:
    """The solution of ``A @ X = input``, given the Cholesky factor of ``A``."""
    for t, name in ((input, "b"), (input2, "u")):
        if t._array.ndim < 2:
            raise RuntimeError(f"{name} should have at least 2 dimensions, but has {t._array.ndim} dimensions instead")
    a, b = input2._array.shape, input._array.shape
    if a[-1] != a[-2]:
        raise RuntimeError(f"A must be batches of square matrices, but they are {a[-2]} by {a[-1]} matrices")
    if a[-1] != b[-2]:
        raise RuntimeError(
            f"Incompatible matrix sizes for cholesky_solve: each A matrix is {a[-1]} by {a[-1]} but each b matrix is "
            f"{b[-2]} by {b[-1]}"
        )
    check_kernel(input, "cholesky_solve_cpu")
    return cholesky_solve_op(input, input2, upper)
