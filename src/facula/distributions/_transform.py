"""What a transform is, and transforms made of transforms: inverses, compositions, independent ones."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable
from typing import Any

import facula

from .._core.size import Size
from . import constraints
from ._formulas import _MadeOfFormulas, cached, done_by, formula, quantity, same_as
from .utils import _sum_rightmost


class Transform(_MadeOfFormulas):
    """A map of tensors. With ``cache_size=1`` it remembers its last pair, so that inverting gives back the input."""

    bijective: Any = False
    domain: Any
    codomain: Any
    _arguments: tuple[str, ...]
    """What another transform of this kind is made of, to be the same."""

    def __init__(self, cache_size: int = 0) -> None:
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cache_size = cache_size
        self._cached_x_y: Any = (None, None)
        self._inv: Any = None
        super().__init__()

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_inv": None}

    @property
    def event_dim(self) -> int:
        if self.domain.event_dim == self.codomain.event_dim:
            return self.domain.event_dim
        raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")

    @property
    def inv(self) -> Transform:
        """The inverse; its inverse is this very transform."""
        known = self._inv and self._inv()
        if known is None:
            known = self._backwards()
            self._inv = weakref.ref(known)
        return known

    def _backwards(self) -> Transform:
        return _InverseTransform(self)

    @property
    def sign(self) -> Any:
        """Of an increasing map of numbers 1, of a decreasing one -1."""
        raise NotImplementedError

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        if type(self).__init__ is Transform.__init__:
            return type(self)(cache_size=cache_size)
        kind: Any = next((kind for kind in type(self).__mro__ if "_arguments" in vars(kind)), None)
        if kind is None:
            raise NotImplementedError(f"{type(self)}.with_cache is not implemented")
        return kind(*(getattr(self, name) for name in kind._arguments), cache_size=cache_size)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __call__(self, x: Any) -> Any:
        return self._other_of_pair(x, 0, self._call)

    def _inv_call(self, y: Any) -> Any:
        return self._other_of_pair(y, 1, self._inverse)

    def _other_of_pair(self, given: Any, place: int, compute: Callable[[Any], Any]) -> Any:
        """What belongs to an x (at place 0 of a pair) or a y (at place 1)."""
        if not self._cache_size:
            return compute(given)
        if self._cached_x_y[place] is not given:
            pair = (given, compute(given))
            self._cached_x_y = pair if place == 0 else pair[::-1]
        return self._cached_x_y[1 - place]

    def _call(self, x: Any) -> Any:
        raise NotImplementedError

    def _inverse(self, y: Any) -> Any:
        raise NotImplementedError

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """log |dy/dx|, for x and the y that belongs to it."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return self.__class__.__name__ + "()"

    def forward_shape(self, shape: Any) -> Any:
        """The shape of y for a shape of x."""
        return shape

    def inverse_shape(self, shape: Any) -> Any:
        """The shape of x for a shape of y."""
        return shape


class _InverseTransform(Transform):
    """The other direction of a transform."""

    _inv: Any

    def __init__(self, transform: Transform) -> None:
        super().__init__(cache_size=transform._cache_size)
        self._inv = transform

    def __getstate__(self) -> dict[str, Any]:
        return vars(self).copy()

    domain, codomain, bijective, sign = same_as("_inv", "codomain", "domain", "bijective", "sign")
    inv = quantity(lambda _inv: _inv)
    __call__ = formula(lambda x, _inv: _inv._inv_call(x))
    log_abs_det_jacobian = formula(lambda x, y, _inv: -_inv.log_abs_det_jacobian(y, x), 2)
    forward_shape = formula(lambda shape, _inv: _inv.inverse_shape(shape))
    inverse_shape = formula(lambda shape, _inv: _inv.forward_shape(shape))

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self._inv.with_cache(cache_size).inv

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _InverseTransform) and self._inv == other._inv

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({self._inv!r})"


# ---- one after the other


def widened(constraint: Any, event_dim: int) -> Any:
    """A constraint on at least ``event_dim`` dimensions."""
    missing = event_dim - constraint.event_dim
    return constraints.independent(constraint, missing) if missing > 0 else constraint


def log_stretches(parts: list[Any], path: list[Any], event_dim: int) -> list[Any]:
    """The parts' log-determinants along the values x, ..., y that lie between them.

    ``event_dim`` is how many dimensions of x make up one value.
    """
    terms = []
    for part, before, after in zip(parts, path, path[1:]):
        batched = event_dim - part.domain.event_dim
        terms.append(_sum_rightmost(part.log_abs_det_jacobian(before, after), batched))
        event_dim = part.codomain.event_dim + batched
    return terms


def log_stretch(parts: list[Any], path: list[Any], event_dim: int) -> Any:
    """Their sum."""
    terms = log_stretches(parts, path, event_dim)
    return sum(terms[1:], terms[0]) if terms else 0.0


def way_of(parts: list[Any], x: Any) -> list[Any]:
    """The values on the way through the parts, from x on."""
    path = [x]
    for part in parts:
        path.append(part(path[-1]))
    return path


