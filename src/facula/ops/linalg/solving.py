"""Solutions of linear systems."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from ..._core.devices import MetaArray
from ..._core.strides import by_columns
from ..._tensor import Tensor
from ..arrays import lapack
from ..arrays.elimination import by_halves, eliminated, solved_by_factors
from ..arrays.types import Array
from ..machine import batching
from ..machine.deprecated import warn_once
from ..machine.namespaces import TENSORS
from ..machine.primitive import Primitive, primitive
from ..machine.public import linalg, not_safely_castable, public
from ..machine.rules import in_both_namespaces
from ..views.shape import reshape_alias_op
from .matrices import (
    LinAlgError,
    adjoint,
    also_meta,
    broadcast_batches,
    check_equation,
    check_float,
    check_kernel,
    check_matrix,
    check_same_dtype,
    check_square,
    columns,
    failures,
    first_failure,
    has_pivot,
    in_turn,
    info_tensor,
    lower,
    named,
    rows,
    saves_factors,
    total,
)
from .matrices import (
    upper as upper_mask,
)

# ---- general systems


def _solved(input: Any, other: Any, left: bool, is_vector: bool) -> Any:
    if input.__class__ is MetaArray:
        return np.matmul(input, other) if left else np.matmul(other, input)
    if is_vector:
        return lapack.solve(input, other[..., None])[..., 0]
    if not left:
        return lapack.solve(input.swapaxes(-1, -2), other.swapaxes(-1, -2)).swapaxes(-1, -2).copy()
    return lapack.solve(input, other)


_HIDDEN = {"input": "A", "input_shape": "", "other_shape": "", "is_vector": ""}


@primitive("LinalgSolveExBackward0", name="linalg_solve", saved_names=_HIDDEN)
def solve_op(input: Array, other: Array, left: bool, is_vector: bool) -> Any:
    found = _solved(input, other, left, is_vector)
    return by_columns(found) if left else found


@primitive("LinalgSolveExBackward0", name="linalg_solve_where_possible", saved_names=_HIDDEN)
def solve_where_possible_op(input: Array, other: Array, left: bool, is_vector: bool) -> Any:
    """NaN where the matrix is singular."""
    b = other[..., None] if is_vector else other
    shape = (*np.broadcast_shapes(input.shape[:-2], b.shape[:-2]), *b.shape[-2:])
    found = in_turn(lambda x, y: _solved(x, y, left, False), input, b, like=shape)
    if is_vector:
        found = found[..., 0]
    return by_columns(found) if left else found


@solve_op.batch
@solve_where_possible_op.batch
def solve_batched(call: batching.Call) -> Any:
    left, is_vector = call.attributes
    a, b = call.all_full()
    if is_vector:
        x = call.run([a, b.unsqueeze(-1) if left else b.unsqueeze(-2)], (left, False))
        return x.squeeze(-1 if left else -2)
    return batching.broadcast_fully(call)


def _solve_rules(op: Primitive) -> None:
    @op.vjp("input")
    def op_gradient_of_input(
        g: Any, input: Any, out: Any, left: bool, is_vector: bool, input_shape: Any, xp: Any
    ) -> Any:
        h = adjoint(input, xp)
        if is_vector:
            found = columns(xp.linalg_solve(h, g, True, True), xp) * rows(xp.conj(out), xp)
        elif left:
            found = xp.matmul(xp.linalg_solve(h, g, True, False), adjoint(out, xp))
        else:
            found = xp.matmul(adjoint(out, xp), xp.linalg_solve(h, g, False, False))
        return xp.sum_to(-found, input_shape)

    @op.vjp("other")
    def op_gradient_of_other(g: Any, input: Any, left: bool, is_vector: bool, other_shape: Any, xp: Any) -> Any:
        return xp.sum_to(xp.linalg_solve(adjoint(input, xp), g, left, is_vector), other_shape)


_solve_rules(solve_op)
_solve_rules(solve_where_possible_op)


def _with_factors(op: Primitive) -> Primitive:
    """The same for the gradient, for which PyTorch saves the LU decomposition."""

    def kernel(input: Array, other: Array, left: bool, is_vector: bool) -> tuple[Any, ...]:
        lu, pivots, _ = eliminated(input)
        return op.kernel(input, other, left, is_vector), by_columns(lu), pivots

    names = {**_HIDDEN, "out1": "LU", "out2": "pivots", "out": "result"}
    more = Primitive(
        f"{op.name}_with_factors", also_meta(kernel), op.node_name, outputs=3, differentiable_outputs="first",
        saved_names=names, batch=batching.item_by_item,
    )  # fmt: skip

    @more.vjp("input")
    def gradient_of_input(
        g: Any, input: Any, out: Any, out1: Any, out2: Any, left: bool, is_vector: bool, input_shape: Any, xp: Any
    ) -> Any:
        back = xp.solved_by_adjoint(input, out1, out2, g, left, is_vector)
        if is_vector:
            found = columns(back, xp) * rows(xp.conj(out), xp)
        else:
            found = xp.matmul(back, adjoint(out, xp)) if left else xp.matmul(adjoint(out, xp), back)
        return xp.sum_to(-found, input_shape)

    @more.vjp("other")
    def gradient_of_other(
        g: Any, input: Any, out1: Any, out2: Any, left: bool, is_vector: bool, other_shape: Any, xp: Any
    ) -> Any:
        return xp.sum_to(xp.solved_by_adjoint(input, out1, out2, g, left, is_vector), other_shape)

    return more


def _solved_by_adjoint(a: Any, lu: Any, pivots: Any, g: Any, left: bool, is_vector: bool) -> Any:
    if is_vector:
        return solved_by_factors(lu, pivots, g[..., None], adjoint=True)[..., 0]
    if left:
        return solved_by_factors(lu, pivots, g, adjoint=True)
    return np.conjugate(solved_by_factors(lu, pivots, np.conjugate(g.swapaxes(-1, -2))).swapaxes(-1, -2))


in_both_namespaces(
    "solved_by_adjoint",
    _solved_by_adjoint,
    lambda a, lu, pivots, g, left, is_vector: solve_op(adjoint(a, TENSORS), g, left, is_vector),
)
solve_with_factors_op, solve_where_possible_with_factors_op = map(_with_factors, (solve_op, solve_where_possible_op))


def _solution(A: Tensor, B: Tensor, left: bool, is_vector: bool) -> Any:
    if saves_factors(A, B):
        return solve_with_factors_op(A, B, left, is_vector)[0]
    return solve_op(A, B, left, is_vector)


def _solution_where_possible(A: Tensor, B: Tensor, left: bool, is_vector: bool) -> Any:
    if saves_factors(A, B):
        return solve_where_possible_with_factors_op(A, B, left, is_vector)[0]
    return solve_where_possible_op(A, B, left, is_vector)


def _checked_system(A: Tensor, B: Tensor, left: bool, name: str) -> bool:
    """Whether ``B`` is a batch of vectors."""
    check_float(A, name)
    check_square(A, name)
    check_same_dtype(A, B, name)
    a, b = A._array.shape, B._array.shape
    is_vector = len(b) == 1 or (len(a) - 1 == len(b) and b == a[:-1])
    if is_vector and not left:
        raise RuntimeError(
            "linalg.solve: Vector broadcasting of the left hand side is not supported for left=False. In this case "
            "linalg.solve is equivalent to B / A.squeeze(-1)"
        )
    if is_vector:
        if b[-1] != a[-1]:
            raise RuntimeError(
                f"{name}: Incompatible shapes of A and B for the equation AX = B ({a[-2]}x{a[-1]} and {b[-1]}x1)"
            )
    else:
        if len(b) < 2:
            raise RuntimeError(f"{name}: The input tensor B must have at least 2 dimensions.")
        check_equation(A, B, left, name)
        broadcast_batches(A, B, name)
    return is_vector


def _singular(infos: Any, name: str) -> LinAlgError:
    return LinAlgError(f"{name}: {first_failure(infos)[0]}The solver failed because the input matrix is singular.")


@linalg(autocast="full")
def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """The solution of ``A @ X = B``, or, with ``left=False``, of ``X @ A = B``."""
    is_vector = _checked_system(A, B, left, "linalg.solve")
    try:
        return _solution(A, B, left, is_vector)
    except np.linalg.LinAlgError:
        raise _singular(failures(A._array, has_pivot), "torch.linalg.solve") from None


@linalg(autocast="full")
def solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False) -> Any:
    """The solution, and for each matrix 0 or which diagonal element was found to be zero."""
    is_vector = _checked_system(A, B, left, "linalg.solve")
    try:
        return named("linalg_solve_ex", (_solution(A, B, left, is_vector), info_tensor(np.zeros(A._array.shape[:-2]))))
    except np.linalg.LinAlgError:
        infos = failures(A._array, has_pivot)
        if check_errors:
            raise _singular(infos, "torch.linalg.solve_ex") from None
        return named("linalg_solve_ex", (_solution_where_possible(A, B, left, is_vector), info_tensor(infos)))


# ---- triangular systems


@lru_cache(64)
def _places(n: int, upper: bool, unitriangular: bool) -> Any:
    below = np.tri(n, n, -1 if unitriangular else 0, bool)
    return below.T if upper else below


def _triangle(a: Any, upper: bool, unitriangular: bool) -> Any:
    """A triangle of a matrix, nothing of the other one; perhaps with ones on the diagonal."""
    n = a.shape[-1]
    rest = np.eye(n, dtype=a.dtype) if unitriangular else np.zeros((), a.dtype)
    return np.where(_places(n, bool(upper), bool(unitriangular)), a, rest)


@primitive(
    "LinalgSolveTriangularBackward0", name="linalg_solve_triangular", batch=batching.broadcast_fully,
    saved_names={"input_shape": "", "other_shape": ""},
)  # fmt: skip
def solve_triangular_op(input: Array, other: Array, upper: bool, left: bool, unitriangular: bool) -> Any:
    a = _triangle(input, upper, unitriangular)
    if a.__class__ is MetaArray:
        return _solved(a, other, left, False)
    if left:
        return by_columns(by_halves(a, other, upper))
    return by_columns(by_halves(a.swapaxes(-1, -2), other.swapaxes(-1, -2), not upper).swapaxes(-1, -2))


@solve_triangular_op.vjp("other")
def solve_triangular_gradient_of_other(
    g: Any, input: Any, upper: bool, left: bool, unitriangular: bool, other_shape: Any, xp: Any
) -> Any:
    found = xp.linalg_solve_triangular(adjoint(input, xp), g, not upper, left, unitriangular)
    return xp.sum_to(found, other_shape)


@solve_triangular_op.vjp("input")
def solve_triangular_gradient_of_input(
    g: Any, input: Any, out: Any, upper: bool, left: bool, unitriangular: bool, input_shape: Any, xp: Any
) -> Any:
    to_other = xp.linalg_solve_triangular(adjoint(input, xp), g, not upper, left, unitriangular)
    found = xp.matmul(to_other, adjoint(out, xp)) if left else xp.matmul(adjoint(out, xp), to_other)
    n = input_shape[-1]
    mask = (upper_mask if upper else lower)(n, n, g, xp, 0.0 if unitriangular else 1.0)
    return xp.sum_to(-(found * mask), input_shape)


@linalg
def solve_triangular(
    input: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Tensor:
    """The solution of a system whose matrix is triangular; the other triangle is not looked at."""
    name = "linalg.solve_triangular"
    check_same_dtype(input, B, name)
    check_square(input, name)
    check_matrix(B, name, "B")
    check_equation(input, B, left, name)
    check_float(input, name)
    broadcast_batches(input, B, name)
    return solve_triangular_op(input, B, upper, left, unitriangular)


@primitive("TriangularSolveBackward0", name="triangular_solve", outputs=2, saved_names={
    "A": "A", "out0": "solution", "input_shape": "", "A_shape": "",
}, batch=batching.broadcast_fully)  # fmt: skip
def triangular_solve_op(input: Array, A: Array, upper: bool, transpose: bool, unitriangular: bool) -> tuple[Array, ...]:
    a = _triangle(A, upper, unitriangular)
    batch = np.broadcast_shapes(input.shape[:-2], A.shape[:-2])
    solution = _solved(a.swapaxes(-1, -2) if transpose else a, input, True, False)
    return by_columns(solution), by_columns(np.broadcast_to(A, (*batch, *A.shape[-2:])))


def _back_substituted(g: Any, A: Any, upper: bool, transpose: bool, unitriangular: bool, xp: Any) -> Any:
    if transpose:
        return xp.linalg_solve_triangular(xp.conj(A), g, upper, True, unitriangular)
    return xp.linalg_solve_triangular(adjoint(A, xp), g, not upper, True, unitriangular)


@triangular_solve_op.vjp("input")
def triangular_solve_gradient_of_input(
    g: Any, A: Any, upper: bool, transpose: bool, unitriangular: bool, input_shape: Any, xp: Any
) -> Any:
    if g[0] is None:
        return None
    return xp.sum_to(_back_substituted(g[0], A, upper, transpose, unitriangular, xp), input_shape)


@triangular_solve_op.vjp("A")
def triangular_solve_gradient_of_A(
    g: Any, A: Any, out0: Any, upper: bool, transpose: bool, unitriangular: bool, A_shape: Any, xp: Any
) -> Any:
    found = None
    if g[0] is not None:
        to_other = _back_substituted(g[0], A, upper, transpose, unitriangular, xp)
        n = A_shape[-1]
        if transpose:
            product = xp.matmul(xp.conj(out0), xp.transpose(to_other, to_other.ndim - 2, to_other.ndim - 1))
        else:
            product = xp.matmul(to_other, adjoint(out0, xp))
        found = -(product * (upper_mask if upper else lower)(n, n, out0, xp, 0.0 if unitriangular else 1.0))
    return xp.sum_to(total(found, g[1]), A_shape)


@public("triangular_solve", "triangular_solve", out=True, autocast="full")
def triangular_solve(
    input: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> Any:
    """``linalg.solve_triangular`` under its old name and with its arguments reversed."""
    warn_once(
        "torch.triangular_solve is deprecated in favor of torch.linalg.solve_triangularand will be removed in a future "
        "PyTorch release.\ntorch.linalg.solve_triangular has its arguments reversed and does not return a copy of one "
        "of the inputs.\nX = torch.triangular_solve(B, A).solution\nshould be replaced with\nX = "
        "torch.linalg.solve_triangular(A, B).",
    )
    for t, name in ((input, "b"), (A, "A")):
        if t._array.ndim < 2:
            raise RuntimeError(
                f"torch.triangular_solve: Expected {name} to have at least 2 dimensions, but it has {t._array.ndim} "
                "dimensions instead"
            )
    a, b = A._array.shape, input._array.shape
    if a[-1] != a[-2]:
        raise RuntimeError(f"A must be batches of square matrices, but they are {a[-2]} by {a[-1]} matrices")
    if a[-1] != b[-2]:
        raise RuntimeError(
            f"Incompatible matrix sizes for triangular_solve: each A matrix is {a[-2]} by {a[-1]} but each b matrix is "
            f"{b[-2]} by {b[-1]}"
        )
    broadcast_batches(A, input, "triangular_solve")
    check_kernel(input, "triangular_solve_cpu")
    return named("triangular_solve", triangular_solve_op(input, A, upper, transpose, unitriangular))


# ---- tensors as matrices


@linalg(autocast="full", out_error=not_safely_castable("tensorinv"))
def tensorinv(input: Tensor, ind: int = 2) -> Tensor:
    """The inverse of what ``tensordot`` with the first ``ind`` dimensions does."""
    if ind <= 0:
        raise RuntimeError("Expected a strictly positive integer for 'ind'")
    shape = input._array.shape
    front, back = shape[:ind], shape[ind:]
    rows_, columns_ = math.prod(back), math.prod(front)
    if rows_ != columns_:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got "
            f"{rows_} != {columns_}"
        )
    from .inverse import inv  # loaded when first used

    return reshape_alias_op(inv(input.reshape(columns_, rows_)), (*back, *front))


@linalg(autocast="full", out_error=not_safely_castable("tensorsolve"))
def tensorsolve(input: Tensor, other: Tensor, dims: Any = None) -> Tensor:
    """The ``X`` for which ``tensordot(A, X, X.ndim)`` is ``B``."""
    ndim = input._array.ndim
    if dims is not None:
        input = input.movedim(tuple(dims), tuple(range(ndim - len(dims), ndim)))
    shape = input._array.shape[other._array.ndim :]
    n, m = math.prod(shape), other._array.size
    if n != m:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), "
            f"but got {n} != {m}"
        )
    return solve(input.reshape(m, n), other.flatten()).reshape(shape)
