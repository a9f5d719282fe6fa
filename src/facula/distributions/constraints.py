"""Constraints: the sets that parameters and samples live in."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import Any

import facula

from ._formulas import _MadeOfFormulas, formula, quantity, same_as

__all__ = [
    "Constraint", "MixtureSameFamilyConstraint", "boolean", "cat", "corr_cholesky", "dependent", "dependent_property",
    "greater_than", "greater_than_eq", "half_open_interval", "independent", "integer_interval", "interval",
    "is_dependent", "less_than", "lower_cholesky", "lower_triangular", "multinomial", "nonnegative",
    "nonnegative_integer", "one_hot", "positive", "positive_definite", "positive_integer", "positive_semidefinite",
    "real", "real_vector", "simplex", "square", "stack", "symmetric", "unit_interval",
]  # fmt: skip


class Constraint(_MadeOfFormulas):
    """A set of values. ``event_dim``: how many of a tensor's last dimensions make up one value."""

    is_discrete: Any = False
    event_dim: Any = 0
    _bounds: tuple[str, ...] = ()

    def check(self, value: Any) -> Any:
        """For each value of a batch, whether it is in the set."""
        raise NotImplementedError

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={getattr(self, name)}" for name in self._bounds)
        return f"{self.__class__.__name__[1:]}({inside})"


def demand(holds: bool, otherwise: str) -> None:
    """An AssertionError, also where Python is told to skip assertions."""
    if not holds:
        raise AssertionError(otherwise)


# ---- constraints that depend on other values


def _told(name: str) -> Any:
    """What a dependent constraint was told of itself."""

    def known(self: Any) -> Any:
        value = vars(self)[f"_{name}"]
        if value is NotImplemented:
            raise NotImplementedError(f".{name} cannot be determined statically")
        return value

    return property(known)


class _Dependent(Constraint):
    """A set that depends on other values; unless told, neither its kind nor its dimensions are known."""

    is_discrete, event_dim = _told("is_discrete"), _told("event_dim")

    def __init__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> None:
        self._is_discrete, self._event_dim = is_discrete, event_dim

    def __call__(self, **told: Any) -> _Dependent:
        known = {"is_discrete": self._is_discrete, "event_dim": self._event_dim}
        return _Dependent(**{**known, **{k: v for k, v in told.items() if v is not NotImplemented}})

    def check(self, value: Any) -> Any:
        raise ValueError("Cannot determine validity of dependent constraint")


class _DependentProperty(property, _Dependent):
    """A property of an instance that is a constraint, and that is dependent when seen on the class."""

    def __init__(self, fn: Callable[..., Any] | None = None, **told: Any) -> None:
        property.__init__(self, fn)
        _Dependent.__init__(self, **told)

    def __call__(self, fn: Callable[..., Any]) -> _DependentProperty:  # type: ignore[override]
        return _DependentProperty(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)


def is_dependent(constraint: Any) -> bool:
    """Whether a constraint depends on other values."""
    return isinstance(constraint, _Dependent)


# ---- constraints made of constraints


def _demand_constraint(base: Any) -> None:
    demand(isinstance(base, Constraint), f"base_constraint must be a Constraint, got {type(base).__name__}")


def _all_after(dims: int, holds: Any) -> Any:
    """Whether all is true in the dimensions after the first ones."""
    return holds.reshape((*holds.shape[:dims], -1)).all(-1)


class _IndependentConstraint(Constraint):
    """All of the values along some batch dimensions fulfil a constraint."""

    def __init__(self, base_constraint: Any, reinterpreted_batch_ndims: Any) -> None:
        n = reinterpreted_batch_ndims
        _demand_constraint(base_constraint)
        demand(isinstance(n, int), f"reinterpreted_batch_ndims must be an int, got {type(n).__name__}")
        demand(n >= 0, f"reinterpreted_batch_ndims must be >= 0, got {n}")
        self.base_constraint, self.reinterpreted_batch_ndims = base_constraint, n

    is_discrete = same_as("base_constraint", "is_discrete")
    event_dim = quantity(lambda base_constraint, reinterpreted_batch_ndims: (
        base_constraint.event_dim + reinterpreted_batch_ndims
    ))  # fmt: skip

    def check(self, value: Any) -> Any:
        holds = self.base_constraint.check(value)
        dims = holds.dim() - self.reinterpreted_batch_ndims
        if dims < 0:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        return _all_after(dims, holds)

    def __repr__(self) -> str:
        return f"{self.__class__.__name__[1:]}({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class MixtureSameFamilyConstraint(Constraint):
    """A value fulfils the constraints of all components of a mixture."""

    def __init__(self, base_constraint: Any) -> None:
        _demand_constraint(base_constraint)
        self.base_constraint = base_constraint

    is_discrete, event_dim = same_as("base_constraint", "is_discrete", "event_dim")

    def check(self, value: Any) -> Any:
        holds = self.base_constraint.check(value.unsqueeze(-1 - self.event_dim))
        dims = value.dim() - self.event_dim
        if dims < 0:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        return _all_after(dims, holds)

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({self.base_constraint!r})"


