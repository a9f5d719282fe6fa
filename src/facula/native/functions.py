"""Functions of Python made of functions in C, which CPython calls within some 30 ns; ctypes takes ten times as long."""

from __future__ import annotations

import ctypes
import sys
import sysconfig
from collections.abc import Callable
from typing import Any

_FASTCALL = 0x80


class _Method(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p)
    ]  # fmt: skip


def can_be_made() -> bool:
    """Whether objects of this interpreter may be as ``c/objects.h`` has them."""
    is_plain = sys.implementation.name == "cpython" and not sysconfig.get_config_var("Py_GIL_DISABLED")
    return is_plain and hasattr(ctypes.pythonapi, "PyCFunction_NewEx") and ctypes.sizeof(ctypes.c_void_p) == 8


def function(name: str, of: Any, entry: ctypes.Structure, *others: Any) -> Callable[..., Any]:
    """A function of C, called with the address of an entry and an array of arguments.

    It keeps the entry, and the others that the entry refers to.
    """
    method = _Method(name.encode(), ctypes.cast(of, ctypes.c_void_p).value, _FASTCALL, None)
    make = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.py_object)(
        ("PyCFunction_NewEx", ctypes.pythonapi)
    )
    made: Callable[..., Any] = make(ctypes.addressof(method), ctypes.addressof(entry), (method, entry, *others))
    return made
