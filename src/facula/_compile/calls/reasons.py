"""Why no program is for a call: what is other than in the calls that were captured."""

from __future__ import annotations

import inspect
import types
from typing import Any

from ..._core import dtypes
from ..._core.pytree import tree_flatten
from ..._tensor import Tensor
from .guards import MODES, Guard, modes_now
from .places import SIMPLE, Read

Looks = dict[str, Any]
"""Arguments by name: of a tensor its dtype, shape, strides and whether it requires a gradient; else the value."""


def looks(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Looks:
    """What can be told of the arguments of a call."""
    try:
        bound = inspect.signature(getattr(fn, "forward", fn)).bind(*args, **kwargs).arguments
    except (TypeError, ValueError):
        bound = {**{f"args[{i}]": arg for i, arg in enumerate(args)}, **kwargs}
    found: Looks = {}
    for name, value in bound.items():
        leaves, plan = tree_flatten(value)
        for i, leaf in enumerate(leaves):
            title = name if plan.is_leaf() else f"{name}[{i}]"
            if isinstance(leaf, Tensor):
                found[title] = (leaf.dtype, tuple(leaf.shape), leaf.stride(), leaf.requires_grad)
            elif leaf is None or isinstance(leaf, (bool, int, float, str)):
                found[title] = leaf
    return found


def difference(before: Looks, now: Looks, guard: Guard) -> str:
    """The first thing that is other than before, in PyTorch's words."""
    return _of_arguments(before, now) or _of_surroundings(guard)


def _of_arguments(before: Looks, now: Looks) -> str | None:
    for name, old in before.items():
        new = now.get(name)
        if old == new and type(old) is type(new):
            continue
        if not isinstance(old, tuple) or not isinstance(new, tuple):
            return f"type(L[{name!r}])" if isinstance(old, tuple) else f"{name} == {old!r}"
        if old[0] != new[0]:
            expected, actual = (dtypes.SCALAR_TYPE_NAMES.get(looked[0], str(looked[0])) for looked in (old, new))
            return f"tensor '{name}' dtype mismatch. expected {expected}, actual {actual}"
        if len(old[1]) != len(new[1]):
            return f"tensor '{name}' rank mismatch. expected {len(old[1])}, actual {len(new[1])}"
        for what, a, b in (("size", old[1], new[1]), ("stride", old[2], new[2])):
            for i, (x, y) in enumerate(zip(a, b)):
                if x != y:
                    return f"tensor '{name}' {what} mismatch at index {i}. expected {x}, actual {y}"
        return f"tensor '{name}' requires_grad mismatch. expected requires_grad={int(old[3])}"
    return None


def _of_surroundings(guard: Guard) -> str:
    for mode, old, new in zip(MODES, guard.modes, modes_now()):
        if old != new:
            return f"GLOBAL_STATE changed: {mode}"
    paths = _Paths(guard.reads)
    for module, name, value in guard.snapshot.changed() if guard.snapshot is not None else ():
        return _expected(f"{paths.to(module)}.{name}", value)
    for read in guard.reads:
        if not read.holds():
            return _expected(paths.of(read), read.value)
    return "a number that it saw, or how tensors lie in memory, is another"


def _expected(what: str, value: Any) -> str:
    return f"{what} == {value!r}" if type(value) in SIMPLE else f"{what} is the same {type(value).__name__}"


class _Paths:
    """How things that a function reads are found, as expressions: ``G['model'].scale``."""

    def __init__(self, reads: list[Read]) -> None:
        self.found_by: dict[int, Read] = {}
        for read in reads:
            if type(read.value) not in SIMPLE:
                self.found_by.setdefault(id(read.value), read)

    def of(self, read: Read, depth: int = 0) -> str:
        match read.expression:
            case "cell":
                return str(read.key)
            case "empty":
                return f"{read.key} not set"
            case "item" if "__builtins__" in read.holder:
                return f"G[{read.key!r}]"
            case "absent":
                return f"{', '.join(sorted(read.key))} not in G"
        holder = self.to(read.holder, depth)
        match read.expression:
            case "item":
                return f"{holder}[{read.key!r}]"
            case "attribute" | "slot":
                return f"{holder}.{read.key}"
            case "length":
                return f"len({holder})"
            case "attributes":
                return f"len({holder}.__dict__)"
        return f"{read.expression} of {holder}"

    def to(self, thing: Any, depth: int = 0) -> str:
        read = self.found_by.get(id(thing))
        if read is not None and depth < _DEEP:
            return self.of(read, depth + 1)
        if isinstance(thing, (type, types.FunctionType, types.ModuleType)):
            return thing.__name__
        return f"a {type(thing).__name__}"


_DEEP = 6
"""Longer paths tell a reader little."""


def place_of(fn: Any) -> str:
    """Where a function is written."""
    code = getattr(getattr(fn, "forward", fn), "__code__", None)
    return "an unknown place" if code is None else f"{code.co_filename}:{code.co_firstlineno}"
