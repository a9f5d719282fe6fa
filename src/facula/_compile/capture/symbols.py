"""Numbers that a program computes: the sizes it is general in, and what Python makes of them.

NOTE [sizes]: a symbol is an integer (or a float) of this call that is known to be another one in other calls. Shapes of
arrays that depend on such sizes are made of symbols, and so is what Python computes from them; what operators are given
of them are nodes of the program. Python may compare symbols: how that came out becomes a check of the program, as with
elements. Whoever wants a symbol as a plain number gets it, and the program is for this number only from then on. So
nothing that depends on a size can be in a program without being computed or checked in each call.

To Python's ``isinstance`` a symbol is an ``int``. It is none inside: functions in C must ask for ``__index__``.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...fx.node import Node, map_aggregate


class StandIn:
    """A number that is watched. To ``isinstance`` it is what its ``hint`` is; who needs it itself asks ``plain()``."""

    __slots__ = ()

    @property
    def __class__(self: Any) -> Any:
        return type(self.hint)

    @__class__.setter
    def __class__(self, value: Any) -> None:
        raise TypeError("the class of a number cannot be set")

    def __index__(self: Any) -> int:
        return operator.index(self.plain())

    def __int__(self: Any) -> int:
        return int(self.plain())

    def __float__(self: Any) -> float:
        return float(self.plain())


class Symbol(StandIn):
    """A number with the node that computes it."""

    __slots__ = ("_made", "_node", "capture", "hint")

    def __init__(self, capture: Any, hint: Any, node: Node | None, made: Callable[[], Node] | None = None) -> None:
        self.capture = capture
        self.hint = hint
        """What it is in the call that is captured."""
        self._node = node
        self._made = made

    @property
    def node(self) -> Node:
        if self._node is None:
            assert self._made is not None
            self._node = self._made()
        return self._node

    def plain(self) -> Any:
        """The number itself, which the program is for from now on."""
        if self.capture.is_active:
            self.capture.settle(self)
        return self.hint

    def __complex__(self) -> complex:
        return complex(self.plain())

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.asarray(self.plain(), dtype)

    def __hash__(self) -> int:
        return hash(self.plain())

    def __repr__(self) -> str:
        return repr(self.plain())

    def __format__(self, spec: str) -> str:
        return format(self.plain(), spec)

    def __reduce__(self) -> Any:
        return type(self.hint), (self.plain(),)

    def __bool__(self) -> bool:
        return self != 0

    def __round__(self, digits: int | None = None) -> Any:
        is_whole = type(self.hint) is int and (digits is None or digits >= 0)
        return self if is_whole else round(self.plain(), digits)

    def __trunc__(self) -> Any:
        return self if type(self.hint) is int else math.trunc(self.plain())

    def __floor__(self) -> Any:
        return self if type(self.hint) is int else math.floor(self.plain())

    def __ceil__(self) -> Any:
        return self if type(self.hint) is int else math.ceil(self.plain())

    def __pos__(self) -> Any:
        return self

    def __getattr__(self, name: str) -> Any:
        return getattr(self.plain(), name)


def _binary(op: Callable[[Any, Any], Any], reflected: bool, neutral: Any = None) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        is_symbol = type(other) is Symbol
        if not is_symbol and type(other) not in (int, float, bool):
            return NotImplemented
        given = other.hint if is_symbol else other
        hint = op(given, self.hint) if reflected else op(self.hint, given)
        if not self.capture.is_active:
            return hint
        if type(other) is int and other == neutral and type(self.hint) is int:
            return self
        return self.capture.number_made(op, (other, self) if reflected else (self, other), hint)

    return method


for _name, _op, _neutral in (
    ("add", operator.add, 0), ("sub", operator.sub, 0), ("mul", operator.mul, 1),
    ("floordiv", operator.floordiv, 1), ("truediv", operator.truediv, None), ("mod", operator.mod, None),
    ("pow", operator.pow, 1), ("and", operator.and_, None), ("or", operator.or_, None),
    ("xor", operator.xor, None), ("lshift", operator.lshift, 0), ("rshift", operator.rshift, 0),
):  # fmt: skip
    setattr(Symbol, f"__{_name}__", _binary(_op, False, _neutral))
    setattr(Symbol, f"__r{_name}__", _binary(_op, True, _neutral if _name in ("add", "mul") else None))


def _divmod(self: Any, other: Any) -> Any:
    return self // other, self % other


def _unary(op: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def method(self: Any) -> Any:
        hint = op(self.hint)
        return self.capture.number_made(op, (self,), hint) if self.capture.is_active else hint

    return method


setattr(Symbol, "__divmod__", _divmod)  # noqa: B010
for _name, _unary_op in (("neg", operator.neg), ("abs", operator.abs), ("invert", operator.invert)):
    setattr(Symbol, f"__{_name}__", _unary(_unary_op))


def _comparison(op: Callable[[Any, Any], bool]) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        is_symbol = type(other) is Symbol
        if not is_symbol and type(other) not in (int, float, bool):
            return NotImplemented
        found = op(self.hint, other.hint if is_symbol else other)
        if self.capture.is_active and self is not other:
            self.capture.compare(op, self, other, found)
        return found

    return method


for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(Symbol, f"__{_name}__", _comparison(getattr(operator, _name)))


# ---- symbols in other things


def has_symbols(thing: Any) -> bool:
    """Whether there are symbols in a nest of tuples, lists, dicts and slices."""
    if type(thing) is Symbol:
        return True
    if isinstance(thing, (tuple, list)):
        return any(map(has_symbols, thing))
    if type(thing) is slice:
        return has_symbols((thing.start, thing.stop, thing.step))
    return isinstance(thing, dict) and any(map(has_symbols, thing.values()))


def as_nodes(thing: Any) -> Any:
    """The same with the nodes of symbols in it."""
    return map_aggregate(thing, lambda each: each.node if type(each) is Symbol else each)


def as_hints(thing: Any) -> Any:
    """The same with plain numbers in it, for the captured call itself."""
    return map_aggregate(thing, lambda each: each.hint if type(each) is Symbol else each)
