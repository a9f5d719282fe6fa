"""Operators whose records say ``lowering="library"``: kernels of the native library, or C that their family writes.

A maker takes a ``Call``, adds steps that compute the results, and says whether it did; where it does not (a dtype or an
argument that the kernel does not take), the NumPy kernel is called.
"""

from __future__ import annotations

import importlib
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..programs.lowering import arguments, dtype_of, shape_of
from ..programs.steps import Buffer, LibraryCall, Loop, Reduction, Shape, Value, Written, dense, span

REAL = (np.dtype(np.float32), np.dtype(np.float64))
Maker = Callable[["Call"], bool]
_MAKERS: dict[str, Maker] = {}
_FAMILIES = ("rows", "networks", "indexing", "moving", "images", "channels", "recurrent")


class Call:
    """A node that is to become steps: its arguments by name, arrays of them, arrays for its results."""

    def __init__(self, scheduler: Any, node: Any) -> None:
        self.scheduler = scheduler
        self.node = node
        self.given = arguments(node)
        self.items = {user.args[1]: user for user in node.users if user.target is operator.getitem}
        self.results: dict[int, Value] = {}

    def __getitem__(self, name: str) -> Any:
        return self.given[name]

    def shape(self, name: str) -> Shape:
        return shape_of(self.given[name])

    def are_real(self, *names: str) -> bool:
        """Whether arguments, if they are given, are real, of one dtype, and not empty."""
        tensors = [self.given[name] for name in names if self.given[name] is not None]
        alike = all(dtype_of(t) == dtype_of(tensors[0]) and 0 not in shape_of(t) for t in tensors)
        return alike and dtype_of(tensors[0]) in REAL

    def value(self, name: str) -> Value:
        found: Value = self.scheduler.value(self.given[name])
        return found

    def dense(self, name: str) -> Value | None:
        """The array of an argument with dense rows; None if it is None."""
        return None if self.given[name] is None else self.scheduler.densely(self.given[name])

    def out(self) -> Value:
        """The array of the only result, dense."""
        made: Value = self.scheduler.made(self.node)
        self.scheduler.values[self.node] = made
        return made

    def result(self, i: int, shape: Shape, dtype: Any) -> Value:
        """The dense array of one of several results; memory in between if nobody wants it."""
        item = self.items.get(i)
        if item is None:
            return Value(Buffer("arena", dtype, math.prod(shape), name=self.node.name), 0, shape, dense(shape))
        self.results[i] = self.scheduler.made(item)
        return self.results[i]

    def laid_out(self, i: int, shape: Shape, dtype: Any) -> Value:
        """The same with the strides that eager gives it."""
        scheduler, item = self.scheduler, self.items.get(i)
        strides = dense(shape) if item is None else scheduler.wanted(item)
        if item is None or strides == dense(shape):
            return self.result(i, shape, dtype)
        if item in scheduler.outputs:
            made = scheduler.output_value(item, scheduler.outputs.pop(item))
        else:
            made = Value(Buffer("arena", dtype, span(shape, strides), name=item.name), 0, shape, strides)
        self.results[i] = made
        return made

    def done(self) -> bool:
        """Tell the scheduler where several results are."""
        if self.items:
            self.scheduler.values[self.node] = [self.results.get(i) for i in range(max(self.items) + 1)]
        return True

    def kernel(self, name: str, arrays: list[Value | None], written: tuple[int, ...], whole: Any, real: Any = (),
               **more: Any) -> None:  # fmt: skip
        source = self.scheduler.current
        self.scheduler.steps.append(LibraryCall(name, arrays, written, [*whole], [*real], source, **more))

    def written(self, text: str, arrays: list[Value], written: tuple[int, ...], work: float, **more: Any) -> None:
        self.scheduler.steps.append(Written(text, arrays, written, work, self.scheduler.current, **more))

    def loop(self, loop: Loop) -> None:
        self.scheduler.steps.append(loop)

    def sums(self, x: Value, dims: tuple[int, ...], out: Value) -> None:
        """Sums over some dimensions, into an array that has ones in their place."""
        loop = Loop(x.size)
        at = loop.load(x)
        if x.shape == out.shape:  # each element is its own sum
            loop.stores.append((at, out))
        else:
            loop.reductions.append(Reduction("sum", at, x.shape, dims, out))
        self.loop(loop)


def maker(name: str) -> Callable[[Maker], Maker]:
    def add(make: Maker) -> Maker:
        _MAKERS[name] = make
        return make

    return add


def add(scheduler: Any, node: Any) -> bool:
    """Add the steps that compute a node; False if there is no kernel for these arguments."""
    if not _MAKERS:
        for family in _FAMILIES:
            importlib.import_module(f".{family}", __package__)
    make = _MAKERS.get(node.target.name)
    return make is not None and make(Call(scheduler, node))
