"""Numbers that PyTorch's compiler does not know yet. Nothing is compiled here: all numbers are plain ones."""

from __future__ import annotations

import math
from typing import Any


class SymInt:
    """An unknown integer; there is never one."""


class SymFloat:
    """An unknown float; there is never one."""


class SymBool:
    """An unknown truth; there is never one."""


def sym_int(a: Any) -> int:
    """A number as an integer."""
    return math.trunc(a)


def sym_float(a: Any) -> float:
    """A number as a float."""
    return float(a)


def sym_not(a: Any) -> bool:
    """The opposite of a truth."""
    return not a


def sym_max(a: Any, b: Any) -> Any:
    """The larger number; a float if one of them is."""
    found = max(a, b)
    return float(found) if isinstance(a, float) or isinstance(b, float) else found


def sym_min(a: Any, b: Any) -> Any:
    """The smaller number; a float if one of them is."""
    found = min(a, b)
    return float(found) if isinstance(a, float) or isinstance(b, float) else found


def sym_sum(args: Any) -> Any:
    """The sum of numbers."""
    return sum(args)


def sym_sqrt(a: Any) -> float:
    """The square root of a number."""
    return math.sqrt(a)


def sym_ite(b: Any, t: Any, f: Any) -> Any:
    """``t`` if ``b``, else ``f``."""
    return t if b else f