def demand_dim(value: Any, dim: int, what: str) -> None:
    demand(-value.dim() <= dim < value.dim(), f"dim {dim} out of range for {what} with {value.dim()} dimensions")


def pieces(value: Any, dim: int, lengths: list[int] | None) -> list[Any]:
    """A tensor cut along a dimension: into parts of these lengths, or into its places."""
    if lengths is None:
        return list(value.unbind(dim))
    starts = accumulate(lengths, initial=0)
    return [value.narrow(dim, start, length) for start, length in zip(starts, lengths)]


class _Piecewise(Constraint):
    """A constraint for each piece of a dimension."""

    lengths: list[int] | None = None

    def __init__(self, cseq: Any, dim: int = 0) -> None:
        self.cseq, self.dim = list(cseq), dim
        demand(all(isinstance(c, Constraint) for c in self.cseq), "All elements of cseq must be Constraint instances")

    is_discrete = quantity(lambda cseq: any(c.is_discrete for c in cseq))

    def check(self, value: Any) -> Any:
        demand_dim(value, self.dim, "value")
        found = [c.check(piece) for c, piece in zip(self.cseq, pieces(value, self.dim, self.lengths))]
        return (facula.stack if self.lengths is None else facula.cat)(found, self.dim)


class _Cat(_Piecewise):
    """Constraints for consecutive parts of a dimension."""

    def __init__(self, cseq: Any, dim: int = 0, lengths: Any = None) -> None:
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        demand(
            len(self.lengths) == len(self.cseq), f"lengths ({len(self.lengths)}) must match cseq ({len(self.cseq)})"
        )

    event_dim = quantity(lambda cseq: max(c.event_dim for c in cseq))


def _dims_of_stack(cseq: list[Constraint], dim: int) -> int:
    """Those of its places, and the one along which they are, if that lies among them."""
    inner = max(c.event_dim for c in cseq)
    return inner + (dim < -inner)


class _Stack(_Piecewise):
    """Constraints for each place of a dimension."""

    event_dim = quantity(_dims_of_stack)


# ---- numbers


class _From(Constraint):
    _bounds: tuple[str, ...] = ("lower_bound",)

    def __init__(self, lower_bound: Any) -> None:
        self.lower_bound = lower_bound


class _UpTo(Constraint):
    _bounds: tuple[str, ...] = ("upper_bound",)

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound


class _Between(Constraint):
    _bounds: tuple[str, ...] = ("lower_bound", "upper_bound")

    def __init__(self, lower_bound: Any, upper_bound: Any) -> None:
        self.lower_bound, self.upper_bound = lower_bound, upper_bound


def _is_whole(value: Any) -> Any:
    return value % 1 == 0


class _Boolean(Constraint):
    """0 or 1."""

    is_discrete = True
    check = formula(lambda value: (value == 0) | (value == 1))


class _IntegerInterval(_Between):
    """Integers between two bounds, which belong to them."""

    is_discrete = True
    check = formula(lambda value, lower_bound, upper_bound: (
        _is_whole(value) & (value >= lower_bound) & (value <= upper_bound)
    ))  # fmt: skip


class _IntegerLessThan(_UpTo):
    """Integers up to a bound."""

    is_discrete = True
    check = formula(lambda value, upper_bound: _is_whole(value) & (value <= upper_bound))


class _IntegerGreaterThan(_From):
    """Integers from a bound on."""

    is_discrete = True
    check = formula(lambda value, lower_bound: _is_whole(value) & (value >= lower_bound))


class _Real(Constraint):
    """Every number that is not NaN."""

    check = formula(lambda value: value == value)


class _GreaterThan(_From):
    """Numbers above a bound."""

    check = formula(lambda value, lower_bound: value > lower_bound)


class _GreaterThanEq(_From):
    """Numbers from a bound on."""

    check = formula(lambda value, lower_bound: value >= lower_bound)


class _LessThan(_UpTo):
    """Numbers below a bound."""

    check = formula(lambda value, upper_bound: value < upper_bound)