def way_back(parts: list[Any], y: Any) -> list[Any]:
    """The values on the way to y, by going back."""
    return way_of([part.inv for part in reversed(parts)], y)[::-1]


def _dims_after(ends: list[tuple[int, int]]) -> int:
    """The dimensions of one value after maps that lead from so many dimensions to so many, each."""
    dims = ends[0][0]
    for before, after in ends:
        dims = after + max(dims - before, 0)
    return dims


class ComposeTransform(Transform):
    """Transforms one after the other."""

    def __init__(self, parts: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.parts = [part.with_cache(cache_size) for part in parts] if cache_size else parts

    _arguments = ("parts",)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    def _ends(self) -> list[tuple[int, int]]:
        return [(part.domain.event_dim, part.codomain.event_dim) for part in self.parts]

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        backwards = [(after, before) for before, after in reversed(self._ends())]
        return widened(self.parts[0].domain, _dims_after(backwards)) if self.parts else constraints.real

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:
        return widened(self.parts[-1].codomain, _dims_after(self._ends())) if self.parts else constraints.real

    bijective = cached(lambda parts: all(part.bijective for part in parts))
    sign = cached(lambda parts: math.prod((part.sign for part in parts), start=1))

    def _backwards(self) -> Transform:
        back = ComposeTransform([part.inv for part in reversed(self.parts)])
        back._inv = weakref.ref(self)
        return back

    def __call__(self, x: Any) -> Any:
        return way_of(self.parts, x)[-1]

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        path = [*way_of(self.parts[:-1], x), y]
        return log_stretch(self.parts, path, self.domain.event_dim) if self.parts else facula.zeros_like(x)

    def forward_shape(self, shape: Any) -> Any:
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape

    def inverse_shape(self, shape: Any) -> Any:
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return shape

    def __repr__(self) -> str:
        inside = ",\n    ".join(map(repr, self.parts))
        return f"{self.__class__.__name__}(\n    {inside}\n)"


identity_transform: ComposeTransform = ComposeTransform([])


# ---- with other dimensions


def with_dims(least: int, sized: Any) -> Any:
    """A tensor or a shape that must have so many dimensions."""
    if len(getattr(sized, "shape", sized)) < least:
        raise ValueError("Too few dimensions on input")
    return sized


class IndependentTransform(Transform):
    """A transform that takes some batch dimensions for event dimensions: its Jacobian is summed over them."""

    _arguments = ("base_transform", "reinterpreted_batch_ndims")

    def __init__(self, base_transform: Transform, reinterpreted_batch_ndims: int, cache_size: int = 0) -> None:
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        self.base_transform = base_transform.with_cache(cache_size)
        super().__init__(cache_size)

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:
        return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    bijective, sign = same_as("base_transform", "bijective", "sign")
    forward_shape, inverse_shape = done_by("base_transform", "forward_shape", "inverse_shape")
    _call = formula(lambda x, base_transform, domain: base_transform(with_dims(domain.event_dim, x)))
    _inverse = formula(lambda y, base_transform, codomain: base_transform.inv(with_dims(codomain.event_dim, y)))
    log_abs_det_jacobian = formula(lambda x, y, base_transform, reinterpreted_batch_ndims: (
        _sum_rightmost(base_transform.log_abs_det_jacobian(x, y), reinterpreted_batch_ndims)
    ), 2)  # fmt: skip

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({self.base_transform!r}, {self.reinterpreted_batch_ndims})"


def _replaced_end(shape: Any, old: Any, new: Any) -> Any:
    cut = len(with_dims(len(old), shape)) - len(old)
    if shape[cut:] != old:
        raise ValueError(f"Shape mismatch: expected {shape[cut:]} but got {old}")
    return shape[:cut] + new


class ReshapeTransform(Transform):
    """The last dimensions in another shape."""

    bijective = True
    _arguments = ("in_shape", "out_shape")

    def __init__(self, in_shape: Any, out_shape: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.in_shape, self.out_shape = map(Size, (in_shape, out_shape))
        if math.prod(self.in_shape) != math.prod(self.out_shape):
            raise ValueError("in_shape, out_shape have different numbers of elements")

    @constraints.dependent_property
    def domain(self) -> Any:
        return widened(constraints.real, len(self.in_shape))

    @constraints.dependent_property
    def codomain(self) -> Any:
        return widened(constraints.real, len(self.out_shape))

    _call = formula(lambda x, in_shape, out_shape: x.reshape(x.shape[: x.dim() - len(in_shape)] + out_shape))
    _inverse = formula(lambda y, in_shape, out_shape: y.reshape(y.shape[: y.dim() - len(out_shape)] + in_shape))
    log_abs_det_jacobian = formula(lambda x, y, in_shape: x.new_zeros(x.shape[: x.dim() - len(in_shape)]), 2)
    forward_shape = formula(lambda shape, in_shape, out_shape: _replaced_end(shape, in_shape, out_shape))
    inverse_shape = formula(lambda shape, in_shape, out_shape: _replaced_end(shape, out_shape, in_shape))


class Unparametrized(Transform):
    """A transform without parameters: any two are equal."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)
