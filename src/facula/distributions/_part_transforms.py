"""One transform for each part of a dimension."""

from __future__ import annotations

from typing import Any

import facula

from . import constraints
from ._formulas import cached, quantity
from ._transform import Transform
from .constraints import demand, demand_dim, pieces
from .utils import _sum_rightmost


class _Piecewise(Transform):
    """A transform for each piece of a dimension."""

    lengths: list[int] | None = None

    def __init__(self, tseq: Any, dim: int, cache_size: int) -> None:
        super().__init__(cache_size=cache_size)
        tseq = list(tseq)
        demand(all(isinstance(t, Transform) for t in tseq), "All elements of tseq must be Transform instances")
        self.transforms = [t.with_cache(cache_size) for t in tseq] if cache_size else tseq
        self.dim = dim

    bijective = quantity(lambda transforms: all(t.bijective for t in transforms))

    def _cut(self, value: Any, name: str, what: str) -> list[Any]:
        demand_dim(value, self.dim, what)
        size, wanted = value.size(self.dim), len(self.transforms) if self.lengths is None else sum(self.lengths)
        said = "len(transforms)" if self.lengths is None else "length"
        demand(size == wanted, f"{name}.size({self.dim}) = {size} must equal {said} {wanted}")
        return pieces(value, self.dim, self.lengths)

    def _joined(self, found: list[Any]) -> Any:
        return facula.stack(found, self.dim) if self.lengths is None else facula.cat(found, self.dim)

    def _call(self, x: Any) -> Any:
        return self._joined([t(piece) for t, piece in zip(self.transforms, self._cut(x, "x", "tensor"))])

    def _inverse(self, y: Any) -> Any:
        return self._joined([t.inv(piece) for t, piece in zip(self.transforms, self._cut(y, "y", "tensor"))])

    def _log_dets(self, x: Any, y: Any) -> list[Any]:
        pairs = zip(self.transforms, self._cut(x, "x", "x"), self._cut(y, "y", "y"))
        return [t.log_abs_det_jacobian(before, after) for t, before, after in pairs]


class CatTransform(_Piecewise):
    """Transforms for consecutive parts of a dimension."""

    _arguments = ("transforms", "dim", "lengths")
    lengths: list[int]

    def __init__(self, tseq: Any, dim: int = 0, lengths: Any = None, cache_size: int = 0) -> None:
        super().__init__(tseq, dim, cache_size)
        count = len(self.transforms)
        self.lengths = [1] * count if lengths is None else list(lengths)
        demand(len(self.lengths) == count, f"lengths ({len(self.lengths)}) must match transforms ({count})")

    event_dim = cached(lambda transforms: max(t.event_dim for t in transforms))
    length = cached(lambda lengths: sum(lengths))

    @constraints.dependent_property
    def domain(self) -> Any:
        return constraints.cat([t.domain for t in self.transforms], self.dim, self.lengths)

    @constraints.dependent_property
    def codomain(self) -> Any:
        return constraints.cat([t.codomain for t in self.transforms], self.dim, self.lengths)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """One number for each value: side by side, unless the parts lie within one value."""
        found = self._log_dets(x, y)
        terms = [_sum_rightmost(term, self.event_dim - t.event_dim) for t, term in zip(self.transforms, found)]
        dim = (self.dim if self.dim < 0 else self.dim - x.dim()) + self.event_dim
        return sum(terms) if dim >= 0 else facula.cat(terms, dim=dim)


class StackTransform(_Piecewise):
    """Transforms for each place of a dimension."""

    _arguments = ("transforms", "dim")

    def __init__(self, tseq: Any, dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(tseq, dim, cache_size)

    @constraints.dependent_property
    def domain(self) -> Any:
        return constraints.stack([t.domain for t in self.transforms], self.dim)

    @constraints.dependent_property
    def codomain(self) -> Any:
        return constraints.stack([t.codomain for t in self.transforms], self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return self._joined(self._log_dets(x, y))