class _Interval(_Between):
    """Numbers between two bounds, which belong to them."""

    check = formula(lambda value, lower_bound, upper_bound: (value >= lower_bound) & (value <= upper_bound))


class _HalfOpenInterval(_Between):
    """Numbers between two bounds, of which the lower one belongs to them."""

    check = formula(lambda value, lower_bound, upper_bound: (value >= lower_bound) & (value < upper_bound))


# ---- vectors


class _OneHot(Constraint):
    """Vectors of one 1 and else zeros."""

    is_discrete = True
    event_dim = 1
    check = formula(lambda value: boolean.check(value).all(-1) & (value.sum(-1) == 1))


class _Simplex(Constraint):
    """Vectors of numbers that are not negative and sum to 1."""

    event_dim = 1
    check = formula(lambda value: (value >= 0).all(-1) & ((1 - value.sum(-1)).abs() < 1e-6))


class _Multinomial(_UpTo):
    """Vectors of counts that sum to at most (so PyTorch checks it) a bound."""

    is_discrete = True
    event_dim = 1
    _bounds = ()
    check = formula(lambda x, upper_bound: (x >= 0).all(-1) & (x.sum(-1) <= upper_bound))


# ---- matrices


def _is_close_to_transpose(value: Any) -> Any:
    return facula.isclose(value, value.mT, atol=1e-6).all(-1).all(-1)


class _Matrix(Constraint):
    event_dim = 2


class _LowerTriangular(_Matrix):
    """Lower triangular matrices."""

    check = formula(lambda value: (value == value.tril()).flatten(-2).all(-1))


class _LowerCholesky(_Matrix):
    """Lower triangular matrices with a positive diagonal."""

    check = formula(
        lambda value: lower_triangular.check(value) & (value.diagonal(dim1=-2, dim2=-1) > 0).all(-1)
    )


class _CorrCholesky(_Matrix):
    """Lower triangular matrices with a positive diagonal and rows of length 1."""

    def check(self, value: Any) -> Any:
        rounding = 10 * value.size(-1) * facula.finfo(value.dtype).eps
        too_long = facula.linalg.vector_norm(value.detach(), dim=-1) - 1
        return lower_cholesky.check(value) & (too_long.abs() <= rounding).all(-1)


class _Square(_Matrix):
    """Square matrices."""

    def check(self, value: Any) -> Any:
        *batch, rows, columns = value.shape
        return facula.full(batch, rows == columns, dtype=facula.bool, device=value.device)


class _Among(_Matrix):
    """Those of a larger set that fulfil something that can be asked only within it."""

    _larger: Constraint

    def check(self, value: Any) -> Any:
        in_larger = self._larger.check(value)
        return self._holds(value) if in_larger.all() else in_larger

    def _holds(self, value: Any) -> Any:
        raise NotImplementedError


class _Symmetric(_Among):
    """Symmetric matrices."""

    _larger = _Square()
    _holds = formula(_is_close_to_transpose)


class _PositiveSemidefinite(_Among):
    """Symmetric matrices without negative eigenvalues."""

    _larger = _Symmetric()
    _holds = formula(lambda value: (facula.linalg.eigvalsh(value) >= 0).all(-1))


class _PositiveDefinite(_Among):
    """Symmetric matrices of positive eigenvalues."""

    _larger = _Symmetric()
    _holds = formula(lambda value: facula.linalg.cholesky_ex(value).info == 0)


dependent = _Dependent()
dependent_property = _DependentProperty
independent = _IndependentConstraint
boolean: Constraint = _Boolean()
one_hot = _OneHot()
nonnegative_integer = _IntegerGreaterThan(0)
positive_integer = _IntegerGreaterThan(1)
integer_interval = _IntegerInterval
real: _Real = _Real()
real_vector = independent(real, 1)
positive = _GreaterThan(0.0)
nonnegative = _GreaterThanEq(0.0)
greater_than = _GreaterThan
greater_than_eq = _GreaterThanEq
less_than = _LessThan
multinomial = _Multinomial
unit_interval = _Interval(0.0, 1.0)
interval = _Interval
half_open_interval = _HalfOpenInterval
simplex: _Simplex = _Simplex()
lower_triangular: Constraint = _LowerTriangular()
lower_cholesky: Constraint = _LowerCholesky()
corr_cholesky: _CorrCholesky = _CorrCholesky()
square = _Square()
symmetric = _Symmetric()
positive_semidefinite: _PositiveSemidefinite = _PositiveSemidefinite()
positive_definite: _PositiveDefinite = _PositiveDefinite()
cat = _Cat
stack = _Stack
