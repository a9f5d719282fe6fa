"""One transform for each part of a dimension."""

from __future__ import annotations

from typing import Any

import facula

from . import constraints
from ._transform import Transform
from .utils import _sum_rightmost, lazy_property


def _check_parts(transforms: list[Any]) -> None:
    if not all(isinstance(t, Transform) for t in transforms):
        raise AssertionError("All elements of tseq must be Transform instances")


class CatTransform(Transform):
    """Transforms for consecutive parts of a dimension."""

    def __init__(self, tseq: Any, dim: int = 0, lengths: Any = None, cache_size: int = 0) -> None:
        tseq = list(tseq)
        _check_parts(tseq)
        if cache_size:
            tseq = [t.with_cache(cache_size) for t in tseq]
        super().__init__(cache_size=cache_size)
        self.transforms = tseq
        self.lengths = [1] * len(tseq) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match transforms ({len(self.transforms)})")
        self.dim = dim

    @lazy_property
    def event_dim(self) -> int:
        return max(t.event_dim for t in self.transforms)

    @lazy_property
    def length(self) -> int:
        return sum(self.lengths)

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        return CatTransform(self.transforms, self.dim, self.lengths, cache_size)

    def _parts(self, name: str, what: str, value: Any) -> list[Any]:
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"dim {self.dim} out of range for {what} with {value.dim()} dimensions")
        if value.size(self.dim) != self.length:
            size = value.size(self.dim)
            raise AssertionError(f"{name}.size({self.dim}) = {size} must equal length {self.length}")
        starts = [sum(self.lengths[:i]) for i in range(len(self.lengths))]
        return [value.narrow(self.dim, start, length) for start, length in zip(starts, self.lengths)]

    def _call(self, x: Any) -> Any:
        return facula.cat([t(v) for t, v in zip(self.transforms, self._parts("x", "tensor", x))], dim=self.dim)

    def _inverse(self, y: Any) -> Any:
        return facula.cat([t.inv(v) for t, v in zip(self.transforms, self._parts("y", "tensor", y))], dim=self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        terms = []
        for t, u, v in zip(self.transforms, self._parts("x", "x", x), self._parts("y", "y", y)):
            term = t.log_abs_det_jacobian(u, v)
            terms.append(_sum_rightmost(term, self.event_dim - t.event_dim) if t.event_dim < self.event_dim else term)
        dim = self.dim - x.dim() if self.dim >= 0 else self.dim
        dim += self.event_dim
        return facula.cat(terms, dim=dim) if dim < 0 else sum(terms)

    @property
    def bijective(self) -> Any:
        return all(t.bijective for t in self.transforms)

    @constraints.dependent_property
    def domain(self) -> Any:
        return constraints.cat([t.domain for t in self.transforms], self.dim, self.lengths)

    @constraints.dependent_property
    def codomain(self) -> Any:
        return constraints.cat([t.codomain for t in self.transforms], self.dim, self.lengths)


class StackTransform(Transform):
    """Transforms for each place of a dimension."""

    def __init__(self, tseq: Any, dim: int = 0, cache_size: int = 0) -> None:
        tseq = list(tseq)
        _check_parts(tseq)
        if cache_size:
            tseq = [t.with_cache(cache_size) for t in tseq]
        super().__init__(cache_size=cache_size)
        self.transforms = tseq
        self.dim = dim

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self if self._cache_size == cache_size else StackTransform(self.transforms, self.dim, cache_size)

    def _parts(self, name: str, what: str, value: Any) -> list[Any]:
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"dim {self.dim} out of range for {what} with {value.dim()} dimensions")
        size = value.size(self.dim)
        if size != len(self.transforms):
            raise AssertionError(
                f"{name}.size({self.dim}) = {size} must equal len(transforms) {len(self.transforms)}"
            )
        return [value.select(self.dim, i) for i in range(size)]

    def _call(self, x: Any) -> Any:
        return facula.stack([t(v) for t, v in zip(self.transforms, self._parts("x", "tensor", x))], dim=self.dim)

    def _inverse(self, y: Any) -> Any:
        return facula.stack([t.inv(v) for t, v in zip(self.transforms, self._parts("y", "tensor", y))], dim=self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        pairs = zip(self.transforms, self._parts("x", "x", x), self._parts("y", "y", y))
        return facula.stack([t.log_abs_det_jacobian(u, v) for t, u, v in pairs], dim=self.dim)

    @property
    def bijective(self) -> Any:
        return all(t.bijective for t in self.transforms)

    @constraints.dependent_property
    def domain(self) -> Any:
        return constraints.stack([t.domain for t in self.transforms], self.dim)

    @constraints.dependent_property
    def codomain(self) -> Any:
        return constraints.stack([t.codomain for t in self.transforms], self.dim)
