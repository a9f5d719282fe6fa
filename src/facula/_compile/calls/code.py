"""What code tells about what it reads."""

from __future__ import annotations

import dis
import sys
from collections.abc import Iterator
from types import CodeType, ModuleType
from typing import Any

_OF_MODULES = {f"{what}_{of}" for what in ("LOAD", "STORE", "DELETE") for of in ("GLOBAL", "NAME")}
_OF_MODULES.add("LOAD_FROM_DICT_OR_GLOBALS")


def globals_of(code: CodeType) -> list[str]:
    """Names that it looks up, or sets, in its module, or looks up among Python's own."""
    return list(dict.fromkeys([i.argval for i in dis.get_instructions(code) if i.opname in _OF_MODULES]))


def imported(code: CodeType) -> Iterator[tuple[str, ModuleType]]:
    """Modules that are there already, and that it imports."""
    for i in dis.get_instructions(code):
        if i.opname == "IMPORT_NAME" and isinstance(found := sys.modules.get(i.argval), ModuleType):
            yield i.argval, found


def looked_up(code: CodeType, namespace: dict[str, Any]) -> Iterator[tuple[ModuleType, str]]:
    """The names that it looks up in modules, as in ``math.pi``."""
    found: Any = None
    for i in dis.get_instructions(code):
        if i.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            found = namespace.get(i.argval)
        elif i.opname in ("LOAD_ATTR", "LOAD_METHOD") and isinstance(found, ModuleType):
            yield found, i.argval
            found = vars(found).get(i.argval)
        else:
            found = None


_COMPUTED = ("FORMAT_VALUE", "FORMAT_SIMPLE", "BUILD_STRING", "BINARY_OP", "BINARY_SUBSCR")
_NEAR = 12
"""So many instructions may belong to the name, if it is one that is computed."""


def reads_any_attribute(code: CodeType) -> bool:
    """Whether it reads attributes whose names are computed: ``getattr(x, f"w{i}")``, ``x.__dict__``."""
    if "__dict__" in code.co_names:
        return True
    found = list(dis.get_instructions(code))
    for i, each in enumerate(found):
        if each.opname in ("LOAD_GLOBAL", "LOAD_NAME") and each.argval in ("getattr", "hasattr"):
            rest = found[i + 1 :]
            end = next((k for k, n in enumerate(rest) if n.opname.startswith("CALL")), len(rest))
            name = next((k for k in range(end) if rest[k].opname == "LOAD_CONST" and type(rest[k].argval) is str), end)
            if name == end or any(n.opname in _COMPUTED for n in rest[name : max(end, _NEAR)]):
                return True
    return False
