"""Transforms of vectors and matrices."""

from __future__ import annotations

import math
from typing import Any

import facula

from .._size import Size
from . import constraints
from ._number_transforms import _clipped_sigmoid
from ._transform import Transform, Unparametrized
from .utils import tril_matrix_to_vec, vec_to_tril_matrix


class SoftmaxTransform(Unparametrized):
    """Vectors to the simplex, by normalised exponentials: not one-to-one."""

    domain = constraints.real_vector
    codomain = constraints.simplex

    def _call(self, x: Any) -> Any:
        probs = (x - x.max(-1, True)[0]).exp()
        return probs / probs.sum(-1, True)

    def _inverse(self, y: Any) -> Any:
        return y.log()

    def forward_shape(self, shape: Any) -> Any:
        return _with_an_end(shape, 1)

    def inverse_shape(self, shape: Any) -> Any:
        return _with_an_end(shape, 1)


def _with_an_end(shape: Any, dims: int) -> Any:
    if len(shape) < dims:
        raise ValueError("Too few dimensions on input")
    return shape


class StickBreakingTransform(Unparametrized):
    """Vectors to the simplex of one dimension more: each number breaks its share off what is left of a stick."""

    domain = constraints.real_vector
    codomain = constraints.simplex
    bijective = True

    @staticmethod
    def _offset(x: Any) -> Any:
        """So that zeros are broken into equal parts."""
        return (x.shape[-1] + 1 - x.new_ones(x.shape[-1]).cumsum(-1)).log()

    def _call(self, x: Any) -> Any:
        pad = facula.nn.functional.pad
        z = _clipped_sigmoid(x - self._offset(x))
        left = (1 - z).cumprod(-1)
        return pad(z, [0, 1], value=1) * pad(left, [1, 0], value=1)

    def _inverse(self, y: Any) -> Any:
        parts = y[..., :-1]
        # The rest may be rounded to less than nothing.
        left = facula.clamp(1 - parts.cumsum(-1), min=facula.finfo(y.dtype).tiny)
        return parts.log() - left.log() + self._offset(parts)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        x = x - self._offset(x)
        return (-x + facula.nn.functional.logsigmoid(x) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape: Any) -> Any:
        shape = _with_an_end(shape, 1)
        return Size((*shape[:-1], shape[-1] + 1))

    def inverse_shape(self, shape: Any) -> Any:
        shape = _with_an_end(shape, 1)
        return Size((*shape[:-1], shape[-1] - 1))


class LowerCholeskyTransform(Unparametrized):
    """Matrices to lower triangular ones with a positive diagonal."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def _call(self, x: Any) -> Any:
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y: Any) -> Any:
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(Unparametrized):
    """Matrices to positive definite ones."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def _call(self, x: Any) -> Any:
        lower = LowerCholeskyTransform()(x)
        return lower @ lower.mT

    def _inverse(self, y: Any) -> Any:
        return LowerCholeskyTransform().inv(facula.linalg.cholesky(y))


class CorrCholeskyTransform(Transform):
    """Vectors of D(D - 1)/2 numbers to the Cholesky factors of D x D correlation matrices.

    Their hyperbolic tangents are partial correlations: the signed shares of what is left of each row's unit length.
    """

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x: Any) -> Any:
        eps = facula.finfo(x.dtype).eps
        r = vec_to_tril_matrix(facula.tanh(x).clamp(min=-1 + eps, max=1 - eps), diag=-1)
        left = (1 - r**2).sqrt().cumprod(-1)
        r = r + facula.eye(r.shape[-1], dtype=r.dtype, device=r.device)
        return r * facula.nn.functional.pad(left[..., :-1], [1, 0], value=1)

    def _inverse(self, y: Any) -> Any:
        left = 1 - facula.cumsum(y * y, dim=-1)
        left = tril_matrix_to_vec(facula.nn.functional.pad(left[..., :-1], [1, 0], value=1), diag=-1)
        t = tril_matrix_to_vec(y, diag=-1) / left.sqrt()
        return (t.log1p() - t.neg().log1p()) / 2

    def log_abs_det_jacobian(self, x: Any, y: Any, intermediates: Any = None) -> Any:
        left = tril_matrix_to_vec(1 - (y * y).cumsum(dim=-1), diag=-2)
        of_shares = 0.5 * left.log().sum(-1)
        of_tanh = -2 * (x + facula.nn.functional.softplus(-2 * x) - math.log(2.0)).sum(dim=-1)
        return of_shares + of_tanh

    def forward_shape(self, shape: Any) -> Any:
        n = _with_an_end(shape, 1)[-1]
        size = round((0.25 + 2 * n) ** 0.5 + 0.5)
        if size * (size - 1) // 2 != n:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return Size((*shape[:-1], size, size))

    def inverse_shape(self, shape: Any) -> Any:
        if len(shape) < 2:
            raise ValueError("Too few dimensions on input")
        if shape[-2] != shape[-1]:
            raise ValueError("Input is not square")
        return Size((*shape[:-2], shape[-1] * (shape[-1] - 1) // 2))
