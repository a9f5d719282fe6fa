"""Distribution: shapes, validation, and what every distribution answers.

A distribution's ``arg_constraints`` say all that is to know of its parameters: their names, what they must fulfil, and
how many dimensions one value of them has. Broadcasting, checking, printing and expanding follow from that.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

import facula

from .._core.size import Size
from . import constraints
from ._formulas import _MadeOfFormulas
from .utils import broadcast_all, broadcastable, lazy_property

__all__ = ["Distribution"]

_NO_DIMENSIONS = Size()


class Distribution(_MadeOfFormulas):
    """A batch of distributions: ``batch_shape`` independent ones, each of values of shape ``event_shape``."""

    has_rsample: Any = False
    has_enumerate_support: Any = False
    _validate_args = __debug__

    _declared: ClassVar[Any] = None
    _dims: ClassVar[dict[str, int]] = {}
    _parts: ClassVar[tuple[str, ...]] = ()
    _kept: ClassVar[tuple[str, ...]] = ()

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Whether arguments are checked, if a distribution is not told by ``validate_args``."""
        if value not in (True, False):
            raise ValueError
        Distribution._validate_args = value

    def __init__(
        self, batch_shape: Any = _NO_DIMENSIONS, event_shape: Any = _NO_DIMENSIONS, validate_args: bool | None = None
    ) -> None:
        self._batch_shape, self._event_shape = batch_shape, event_shape
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._check_parameters()
        super().__init__()

    # ---- parameters

    def _hold(self, validate_args: bool | None, event_shape: Any = _NO_DIMENSIONS, **given: Any) -> None:
        """Be a batch of distributions with these parameters, broadcast to each other."""
        dims = {name: self._dims.get(name, 0) for name in given}
        if not any(dims.values()):
            held = dict(zip(given, broadcast_all(*given.values())))
            batch_shape = held[next(iter(held))].shape
        else:
            cuts = {name: value.dim() - dims[name] for name, value in given.items()}
            batches = [value.shape[: cuts[name]] for name, value in given.items()]
            batch_shape = facula.broadcast_shapes(*batches) if len(batches) > 1 else batches[0]
            shapes = {name: batch_shape + value.shape[cuts[name] :] for name, value in given.items()}
            held = {n: v if v.shape == shapes[n] else v.expand(shapes[n]) for n, v in given.items()}
        vars(self).update(held)
        Distribution.__init__(self, batch_shape, event_shape, validate_args)

    def _check_parameters(self) -> None:
        try:
            arg_constraints = self.arg_constraints
        except NotImplementedError:
            arg_constraints = {}
            warnings.warn(
                f"{self.__class__} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or "
                "initialize the distribution with `validate_args=False` to turn off validation.",
                stacklevel=3,
            )
        for name, constraint in arg_constraints.items():
            follows_from_others = name not in vars(self) and isinstance(getattr(type(self), name), lazy_property)
            if follows_from_others or constraints.is_dependent(constraint):
                continue
            value = getattr(self, name)
            if not constraint.check(value)._is_all_true():
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of "
                    f"distribution {self!r} to satisfy the constraint {constraint!r}, "
                    f"but found invalid values:\n{value}"
                )

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """The same distribution for a larger batch: with its parameters and parts expanded."""
        if self._declared is None:
            raise NotImplementedError
        new = self._get_checked_instance(self._declared, _instance)
        batch_shape = Size(batch_shape)
        held, expanded = vars(self), vars(new)
        for name, dims in {**self._dims, **_dims_of(self.arg_constraints)}.items():
            if name in held:
                cut = held[name].dim() - dims
                expanded[name] = held[name].expand(batch_shape + held[name].shape[cut:])
        for name in self._parts:
            beyond = held[name].batch_shape[len(self._batch_shape) :]
            expanded[name] = held[name].expand(batch_shape + beyond)
        for name in self._kept:
            expanded[name] = held[name]
        Distribution.__init__(new, batch_shape, self._event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def _get_checked_instance(self, cls: type, _instance: Any = None) -> Any:
        """The object that ``expand`` fills; a class with a constructor of its own must expand itself."""
        if _instance is not None:
            return _instance
        if type(self).__init__ != cls.__init__:  # type: ignore[misc]
            raise NotImplementedError(
                f"Subclass {self.__class__.__name__} of {cls.__name__} that defines a custom __init__ method must also "
                "define a custom .expand() method."
            )
        return self.__new__(type(self))

    def __repr__(self) -> str:
        held = {name: vars(self)[name] for name in self.arg_constraints if name in vars(self)}
        shown = (f"{name}: {value if value.numel() == 1 else value.size()}" for name, value in held.items())
        return f"{self.__class__.__name__}({', '.join(shown)})"

    # ---- shapes and values

    @property
    def batch_shape(self) -> Size:
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        return self._event_shape

    def _extended_shape(self, sample_shape: Any = ()) -> Size:
        """The shape of a sample."""
        return Size(sample_shape) + self._batch_shape + self._event_shape

    def _everywhere(self, number: float, like: Any) -> Any:
        """A number for each element of a sample."""
        return facula.full(self._extended_shape(), number, dtype=like.dtype, device=like.device)

    def _validate_sample(self, value: Any) -> None:
        """Raise an error if a value has no probability for its type, shape or place."""
        if not isinstance(value, facula.Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        size, event, expected = value.shape, self._event_shape, self._batch_shape + self._event_shape
        if size[len(size) - len(event) :] != event:
            raise ValueError(f"The right-most size of value must match event_shape: {size} vs {event}.")
        if not broadcastable(size, expected):
            raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {size} vs {expected}.")
        try:
            support = self.support
        except NotImplementedError:
            warnings.warn(
                f"{self.__class__} does not define `support` to enable sample validation. Please initialize the "
                "distribution with `validate_args=False` to turn off validation.",
                stacklevel=2,
            )
        else:
            self._demand_support(value, support)

    def _demand_support(self, value: Any, support: Any) -> None:
        if not support.check(value)._is_all_true():
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the "
                f"support ({support!r}) of the distribution {self!r}, but found invalid values:\n{value}"
            )

    # ---- what a distribution tells

    @property
    def arg_constraints(self) -> dict[str, constraints.Constraint]:
        """What each parameter must fulfil."""
        raise NotImplementedError

    @property
    def support(self) -> Any:
        """The set of all values."""
        raise NotImplementedError

    @property
    def mean(self) -> Any:
        raise NotImplementedError

    @property
    def mode(self) -> Any:
        raise NotImplementedError(f"{self.__class__} does not implement mode")

    @property
    def variance(self) -> Any:
        raise NotImplementedError

    @property
    def stddev(self) -> Any:
        return self.variance.sqrt()

    def sample(self, sample_shape: Any = ()) -> Any:
        """Values drawn without a gradient."""
        with facula.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Values drawn as functions of the parameters, for gradients through them."""
        raise NotImplementedError

    def sample_n(self, n: int) -> Any:
        """``sample((n,))``."""
        warnings.warn("`sample_n(n)` will be deprecated. Use `sample((n,))` instead.", FutureWarning, stacklevel=2)
        return self.sample(Size((n,)))

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density or probability at a value."""
        raise NotImplementedError

    def cdf(self, value: Any) -> Any:
        """The probability of values up to this one."""
        raise NotImplementedError

    def icdf(self, value: Any) -> Any:
        """The value up to which there is this probability."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Any:
        """All values of a discrete distribution, along a new first dimension."""
        raise NotImplementedError

    def entropy(self) -> Any:
        raise NotImplementedError

    def perplexity(self) -> Any:
        return facula.exp(self.entropy())


def _dims_of(declared: dict[str, constraints.Constraint]) -> dict[str, int]:
    """How many dimensions one value has, of each parameter."""
    return {name: found.event_dim for name, found in declared.items() if not constraints.is_dependent(found)}


Kind = TypeVar("Kind", bound=type[Any])


def distribution(module: str, parts: str | None = None, kept: str | None = None) -> Callable[[Kind], Kind]:
    """A class of this package that knows how to expand, and the module in which it is found.

    ``parts`` are the distributions it is made of, ``kept`` what else an expanded one has from it.
    """

    def declare(kind: Kind) -> Kind:
        kind.__module__ = f"{__package__}.{module}"
        kind._declared = kind
        if isinstance(kind.arg_constraints, dict):
            kind._dims = {**kind._dims, **_dims_of(kind.arg_constraints)}
        if parts is not None:
            kind._parts = tuple(parts.split())
        if kept is not None:
            kind._kept = tuple(kept.split())
        return kind

    return declare
