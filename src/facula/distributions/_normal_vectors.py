"""Normal vectors: their covariance by itself, its inverse or its Cholesky factor, or by a factor of low rank."""

from __future__ import annotations

from typing import Any

import facula

from . import constraints
from ._covariance import (
    MATRICES,
    TO_FACTOR,
    LowerFactor,
    LowRank,
    _batch_capacitance_tril,
    _batch_mv,
    given_matrix,
)
from ._formulas import answer, at_value, cached, drawn, quantity
from .distribution import Distribution, distribution
from .utils import HALF_LOG_TAU, log_diagonal, normal


class _NormalVectors(Distribution):
    """What they share."""

    support = constraints.real_vector
    has_rsample = True
    loc: Any
    _covariance: Any

    mean = quantity(lambda loc: loc)
    mode = quantity(lambda loc: loc)

    def _for_batch(self, entropy: Any) -> Any:
        return entropy.expand(self._batch_shape) if self._batch_shape else entropy

    def _for_all(self, matrix: Any) -> Any:
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    def _for_all_means(self, vector: Any) -> Any:
        return vector.expand(self._batch_shape + self._event_shape)


@distribution("multivariate_normal", kept="_unbroadcasted_scale_tril")
class MultivariateNormal(_NormalVectors):
    """Normal vectors; the covariance is given by itself, its inverse or its Cholesky factor."""

    loc: Any
    arg_constraints = {"loc": constraints.real_vector, **MATRICES}

    def __init__(
        self, loc: Any, covariance_matrix: Any = None, precision_matrix: Any = None, scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        if loc.dim() == 0:
            raise ValueError("loc must be at least one-dimensional.")
        name, matrix = given_matrix(
            ValueError, covariance_matrix=covariance_matrix, precision_matrix=precision_matrix, scale_tril=scale_tril
        )
        if matrix.dim() < 2:
            what = "scale_tril matrix" if name == "scale_tril" else name
            raise ValueError(f"{what} must be at least two-dimensional, with optional leading batch dimensions")
        self._hold(validate_args, loc.shape[-1:], loc=loc, **{name: matrix})
        self.loc = loc.expand(self._batch_shape + self._event_shape)
        self._unbroadcasted_scale_tril = TO_FACTOR[name](matrix)

    _covariance = quantity(lambda _unbroadcasted_scale_tril: LowerFactor(_unbroadcasted_scale_tril))
    _half_log_det = quantity(lambda _unbroadcasted_scale_tril: log_diagonal(_unbroadcasted_scale_tril))
    log_prob = at_value(lambda value, loc, _covariance, _half_log_det: (
        -0.5 * (2 * HALF_LOG_TAU * loc.shape[-1] + _covariance.mahalanobis(value - loc)) - _half_log_det
    ))  # fmt: skip
    entropy = answer(lambda loc, _half_log_det, _for_batch: (
        _for_batch(loc.shape[-1] * (HALF_LOG_TAU + 0.5) + _half_log_det)
    ))  # fmt: skip
    scale_tril = cached(lambda _unbroadcasted_scale_tril, _for_all: _for_all(_unbroadcasted_scale_tril))
    covariance_matrix = cached(
        lambda _unbroadcasted_scale_tril, _for_all: _for_all(_unbroadcasted_scale_tril @ _unbroadcasted_scale_tril.mT)
    )
    precision_matrix = cached(
        lambda _unbroadcasted_scale_tril, _for_all: _for_all(facula.cholesky_inverse(_unbroadcasted_scale_tril))
    )
    variance = quantity(
        lambda _unbroadcasted_scale_tril, _for_all_means: _for_all_means(_unbroadcasted_scale_tril.square().sum(-1))
    )
    rsample = drawn(lambda shape, loc, _unbroadcasted_scale_tril: (
        loc + _batch_mv(_unbroadcasted_scale_tril, normal(shape, loc))
    ))  # fmt: skip


def _demand_shapes(loc: Any, cov_factor: Any, cov_diag: Any) -> None:
    if loc.dim() == 0:
        raise ValueError("loc must be at least one-dimensional.")
    event_shape = loc.shape[-1:]
    if cov_factor.dim() < 2:
        raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
    if cov_factor.shape[-2] != event_shape[0]:
        raise ValueError(f"cov_factor must be a batch of matrices with shape {event_shape[0]} x m")
    if cov_diag.shape[-1:] != event_shape:
        raise ValueError(f"cov_diag must be a batch of vectors with shape {event_shape}")
    try:
        facula.broadcast_shapes(loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1])
    except RuntimeError as e:
        raise ValueError(
            f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, cov_diag {cov_diag.shape}"
        ) from e


@distribution(
    "lowrank_multivariate_normal",
    kept="_unbroadcasted_cov_factor _unbroadcasted_cov_diag _capacitance_tril",
)
class LowRankMultivariateNormal(_NormalVectors):
    """Covariance cov_factor cov_factor' + diag(cov_diag); no matrix of full size is ever factored."""

    loc: Any
    cov_factor: Any
    cov_diag: Any
    arg_constraints = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }

    def __init__(self, loc: Any, cov_factor: Any, cov_diag: Any, validate_args: bool | None = None) -> None:
        _demand_shapes(loc, cov_factor, cov_diag)
        self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag = cov_factor, cov_diag
        self._capacitance_tril = _batch_capacitance_tril(cov_factor, cov_diag)
        self._hold(validate_args, loc.shape[-1:], loc=loc, cov_factor=cov_factor, cov_diag=cov_diag)

    _covariance = quantity(lambda _unbroadcasted_cov_factor, _unbroadcasted_cov_diag, _capacitance_tril: (
        LowRank(_unbroadcasted_cov_factor, _unbroadcasted_cov_diag, _capacitance_tril)
    ))  # fmt: skip

    log_prob = at_value(lambda value, loc, _covariance: -0.5 * (
        2 * HALF_LOG_TAU * loc.shape[-1] + _covariance.log_det() + _covariance.mahalanobis(value - loc)
    ))  # fmt: skip
    entropy = answer(lambda loc, _covariance, _for_batch: (
        _for_batch(0.5 * (loc.shape[-1] * (2 * HALF_LOG_TAU + 1) + _covariance.log_det()))
    ))  # fmt: skip
    variance = cached(lambda _covariance, _for_all_means: (
        _for_all_means(_covariance.factor.square().sum(-1) + _covariance.diagonal)
    ))  # fmt: skip
    covariance_matrix = cached(lambda _covariance, _for_all: _for_all(sum(r @ r.mT for r in _covariance.roots())))
    precision_matrix = cached(lambda _covariance, _for_all: _for_all(_covariance.precision()))
    scale_tril = cached(lambda _covariance, _for_all: _for_all(_covariance.lower()))
    rsample = drawn(lambda shape, loc, cov_factor, _covariance: (
        loc + _batch_mv(_covariance.factor, normal(shape[:-1] + cov_factor.shape[-1:], loc))
        + normal(shape, loc) * _covariance.diagonal.sqrt()
    ))  # fmt: skip
