"""Which sizes of the inputs a program is to be general in: ``Dim``, and how a user says it."""

from __future__ import annotations

import dataclasses
import inspect
import sys
from collections.abc import Callable
from enum import Enum, auto
from typing import Any

from .._compile.errors import UserError
from .._core.pytree import kind_of, tree_flatten, tree_unflatten
from .._tensor import Tensor

__all__ = ["AdditionalInputs", "Constraint", "Dim", "ShapesCollection", "dims"]

_CASE = "dynamic-shapes-validation"


class _Infinity(int):
    """An integer without end, as it is printed."""

    def __repr__(self) -> str:
        return "int_oo" if self > 0 else "-int_oo"

    def __neg__(self) -> _Infinity:
        return _Infinity(-int(self))

    __str__ = __repr__


int_oo = _Infinity(sys.maxsize)


class _DimHintType(Enum):
    AUTO = auto()
    STATIC = auto()
    DYNAMIC = auto()


@dataclasses.dataclass
class _DimHint:
    """``Dim.AUTO``, ``Dim.DYNAMIC`` and ``Dim.STATIC``, perhaps with bounds: ``Dim.AUTO(min=2)``."""

    type: _DimHintType
    min: int | None = None
    max: int | None = None
    _factory: bool | None = True

    def __call__(self, min: int | None = None, max: int | None = None) -> _DimHint:
        if not self._factory:
            raise TypeError(f"'{type(self)}' object is not callable")
        for name, bound in (("min", min), ("max", max)):
            if bound is not None and bound < 0:
                raise AssertionError(f"{name} must be non-negative, got {bound}")
        if min is not None and max is not None and min > max:
            raise AssertionError(f"min must be <= max, got min={min}, max={max}")
        return _DimHint(self.type, min, max, False)

    def __repr__(self) -> str:
        bounds = [f"{name}={bound}" for name, bound in (("min", self.min), ("max", self.max)) if bound is not None]
        return f"DimHint({', '.join([self.type.name, *bounds])})"


_LINEAR = "(Only increasing linear operations with integer coefficients are supported.)"


