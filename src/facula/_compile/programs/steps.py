"""What a program is made of once it is decided what is computed where: arrays, and steps that read and write them.

- ``Buffer``: memory; an input's, an output's, a piece of the arena, a constant, or what a call of NumPy gave.
- ``Value``: an array in a buffer, by offset, shape and strides in elements. Views are values of the same buffer.
- ``Loop``: statements for each element of a space, then stores and reductions.
- ``Product``, ``LibraryCall``: kernels of the native library. ``Written``: a function of C that an operator's family
  writes. ``PythonCall``: whatever has no other form.
- ``Check``: ends the program if a number is not what it was. ``Copy``: into the memory of an input, at the very end.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..._core.numbers import number_array
from ..passes.algebra import simplified
from .scalars import Statement, Tree

Shape = tuple[int, ...]


@dataclass(eq=False)
class Buffer:
    kind: str
    """input, output, arena, constant, or result (of a call of Python)."""
    dtype: np.dtype[Any]
    size: int
    """In elements."""
    index: int = -1
    """Which input or output it is; the place in the arena, in bytes."""
    name: str = ""
    source: Any = None
    content: Any = None
    """Of a constant: its array."""
    within: tuple[Buffer, ...] = ()
    """Of what a call of Python gave: the buffers that it may be a view of."""

    def touches(self, other: Buffer) -> bool:
        """Whether it may be the same memory as another one."""
        return self is other or other in self.within


@dataclass(frozen=True, eq=False)
class Value:
    buffer: Buffer
    offset: int
    shape: Shape
    strides: Shape

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.buffer.dtype

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def is_dense(self) -> bool:
        return self.strides == dense(self.shape) or is_dense(self.shape, self.strides)

    def broadcast(self, shape: Shape) -> Value:
        if self.shape == shape:
            return self
        lead = len(shape) - len(self.shape)
        strides = (0,) * lead + tuple(
            [0 if have == 1 and want != 1 else s for have, want, s in zip(self.shape, shape[lead:], self.strides)]
        )
        return Value(self.buffer, self.offset, shape, strides)

    def key(self) -> tuple[Any, ...]:
        return id(self.buffer), self.offset, self.shape, self.strides


def dense(shape: Shape) -> Shape:
    """The strides of rows one after the other."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


def is_dense(shape: Shape, strides: Shape) -> bool:
    step = 1
    for size, stride in zip(reversed(shape), reversed(strides)):
        if size != 1 and stride != step:
            return False
        step *= size
    return True


def memory_order(shape: Shape, strides: Shape) -> Shape | None:
    """The dimensions in which an array is dense, the longest steps first; None if there is no such order."""
    if is_dense(shape, strides):
        return tuple(range(len(shape)))
    order = tuple(sorted(range(len(shape)), key=lambda d: -strides[d]))
    lies = is_dense(tuple([shape[d] for d in order]), tuple([strides[d] for d in order]))
    return order if lies else None


def span(shape: Shape, strides: Shape) -> int:
    """How many elements lie between the first and the last, both included; for strides of 0 and more."""
    return 0 if 0 in shape else 1 + sum([(n - 1) * s for n, s in zip(shape, strides)])


@dataclass(eq=False)
class Reduction:
    kind: str
    """sum, prod, amax, amin, any, all."""
    statement: int
    shape: Shape
    dims: tuple[int, ...]
    """The dimensions of the shape that vanish."""
    out: Value
    """Of the shape with ones in their place."""


@dataclass(eq=False)
class Loop:
    """Statements over all elements of a space, in C order; shapes of that many elements are ways to count them."""

    size: int
    statements: list[Statement] = field(default_factory=list)
    loads: list[Value] = field(default_factory=list)
    stores: list[tuple[int, Value]] = field(default_factory=list)
    reductions: list[Reduction] = field(default_factory=list)
    sources: list[Any] = field(default_factory=list)
    """(file, line) of what was written by the user."""
    _known: dict[Any, int] = field(default_factory=dict)

    def add(self, op: str, args: tuple[int, ...], dtype: np.dtype[Any], what: Any = None) -> int:
        """The place of a statement that is there already, or is simpler, or is added now."""
        simple = simplified(self.statements, op, args, dtype, what)
        if isinstance(simple, int):
            return simple
        if simple is not None:
            op, args, dtype, what = simple
        key = (op, args, dtype, repr(what) if op == "const" else what)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = len(self.statements)
            self.statements.append(Statement(op, args, dtype, what))
        return found

    def load(self, value: Value) -> int:
        key = value.key()
        for i, other in enumerate(self.loads):
            if other.key() == key:
                return self.add("load", (), value.dtype, i)
        self.loads.append(value)
        return self.add("load", (), value.dtype, len(self.loads) - 1)

    def cast(self, at: int, dtype: np.dtype[Any]) -> int:
        return at if self.statements[at].dtype == dtype else self.add("cast", (at,), dtype)

    def number(self, value: Any, dtype: np.dtype[Any]) -> int:
        return self.add("const", (), dtype, number_array(value, dtype).item() if dtype.kind != "b" else bool(value))

    def expression(self, tree: Tree, names: dict[str, int], dtype: np.dtype[Any]) -> int:
        """An expression whose names are statements, computed in a dtype (but for conditions, which are bool)."""
        from .scalars import BOOL, SPELLINGS  # kept out of the hot namespace

        if tree[0] == "name":
            return names[tree[1]]
        if tree[0] == "number":
            return self.number(tree[1], dtype)
        operands = [self.expression(operand, names, dtype) for operand in tree[1:]]
        op = tree[0]
        if op == "where":
            operands = [self.cast(operands[0], BOOL), *operands[1:]]
        elif op in ("and", "or", "xor", "not"):
            operands = [self.cast(operand, BOOL) for operand in operands]
        elif any(self.statements[operand].dtype != self.statements[operands[0]].dtype for operand in operands):
            operands = [self.cast(operand, dtype) for operand in operands]
        result = BOOL if SPELLINGS[op].answers else self.statements[operands[-1]].dtype
        return self.add(op, tuple(operands), result)

    def merge(self, other: Loop) -> list[int]:
        """All of another loop over the same elements; where its statements are now."""
        places: list[int] = []
        for s in other.statements:
            if s.op == "load":
                places.append(self.load(other.loads[s.what]))
            else:
                places.append(self.add(s.op, tuple([places[a] for a in s.args]), s.dtype, s.what))
        self.stores += [(places[at], value) for at, value in other.stores]
        for r in other.reductions:
            r.statement = places[r.statement]
        self.reductions += other.reductions
        self.sources += other.sources
        return places

    def reads(self) -> Iterator[Value]:
        yield from self.loads

    def writes(self) -> Iterator[Value]:
        yield from [value for _, value in self.stores]
        yield from [r.out for r in self.reductions]


