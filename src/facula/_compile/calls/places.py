"""Where a function may find something: each place can be looked at again, and compared with what was there."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from ..._core.devices import device
from ..._core.dtypes import dtype
from ...nn.modules import _hooks
from ...nn.modules._tables import HELD, OrderedTable, Table
from ...nn.modules.module import Module

SIMPLE = (bool, int, float, complex, str, bytes, type(None), dtype, device, slice, range)
"""What is compared by value."""
MISSING: Any = object()


class Read:
    """One thing that was found in a place: ``look()`` finds it again."""

    __slots__ = ("expression", "holder", "key", "value")

    def __init__(self, expression: str, holder: Any, key: Any, value: Any) -> None:
        self.expression = expression
        """How to look, in terms of ``holder`` and ``key``."""
        self.holder = holder
        self.key = key
        self.value = value

    def look(self) -> Any:
        return _LOOK[self.expression](self.holder, self.key)

    def holds(self) -> bool:
        return is_same(self.look(), self.value)


def cell_contents(cell: Any, _: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


def _attribute(holder: Any, name: str) -> Any:
    return getattr(holder, "__dict__", {}).get(name, MISSING)


def _slot(holder: Any, name: str) -> Any:
    return getattr(holder, name, MISSING)


def _item(holder: Any, key: Any) -> Any:
    try:
        return holder[key]
    except (KeyError, IndexError):
        return MISSING


_LOOK: dict[str, Callable[[Any, Any], Any]] = {
    "cell": cell_contents,
    "empty": lambda cell, _: cell_contents(cell, None) is MISSING,
    "attribute": _attribute,
    "slot": _slot,
    "item": _item,
    "length": lambda holder, _: len(holder),
    "keys": lambda holder, _: tuple(holder),
    "values": lambda holder, _: tuple(holder.values()),
    "attributes": lambda holder, _: len(holder.__dict__),
    "attribute_names": lambda holder, _: tuple(holder.__dict__),
    "absent_attributes": lambda holder, names: holder.__dict__.keys().isdisjoint(names),
    "absent": lambda holder, names: holder.keys().isdisjoint(names),
    "elements": lambda holder, _: elements(holder),
    "bytes": lambda holder, _: memoryview(holder).tobytes(),
    "cache": lambda holder, misses: holder.cache_info().misses >= misses,  # fewer of them: it was cleared
    "registered": lambda holder, _: holder.get_cache_token(),
    "context": lambda holder, _: holder.get(MISSING),
    "referent": lambda holder, _: holder(),
}


def elements(array: Any) -> Any:
    """What an array of NumPy's holds, to be compared."""
    return array.shape, array.dtype.str, tuple(array.flat) if array.dtype.hasobject else array.tobytes()


def is_same(found: Any, expected: Any) -> bool:
    """Whether a value is the one that was read. 0.0 and -0.0 are two."""
    if found is expected:
        return True
    kind = type(expected)
    if kind not in SIMPLE and kind is not tuple:
        return False
    if type(found) is not kind:
        return False
    if kind is tuple:
        return len(found) == len(expected) and all(map(is_same, found, expected))
    if kind is float:
        return has_same_bits(found, expected)
    if kind is complex:
        return has_same_bits(found.real, expected.real) and has_same_bits(found.imag, expected.imag)
    return bool(found == expected)


def has_same_bits(found: float, expected: float) -> bool:
    """Whether two numbers are equal, signs of zero included, or both none."""
    if found != found or expected != expected:
        return found != found and expected != expected
    return found == expected and math.copysign(1, found) == math.copysign(1, expected)


HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")


class Snapshot:
    """What modules hold, so that a change of any of them can be told."""

    def __init__(self, modules: Iterator[Module] | list[Module]) -> None:
        self.modules = [(m, self._of(m)) for m in modules]
        self.of_all = self._of_all()

    @staticmethod
    def _of(module: Module) -> tuple[Any, ...]:
        own = vars(module)
        named = [(name, value) for name, value in own.items() if not isinstance(value, dict)]
        held = [own.get(name, {}) for name in HELD]
        return tuple(named), tuple([tuple(each.items()) for each in held]), type(module)

    def holds(self) -> bool:
        same = _equal(self._of_all(), self.of_all)
        return same and all(_equal(self._of(module), before) for module, before in self.modules)

    @staticmethod
    def _of_all() -> tuple[Any, ...]:
        """The hooks of all modules."""
        return tuple([tuple(getattr(_hooks, f"_global{name}").items()) for name in HOOKS])

    def is_counted(self) -> bool:
        """Whether every change of the modules is told."""
        return all(isinstance(vars(module)[name], (Table, OrderedTable)) for module, _ in self.modules for name in HELD)

    def changed(self) -> Iterator[tuple[Module, str, Any]]:
        """Which attributes are others than they were, or have gone, and what they were."""
        for module, (named, *_) in self.modules:
            for name, before in named:
                if not _equal(vars(module).get(name, MISSING), before):
                    yield module, name, before


def _equal(a: Any, b: Any) -> bool:
    if type(a) is tuple and type(b) is tuple:
        return len(a) == len(b) and all(map(_equal, a, b))
    return is_same(a, b)
