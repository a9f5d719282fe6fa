"""Student's t-distribution."""

from __future__ import annotations

import math
from typing import Any

import facula

from .._size import Size
from . import constraints
from .chi2 import Chi2
from .distribution import Distribution
from .utils import _standard_normal, broadcast_all

__all__ = ["StudentT"]


class StudentT(Distribution):
    """A normal value over the root of a chi-squared one per degree of freedom, moved and scaled."""

    arg_constraints = {
        "df": constraints.positive,
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support = constraints.real
    has_rsample = True

    def __init__(self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.size(), validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(StudentT, _instance)
        batch_shape = Size(batch_shape)
        for name in ("df", "loc", "scale", "_chi2"):
            setattr(new, name, getattr(self, name).expand(batch_shape))
        Distribution.__init__(new, batch_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @property
    def mean(self) -> Any:
        m = self.loc.clone(memory_format=facula.contiguous_format)
        m[self.df <= 1] = math.nan
        return m

    @property
    def mode(self) -> Any:
        return self.loc

    @property
    def variance(self) -> Any:
        df = self.df
        v = df.clone(memory_format=facula.contiguous_format)
        has_one = df > 2
        v[has_one] = self.scale[has_one].pow(2) * df[has_one] / (df[has_one] - 2)
        v[(df <= 2) & (df > 1)] = math.inf
        v[df <= 1] = math.nan
        return v

    def rsample(self, sample_shape: Any = ()) -> Any:
        x = _standard_normal(self._extended_shape(sample_shape), dtype=self.df.dtype, device=self.df.device)
        return self.loc + self.scale * (x * facula.rsqrt(self._chi2.rsample(sample_shape) / self.df))

    def log_prob(self, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        y = (value - self.loc) / self.scale
        log_norm = (
            self.scale.log() + 0.5 * self.df.log() + 0.5 * math.log(math.pi) + facula.lgamma(0.5 * self.df)
            - facula.lgamma(0.5 * (self.df + 1.0))
        )  # fmt: skip
        return -0.5 * (self.df + 1.0) * facula.log1p(y**2.0 / self.df) - log_norm

    def entropy(self) -> Any:
        half = 0.5 * self.df
        log_beta = facula.lgamma(half) + math.lgamma(0.5) - facula.lgamma(0.5 * (self.df + 1))
        slope = facula.digamma(0.5 * (self.df + 1)) - facula.digamma(half)
        return self.scale.log() + 0.5 * (self.df + 1) * slope + 0.5 * self.df.log() + log_beta
