"""Some extreme eigenpairs of symmetric matrices, by products with them alone: ``lobpcg``.

The method is Knyazev's (2001): the best approximations within the span of the present ones, their residuals and the
directions in which they last moved.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._core import dtypes
from ..._tensor import Tensor
from ...autograd.function import Function
from ..machine.public import FUNCTIONS, public
from .eigen import eigh
from .solving import solve

_PRECISION = {dtypes.float32: 1.2e-07, dtypes.float64: 2.23e-16}
_FLOATS = (dtypes.float16, dtypes.float32, dtypes.float64)


class LOBPCG:
    """A run of the method for one matrix; what a tracker is shown."""

    def __init__(
        self, A: Tensor, B: Tensor | None, X: Tensor, iK: Tensor | None, iparams: dict[str, int],
        fparams: dict[str, float], bparams: dict[str, bool], method: str, tracker: Callable[[LOBPCG], Any] | None,
    ) -> None:  # fmt: skip
        self.A, self.B, self.X, self.iK = A, B, X, iK
        self.iparams, self.fparams, self.bparams = iparams, fparams, bparams
        self.method = method
        self.tracker = tracker
        self.E = X.new_zeros(X.shape[-1])
        self.R = FUNCTIONS["zeros_like"](X)
        self.S = X
        length = float(X.norm())
        self.ivars: dict[str, int] = {"istep": 0, "converged_count": 0, "iterations_left": iparams["niter"]}
        self.fvars: dict[str, float] = {
            "X_norm": length,
            "A_norm": float((A @ X).norm()) / length,
            "B_norm": 1.0 if B is None else float((B @ X).norm()) / length,
        }
        self.tvars: dict[str, Tensor] = {}
        self.bvars: dict[str, bool] = {}

    def run(self) -> None:
        """Until as many pairs as asked for have small residuals; a tracker may say ``force_stop``."""
        while self.ivars["converged_count"] < self.iparams["k"] and not self.bvars.get("force_stop"):
            left = self._step()
            self.ivars["istep"] += 1
            self.ivars["iterations_left"] -= 1
            if self.tracker is not None:
                self.tracker(self)
            if not left or self.ivars["istep"] == self.iparams["niter"]:
                return

    def _step(self) -> bool:
        """Rayleigh and Ritz's approximations within the span of ``S``; whether there is a next ``S``."""
        before = self.X
        basis = _orthonormal(self.S, self.B)
        values, vectors = eigh(basis.mT @ (self.A @ basis))
        if self.bparams["largest"]:
            values, vectors = values.flip(-1), vectors.flip(-1)
        n = self.iparams["n"]
        self.E, self.X = values[:n], basis @ vectors[:, :n]
        weighted = self._weighted(self.X)
        self.R = self.A @ self.X - weighted * self.E
        scale = self.fvars["A_norm"] + self.E.abs() * self.fvars["B_norm"]
        errors = self.R.norm(dim=0) / (self.X.norm(dim=0) * scale)
        self.tvars["rerr"] = errors
        converged = next((i for i, e in enumerate(errors.tolist()) if not e < self.fparams["tol"]), n)
        self.ivars["converged_count"] = converged
        residuals = self.R[:, converged:]
        if self.iK is not None:
            residuals = self.iK @ residuals
        moved = (self.X - before @ (before.mT @ weighted))[:, converged:]
        found = [self.X, residuals] if self.ivars["istep"] == 0 else [self.X, residuals, moved]
        self.S = FUNCTIONS["cat"](found, 1)
        return residuals.shape[-1] > 0

    def _weighted(self, X: Tensor) -> Tensor:
        return X if self.B is None else self.B @ X


def _orthonormal(S: Tensor, B: Tensor | None) -> Tensor:
    """A basis of the span of the columns, orthonormal with respect to ``B``; directions lost in rounding are left out.

    Twice, since the first time leaves errors of the size of the square root of the precision.
    """
    smallest = S.shape[0] * _PRECISION[S.dtype]
    for _ in range(2):
        lengths = (S * (S if B is None else B @ S)).sum(0)
        S = S[:, lengths > 0] * lengths[lengths > 0].rsqrt()
        values, vectors = eigh(S.mT @ (S if B is None else B @ S))
        kept = values > values[-1] * smallest
        S = S @ (vectors[:, kept] * values[kept].rsqrt())
    return S


