"""Names of values in a program: legal ones that are not taken."""

from __future__ import annotations

import builtins
import keyword
import math
import re
from typing import Any

import facula

_ILLEGAL = re.compile(r"[^0-9a-zA-Z_]+")
_NUMBERED = re.compile(r"(.+)_(\d+)$")
_SNAKE = re.compile(r"(?<=[a-z])([A-Z])")

ALWAYS_THERE: dict[str, tuple[str, Any]] = {
    "inf": ("from math import inf", math.inf),
    "nan": ("from math import nan", math.nan),
    "NoneType": ("NoneType = type(None)", type(None)),
    "torch": ("import torch", facula),
    "device": ("from torch import device", facula.device),
}
"""What generated code can always name: by which statement, and what it is. ``_codegen`` adds two modules."""


def register_module(name: str, module: Any) -> None:
    ALWAYS_THERE[name] = (f"import {module.__name__.replace('facula', 'torch', 1)} as {name}", module)


def snake_case(name: str) -> str:
    return _SNAKE.sub(r"_\1", name).lower()


class _Namespace:
    """Gives each object a name of its own; names may also belong to nothing."""

    def __init__(self) -> None:
        self._owners: dict[Any, str] = {}
        self._used: dict[str, Any] = {}
        self._counts: dict[str, int] = {}

    def create_name(self, candidate: str, obj: Any) -> str:
        """A name like ``candidate``: of the object that has it already, or of a new one."""
        if obj is not None and obj in self._owners:
            return self._owners[obj]
        name = _ILLEGAL.sub("_", candidate) or "_unnamed"
        if name[0].isdigit():
            name = f"_{name}"
        if name in self._used or self._is_reserved(name, obj):
            numbered = _NUMBERED.match(name)
            base = numbered[1] if numbered else name
            number = self._counts.get(base, 0)
            if numbered:
                number = max(number, int(numbered[2]))
            while name in self._used or self._is_reserved(name, obj):
                number += 1
                name = f"{base}_{number}"
        self._take(name, obj)
        return name

    def _take(self, name: str, obj: Any) -> None:
        self._used[name] = obj
        numbered = _NUMBERED.match(name)
        base, number = (numbered[1], int(numbered[2])) if numbered else (name, 0)
        self._counts[base] = max(self._counts.get(base, 0), number)
        if obj is not None:
            self._owners[obj] = name

    def associate_name_with_obj(self, name: str, obj: Any) -> None:
        """Say whose a name is that has been given before."""
        self._owners.setdefault(obj, name)

    def _is_reserved(self, name: str, obj: Any) -> bool:
        if keyword.iskeyword(name):
            return True
        if name in vars(builtins):
            return vars(builtins)[name] is not obj
        return name in ALWAYS_THERE and ALWAYS_THERE[name][1] is not obj

    def _rename_object(self, obj: Any, name: str) -> None:
        self._owners[obj] = name
        self._used.setdefault(name, obj)