@dataclass(eq=False)
class Product:
    """out = a @ b (+ bias for each column); matrices, or batches of them with the same or one item."""

    a: Value
    b: Value
    bias: Value | None
    out: Value
    source: Any = None

    def reads(self) -> Iterator[Value]:
        yield from (self.a, self.b)
        if self.bias is not None:
            yield self.bias

    def writes(self) -> Iterator[Value]:
        yield self.out


@dataclass(eq=False)
class LibraryCall:
    """A kernel of the native library: its arrays in order, its whole and its real numbers (or where one will be)."""

    name: str
    arrays: list[Value | None]
    written: tuple[int, ...]
    """Which of the arrays are results."""
    whole: list[int]
    real: list[float | Value]
    source: Any = None
    zeroed: tuple[int, ...] = ()
    """Which results must be 0 before."""
    may_decline: bool = False
    """Whether the kernel refuses some contents: indices out of range."""

    def reads(self) -> Iterator[Value]:
        yield from [v for i, v in enumerate(self.arrays) if v is not None and i not in self.written]
        yield from [v for v in self.real if isinstance(v, Value)]

    def writes(self) -> Iterator[Value]:
        yield from [v for i, v in enumerate(self.arrays) if v is not None and i in self.written]


@dataclass(eq=False)
class Written:
    """A function of C that is called with the addresses of arrays; its name in the text is FUNCTION.

    It gives 0, or 1 if it declines, and has then written nothing that counts.
    """

    text: str
    arrays: list[Value]
    written: tuple[int, ...]
    """Which of the arrays are results."""
    work: float
    """ns, about."""
    source: Any = None
    may_decline: bool = False

    def reads(self) -> Iterator[Value]:
        yield from [v for i, v in enumerate(self.arrays) if i not in self.written]

    def writes(self) -> Iterator[Value]:
        yield from [v for i, v in enumerate(self.arrays) if i in self.written]


@dataclass(eq=False)
class PythonCall:
    """A call of a function with arrays; what it gives goes into buffers of kind result."""

    function: Any
    args: tuple[Any, ...]
    """As the function takes them, with values for arrays."""
    results: list[Value | None]
    several: bool
    name: str = ""
    source: Any = None

    def reads(self) -> Iterator[Value]:
        yield from values_in(self.args)

    def writes(self) -> Iterator[Value]:
        yield from [v for v in self.results if v is not None]


@dataclass(eq=False)
class Check:
    value: Value
    expected: Any
    index: int
    """Which one it is; -1 if the program declines where it fails."""
    source: Any = None

    def reads(self) -> Iterator[Value]:
        yield self.value

    def writes(self) -> Iterator[Value]:
        return iter(())


@dataclass(eq=False)
class Copy:
    """Into an input's memory, after all checks."""

    value: Value
    target: Value
    source: Any = None

    def reads(self) -> Iterator[Value]:
        yield self.value

    def writes(self) -> Iterator[Value]:
        yield self.target


Step = Loop | Product | LibraryCall | Written | PythonCall | Check | Copy


def values_in(thing: Any) -> Iterator[Value]:
    if isinstance(thing, Value):
        yield thing
    elif isinstance(thing, (tuple, list)):
        for part in thing:
            yield from values_in(part)


@dataclass(eq=False)
class Plan:
    """A whole program: steps in order, where inputs and outputs are."""

    steps: list[Step]
    inputs: list[Value]
    outputs: list[Value | int | None]
    """A value; the number of an input that is handed back; None for what is written into an input."""
    arena: int = 0
    """Bytes."""
    checks: int = 0
    scratch: list[Buffer] = field(default_factory=list)
    """Memory that is needed all the time."""