def _eigenpairs(A: Tensor, B: Tensor | None, options: dict[str, Any]) -> tuple[Tensor, Tensor]:
    """Of one matrix or of each of a batch."""
    k, X, n, tol = options["k"], options["X"], options["n"], options["tol"]
    m = A.shape[-1]
    k = (1 if X is None else X.shape[-1]) if k is None else k
    n = (k if n is None else n) if X is None else X.shape[-1]
    dtype = A.dtype if A.dtype in _FLOATS else dtypes.float32
    tol = _PRECISION[dtype] ** 0.5 if tol is None else tol
    if m < 3 * n:
        raise ValueError(
            f"LOBPCG algorithm is not applicable when the number of A rows (={m}) is smaller than 3 x the number of "
            f"requested eigenpairs (={n})"
        )
    iparams = {"m": m, "n": n, "k": k, "niter": 1000 if options["niter"] is None else options["niter"]}
    fparams = {"tol": tol}
    bparams = {"largest": True if options["largest"] is None else options["largest"]}
    for own, given in (
        (iparams, options["ortho_iparams"]), (fparams, options["ortho_fparams"]), (bparams, options["ortho_bparams"]),
    ):  # fmt: skip
        own.update(given or {})
    batch = A.shape[:-2]
    if X is not None and tuple(X.shape) != (*batch, m, n):
        raise AssertionError(f"X shape mismatch: got {X.shape}, expected {(*batch, m, n)}")

    def of(A: Tensor, B: Tensor | None, X: Tensor | None) -> tuple[Tensor, Tensor]:
        X = FUNCTIONS["randn"]((m, n), dtype=dtype) if X is None else X
        method = "ortho" if options["method"] is None else options["method"]
        run = LOBPCG(A, B, X, options["iK"], iparams, fparams, bparams, method, options["tracker"])
        run.run()
        return run.E[:k], run.X[:, :k]

    if not batch:
        return of(A, B, X)
    found = [
        of(each, None if B is None else B.reshape(-1, m, m)[i], None if X is None else X.reshape(-1, m, n)[i])
        for i, each in enumerate(A.reshape(-1, m, m).unbind(0))
    ]
    values, vectors = (FUNCTIONS["stack"](list(each)) for each in zip(*found, strict=True))
    return values.reshape(*batch, -1), vectors.reshape(*batch, m, -1)


class LOBPCGAutogradFunction(Function):
    """The eigenpairs with the derivative of eigenpairs, which asks the matrix for solutions only."""

    @staticmethod
    def forward(ctx: Any, A: Tensor, B: Tensor | None, options: dict[str, Any]) -> tuple[Tensor, Tensor]:
        values, vectors = _eigenpairs(A, B, options)
        ctx.save_for_backward(A, B, values, vectors)
        return values, vectors

    @staticmethod
    def backward(ctx: Any, to_values: Tensor, to_vectors: Tensor) -> tuple[Tensor | None, None, None]:
        A, B, values, vectors = ctx.saved_tensors
        if B is not None:
            raise ValueError("lobpcg.backward does not support backward with B != I yet.")
        one = FUNCTIONS["eye"](values.shape[-1], dtype=values.dtype)
        turned = vectors.mT @ to_vectors
        inner = turned * (1 - one) / (values.unsqueeze(-2) - values.unsqueeze(-1) + one) + one * to_values.unsqueeze(-2)
        # Each column's share outside the span of those found: there A less its eigenvalue has an inverse.
        inside = vectors @ vectors.mT
        whole = FUNCTIONS["eye"](A.shape[-1], dtype=A.dtype)
        outside = whole - inside
        shifted = A.unsqueeze(-3) - values[..., None, None] * whole
        shifted = outside.unsqueeze(-3) @ shifted @ outside.unsqueeze(-3) + inside.unsqueeze(-3)
        share = solve(shifted, (outside @ to_vectors).mT.unsqueeze(-1)).squeeze(-1).mT
        return (vectors @ inner - outside @ share) @ vectors.mT, None, None


@public("lobpcg")
def lobpcg(
    A: Tensor, k: int | None = None, B: Tensor | None = None, X: Tensor | None = None, n: int | None = None,
    iK: Tensor | None = None, niter: int | None = None, tol: float | None = None, largest: bool | None = None,
    method: str | None = None, tracker: Any = None, ortho_iparams: dict[str, int] | None = None,
    ortho_fparams: dict[str, float] | None = None, ortho_bparams: dict[str, bool] | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The ``k`` largest (or smallest) eigenvalues of a symmetric positive matrix, and their eigenvectors.

    With ``B``, of the generalised problem. ``X`` has the vectors to start from, ``iK`` is about the inverse of ``A``.
    Both of PyTorch's methods are one here, and there is nothing in it that the ``ortho_`` parameters would change.
    """
    if A.shape[-2] != A.shape[-1]:
        raise AssertionError(f"A must be square, got shape {A.shape}")
    options = {
        "k": k, "X": X, "n": n, "iK": iK, "niter": niter, "tol": tol, "largest": largest, "method": method,
        "tracker": tracker, "ortho_iparams": ortho_iparams, "ortho_fparams": ortho_fparams,
        "ortho_bparams": ortho_bparams,
    }  # fmt: skip
    if A.requires_grad or (B is not None and B.requires_grad):
        return LOBPCGAutogradFunction.apply((A + A.mT) / 2, None if B is None else (B + B.mT) / 2, options)
    return _eigenpairs(A, B, options)
