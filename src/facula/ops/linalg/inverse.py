"""Inverses and determinants of square matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.devices import MetaArray
from ..._core.strides import by_columns
from ..._tensor import Tensor
from ..arrays import lapack
from ..arrays.types import Array
from ..machine import batching
from ..machine.primitive import primitive
from ..machine.public import FUNCTIONS, linalg, public
from ..machine.rules import in_both_namespaces
from .matrices import (
    LinAlgError,
    adjoint,
    also_meta,
    check_float,
    check_square,
    failures,
    first_failure,
    has_pivot,
    in_turn,
    info_tensor,
    is_complex,
    named,
    scaling,
)

# ---- inverse


@primitive("LinalgInvExBackward0", name="linalg_inv", saved_names={"out": "inverse"}, batch=batching.last_dimensions)
def inv_op(input: Array) -> Any:
    return input.copy() if input.__class__ is MetaArray else by_columns(lapack.inv(input))


def _inv_rule(g: Any, out: Any, xp: Any) -> Any:
    h = adjoint(out, xp)
    return -xp.matmul(h, xp.matmul(g, adjoint(out, xp)))


inv_op.vjp(input=_inv_rule)


def _inv_where_possible(input: Array) -> Any:
    """NaN for singular matrices."""
    return by_columns(in_turn(lapack.inv, input, like=input.shape))


inv_where_possible_op = inv_op.under("linalg_inv_where_possible", "LinalgInvExBackward0", _inv_where_possible)


def singular(name: str, infos: Any) -> LinAlgError:
    """What is said of matrices that have no inverse, of which ``infos`` tells the places of zeros from 1 on."""
    which, k = first_failure(infos)
    return LinAlgError(
        f"{name}: {which}The diagonal element {k} is zero, the inversion could not be completed because the input "
        "matrix is singular."
    )


@public("inverse", "inverse", out="exact")
def inv(input: Tensor) -> Tensor:
    """The inverse of square matrices."""
    check_square(input, "linalg.inv")
    check_float(input, "linalg.inv")
    try:
        return inv_op(input)
    except np.linalg.LinAlgError:
        raise singular("linalg.inv", failures(input._array, has_pivot)) from None


def linalg_inv(A: Tensor) -> Tensor:
    """The inverse of square matrices."""
    return inv(A)


linalg(linalg_inv, "inv", autocast="full")


@linalg(autocast="full")
def inv_ex(A: Tensor, *, check_errors: bool = False) -> Any:
    """The inverse, and for each matrix 0 or which diagonal element was found to be zero."""
    check_square(A, "linalg.inv")
    check_float(A, "linalg.inv")
    try:
        return named("linalg_inv_ex", (inv_op(A), info_tensor(np.zeros(A._array.shape[:-2]))))
    except np.linalg.LinAlgError:
        infos = failures(A._array, has_pivot)
        if check_errors:
            raise singular("linalg.inv_ex", infos) from None
        return named("linalg_inv_ex", (inv_where_possible_op(A), info_tensor(infos)))


# ---- determinants


@primitive("LinalgDetBackward0", name="linalg_det", saved_names={"input": "A"}, batch=batching.last_dimensions)
@also_meta
def det_op(input: Array) -> Any:
    return lapack.det(input)


@det_op.vjp("input")
def det_gradient_of_input(g: Any, input: Any, out: Any, xp: Any) -> Any:
    return scaling(g, xp) * xp.conj(xp.cofactors(input, out))


def _raw_cofactors(a: Any) -> Any:
    """The derivative of the determinant, for singular matrices as well: from the singular values."""
    if not np.isfinite(a).all():
        return np.full_like(a, np.nan)
    u, s, vh = lapack.svd(a)
    n = s.shape[-1]
    others = np.stack([np.delete(s, i, -1).prod(-1) for i in range(n)], -1) if n else s
    phase = lapack.det(u) * lapack.det(vh)
    return np.conjugate((u * others[..., None, :]) @ vh) * phase[..., None, None]


in_both_namespaces(
    "cofactors", lambda a, det: _raw_cofactors(a), lambda a, det: det[..., None, None] * inv(a).mT
)


@public("det", "det", out="exact")
def det(input: Tensor) -> Tensor:
    """The determinant of square matrices."""
    check_square(input, "linalg.det")
    check_float(input, "linalg.det")
    return det_op(input)


def linalg_det(A: Tensor) -> Tensor:
    """The determinant of square matrices."""
    return det(A)


linalg(linalg_det, "det")


@primitive(
    "LinalgSlogdetBackward0", name="linalg_slogdet", outputs=2, batch=batching.last_dimensions,
    saved_names={"input": "A", "out0": "sign"},
)  # fmt: skip
@also_meta
def slogdet_op(input: Array) -> tuple[Array, ...]:
    sign, logabsdet = lapack.slogdet(input)
    return sign, logabsdet


@slogdet_op.vjp("input")
def slogdet_gradient_of_input(g: Any, input: Any, out0: Any, xp: Any) -> Any:
    to_sign, to_log = g
    factor = to_log
    if to_sign is not None and is_complex(input):
        turn = xp.imag(xp.conj(out0) * to_sign) * 1j
        factor = turn if factor is None else factor + turn
    if factor is None:
        return None
    return scaling(factor, xp) * adjoint(xp.inverse_or_infinity(input), xp)


def _inverse_or_infinity(a: Any) -> Any:
    """Of a singular matrix, what dividing by its determinant 0 gives."""
    try:
        return lapack.inv(a)
    except np.linalg.LinAlgError:
        found = in_turn(lapack.inv, a, like=a.shape)
        limit = _raw_cofactors(a).swapaxes(-1, -2) * np.inf
        return np.where(np.isnan(found), limit, found)


in_both_namespaces("inverse_or_infinity", _inverse_or_infinity, inv)


def linalg_slogdet(A: Tensor) -> Any:
    """The sign of the determinant, and the logarithm of its absolute value."""
    check_square(A, "linalg.slogdet")
    check_float(A, "linalg.slogdet")
    return named("linalg_slogdet", slogdet_op(A))


linalg(linalg_slogdet, "slogdet")


@public("slogdet", "slogdet", out=True)
def slogdet(input: Tensor) -> Any:
    """The sign of the determinant, and the logarithm of its absolute value."""
    return named("slogdet", linalg_slogdet(input))


@public("logdet", "logdet")
def logdet(input: Tensor) -> Tensor:
    """The logarithm of the determinant; nan if that is negative."""
    check_square(input, "logdet")
    check_float(input, "logdet")
    sign, logabsdet = slogdet_op(input)
    if input._array.dtype.kind == "c":
        return logabsdet + sign.log()
    return FUNCTIONS["where"](sign.detach() == -1.0, float("nan"), logabsdet)
