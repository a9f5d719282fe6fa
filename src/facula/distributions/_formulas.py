"""Formulas: methods and properties that find what they need by the names of their parameters.

``mean = quantity(lambda low, high: (low + high) / 2)`` is a property of the object's ``low`` and ``high``. So a
distribution, a transform or a constraint is a table of what is known of it, each line a formula.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import facula

from .._core.own_methods import named_as_in
from .utils import lazy_property

Formula = Callable[..., Any]


class _MadeOfFormulas:
    """The base of classes whose methods are formulas."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        named_as_in(cls, {name: f for name, f in vars(cls).items() if getattr(f, "__module__", "") == __name__})


def formula(of: Formula, arguments: int = 1) -> Any:
    """A method: the formula's first ``arguments`` parameters are its arguments, the others attributes of the object."""
    code = of.__code__
    wanted = code.co_varnames[arguments : code.co_argcount]

    def method(self: Any, *given: Any, **named: Any) -> Any:
        if named:
            return of(*given, **named, **{name: getattr(self, name) for name in wanted})
        return of(*given, *[getattr(self, name) for name in wanted])

    return method


def answer(of: Formula) -> Any:
    """A method without arguments."""
    return formula(of, 0)


def quantity(of: Formula) -> Any:
    """A property."""
    return property(formula(of, 0))


def cached(of: Formula) -> Any:
    """A property that is computed once."""
    return lazy_property(formula(of, 0))


def same_as(part: str, *names: str) -> Any:
    """Properties (one, or a tuple of them) that are those of a part of the object."""
    return _for_each(names, lambda name: property(lambda self: getattr(getattr(self, part), name)))


def done_by(part: str, *names: str) -> Any:
    """Methods (one, or a tuple of them) that are those of a part of the object."""

    def passed_on(name: str) -> Any:
        def method(self: Any, *given: Any, **named: Any) -> Any:
            return getattr(getattr(self, part), name)(*given, **named)

        return method

    return _for_each(names, passed_on)


def _for_each(names: tuple[str, ...], make: Callable[[str], Any]) -> Any:
    return make(names[0]) if len(names) == 1 else tuple(map(make, names))


def at_value(of: Formula) -> Any:
    """A method of a value, which is checked first if the distribution checks its arguments."""
    evaluate = formula(of)

    def at_checked_value(self: Any, value: Any) -> Any:
        if self._validate_args:
            self._validate_sample(value)
        return evaluate(self, value)

    return at_checked_value


def drawn(of: Formula) -> Any:
    """A method that draws samples; the formula's first parameter is the shape of all of them."""
    draw = formula(of)

    def rsample(self: Any, sample_shape: Any = ()) -> Any:
        return draw(self, self._extended_shape(sample_shape))

    return rsample


def drawn_without_gradient(of: Formula) -> Any:
    """The same for samples that are no differentiable functions of the parameters."""
    draw = drawn(of)

    def sample(self: Any, sample_shape: Any = ()) -> Any:
        with facula.no_grad():
            return draw(self, sample_shape)

    return sample


def listed(of: Formula) -> Any:
    """``enumerate_support``: the formula's values, along a first dimension that comes before those of the batch."""
    values_of = formula(of, 0)

    def enumerate_support(self: Any, expand: bool = True) -> Any:
        values = values_of(self)
        event = values.shape[1:]
        values = values.reshape((-1, *(1 for _ in self._batch_shape), *event))
        return values.expand((-1, *self._batch_shape, *event)) if expand else values

    return enumerate_support
