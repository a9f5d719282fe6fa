"""Eigenvalues and eigenvectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import state
from ..._core.dtypes import FLOAT, SCALAR_TYPE_NAMES
from ..._core.strides import by_columns
from ..._tensor import Tensor
from ..arrays import lapack
from ..arrays.types import Array
from ..machine import batching
from ..machine.primitive import primitive
from ..machine.public import linalg, not_safely_castable
from .matrices import (
    adjoint,
    all_finite,
    also_meta,
    check_float,
    check_square,
    columns,
    eye,
    is_complex,
    named,
    require_no_phase,
    rows,
)

# ---- symmetric matrices


@primitive(
    "LinalgEighBackward0", name="linalg_eigh", outputs=2,
    saved_names={"out0": "eigenvalues", "out1": "eigenvectors"}, batch=batching.last_dimensions,
)  # fmt: skip
@also_meta
def eigh_op(input: Array, uplo: Any) -> tuple[Array, ...]:
    values, vectors = lapack.eigh(input, uplo)
    return values, by_columns(vectors)


@eigh_op.vjp("input")
def eigh_gradient_of_input(g: Any, out0: Any, out1: Any, xp: Any) -> Any:
    to_values, to_vectors = g
    h = adjoint(out1, xp)
    if to_vectors is None:
        return xp.matmul(out1 * rows(to_values, xp), h)
    one = eye(out0.shape[-1], out0, xp)
    turned = xp.matmul(h, to_vectors)
    if is_complex(out1):
        _check_phases("linalg_eigh_backward", turned)
    gaps = rows(out0, xp) - columns(out0, xp) + one
    inner = turned * (1 - one) / gaps
    inner = (inner + adjoint(inner, xp)) / 2
    if to_values is not None:
        inner = inner + one * rows(to_values, xp)
    return xp.matmul(out1, xp.matmul(inner, h))


def _check_phases(name: str, turned: Any) -> None:
    array = turned if isinstance(turned, np.ndarray) else turned._array
    require_no_phase(
        np.diagonal(array, 0, -2, -1), array,
        f"{name}: The eigenvectors in the complex case are specified up to multiplication by e^{{i phi}}. The "
        "specified loss function depends on this quantity, so it is ill-defined.",
    )  # fmt: skip


def _checked_triangle(UPLO: str) -> str:
    which = UPLO.upper() if isinstance(UPLO, str) else ""
    if which not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    return which


@linalg(autocast="full")
def eigh(input: Tensor, UPLO: str = "L") -> Any:
    """Eigenvalues, ascending, and eigenvectors of symmetric or Hermitian matrices."""
    check_square(input, "linalg.eigh")
    check_float(input, "linalg.eigh")
    return named("linalg_eigh", eigh_op(input, _checked_triangle(UPLO)))


@linalg(autocast="full")
def eigvalsh(input: Tensor, UPLO: str = "L") -> Tensor:
    """Eigenvalues of symmetric or Hermitian matrices, ascending."""
    return eigh(input, UPLO)[0]


# ---- all others


@primitive(
    "LinalgEigBackward0", name="linalg_eig", outputs=2, batch=batching.last_dimensions,
    saved_names={"out0": "eigenvalues", "out1": "eigenvectors"},
)  # fmt: skip
@also_meta
def eig_op(input: Array) -> tuple[Array, ...]:
    dtype = np.result_type(input.dtype, np.complex64)
    values, vectors = lapack.eig(input)
    return values.astype(dtype, copy=False), by_columns(vectors.astype(dtype, copy=False))


@eig_op.vjp("input")
def eig_gradient_of_input(g: Any, out0: Any, out1: Any, input_dtype: Any, xp: Any) -> Any:
    to_values, to_vectors = g
    h = adjoint(out1, xp)
    if to_vectors is None:
        inner = columns(to_values, xp) * h
    else:
        one = eye(out0.shape[-1], out1, xp)
        turned = xp.matmul(h, to_vectors)
        _check_phases("linalg_eig_backward", turned)
        lengths = rows(xp.real(xp.diagonal(turned, 0, turned.ndim - 2, turned.ndim - 1)), xp)
        conjugate = xp.conj(out0)
        gaps = rows(conjugate, xp) - columns(conjugate, xp) + one
        inner = (turned - xp.matmul(h, out1 * lengths)) * (1 - one) / gaps
        if to_values is not None:
            inner = inner + one * rows(to_values, xp)
        inner = xp.matmul(inner, h)
    found = xp.linalg_solve(h, inner, True, False)
    return found if input_dtype.kind == "c" else xp.real(found)


@linalg(autocast="full", out_error=not_safely_castable("torch.linalg.eig", "{2}"))
def eig(input: Tensor) -> Any:
    """Eigenvalues and eigenvectors of square matrices, always complex."""
    check_square(input, "linalg.eig")
    check_float(input, "linalg.eig")
    _require_finite(input, "torch.linalg.eig")
    return named("linalg_eig", eig_op(input))


@linalg(autocast="full", out_error=not_safely_castable("torch.linalg.eigvals", "eigenvalues"))
def eigvals(input: Tensor) -> Tensor:
    """Eigenvalues of square matrices."""
    if input.dtype.category < FLOAT:
        raise RuntimeError(f"Unknown Complex ScalarType for {SCALAR_TYPE_NAMES[input.dtype]}")
    name = "linalg.eig" if state.grad_enabled() and input.requires_grad else "linalg.eigvals"
    check_square(input, name)
    check_float(input, name)
    _require_finite(input, f"torch.{name}")
    return eig_op(input)[0]


def _require_finite(input: Tensor, name: str) -> None:
    if not all_finite(input):
        raise RuntimeError(f"{name}: input tensor should not contain infs or NaNs.")
