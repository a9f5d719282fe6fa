"""Least squares: the solution of systems that have none, or many."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.strides import by_columns
from ..._tensor import Tensor
from ..arrays import lapack
from ..arrays.types import Array
from ..machine import batching
from ..machine.primitive import primitive
from ..machine.public import linalg
from ..machine.refusals import scalar_type
from ..machine.rules import raw
from .lu import without_history
from .matrices import adjoint, also_meta, check_float, named, rows, total
from .singular import check_finite, pinv_op

_DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


@primitive(
    "LinalgLstsqBackward0", name="linalg_lstsq", outputs=4,
    saved_names={"out0": "solution", "input_shape": "", "b_shape": "", "has_residuals": ""},
)  # fmt: skip
@also_meta
def lstsq_op(input: Array, b: Array, rcond: float, driver: str, has_residuals: bool) -> tuple[Array, ...]:
    """By the singular values, whatever the driver: it only says what is returned beside the solution."""
    nothing = np.empty(0, input.real.dtype)
    u, s, vh = lapack.svd(input, full_matrices=False)
    kept = s > rcond * s.max(-1, initial=0)[..., None]
    inverse = np.where(kept, 1 / np.where(kept, s, 1), 0).astype(s.dtype)
    turned = np.conjugate(u.swapaxes(-1, -2)) @ b
    solution = np.conjugate(vh.swapaxes(-1, -2)) @ (inverse[..., None] * turned)
    residuals = nothing
    if has_residuals and kept.all():
        distance = input @ solution - b
        residuals = (distance * distance.conj()).real.sum(-2)
    rank = np.empty(0, np.int64) if driver == "gels" else kept.sum(-1).astype(np.int64)
    return by_columns(solution), residuals, rank, s if driver in ("gelsd", "gelss") else nothing


@lstsq_op.vjp("input")
def lstsq_gradient_of_input(g: Any, input: Any, b: Any, out0: Any, input_shape: Any, xp: Any) -> Any:
    to_solution, to_residuals = g[0], g[1]
    found = None
    if to_solution is not None:
        inverse = xp.linalg_pinv(input, 0.0, _tiny(input, xp), False)
        found = pinv_op.rules["input"].fn(
            g=xp.matmul(to_solution, adjoint(b, xp)), input=input, out=inverse, xp=xp
        )
    if _counts(to_residuals):
        distance = xp.matmul(input, out0) - b
        found = total(found, xp.matmul(distance * rows(to_residuals, xp), adjoint(out0, xp)) * 2)
    return None if found is None else xp.sum_to(found, input_shape)


@lstsq_op.vjp("b")
def lstsq_gradient_of_b(g: Any, input: Any, b: Any, out0: Any, b_shape: Any, xp: Any) -> Any:
    to_solution, to_residuals = g[0], g[1]
    found = None
    if to_solution is not None:
        inverse = xp.linalg_pinv(input, 0.0, _tiny(input, xp), False)
        found = xp.matmul(adjoint(inverse, xp), to_solution)
    if _counts(to_residuals):
        distance = xp.matmul(input, out0) - b
        found = total(found, distance * rows(to_residuals, xp) * -2)
    return None if found is None else xp.sum_to(found, b_shape)


@lstsq_op.batch
def lstsq_batched(call: batching.Call) -> Any:
    found = batching.broadcast_fully(call)
    return [r if r.numel() or call.size in r.shape[:1] else r.new_empty((call.size, 0)) for r in found]


def _counts(to_residuals: Any) -> bool:
    return to_residuals is not None and to_residuals.shape != (0,)


def _tiny(input: Any, xp: Any) -> float:
    array = raw(input)
    return float(max(array.shape[-2:]) * np.finfo(array.dtype).eps)


@linalg(autocast="full")
def lstsq(input: Tensor, b: Tensor, rcond: float | None = None, *, driver: str | None = None) -> Any:
    """The ``X`` for which ``input @ X`` is nearest to ``b``; of several, the shortest."""
    A, B = input._array, b._array
    name = "torch.linalg.lstsq"
    if A.ndim < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    if B.ndim < 1:
        raise RuntimeError(f"{name}: other must have at least 1 dimension.")
    if input.dtype is not b.dtype:
        raise RuntimeError(
            f"{name}: Expected input and other to have the same dtype, but got input's dtype {scalar_type(input)} and "
            f"other's dtype {scalar_type(b)}"
        )
    check_float(input, name)
    if A.ndim - B.ndim not in (0, 1):
        raise RuntimeError(
            f"{name}: input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) <= 1"
        )
    is_vector = A.ndim - 1 == B.ndim and B.shape == A.shape[:-1]
    if (B.shape[-1] if is_vector or B.ndim == 1 else B.shape[-2]) != A.shape[-2]:
        if is_vector or B.ndim == 1:
            raise RuntimeError(f"{name}: input.size(-2) should match other.size(-1)")
        raise RuntimeError(f"{name}: input.size(-2) should match other.size(-2)")
    if driver is not None and driver not in _DRIVERS:
        raise RuntimeError(f"{name}: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)")
    which = driver or "gelsy"
    if rcond is None:
        rcond = max(A.shape[-2:]) * float(np.finfo(A.dtype).eps)
    elif which == "gelsd" and rcond >= 1:  # which LAPACK takes for no bound at all
        rcond = float(np.finfo(A.dtype).eps)
    check_finite(input, name)
    right = b.unsqueeze(-1) if is_vector else b
    has_residuals = A.shape[-2] > A.shape[-1] and which != "gelsy"
    parts = lstsq_op(input, right, rcond, which, has_residuals)
    solution, residuals, rank, values = parts
    if is_vector:
        solution = solution.squeeze(-1)
    return named("linalg_lstsq", (solution, residuals, rank, without_history(values)))
