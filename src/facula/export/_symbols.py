"""Sizes that an exported program is general in.

NOTE [export sizes]: while a program is exported, each operator runs with the sizes of the example, and again for other
sizes: ``points``, in which one symbol has another value each. So the sizes of a result are known at all points, and
from that the expression that they are. What Python computes from sizes it computes at all points, too. An operator that
fails at a point tells that the symbol must be equal to another one, or cannot be another number: the export begins
again with that known.
"""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Callable
from typing import Any

from .._compile.capture.symbols import StandIn
from ._errors import data_dependent

Tree = Any
"""An int, a ``Symbol``, or (operator's name, tree, tree)."""

_SIGNS = {"add": "+", "sub": "-", "mul": "*", "floordiv": "//", "mod": "%", "truediv": "/", "pow": "**"}


class Specialized(BaseException):
    """A symbol turned out to be one number."""

    def __init__(self, symbol: Symbol) -> None:
        self.symbol = symbol


class Unified(BaseException):
    """Two symbols turned out to be equal."""

    def __init__(self, kept: Symbol, dropped: Symbol) -> None:
        self.kept, self.dropped = kept, dropped


class Symbol:
    """A size of an input that is another one in other calls."""

    def __init__(self, name: str, hint: int, lower: int, upper: int | None) -> None:
        self.name = name
        self.hint = hint
        self.lower = lower
        self.upper = upper
        self.source = ""
        """Where it comes from: ``L['x'].size()[0]``."""

    def __repr__(self) -> str:
        return self.name

    def samples(self) -> list[int]:
        """Other values that it may have, the one that must work first."""
        h = self.hint
        wanted = (3 * h, h + 1, h + 2, h + 3, 2 * h, h - 1, self.lower, self.upper)
        inside = [n for n in wanted if n is not None and n != h and self.lower <= n <= (self.upper or n) and n > 1]
        return list(dict.fromkeys(inside))[:4]


def symbol_name(source: str, taken: set[str]) -> str:
    """PyTorch's name for the symbol of a size: a number made of where it comes from."""
    number = int(hashlib.sha256(source.encode()).hexdigest(), 16) % 100
    while f"s{number}" in taken:
        number += 1
    return f"s{number}"


