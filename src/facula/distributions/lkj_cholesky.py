"""The LKJ distribution of correlation matrices, as their Cholesky factors."""

from __future__ import annotations

import math
from typing import Any

import facula

from .._size import Size
from . import constraints
from .beta import Beta
from .distribution import Distribution
from .utils import broadcast_all

__all__ = ["LKJCholesky"]


class LKJCholesky(Distribution):
    """Correlation matrices of size ``dim``, uniform for concentration 1, closer to the identity above it."""

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky

    def __init__(self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None) -> None:
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        batch_shape = self.concentration.size()
        # Of row i a share of the unit length lies in a random direction of i dimensions, before the diagonal.
        rows = facula.arange(1, self.dim, dtype=self.concentration.dtype, device=self.concentration.device)
        rows = facula.cat([rows.new_ones((1,)), rows])  # the first row is of no dimension; its share is not used
        self._beta = Beta(0.5 * rows, self.concentration.unsqueeze(-1) + 0.5 * (self.dim - 1 - rows))
        super().__init__(batch_shape, Size((dim, dim)), validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(LKJCholesky, _instance)
        batch_shape = Size(batch_shape)
        new.dim = self.dim
        new.concentration = self.concentration.expand(batch_shape)
        new._beta = self._beta.expand((*batch_shape, self.dim))
        Distribution.__init__(new, batch_shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def sample(self, sample_shape: Any = ()) -> Any:
        """By the onion method: row after row."""
        share = self._beta.sample(sample_shape).unsqueeze(-1)
        normal = facula.randn(
            self._extended_shape(sample_shape), dtype=share.dtype, device=share.device
        ).tril(-1)
        direction = normal / normal.norm(dim=-1, keepdim=True)
        direction[..., 0, :].fill_(0.0)
        w = facula.sqrt(share) * direction
        left = facula.clamp(1 - facula.sum(w**2, dim=-1), min=facula.finfo(w.dtype).tiny)
        return w + facula.diag_embed(left.sqrt())

    def log_prob(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        order = facula.arange(2, self.dim + 1, device=self.concentration.device)
        order = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - order
        unnormalized = (order * diagonal.log()).sum(dim=-1)
        n = self.dim - 1
        alpha = self.concentration + 0.5 * n
        norm = 0.5 * n * math.log(math.pi) + facula.mvlgamma(alpha - 0.5, n) - facula.lgamma(alpha) * n
        return unnormalized - norm
