"""What users may replace in the library itself: methods of its classes, and functions that its modules look up."""

from __future__ import annotations

import dis
from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

from ..._tensor import Tensor
from ...nn.modules.module import Module
from .code import looked_up
from .places import MISSING, Read

_BY_SIGN = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow", "@": "matmul",
    "&": "and", "|": "or", "^": "xor", "<<": "lshift", ">>": "rshift",
}  # fmt: skip
_COMPARED = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
_OTHERS = {
    "UNARY_NEGATIVE": "__neg__", "UNARY_INVERT": "__invert__", "BINARY_SUBSCR": "__getitem__",
    "BINARY_SLICE": "__getitem__", "STORE_SUBSCR": "__setitem__", "STORE_SLICE": "__setitem__",
}  # fmt: skip
_BY_FUNCTION = {name: f"__{name}__" for name in ("abs", "bool", "float", "int", "iter", "len", "pow", "reversed")}


def operators_of(code: CodeType) -> Iterator[str]:
    """The methods by which Python does what code says by signs, and by functions of its own."""
    for i in dis.get_instructions(code):
        if i.opname == "BINARY_OP" and i.argrepr == "[]":
            yield "__getitem__"
        elif i.opname == "BINARY_OP":
            name = _BY_SIGN[i.argrepr.removesuffix("=")]
            yield from (f"__i{name}__", f"__{name}__") if i.argrepr.endswith("=") else (f"__{name}__", f"__r{name}__")
        elif i.opname == "COMPARE_OP" and isinstance(i.argval, str):
            yield f"__{_COMPARED.get(i.argval, 'eq')}__"
        elif i.opname in _OTHERS:
            yield _OTHERS[i.opname]
        elif i.opname == "LOAD_GLOBAL" and i.argval in _BY_FUNCTION:
            yield _BY_FUNCTION[i.argval]


def methods(classes: Iterable[type], names: set[str]) -> Iterator[Read]:
    """What classes of the library have by some names; what they only promise was not used."""
    for cls in (Tensor, *classes):
        for name in sorted({*names, "forward", "__call__"} if issubclass(cls, Module) else names):
            found = next((vars(each)[name] for each in cls.__mro__ if name in vars(each)), MISSING)
            if isinstance(found, (FunctionType, property)):
                yield Read("slot", cls, name, found)


def functions_of(classes: Iterable[type]) -> Iterator[tuple[ModuleType, str]]:
    """The names that ``forward`` of modules of the library looks up, as in ``F.relu``."""
    for cls in classes:
        forward: Any = getattr(cls, "forward", None)
        if isinstance(forward, FunctionType):
            yield from looked_up(forward.__code__, forward.__globals__)

