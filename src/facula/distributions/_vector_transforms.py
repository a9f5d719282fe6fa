"""Transforms of vectors and matrices."""

from __future__ import annotations

from typing import Any

import facula

from .._core.size import Size
from . import constraints
from ._formulas import formula
from ._number_transforms import _clipped_sigmoid, log_slope_of_tanh
from ._transform import Transform, Unparametrized, with_dims
from .utils import tril_matrix_to_vec, vec_to_tril_matrix


class SoftmaxTransform(Unparametrized):
    """Vectors to the simplex, by normalised exponentials: not one-to-one."""

    domain = constraints.real_vector
    codomain = constraints.simplex
    _call = formula(lambda x: x.softmax(-1))
    _inverse = formula(lambda y: y.log())
    forward_shape = formula(lambda shape: with_dims(1, shape))
    inverse_shape = formula(lambda shape: with_dims(1, shape))


def _before(left: Any) -> Any:
    """What is left before each step of what is left after it: at first all."""
    return facula.nn.functional.pad(left, [1, 0], value=1)


def _offset(x: Any) -> Any:
    """The log-odds of breaking off an equal part: one of as many as are still to come."""
    return facula.arange(x.shape[-1], 0, -1, dtype=x.dtype, device=x.device).log()


class StickBreakingTransform(Unparametrized):
    """Vectors to the simplex of one dimension more: each number breaks its share off what is left of a stick."""

    domain = constraints.real_vector
    codomain = constraints.simplex
    bijective = True

    def _call(self, x: Any) -> Any:
        share = _clipped_sigmoid(x - _offset(x))
        left = _before((1 - share).cumprod(-1))
        return facula.cat([share * left[..., :-1], left[..., -1:]], -1)

    def _inverse(self, y: Any) -> Any:
        broken = y[..., :-1]
        left = (1 - broken.cumsum(-1)).clamp(min=facula.finfo(y.dtype).tiny)  # rounding may leave less than nothing
        return (broken.log() - left.log()) + _offset(broken)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """Each part's slope is its size times the share that is not broken off."""
        return (y[..., :-1].log() + facula.nn.functional.logsigmoid(_offset(x) - x)).sum(-1)

    forward_shape = formula(lambda shape: Size((*shape[:-1], with_dims(1, shape)[-1] + 1)))
    inverse_shape = formula(lambda shape: Size((*shape[:-1], with_dims(1, shape)[-1] - 1)))


def _with_diagonal(matrix: Any, change: Any) -> Any:
    return matrix.tril(-1) + change(matrix.diagonal(dim1=-2, dim2=-1)).diag_embed()


class LowerCholeskyTransform(Unparametrized):
    """Matrices to lower triangular ones with a positive diagonal."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky
    _call = formula(lambda x: _with_diagonal(x, facula.exp))
    _inverse = formula(lambda y: _with_diagonal(y, facula.log))


class PositiveDefiniteTransform(Unparametrized):
    """Matrices to positive definite ones."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite
    _inverse = formula(lambda y: _with_diagonal(facula.linalg.cholesky(y), facula.log))

    def _call(self, x: Any) -> Any:
        root = _with_diagonal(x, facula.exp)
        return root @ root.mT


class CorrCholeskyTransform(Transform):
    """Vectors of D(D - 1)/2 numbers to the Cholesky factors of D x D correlation matrices.

    Their hyperbolic tangents are partial correlations: the signed shares of what is left of each row's unit length.
    """

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x: Any) -> Any:
        most = 1 - facula.finfo(x.dtype).eps
        correlations = vec_to_tril_matrix(x.tanh().clamp(-most, most), -1)
        left = _before((1 - correlations.square()).sqrt().cumprod(-1)[..., :-1])
        diagonal = facula.eye(left.shape[-1], dtype=x.dtype, device=x.device)
        return (correlations + diagonal) * left

    def _inverse(self, y: Any) -> Any:
        left = _before(1 - y.square().cumsum(-1)[..., :-1])
        return (tril_matrix_to_vec(y, -1) * tril_matrix_to_vec(left, -1).rsqrt()).atanh()

    def log_abs_det_jacobian(self, x: Any, y: Any, intermediates: Any = None) -> Any:
        left = tril_matrix_to_vec(1 - y.square().cumsum(-1), -2)
        return left.log().sum(-1) / 2 + log_slope_of_tanh(x).sum(-1)

    def forward_shape(self, shape: Any) -> Any:
        *batch, count = with_dims(1, shape)
        size = next(n for n in range(1, count + 3) if n * (n - 1) // 2 >= count)
        if size * (size - 1) // 2 != count:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return Size((*batch, size, size))

    def inverse_shape(self, shape: Any) -> Any:
        *batch, rows, columns = with_dims(2, shape)
        if rows != columns:
            raise ValueError("Input is not square")
        return Size((*batch, rows * (rows - 1) // 2))
