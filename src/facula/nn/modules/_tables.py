"""The tables of a module: its parameters, buffers, children and hooks.

Whoever changes one tells that modules have changed, which compiled programs look at; see ``_core.state.changes``.
Copies and files have plain dicts in their place, trees of containers take them for such, and who makes a dict of a
table's class, as that of a module's own dict, gets a plain one.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from ..._core import pytree, state


class Table(dict[Any, Any]):
    """A dict of which every change is counted."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        return dict(*args, **kwargs)

    def __reduce__(self) -> Any:
        return dict, (), None, None, iter(self.items())


class OrderedTable(OrderedDict[Any, Any]):
    """The same, of an ordered dict."""

    plain: OrderedDict[Any, Any]
    """The dict that it has taken the place of."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        return OrderedDict(*args, **kwargs)

    def __reduce__(self) -> Any:
        return OrderedDict, (), None, None, iter(self.items())

    def __repr__(self) -> str:
        return repr(OrderedDict(self))


def new_table() -> Table:
    return dict.__new__(Table)


def new_ordered_table() -> OrderedTable:
    return OrderedDict.__new__(OrderedTable)


pytree.stands_for(Table, dict)
pytree.stands_for(OrderedTable, OrderedDict)


def _counted(change: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        state.changes += 1
        return change(self, *args, **kwargs)

    return method


_CHANGES = ("__setitem__", "__delitem__", "__ior__", "clear", "pop", "popitem", "setdefault", "update", "move_to_end")
for _kind, _plain in ((Table, dict), (OrderedTable, OrderedDict)):
    for _name in _CHANGES:
        if hasattr(_plain, _name):
            setattr(_kind, _name, _counted(getattr(_plain, _name)))


def tables_of(state: dict[str, Any]) -> dict[str, Any]:
    """The attributes of a module, with tables in the place of plain dicts."""
    return {name: _KINDS[type(value)](value) if name in _NAMES and type(value) in _KINDS else value
            for name, value in state.items()}  # fmt: skip


def _in_place_of(plain: Any) -> OrderedTable:
    """Handles that were read or copied together with a dict know it alone; see ``RemovableHandle``."""
    made = new_ordered_table()
    made.update(plain)
    plain.table, made.plain = weakref.ref(made), plain
    return made


def _table_of(plain: dict[Any, Any]) -> Table:
    made = new_table()
    made.update(plain)
    return made


_KINDS: dict[type, Callable[[Any], Any]] = {dict: _table_of, OrderedDict: _in_place_of}
HELD = ("_parameters", "_buffers", "_modules", "_forward_hooks", "_forward_pre_hooks", "_backward_hooks",
        "_backward_pre_hooks")  # fmt: skip
"""Those that decide what a module does."""
_NAMES = frozenset(HELD)
