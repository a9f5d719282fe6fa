"""Distributions of matrices: of scatter (Wishart) and of correlations (LKJ)."""

from __future__ import annotations

import math
import warnings
from typing import Any

import facula

from .._core.size import Size
from . import constraints
from ._covariance import MATRICES, TO_FACTOR, given_matrix
from ._formulas import at_value, cached, drawn_without_gradient, formula, quantity
from .distribution import Distribution, distribution
from .exp_family import ExponentialFamily
from .utils import log_diagonal, normal


def _trace(matrix: Any) -> Any:
    return matrix.diagonal(dim1=-2, dim2=-1).sum(-1)


def _mvdigamma(x: Any, p: int) -> Any:
    """The derivative of the multivariate log-gamma function."""
    constraints.demand(bool((x > (p - 1) / 2).all()), "Wrong domain for multivariate digamma function.")
    return sum((x - i / 2).digamma() for i in range(p))


def _log_normalizer(half_df: Any, log_det: Any, p: int) -> Any:
    return half_df * (p * math.log(2) + log_det) + facula.mvlgamma(half_df, p)


def _demand_degrees(df: Any, size: int, given: Any) -> None:
    if (df <= size - 1).any():
        raise ValueError(f"Value of df={given} expected to be greater than ndim - 1 = {size - 1}.")
    if (df < size).any():
        warnings.warn(
            "Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim.",
            stacklevel=3,
        )


