"""Loops over a single element: no arrays, but NumPy's scalars, in expressions as one would write them.

An operation on scalars takes a fifth of the time of a ufunc on arrays without dimensions, and rounds in the same way:
each result has its dtype.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core.dtypes import cast as cast_array
from ...ops.pointwise.special import erf_op
from ..programs.scalars import BOOL, SPELLINGS, Statement
from ..programs.steps import Buffer, Check, Loop, Plan, Value, is_dense

WIDTH = 90
"""Characters from which on an expression gets a name."""

_ATOM, _UNARY, _PRODUCT, _SUM, _OTHER = 9, 7, 6, 5, 1
_INFIX = {
    "add": ("+", _SUM), "sub": ("-", _SUM), "mul": ("*", _PRODUCT), "div": ("/", _PRODUCT), "pow": ("**", _OTHER),
    "lt": ("<", _OTHER), "le": ("<=", _OTHER), "gt": (">", _OTHER), "ge": (">=", _OTHER), "eq": ("==", _OTHER),
    "ne": ("!=", _OTHER), "and": ("&", _OTHER), "or": ("|", _OTHER), "xor": ("^", _OTHER), "bit_and": ("&", _OTHER),
    "bit_or": ("|", _OTHER), "bit_xor": ("^", _OTHER),
}  # fmt: skip

Text = tuple[str, int]
"""An expression, and how strongly it holds together."""


class Numbers:
    """What is known of single elements while a program is written."""

    def __init__(
        self, plan: Plan, names: dict[str, Any], named: Callable[[Buffer, str], str], array: Callable[[Value], str],
        variables: dict[Buffer, str],
    ) -> None:  # fmt: skip
        self.names, self.named, self.array, self.variables = names, named, array, variables
        self.known: dict[tuple[Buffer, int], str] = {}
        """Scalars by the place of memory that has, or would have, the same number."""
        self.constants: dict[tuple[str, np.dtype[Any]], str] = {}
        self.count = 0
        others = [s for s in plan.steps if not (isinstance(s, Loop) and s.size == 1) and not isinstance(s, Check)]
        self.in_memory = {v.buffer for s in others for v in s.reads()}
        """Buffers that others than single elements read."""
        self.changed = {v.buffer for s in plan.steps for v in s.writes()}

    def lines(self, loop: Loop) -> list[str]:
        stores = Counter([at for at, _ in loop.stores])
        uses = stores.copy()
        for k in range(len(loop.statements) - 1, -1, -1):
            if uses[k]:
                uses.update(loop.statements[k].args)
        lines: list[str] = []
        said: dict[int, Text] = {}
        stored = {at: self._name_of(value.buffer) for at, value in loop.stores if not self._is_kept(value)}
        for k, s in enumerate(loop.statements):
            if not uses[k]:
                continue
            if s.op == "cast" and s.dtype.kind == "f" and k not in stored and uses[k] == stores[k]:
                said[k] = said[s.args[0]]  # memory has a dtype
                continue
            if s.op == "load":
                said[k] = self._loaded(loop.loads[s.what], lines), _ATOM
                continue
            if s.op == "const":
                said[k] = self._number(s.what, s.dtype), _ATOM
                continue
            text, level = self._written(s, [said[a] for a in s.args], loop.statements)
            if k in stored or uses[k] > 1 or len(text) > WIDTH:
                name = stored.get(k) or self._new()
                lines.append(f"{name} = {text}")
                text, level = name, _ATOM
            said[k] = text, level
        for at, value in loop.stores:
            if not self._is_kept(value):
                self.known[value.buffer, value.offset] = said[at][0]
                continue
            lines.append(f"{self.place(value)} = {said[at][0]}")
        return lines

    def _is_kept(self, value: Value) -> bool:
        """Whether a result must be in memory."""
        return value.buffer.kind != "arena" or value.buffer.size != 1 or value.buffer in self.in_memory

    def _new(self) -> str:
        self.count += 1
        return f"s{self.count}"

    def _name_of(self, buffer: Buffer) -> str:
        return self.named(buffer, f"s{self.count}_")

    def _number(self, value: Any, dtype: np.dtype[Any]) -> str:
        key = (repr(value), dtype)
        if key not in self.constants:
            self.constants[key] = f"n{len(self.constants)}"
            self.names[self.constants[key]] = dtype.type(value)
        return self.constants[key]

    def place(self, value: Value) -> str:
        """An element of an array, to read or to write."""
        own = value.buffer.content if value.buffer.kind in ("input", "output", "result") else None
        if own is not None and is_dense(*own) and value.offset < math.prod(own[0]):
            at = [int(i) for i in np.unravel_index(value.offset, own[0])] if own[0] else []
            return f"{self.variables[value.buffer]}[{', '.join(map(str, at)) or '()'}]"
        return f"{self.array(Value(value.buffer, value.offset, (), ()))}[()]"

    def _loaded(self, value: Value, lines: list[str]) -> str:
        buffer, key = value.buffer, (value.buffer, value.offset)
        if key not in self.known:
            if buffer.kind == "constant":
                return self._number(buffer.content.reshape(-1)[value.offset].item(), value.dtype)
            name = self._new()
            lines.append(f"{name} = {self.place(value)}")
            if buffer.kind == "input" and buffer in self.changed:
                return name  # is read again the next time
            self.known[key] = name
        return self.known[key]

    def _written(self, s: Statement, args: list[Text], statements: list[Statement]) -> Text:
        texts = [text for text, _ in args]
        kind = statements[s.args[0]].dtype.kind
        if s.op in _INFIX and not (s.op in ("and", "or", "xor") and kind != "b"):
            sign, level = _INFIX[s.op]
            (left, a), (right, b) = args
            left = left if a >= (level if level != _OTHER else _ATOM) else f"({left})"
            right = right if b > level and (level != _OTHER or b == _ATOM) else f"({right})"
            return f"{left} {sign} {right}", level
        match s.op:
            case "neg":
                return f"-{texts[0]}" if args[0][1] >= _UNARY else f"-({texts[0]})", _UNARY
            case "abs":
                return f"abs({texts[0]})", _ATOM
            case "where":
                return f"({texts[1]} if {texts[0]} else {texts[2]})", _ATOM
            case "maximum" | "minimum":
                name = "larger" if s.op == "maximum" else "smaller"
                self.names[name] = _larger if s.op == "maximum" else _smaller
                return f"{name}({texts[0]}, {texts[1]})", _ATOM
            case "reciprocal":
                divisor = texts[0] if args[0][1] == _ATOM else f"({texts[0]})"
                return f"{self._number(1, s.dtype)} / {divisor}", _PRODUCT
            case "sigmoid":
                one = self._number(1, s.dtype)
                self.names["exp"] = np.exp
                return f"{one} / ({one} + exp(-({texts[0]})))", _PRODUCT
            case "erf":
                self.names["erf_of"] = _erf
                return f"erf_of({texts[0]})", _ATOM
            case "cast":
                return self._cast(texts[0], s.dtype), _ATOM
            case "floor" | "ceil" | "trunc" | "rint" if kind != "f":
                return args[0]
        function = SPELLINGS[s.op].numpy
        self.names.setdefault(function, getattr(np, function))
        return f"{function}({', '.join(texts)})", _ATOM

    def _cast(self, text: str, dtype: np.dtype[Any]) -> str:
        if dtype == BOOL:
            return f"({text} != 0)" if text.isidentifier() else f"(({text}) != 0)"
        if dtype.kind != "f":
            self.names[f"d_{dtype}"], self.names["whole"] = dtype, _whole
            return f"whole({text}, d_{dtype})"
        self.names[f"as_{dtype}"] = dtype.type
        return f"as_{dtype}({text})"


# ---- what programs call


def _larger(a: Any, b: Any) -> Any:
    return a if a > b or a != a else b


def _smaller(a: Any, b: Any) -> Any:
    return a if a < b or a != a else b


def _erf(x: Any) -> Any:
    return erf_op.kernel(np.asarray(x))[()]


def _whole(x: Any, dtype: np.dtype[Any]) -> Any:
    """A number as a whole one of few bits, as casts of arrays do it."""
    return cast_array(np.asarray(x), dtype)[()]