class Sizes:
    """All symbols of a program, the points at which it is tried, and what was found out about them."""

    def __init__(self, symbols: list[Symbol]) -> None:
        self.symbols = symbols
        self.points: list[dict[Symbol, int]] = []
        self.required: list[bool] = []
        for symbol in symbols:
            for i, value in enumerate(symbol.samples()):
                self.points.append({symbol: value})
                self.required.append(i == 0)
        self.guards: list[tuple[str, Tree, Tree]] = []
        """Comparisons that must come out as they did."""
        self.ranges: dict[Symbol, list[Any]] = {symbol: [symbol.lower, symbol.upper] for symbol in symbols}
        self.refusals: dict[Symbol, tuple[int, Exception]] = {}
        """Symbols of which some values are not taken: at which point, and why."""
        self.is_active = True
        self.node_of: Callable[[Any], Any] = lambda number: None
        self.computed: Callable[..., Any] = lambda op, args: None

    def values_of(self, symbol: Symbol) -> tuple[int, ...]:
        """What a symbol is: in the example, and at the points."""
        return (symbol.hint, *[point.get(symbol, symbol.hint) for point in self.points])

    def changed_at(self, point: int) -> Symbol:
        return next(iter(self.points[point]))

    def number(self, values: tuple[Any, ...], tree: Tree = None, node: Any = None) -> Any:
        """A number that is known at all points: a plain one, if it is the same everywhere."""
        known = {v for v in values if v is not None}
        if len(known) == 1:
            return known.pop()
        return Number(self, values, self.simplest(values, tree), node)

    def simplest(self, values: tuple[Any, ...], tree: Tree) -> Tree:
        """The expression that has these values."""
        for symbol in self.symbols:
            found = self._of_one(symbol, values)
            if found is not None:
                return found
        for i, a in enumerate(self.symbols):
            for b in self.symbols[i:]:
                parts = self.values_of(a), self.values_of(b)
                rest = {v / (p * q) for v, p, q in zip(values, *parts) if v is not None and p and q}
                if len(rest) == 1 and (factor := rest.pop()) == int(factor):
                    return _times(int(factor), ("mul", a, b))
        return tree if tree is not None else ("unknown", 0, 0)

    def _of_one(self, symbol: Symbol, values: tuple[Any, ...]) -> Tree | None:
        pairs = [(s, v) for s, v in zip(self.values_of(symbol), values) if v is not None]
        (s0, v0), others = pairs[0], [(s, v) for s, v in pairs if s != pairs[0][0]]
        if not others or any(v != v0 for s, v in pairs if s == s0):
            return None
        factor = (others[0][1] - v0) / (others[0][0] - s0)
        offset = v0 - factor * s0
        if factor == int(factor) and offset == int(offset) and all(v == factor * s + offset for s, v in pairs):
            return _plus(_times(int(factor), symbol), int(offset)) if factor else None
        for divisor in range(2, 1 + min(4, len({s for s, _ in others}))):  # so many values tell them apart
            for times in range(1, 9):
                for shift in range(divisor):
                    rest = {v - (times * s + shift) // divisor for s, v in pairs}
                    if len(rest) == 1:
                        return _plus(("floordiv", _plus(_times(times, symbol), shift), divisor), rest.pop())
        return None

    # ---- what Python does with numbers

    def compare(self, name: str, a: Number, b: Any) -> bool:
        op = getattr(operator, name)
        found: bool = op(a.hint, b.hint if type(b) is Number else b)
        if not self.is_active:
            return found
        if type(b) is Number and all(x == y for x, y in zip(a.values, b.values)):
            return found
        other = b.tree if type(b) is Number else b
        if any(isinstance(x, tuple) and "unknown" in text(x) for x in (a.tree, other)):
            self.specialize(a)
        if isinstance(a.tree, Symbol) and isinstance(other, int) and self._decided(name, a.tree, other, found):
            return found
        if (name == "eq") == found and name in ("eq", "ne"):
            if isinstance(a.tree, Symbol) and isinstance(other, Symbol):
                raise Unified(other, a.tree)
            self.specialize(a)
        if (name, a.tree, other) not in self.guards:
            self.guards.append((name if found else _OPPOSITE[name], a.tree, other))
        return found

    def _decided(self, name: str, symbol: Symbol, number: int, found: bool) -> bool:
        """Whether a comparison says no more than a range, which is made narrower if need be."""
        lower, upper = self.ranges[symbol]
        name = name if found else _OPPOSITE[name]
        if name == "ne":
            return number < max(lower, 2) or (upper is not None and number > upper)
        bound = {"gt": number + 1, "ge": number, "lt": number - 1, "le": number}.get(name)
        if bound is None:
            return False
        if name in ("gt", "ge"):
            self.ranges[symbol][0] = bound if bound > max(lower, 2) else lower
        else:
            self.ranges[symbol][1] = bound if upper is None else min(upper, bound)
        return True

    def specialize(self, number: Number) -> None:
        """Someone needs the number itself."""
        for symbol in self.symbols:
            at = [i for i, point in enumerate(self.points, 1) if symbol in point]
            if any(number.values[i] != number.hint for i in at):
                raise Specialized(symbol)
        raise AssertionError("a number that is the same everywhere")


_OPPOSITE = {"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "gt": "le", "le": "gt"}


class Number(StandIn):
    """A number that depends on sizes."""

    __slots__ = ("_node", "sizes", "tree", "values")

    def __init__(self, sizes: Sizes, values: tuple[Any, ...], tree: Tree, node: Any = None) -> None:
        self.sizes = sizes
        self.values = values
        self.tree = tree
        self._node = node

    @property
    def hint(self) -> Any:
        return self.values[0]

    @property
    def node(self) -> Any:
        if self._node is None:
            self._node = self.sizes.node_of(self)
        return self._node

    def plain(self) -> Any:
        if self.sizes.is_active:
            self.sizes.specialize(self)
        return self.hint

    def __hash__(self) -> int:
        return hash(self.values) if not self.sizes.is_active else hash(self.plain())

    def __repr__(self) -> str:
        return text(self.tree)

    def __bool__(self) -> bool:
        return self.sizes.compare("ne", self, 0)

    def __reduce__(self) -> Any:
        return text, (text(self.tree),)


class Unknown(Number):
    """A number read out of a tensor: the program computes it, and nothing may depend on it but operators."""

    __slots__ = ("name", "value")

    def __init__(self, sizes: Sizes, value: Any, name: str, node: Any) -> None:
        super().__init__(sizes, (value,) * (1 + len(sizes.points)), None, node)
        self.name = name
        self.value = value

    def plain(self) -> Any:
        if self.sizes.is_active:
            raise_data_dependent(self.name)
        return self.value

    def __repr__(self) -> str:
        return self.name

    def __bool__(self) -> bool:
        expression = f"Eq({self.name}, 1)" if isinstance(self.value, bool) else f"Ne({self.name}, 0)"
        if self.sizes.is_active:
            raise_data_dependent(expression)
        return bool(self.value)


def raise_data_dependent(expression: str) -> None:
    """Refuse a decision that depends on elements."""
    raise data_dependent(expression)


def _binary(name: str, reflected: bool) -> Callable[[Any, Any], Any]:
    op = getattr(operator, name)

    def method(self: Any, other: Any) -> Any:
        is_number = type(other) in (Number, Unknown)
        if not is_number and type(other) not in (int, float, bool):
            return NotImplemented
        a, b = (other, self) if reflected else (self, other)
        if not self.sizes.is_active:
            return op(*[x.hint if type(x) in (Number, Unknown) else x for x in (a, b)])
        return self.sizes.computed(op, (a, b))

    return method


for _name in _SIGNS:
    setattr(Number, f"__{_name}__", _binary(_name, False))
    setattr(Number, f"__r{_name}__", _binary(_name, True))
setattr(Number, "__neg__", lambda self: self * -1)  # noqa: B010


def _comparison(name: str) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        if type(other) not in (Number, Unknown, int, float, bool):
            return NotImplemented
        for each in (self, other):
            if type(each) is Unknown and each.sizes.is_active:
                raise_data_dependent(f"{_RELATIONS[name]}({self}, {other})")
        if type(self) is Unknown or type(other) is Unknown:
            return getattr(operator, name)(self.hint, getattr(other, "hint", other))
        return self.sizes.compare(name, self, other)

    return method


_RELATIONS = {"eq": "Eq", "ne": "Ne", "lt": "Lt", "le": "Le", "gt": "Gt", "ge": "Ge"}
for _name in _RELATIONS:
    setattr(Number, f"__{_name}__", _comparison(_name))


# ---- expressions


def _times(factor: int, tree: Tree) -> Tree:
    return tree if factor == 1 else ("mul", factor, tree)


def _plus(tree: Tree, number: int) -> Tree:
    return tree if number == 0 else ("add", tree, number) if number > 0 else ("sub", tree, -number)


def text(tree: Tree, named: Callable[[Symbol], str] = repr) -> str:
    """An expression, as PyTorch prints it."""
    if not isinstance(tree, tuple):
        return named(tree) if isinstance(tree, Symbol) else str(tree)
    op, a, b = tree
    if op == "unknown":
        return "unknown"
    left, right = (text(x, named) for x in (a, b))
    if isinstance(a, tuple) and (op in ("floordiv", "mod") or (op == "mul" and a[0] != "mul")):
        left = f"({left})" if a[0] != "floordiv" else left
    if op == "floordiv":
        return f"({left}//{right})"
    return f"{left}*{right}" if op == "mul" else f"{left} {_SIGNS[op]} {right}"


def evaluate(tree: Tree, value_of: Callable[[Symbol], int]) -> Any:
    """What an expression comes to."""
    if not isinstance(tree, tuple):
        return value_of(tree) if isinstance(tree, Symbol) else tree
    return getattr(operator, tree[0])(evaluate(tree[1], value_of), evaluate(tree[2], value_of))