@distribution("wishart", kept="_unbroadcasted_scale_tril")
class Wishart(ExponentialFamily):
    """The sum of the outer products of ``df`` normal vectors with themselves."""

    support = constraints.positive_definite
    has_rsample = True

    def __init__(
        self, df: Any, covariance_matrix: Any = None, precision_matrix: Any = None, scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        name, matrix = given_matrix(
            AssertionError,
            covariance_matrix=covariance_matrix, precision_matrix=precision_matrix, scale_tril=scale_tril,
        )  # fmt: skip
        if matrix.dim() < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        batch, event = matrix.shape[:-2], matrix.shape[-2:]
        if isinstance(df, (int, float)):
            self.df = facula.tensor(df, dtype=matrix.dtype, device=matrix.device)
        else:
            batch = facula.broadcast_shapes(batch, df.shape)
            self.df = df.expand(batch)
        _demand_degrees(self.df, event[-1], df)
        vars(self)[name] = matrix.expand(batch + event)
        super().__init__(batch, event, validate_args)
        self._unbroadcasted_scale_tril = TO_FACTOR[name](matrix)

    arg_constraints = quantity(lambda _size: {**MATRICES, "df": constraints.greater_than(_size - 1)})

    def _for_all(self, matrix: Any) -> Any:
        return matrix.expand(self._batch_shape + self._event_shape)

    _size = quantity(lambda event_shape: event_shape[-1])
    _degrees = quantity(lambda df: df[..., None, None])
    """The degrees of freedom of each matrix, to be multiplied with it."""

    scale_tril = cached(lambda _unbroadcasted_scale_tril, _for_all: _for_all(_unbroadcasted_scale_tril))
    covariance_matrix = cached(
        lambda _unbroadcasted_scale_tril, _for_all: _for_all(_unbroadcasted_scale_tril @ _unbroadcasted_scale_tril.mT)
    )
    precision_matrix = cached(
        lambda _unbroadcasted_scale_tril, _for_all: _for_all(facula.cholesky_inverse(_unbroadcasted_scale_tril))
    )

    mean = quantity(lambda _degrees, covariance_matrix: _degrees * covariance_matrix)

    @property
    def mode(self) -> Any:
        factor = self._degrees - (self._size + 1)
        return factor.where(factor > 0, math.nan) * self.covariance_matrix

    @property
    def variance(self) -> Any:
        single = self.covariance_matrix.diagonal(dim1=-2, dim2=-1)
        return self._degrees * (self.covariance_matrix.square() + single[..., None] * single[..., None, :])

    def _bartlett_sampling(self, sample_shape: Any = ()) -> Any:
        """T T' for L times a triangle: normal below, on the diagonal the roots of chi-squared values."""
        shape, p = self._extended_shape(sample_shape), self._size
        rows = facula.arange(p, dtype=self.df.dtype, device=self.df.device)
        halves = (self.df[..., None] - rows) / 2
        triangle = (2 * facula._standard_gamma(halves.expand(shape[:-1]))).sqrt().diag_embed()
        i, j = facula.tril_indices(p, p, -1)
        triangle[..., i, j] = normal((*shape[:-2], p * (p - 1) // 2), halves)
        triangle = self._unbroadcasted_scale_tril @ triangle
        return triangle @ triangle.mT

    def rsample(self, sample_shape: Any = (), max_try_correction: int | None = None) -> Any:
        """Singular samples are drawn again, a few times.

        At first PyTorch takes those for singular that are not, and draws them again. So do we, for the sake of the
        stream, but do not warn of them.
        """
        sample = self._bartlett_sampling(sample_shape)
        again = self._of_a_batch(self.support.check(sample))
        for tried in range(10 if max_try_correction is None else max_try_correction):
            if not again.any():
                break
            if tried == 1:
                warnings.warn("Singular sample detected.", stacklevel=2)
            drawn = self._bartlett_sampling(again[again].shape)
            sample[again] = drawn
            again[again.clone()] = self._of_a_batch(~self.support.check(drawn))
        return sample

    def _of_a_batch(self, truths: Any) -> Any:
        """Whether something is true of one matrix of a batch; for each sample."""
        dims = tuple(range(-len(self._batch_shape), 0))
        return truths.amax(dims) if dims else truths

    _log_det = formula(lambda _unbroadcasted_scale_tril: 2 * log_diagonal(_unbroadcasted_scale_tril), 0)
    log_prob = at_value(lambda value, df, _size, _log_det, _unbroadcasted_scale_tril: (
        (df - _size - 1) / 2 * facula.linalg.slogdet(value).logabsdet
        - _trace(facula.cholesky_solve(value, _unbroadcasted_scale_tril)) / 2
        - _log_normalizer(df / 2, _log_det(), _size)
    ))  # fmt: skip

    def entropy(self) -> Any:
        """The mean of log |X| is that of its scale and a multivariate digamma function."""
        p, half_df = self._size, self.df / 2
        mean_log_det = _mvdigamma(half_df, p) + p * math.log(2) + self._log_det()
        return _log_normalizer(half_df, self._log_det(), p) + p * half_df - (half_df - (p + 1) / 2) * mean_log_det

    _mean_carrier_measure = 0
    _natural_params = quantity(lambda precision_matrix, df, _size, batch_shape: (
        precision_matrix / -2, ((df - _size - 1) / 2).expand(batch_shape)
    ))  # fmt: skip

    def _log_normalizer(self, x: Any, y: Any) -> Any:
        return _log_normalizer(y + (self._size + 1) / 2, -facula.linalg.slogdet(-2 * x).logabsdet, self._size)


# ---- correlations


def _rows(dim: int, like: Any) -> Any:
    """The numbers of the rows below the first one: how many correlations each of them has."""
    return facula.arange(1, dim, dtype=like.dtype, device=like.device)


def _onion(shape: Any, dim: int, concentration: Any) -> Any:
    """Row after row: a share of the unit length lies in a random direction before the diagonal, the rest on it.

    The shares follow PyTorch's law, which from the third row on is not that of ``log_prob``.
    """
    before = facula.nn.functional.pad(_rows(dim, concentration) - 1, [1, 0])
    others = concentration[..., None] + (dim - 2) / 2 - before / 2
    parts = facula.stack([(before + 0.5).expand(others.shape), others], -1)
    share = facula._sample_dirichlet(parts.expand((*shape[:-1], 2)))[..., :1]
    direction = facula.nn.functional.normalize(normal(shape, concentration).tril(-1), dim=-1)
    below = share.sqrt() * direction
    left = (1 - below.square().sum(-1)).clamp(min=facula.finfo(below.dtype).tiny)
    return below + left.sqrt().diag_embed()


def _lkj_log_density(value: Any, dim: int, concentration: Any) -> Any:
    """A product over the rows below the first one, each a power of its diagonal element and the power's integral."""
    rows, c = _rows(dim, concentration), concentration[..., None]
    powers = 2 * c + (dim - 3) - rows
    integrals = rows * (math.log(math.pi) / 2) + (c + (dim - 1 - rows) / 2).lgamma() - (c + (dim - 1) / 2).lgamma()
    return (powers * value.diagonal(dim1=-2, dim2=-1)[..., 1:].log() - integrals).sum(-1)


@distribution("lkj_cholesky", kept="dim")
class LKJCholesky(Distribution):
    """Correlation matrices of size ``dim``, uniform for concentration 1, closer to the identity above it."""

    concentration: Any
    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky

    def __init__(self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None) -> None:
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        self._hold(validate_args, Size((dim, dim)), concentration=concentration)

    sample = drawn_without_gradient(_onion)
    log_prob = at_value(_lkj_log_density)