class Dim:
    """A size that is another one in other calls, by a name; sizes of one name are equal.

    ``Dim("batch", min=2, max=64)``; ``2 * batch + 1`` is a size that depends on it. ``Dim.AUTO`` lets the program
    decide whether a size can be general, ``Dim.DYNAMIC`` insists on it, ``Dim.STATIC`` is one size.
    """

    AUTO = _DimHint(_DimHintType.AUTO)
    DYNAMIC = _DimHint(_DimHintType.DYNAMIC)
    STATIC = _DimHint(_DimHintType.STATIC)

    def __init__(self, name: str, *, min: int | None = None, max: int | None = None) -> None:
        self.min: int = 0 if min is None else min
        self.max: int = int_oo if max is None else max
        if self.max <= self.min:
            raise AssertionError(f"Cannot create Dim with inconsistent min={min}, max={max}")
        if not name.isidentifier():
            raise AssertionError(f"Dim name must be a valid identifier, got {name}")
        self.__name__ = name
        self.root: Dim = self
        self.factor, self.offset = 1, 0

    def _derived(self, factor: int, offset: int) -> Dim:
        found = object.__new__(_DerivedDim)
        found.root, found.factor, found.offset = self.root, self.factor * factor, self.offset * factor + offset
        times = self.root.__name__ if found.factor == 1 else f"{found.factor}*{self.root.__name__}"
        sign = "" if not found.offset else f" {'+' if found.offset > 0 else '-'} {abs(found.offset)}"
        found.__name__ = times + sign
        return found

    def __add__(self, other: Any) -> Dim:
        if type(other) is not int:
            raise NotImplementedError(
                f"Attempted to add {other} to {self.__name__}, where an integer was expected. {_LINEAR}"
            )
        return self._derived(1, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Dim:
        if type(other) is not int:
            raise NotImplementedError(
                f"Attempted to subtract {other} from {self.__name__}, where an integer was expected. {_LINEAR}"
            )
        return self._derived(1, -other)

    def __rsub__(self, other: Any) -> Dim:
        raise NotImplementedError(f"Attempted to negate {self.__name__}. {_LINEAR}")

    def __mul__(self, other: Any) -> Dim:
        if type(other) is not int or other <= 0:
            raise NotImplementedError(
                f"Attempted to multiply {other} with {self.__name__}, where a positive integer was expected. {_LINEAR}"
            )
        return self._derived(other, 0)

    __rmul__ = __mul__

    def __repr__(self) -> str:
        bounds = [f"min={self.min}"] if self.min != 2 else []
        bounds += [f"max={self.max}"] if self.max is not int_oo else []
        return f"Dim({', '.join([repr(self.__name__), *bounds])})"


class _DerivedDim(Dim):
    """A size that depends on another one."""

    @property
    def min(self) -> int:  # type: ignore[override]
        found = self.root.min * self.factor + self.offset
        if found < 0:
            raise AssertionError(
                f"Expected derived min value of {self.__name__} to be >= 0. Please specify an appropriate min value "
                "for "
                f"{self.root.__name__} (currently {self.root.min})."
            )
        return found

    @property
    def max(self) -> int:  # type: ignore[override]
        return int_oo if self.root.max is int_oo else self.root.max * self.factor + self.offset

    def __repr__(self) -> str:
        return self.__name__


Constraint = Dim


def dims(*names: str, min: int | None = None, max: int | None = None) -> tuple[Dim, ...]:
    """Several ``Dim`` with the same bounds."""
    return tuple([Dim(name, min=min, max=max) for name in names])


class ShapesCollection:
    """What is said of sizes by tensor: ``shapes[x] = {0: batch}``, in the place of ``dynamic_shapes``."""

    def __init__(self) -> None:
        self._shapes: dict[int, Any] = {}
        self._held: list[Any] = []

    def __setitem__(self, t: Any, shape: Any) -> None:
        if not isinstance(t, (Tensor, int)):
            raise AssertionError(f"Cannot assign shape to non-tensor type {type(t)}")
        known = self._shapes.get(id(t))
        if known is not None and known != shape:
            raise AssertionError(f"Shapes assigned to tensor do not match: expected {known}, got {shape}")
        self._shapes[id(t)] = shape
        self._held.append(t)

    def __getitem__(self, t: Any) -> Any:
        return self._shapes.setdefault(id(t), {})

    def __len__(self) -> int:
        return len(self._shapes)

    def dynamic_shapes(self, m: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Any:
        """What ``export`` takes as ``dynamic_shapes`` for these arguments."""
        named = combined(m, args, kwargs or {})
        leaves, plan = tree_flatten(named)
        unknown = set(self._shapes) - {id(leaf) for leaf in leaves}
        if unknown:
            raise ValueError("Some tensors that were assigned shapes were not found in args.")
        return tree_unflatten([self._shapes.get(id(leaf)) for leaf in leaves], plan)


class AdditionalInputs:
    """Further calls that a program must be for: sizes that differ between them are ``Dim.DYNAMIC``."""

    def __init__(self) -> None:
        self._examples: list[tuple[tuple[Any, ...], dict[str, Any]]] = []

    def add(self, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> None:
        """Add a call."""
        if type(args) is not tuple:
            raise AssertionError(f"Representative args {args} must be a tuple")
        if kwargs is not None and type(kwargs) is not dict:
            raise AssertionError(f"Representative kwargs {kwargs} must be None or a dict")
        self._examples.append((args, kwargs or {}))

    def dynamic_shapes(self, m: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Any:
        """What ``export`` takes as ``dynamic_shapes``."""
        leaves, plan = tree_flatten(combined(m, args, kwargs or {}))
        columns = [leaves]
        for more, named in self._examples:
            found, other = tree_flatten(combined(m, more, named))
            if other != plan:
                raise ValueError(f"{other} differs from the structure of the inputs, {plan}")
            columns.append(found)
        return tree_unflatten([_hint_of(values) for values in zip(*columns)], plan)

    def verify(self, ep: Any) -> None:
        """Call a program with all of them."""
        module = ep.module()
        for args, kwargs in self._examples:
            module(*args, **kwargs)


def _hint_of(values: tuple[Any, ...]) -> Any:
    first = values[0]
    if not isinstance(first, Tensor):
        return None if all(v == first for v in values) else Dim.DYNAMIC
    return tuple([None if len({v.shape[d] for v in values}) == 1 else Dim.DYNAMIC for d in range(first.ndim)])


def combined(m: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call by the names of the parameters."""
    forward: Callable[..., Any] = getattr(m, "forward", m)
    bound = inspect.signature(forward).bind(*args, **kwargs).arguments
    found: dict[str, Any] = {}
    for name, value in bound.items():
        kind = inspect.signature(forward).parameters[name].kind
        found.update(value if kind is inspect.Parameter.VAR_KEYWORD else {name: value})
    return found


def by_leaf(named: dict[str, Any], wanted: Any) -> list[Any]:
    """What is said of each leaf of the arguments: None, a dict of dimensions, or a ``Dim`` of a number."""
    leaves, _ = tree_flatten(named)
    if not wanted:
        return [None] * len(leaves)
    if isinstance(wanted, dict):
        if set(wanted) != set(named):
            raise UserError(
                f"When `dynamic_shapes` is specified as a dict, its top-level keys must be the arg names "
                f"{list(named)} of "
                f"`inputs`, but here they are {list(wanted)}. Alternatively, you could also ignore arg names "
                "entirely and "
                "specify `dynamic_shapes` as a list/tuple matching `inputs`.", _CASE,
            )  # fmt: skip
        keys: list[Any] = list(named)
    elif isinstance(wanted, (tuple, list)):
        if len(wanted) != len(named):
            raise _mismatch(f"`inputs` has {len(named)} elements, but `dynamic_shapes` has {len(wanted)} elements")
        wanted, keys = dict(zip(named, wanted)), list(range(len(named)))
    else:
        raise UserError(f"dynamic_shapes must be a dict, a tuple or a list, not {type(wanted)}", _CASE)
    found: list[Any] = []
    for key, (name, value) in zip(keys, named.items()):
        _match(value, wanted[name], f"[{key!r}]", found)
    return found


def _mismatch(what: str) -> UserError:
    return UserError(f"Detected mismatch between the structure of `inputs` and `dynamic_shapes`: {what}", _CASE)


def _match(value: Any, wanted: Any, path: str, found: list[Any]) -> None:
    kind = kind_of(value)
    if kind is None:
        found.append(_of_leaf(value, wanted, path))
        return
    children, _ = kind.flatten(value)
    if wanted is None:
        found.extend([None] * len(tree_flatten(value)[0]))
        return
    if isinstance(value, dict) and isinstance(wanted, dict):
        if set(wanted) != set(value):
            raise _mismatch(
                f"`inputs{path}` has keys {list(value)}, but `dynamic_shapes{path}` has keys {list(wanted)}"
            )
        inner = [wanted[key] for key in value]
    elif type(wanted) is type(value):
        inner = list(wanted)
    else:
        raise _mismatch(f"`inputs{path}` is a {type(value)}, but `dynamic_shapes{path}` is a {type(wanted)}")
    if len(inner) != len(children):
        raise _mismatch(
            f"`inputs{path}` has {len(children)} elements, but `dynamic_shapes{path}` has {len(inner)} elements"
        )
    keys = list(value) if isinstance(value, dict) else range(len(inner))
    for key, child, shape in zip(keys, children, inner):
        _match(child, shape, f"{path}[{key!r}]", found)


def _of_leaf(value: Any, wanted: Any, path: str) -> Any:
    if not isinstance(value, Tensor):
        if wanted is None or isinstance(wanted, (Dim, _DimHint)):
            return wanted
        raise UserError(
            f"Cannot associate shape {wanted} specified at `dynamic_shapes{path}` to non-tensor type {type(value)} at "
            f"`inputs{path}` (expected None)", _CASE,
        )  # fmt: skip
    if wanted is None:
        return None
    if isinstance(wanted, (tuple, list)):
        if len(wanted) != value.ndim:
            raise UserError(
                f"Expected dynamic shape spec {wanted} specified at `dynamic_shapes{path}` to have the same length "
                "as the "
                f"actual tensor shape {value.shape} (expected {value.ndim}, but got {len(wanted)} instead)", _CASE,
            )  # fmt: skip
        sizes = dict(enumerate(wanted))
    elif isinstance(wanted, dict):
        sizes = dict(wanted)
    else:
        raise UserError(
            f"Unexpected input tensor shape {wanted} specified at `dynamic_shapes{path}` (expected either a "
            "list/tuple of "
            f"dimensions, or a dict mapping indices to dimensions, where each dimension is None, an int, a Dim, "
            "Dim.AUTO, "
            "Dim.STATIC, or Dim.DYNAMIC)", _CASE,
        )  # fmt: skip
    for d, dim in sizes.items():
        if not (dim is None or isinstance(dim, (int, Dim, _DimHint))):
            raise UserError(
                f"Unexpected dimension mapped to index {d} in input tensor shape {wanted} specified at "
                f"`dynamic_shapes{path}` (expected None, an int, a Dim, Dim.AUTO, Dim.STATIC, or Dim.DYNAMIC,  but got "
                f"{dim!r} instead)", _CASE,
            )  # fmt: skip
        if not 0 <= d < value.ndim:
            raise IndexError("list assignment index out of range")
    return sizes
