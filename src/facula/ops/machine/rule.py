"""Derivative rules: functions whose parameter names say what a node saves, or gradient operators."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .namespaces import TENSORS, Namespace

if TYPE_CHECKING:
    from .primitive import Primitive


def parameter_names(fn: Any) -> list[str]:
    """The names of a function's parameters, ``*rest`` included. ``inspect.signature`` takes 30 times as long."""
    code = unwrapped(fn).__code__
    n = code.co_argcount
    starred = code.co_varnames[n + code.co_kwonlyargcount :][: code.co_flags >> 2 & 1]
    return [*code.co_varnames[:n], *starred]


def unwrapped(fn: Any) -> Any:
    """The function whose parameters another one passes on."""
    while (inner := getattr(fn, "__wrapped__", None)) is not None:
        fn = inner
    return fn


class Rule:
    """A derivative rule and, for each of its parameters after ``g``, where to find it among the saved values."""

    __slots__ = ("fn", "sources", "takes")

    def __init__(self, fn: Callable[..., Any], sources: list[str]) -> None:
        self.fn = fn
        self.sources = sources
        self.takes: tuple[int, ...] = ()

    def on(self, xp: Namespace) -> Callable[..., Any]:
        """What to call with values of a namespace."""
        return self.fn

    def again(self) -> Rule:
        """The same for another primitive."""
        return Rule(self.fn, self.sources)


def rule_of(fn: Callable[..., Any]) -> Rule:
    names = parameter_names(fn)
    if not names or names[0] != "g":
        raise TypeError(f"the first parameter of a rule is g, not {names[:1]}")
    return Rule(fn, names[1:])


class Gradient(Rule):
    """A rule that is one call of another primitive: of its kernel on arrays, of itself, recorded, on Tensors.

    **Its parameter names say what a node saves**, as those of other rules do, save for the first, which is ``g``;
    ``renamed`` tells what others are here (``mean="out1"``). See ``Primitive.gradient`` for several inputs at once.
    """

    __slots__ = ("arguments", "op")

    def __init__(self, op: Primitive, **renamed: str) -> None:
        self.op = op
        names = [*op.tensor_names, *op.attribute_names]
        self.arguments = [renamed.get(names[0], "g"), *[renamed.get(name, name) for name in names[1:]]]
        """For each parameter: ``g`` (``g0``, ``g1``, … of several outputs), something saved, or ``needs``."""
        super().__init__(op, [a for a in self.arguments if a != "needs" and not re.fullmatch(r"g\d*", a)])

    def again(self) -> Gradient:
        other = Gradient(self.op)
        other.arguments, other.sources = self.arguments, self.sources
        return other

    def on(self, xp: Namespace) -> Callable[..., Any]:
        found: Callable[..., Any] = getattr(xp, self.op.name)
        return found

    def of_tensors(self, g: Any, needs: tuple[bool, ...], saved: Callable[[str], Any]) -> list[Any]:
        """The gradients of all inputs, as Tensors; ``saved`` finds a saved value by its name."""
        known = {"g": g, "needs": needs}
        if isinstance(g, list):
            known |= {f"g{i}": each for i, each in enumerate(g)}
        found = self.on(TENSORS)(*[known[a] if a in known else saved(a) for a in self.arguments])
        return [x if need else None for x, need in zip([found] if self.op.outputs == 1 else found, needs)]
