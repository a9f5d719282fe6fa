"""Inverses and determinants of square matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.devices import MetaArray
from ..._core.strides import by_columns
from ..._tensor import Tensor
from ..arrays import lapack
from ..arrays.elimination import eliminated, is_singular, solved_by_factors
from ..arrays.types import Array
from ..machine import batching
from ..machine.namespaces import ARRAYS
from ..machine.primitive import primitive
from ..machine.public import FUNCTIONS, linalg, public
from ..machine.rules import in_both_namespaces, raw
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
    saves_factors,
    scaling,
    total,
)
from .singular import svd
from .solving import solve

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


_WITH_FACTORS = {"input": "A", "out1": "LU", "out2": "pivots"}


def factors_of_either(input: Any) -> tuple[Any, Any]:
    """The LU decomposition of a matrix or of its transpose, which has the same determinant: as PyTorch decides."""
    lu, pivots, _ = eliminated(input.swapaxes(-1, -2) if is_transposed(input) else input)
    return by_columns(lu), pivots


def is_transposed(a: Any) -> bool:
    return bool(a.flags.c_contiguous and a.dtype.kind != "c")


def _adjoint_inverse(a: Any, lu: Any, pivots: Any) -> Any:
    """The adjoint of the inverse, by ``factors_of_either``."""
    one = np.eye(lu.shape[-1], dtype=lu.dtype)
    return solved_by_factors(lu, pivots, one, adjoint=not is_transposed(a))


@primitive(
    "LinalgDetBackward0", name="linalg_det_with_factors", outputs=3, differentiable_outputs="first",
    saved_names={**_WITH_FACTORS, "out": "result"}, batch=batching.last_dimensions,
)  # fmt: skip
@also_meta
def det_with_factors_op(input: Array) -> tuple[Array, ...]:
    """For the gradient: what is packed for it is PyTorch's, and so is what becomes of it."""
    return lapack.det(input), *factors_of_either(input)


@det_with_factors_op.vjp("input")
def det_gradient_by_factors(g: Any, input: Any, out: Any, out1: Any, out2: Any, xp: Any) -> Any:
    return xp.det_backward_by_factors(g, input, out, out1, out2)


def _det_backward(g: Any, a: Any, det: Any, lu: Any, pivots: Any) -> Any:
    if is_singular(lu):
        return scaling(g, ARRAYS) * np.conjugate(_raw_cofactors(a))
    return scaling(g * np.conjugate(det), ARRAYS) * _adjoint_inverse(a, lu, pivots)


def _recorded_det_backward(g: Any, a: Any, det: Any, lu: Any, pivots: Any) -> Any:
    if not is_singular(raw(lu)):
        return solve(a.mH, _multiple_of_one(g * det.conj(), a))
    if a.ndim > 2:
        items = zip(*[t.unbind() for t in (g, a, det, lu, pivots)])
        return FUNCTIONS["stack"]([_recorded_det_backward(*item) for item in items])
    u, s, vh = svd(a, full_matrices=False)
    others = [FUNCTIONS["cat"]([s[:i], s[i + 1 :]]).prod() for i in range(len(s))]
    phase = g * (linalg_det(u) * linalg_det(vh)).conj()
    return (u * (phase * FUNCTIONS["stack"](others))) @ vh


def _multiple_of_one(factor: Any, like: Any) -> Any:
    """The unit matrix times a number, for each of a batch."""
    return factor.to(like.dtype)[..., None].expand(like.shape[:-1]).diag_embed()


in_both_namespaces("det_backward_by_factors", _det_backward, _recorded_det_backward)


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
    if saves_factors(input):
        found: Tensor = det_with_factors_op(input)[0]
        return found
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
    factor = _to_logarithm(g, input, out0, xp)
    return None if factor is None else scaling(factor, xp) * adjoint(xp.inverse_or_infinity(input), xp)


def _to_logarithm(g: Any, input: Any, sign: Any, xp: Any) -> Any:
    """The gradient of the logarithm of the determinant, a complex one of a complex matrix."""
    to_sign, factor = g[:2]
    if to_sign is not None and is_complex(input):
        factor = total(factor, xp.imag(xp.conj(sign) * to_sign) * 1j)
    return factor


@primitive(
    "LinalgSlogdetBackward0", name="linalg_slogdet_with_factors", outputs=4, differentiable_outputs=2,
    saved_names={"input": "A", "out0": "sign", "out2": "LU", "out3": "pivots"}, batch=batching.last_dimensions,
)  # fmt: skip
@also_meta
def slogdet_with_factors_op(input: Array) -> tuple[Array, ...]:
    sign, logabsdet = lapack.slogdet(input)
    return sign, logabsdet, *factors_of_either(input)


@slogdet_with_factors_op.vjp("input")
def slogdet_gradient_by_factors(g: Any, input: Any, out0: Any, out2: Any, out3: Any, xp: Any) -> Any:
    factor = _to_logarithm(g, input, out0, xp)
    return None if factor is None else xp.slogdet_backward_by_factors(factor, input, out2, out3)


def _slogdet_backward(factor: Any, a: Any, lu: Any, pivots: Any) -> Any:
    if is_singular(lu):
        return scaling(factor, ARRAYS) * np.conjugate(_inverse_or_infinity(a).swapaxes(-1, -2))
    return scaling(factor, ARRAYS) * _adjoint_inverse(a, lu, pivots)


in_both_namespaces(
    "slogdet_backward_by_factors",
    _slogdet_backward,
    lambda factor, a, lu, pivots: solve(a.mH, _multiple_of_one(factor, a)),
)


def _inverse_or_infinity(a: Any) -> Any:
    """Of a singular matrix, what dividing by its determinant 0 gives."""
    try:
        return lapack.inv(a)
    except np.linalg.LinAlgError:
        found = in_turn(lapack.inv, a, like=a.shape)
        limit = _raw_cofactors(a).swapaxes(-1, -2) * np.inf
        return np.where(np.isnan(found), limit, found)


in_both_namespaces("inverse_or_infinity", _inverse_or_infinity, inv)


def _sign_and_logarithm(input: Tensor) -> Any:
    if saves_factors(input):
        return slogdet_with_factors_op(input)[:2]
    return slogdet_op(input)



def linalg_slogdet(A: Tensor) -> Any:
    """The sign of the determinant, and the logarithm of its absolute value."""
    check_square(A, "linalg.slogdet")
    check_float(A, "linalg.slogdet")
    return named("linalg_slogdet", _sign_and_logarithm(A))


linalg(linalg_slogdet, "slogdet")


@public("slogdet", "slogdet", out=True)
def slogdet(input: Tensor) -> Any:
    """The sign of the determinant, and the logarithm of its absolute value."""
    return named("slogdet", linalg_slogdet(input))


@public("logdet", "logdet", looks_first=True)
def logdet(input: Tensor) -> Tensor:
    """The logarithm of the determinant; nan if that is negative."""
    check_square(input, "logdet")
    check_float(input, "logdet")
    sign, logabsdet = _sign_and_logarithm(input)
    if input._array.dtype.kind == "c":
        return logabsdet + sign.log()
    return FUNCTIONS["where"](sign.detach() == -1.0, float("nan"), logabsdet)
