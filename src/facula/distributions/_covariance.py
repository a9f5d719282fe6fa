"""Covariance matrices by factors, so that neither they nor their inverses are needed.

``LowerFactor`` is a Cholesky factor; ``LowRank`` is a tall matrix and a diagonal, of which only small matrices are ever
factored.
"""

from __future__ import annotations

from typing import Any

import facula

from . import constraints
from .utils import log_diagonal, the_one_given

REFUSAL = "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified."


def _batch_mv(bmat: Any, bvec: Any) -> Any:
    """Matrices times vectors, batches broadcast."""
    return (bmat @ bvec.unsqueeze(-1)).squeeze(-1)


def _whitened(lower: Any, columns: Any) -> Any:
    return facula.linalg.solve_triangular(lower, columns, upper=False)


def _batch_mahalanobis(bL: Any, bx: Any) -> Any:
    """The squared length of the solutions of L z = x. One matrix for many vectors is solved once, for all of them."""
    size = bx.shape[-1]
    if bL.numel() != size * size:
        return _whitened(bL, bx.unsqueeze(-1)).square().sum([-2, -1])
    lengths = _whitened(bL.reshape(size, size), bx.reshape(-1, size).mT).square().sum(0)
    return lengths.reshape(facula.broadcast_shapes(bL.shape[:-2], bx.shape[:-1]))


def _precision_to_scale_tril(P: Any) -> Any:
    """The Cholesky factor of the inverse: P = U U' for the upper U that is the factor of P turned upside down."""
    upper = facula.linalg.cholesky(P.flip(-1, -2)).flip(-1, -2)
    return _whitened(upper.mT, facula.eye(P.shape[-1], dtype=P.dtype, device=P.device))


def _batch_capacitance_tril(W: Any, D: Any) -> Any:
    """The Cholesky factor of I + W' D^-1 W, which is as small as the rank."""
    return facula.linalg.cholesky(_plus_identity((W.mT / D.unsqueeze(-2)) @ W))


def _plus_identity(matrix: Any) -> Any:
    return matrix + facula.eye(matrix.shape[-1], dtype=matrix.dtype, device=matrix.device)


def given_matrix(refusal: type[Exception], **alternatives: Any) -> tuple[str, Any]:
    """The covariance, the precision or the Cholesky factor, with its name."""
    return the_one_given(refusal(REFUSAL), **alternatives)


MATRICES: dict[str, constraints.Constraint] = {
    "covariance_matrix": constraints.positive_definite,
    "precision_matrix": constraints.positive_definite,
    "scale_tril": constraints.lower_cholesky,
}
"""What may be given."""

TO_FACTOR: dict[str, Any] = {
    "scale_tril": lambda factor: factor,
    "covariance_matrix": lambda covariance: facula.linalg.cholesky(covariance),
    "precision_matrix": _precision_to_scale_tril,
}
"""How a Cholesky factor comes from what is given."""


class LowerFactor:
    """The covariance L L'."""

    def __init__(self, lower: Any) -> None:
        self.lower = lower

    def log_det(self) -> Any:
        return 2 * log_diagonal(self.lower)

    def mahalanobis(self, x: Any) -> Any:
        """x' C^-1 x."""
        return _batch_mahalanobis(self.lower, x)

    def trace_of_quotient(self, roots: list[Any]) -> Any:
        """The trace of C^-1 R R', summed over roots R."""
        return sum(_squares(_whitened(self.lower, root)) for root in roots)

    def roots(self) -> list[Any]:
        """Matrices whose products with their own transposes sum up to the covariance."""
        return [self.lower]


class LowRank:
    """The covariance W W' + diag(D), by the determinant lemma and Woodbury's identity."""

    def __init__(self, factor: Any, diagonal: Any, capacitance_tril: Any) -> None:
        self.factor, self.diagonal, self.inner = factor, diagonal, capacitance_tril

    def log_det(self) -> Any:
        return 2 * log_diagonal(self.inner) + self.diagonal.log().sum(-1)

    def _scaled(self) -> Any:
        return self.factor.mT / self.diagonal.unsqueeze(-2)

    def mahalanobis(self, x: Any) -> Any:
        """x' C^-1 x."""
        return (x.square() / self.diagonal).sum(-1) - _batch_mahalanobis(self.inner, _batch_mv(self._scaled(), x))

    def _correction(self) -> Any:
        """The A of C^-1 = D^-1 - A' A."""
        return _whitened(self.inner, self._scaled())

    def precision(self) -> Any:
        less = self._correction()
        return (1 / self.diagonal).diag_embed() - less.mT @ less

    def lower(self) -> Any:
        """The Cholesky factor, by that of I + D^-1/2 W W' D^-1/2, which is better conditioned than the covariance."""
        widths = self.diagonal.sqrt().unsqueeze(-1)
        relative = self.factor / widths
        return widths * facula.linalg.cholesky(_plus_identity(relative @ relative.mT))

    def trace_of_quotient(self, roots: list[Any]) -> Any:
        """The trace of C^-1 R R', summed over roots R."""
        widths, less = self.diagonal.sqrt().unsqueeze(-1), self._correction()
        return sum(_squares(root / widths) - _squares(less @ root) for root in roots)

    def roots(self) -> list[Any]:
        """Matrices whose products with their own transposes sum up to the covariance."""
        return [self.factor, self.diagonal.sqrt().diag_embed()]


def _squares(matrix: Any) -> Any:
    return matrix.square().sum([-2, -1])


def _batch_lowrank_logdet(W: Any, D: Any, capacitance_tril: Any) -> Any:
    return LowRank(W, D, capacitance_tril).log_det()


def _batch_lowrank_mahalanobis(W: Any, D: Any, x: Any, capacitance_tril: Any) -> Any:
    return LowRank(W, D, capacitance_tril).mahalanobis(x)
