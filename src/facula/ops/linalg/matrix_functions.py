"""The exponential of matrices, and matrices of powers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._tensor import Tensor
from ..arrays import lapack
from ..arrays.types import Array
from ..machine import batching
from ..machine.primitive import primitive
from ..machine.public import FUNCTIONS, linalg, public
from ..machine.refusals import scalar_type
from .matrices import adjoint, also_meta, array_of, check_float, check_square

# ---- the exponential

_PADE = (
    64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000, 10559470521600,
    670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1,
)  # fmt: skip
_REACH = 5.37
"""The norm up to which the approximation by a quotient of polynomials of degree 13 is exact to double precision."""


def _exponential(a: Any) -> Any:
    """By scaling and squaring."""
    if not a.size:
        return a.copy()
    norm = np.abs(a).sum(-2).max(-1)
    with np.errstate(all="ignore"):
        times = np.where(np.isfinite(norm), np.ceil(np.log2(np.maximum(norm, 1e-30) / _REACH)), 0)
    times = np.maximum(times, 0).astype(int)
    a = a / (2.0**times)[..., None, None].astype(a.real.dtype)
    one = np.eye(a.shape[-1], dtype=a.dtype)
    a2 = a @ a
    a4 = a2 @ a2
    a6 = a4 @ a2
    c = [a.dtype.type(x) for x in _PADE]
    odd = a6 @ (c[13] * a6 + c[11] * a4 + c[9] * a2) + c[7] * a6 + c[5] * a4 + c[3] * a2 + c[1] * one
    even = a6 @ (c[12] * a6 + c[10] * a4 + c[8] * a2) + c[6] * a6 + c[4] * a4 + c[2] * a2 + c[0] * one
    odd = a @ odd
    result = lapack.solve(even - odd, even + odd)
    for i in range(int(times.max())):
        result = np.where((times > i)[..., None, None], result @ result, result)
    return result


@primitive("LinalgMatrixExpBackward0", name="linalg_matrix_exp", batch=batching.last_dimensions)
@also_meta
def matrix_exp_op(input: Array) -> Any:
    return _exponential(input)


@matrix_exp_op.vjp("input")
def matrix_exp_gradient_of_input(g: Any, input: Any, xp: Any) -> Any:
    """The derivative stands beside the exponential of a matrix of twice the size."""
    h = adjoint(input, xp)
    n, rows, columns = input.shape[-1], input.ndim - 2, input.ndim - 1
    zeros = xp.constant(np.zeros(input.shape, array_of(input).dtype))
    whole = xp.cat((xp.cat((h, g), columns), xp.cat((zeros, h), columns)), rows)
    found = xp.linalg_matrix_exp(whole)
    return xp.slice(xp.slice(found, rows, 0, n, 1), columns, n, 2 * n, 1)


@public("matrix_exp", "matrix_exp")
def matrix_exp(input: Tensor) -> Tensor:
    """The exponential series of square matrices."""
    check_square(input, "linalg.matrix_exp")
    check_float(input, "linalg.matrix_exp")
    return matrix_exp_op(input)


def linalg_matrix_exp(input: Tensor) -> Tensor:
    """The exponential series of square matrices."""
    return matrix_exp(input)


linalg(linalg_matrix_exp, "matrix_exp")


# ---- powers


def linalg_vander(x: Tensor, *, N: int | None = None) -> Tensor:
    """Matrices whose columns are the powers of vectors, from 0 on."""
    array = x._array
    if array.dtype.kind == "b":
        raise RuntimeError(
            f"linalg.vander supports floating point, complex, and integer tensors, but got {scalar_type(x)}"
        )
    if not array.ndim:
        x = x.unsqueeze(0)
        array = x._array
    n = array.shape[-1] if N is None else N
    if n <= 1:
        raise RuntimeError("N must be greater than 1.")
    powers = x.unsqueeze(-1).expand(*array.shape, n - 1).cumprod(-1)
    ones = FUNCTIONS["ones"](*array.shape, 1, dtype=powers.dtype)
    return FUNCTIONS["cat"]([ones, powers], -1)


linalg(linalg_vander, "vander")
