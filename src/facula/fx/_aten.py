"""Calls of public functions as calls of PyTorch's operators: which overload, and its arguments as PyTorch has them.

The signatures stand in ``ops/aten_schemas.txt``; ``ops/aten_functionals.py`` has the functions of ``nn.functional``
whose parameters are others than the operators'.
"""

from __future__ import annotations

import os
from functools import cache
from typing import Any

import facula

from .._custom_op.schema import Argument, Schema, parse
from .._tensor import Tensor
from ..ops import aten as operators
from ..ops.aten_functionals import FUNCTIONALS, RENAMED, as_operator
from ..ops.machine.primitive import Primitive
from . import _names

aten: Any = operators
"""PyTorch's operators, which are found by name."""

Call = tuple[Any, list[Any], dict[str, Any]]
"""An overload, its positional arguments, and those by keyword."""

_DTYPES = {
    "bool": facula.bool, "double": facula.float64, "float": facula.float32, "half": facula.float16,
    "int": facula.int32, "long": facula.int64, "bfloat16": facula.bfloat16,
}  # fmt: skip
_OTHER_NAMES = {
    "true_divide": "div", "__rsub__": "rsub", "absolute": "abs", "concat": "cat", "concatenate": "cat",
    "swapaxes": "transpose", "split_with_sizes": "split_with_sizes", "__and__": "__and__", "negative": "neg",
    "multiply": "mul", "subtract": "sub", "divide": "div", "clip": "clamp", "pow_of_number": "pow",
    "rsub_number": "rsub",
}  # fmt: skip
_NUMBERS_AS_TENSORS = frozenset("add add_ sub sub_ mul mul_ div div_ true_divide floor_divide".split())
"""Operators that take a number in the place of a second tensor."""
_ORDERS = dict.fromkeys(("std", "var", "std_mean", "var_mean"), ("dim", "correction", ""))
"""Overloads in the order in which PyTorch's Python tries them, where it matters."""
_FACTORIES = frozenset("arange empty eye full linspace ones rand randint randn randperm zeros".split())


@cache
def _schemas() -> dict[str, list[Schema]]:
    path = os.path.join(os.path.dirname(facula.__file__), "ops", "aten_schemas.txt")
    found: dict[str, list[Schema]] = {}
    with open(path) as lines:
        for line in lines:
            name, _, rest = line.rstrip("\n").partition("(")
            found.setdefault(name.partition(".")[0], []).append(parse(name, "(" + rest))
    return found


def public_name(func: Any) -> str:
    """What a public function, method or primitive is called, after the last dot."""
    if isinstance(func, Primitive):
        return func.name
    name: str = _names.method_name(func) or _names.of_facula(func) or str(getattr(func, "__name__", ""))
    return name.rpartition(".")[2]


def call_of(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call | None:
    """The operator that a public function is in a call, and its arguments; None if there is none."""
    name = public_name(func)
    place = _names.of_facula(func) or ""
    if "out" in kwargs and kwargs["out"] is not None:
        return None
    if place.startswith(("torch.nn.functional.", "torch._C._nn.")) and (name in FUNCTIONALS or name in RENAMED):
        found = as_operator(RENAMED.get(name, name), func, args, kwargs)
        return None if found is None else _matched(*found, {})
    kwargs = {key: value for key, value in kwargs.items() if not (key == "device" and value is None)}
    if name in _DTYPES and not kwargs and len(args) == 1:
        return _matched("to", (args[0], _DTYPES[name]), {})
    if name == "softmax" or name == "log_softmax":
        kwargs = {key: value for key, value in kwargs.items() if not key.startswith("_")}
    if name in _FACTORIES:
        kwargs = {**kwargs, "device": kwargs.get("device") or facula.device("cpu")}
    if name in _FACTORIES or name.startswith("new_") or name.endswith("_like"):
        kwargs = {**kwargs, "pin_memory": False}
        kwargs.pop("requires_grad", None)
    args = args[::-1] if name == "pow_of_number" else args
    name = _OTHER_NAMES.get(name, name)
    if name == "conj":  # which leaves real tensors alone
        name = "_conj" if isinstance(args[0], facula.Tensor) and args[0].is_complex() else ""
    if name == "split" and len(args) > 1 and isinstance(args[1], (list, tuple)):
        name = "split_with_sizes"
    return _matched(name, args, kwargs)


def _matched(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call | None:
    """The first overload that the arguments are for."""
    packet = getattr(aten, name, None) if name in _schemas() else None
    if packet is None:
        return None
    schemas = _schemas()[name]
    if name in _NUMBERS_AS_TENSORS:  # PyTorch's Python takes numbers for tensors here
        schemas = sorted(schemas, key=lambda schema: not schema.name.endswith(".Tensor"))
    if name in _ORDERS:
        schemas = sorted(schemas, key=lambda schema: _ORDERS[name].index(schema.name.partition(".")[2]))
    for strictly in (True, False):
        for schema in schemas:
            bound = _bound(schema, args, kwargs, strictly)
            if bound is not None:
                return getattr(packet, schema.name.partition(".")[2] or "default"), *bound
    return None


def _bound(
    schema: Schema, args: tuple[Any, ...], kwargs: dict[str, Any], strictly: bool
) -> tuple[list[Any], dict[str, Any]] | None:
    """The arguments of a call by the parameters of an overload. ``strictly``: one number is no list."""
    positional, named = schema.positional, {_same(key): value for key, value in kwargs.items()}
    if positional and len(args) > len(positional):
        last = positional[-1].type
        if not last.endswith("[]") or isinstance(args[len(positional) - 1], (list, tuple)):
            return None
        args = (*args[: len(positional) - 1], list(args[len(positional) - 1 :]))
    elif len(args) > len(positional):
        return None
    values: list[Any] = []
    for i, parameter in enumerate(positional):
        if i < len(args):
            value = args[i]
        elif _same(parameter.name) in named:
            value = named.pop(_same(parameter.name))
        elif parameter.default is not None:
            value = _default(parameter)
        else:
            return None
        if value is None and parameter.default is not None and not parameter.type.endswith("?"):
            value = _default(parameter)
        if not _fits(value, parameter.type, schema.name, strictly):
            return None
        values.append(_written(value, parameter.type))
    found = {}
    for parameter in schema.keyword_only:
        if parameter.name in named:
            value = named.pop(parameter.name)
            if not _fits(value, parameter.type, schema.name):
                return None
            if value != _default(parameter) or isinstance(value, Tensor):
                found[parameter.name] = _written(value, parameter.type)
        elif parameter.default is None:
            return None
    named = {key: value for key, value in named.items() if value is not None}
    if named:
        return None
    while values and positional[len(values) - 1].default is not None and _is_default(values[-1], positional, values):
        values.pop()
    return values, found


def _is_default(value: Any, positional: list[Argument], values: list[Any]) -> bool:
    parameter = positional[len(values) - 1]
    default = _written(_default(parameter), parameter.type)
    return type(value) is type(default) and not isinstance(value, Tensor) and bool(value == default)


def _default(parameter: Argument) -> Any:
    return parameter.value() if parameter.default != "contiguous_format" else facula.contiguous_format


def _same(name: str) -> str:
    return {"input": "self", "axis": "dim", "axes": "dim"}.get(name, name)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, complex)) and not isinstance(value, Tensor)


def _fits(value: Any, kind: str, name: str, strictly: bool = False) -> bool:
    if kind.endswith("?"):
        return value is None or _fits(value, kind[:-1], name, strictly)
    if kind.endswith("]"):
        inner, _, count = kind[:-1].partition("[")
        if (count or (inner in ("int", "SymInt") and not strictly)) and _fits(value, inner, name):
            return True
        return isinstance(value, (list, tuple)) and all(_fits(v, inner, name) for v in value)
    if kind == "Tensor":
        return isinstance(value, Tensor) or (_is_number(value) and name.partition(".")[0] in _NUMBERS_AS_TENSORS)
    if kind == "Scalar":
        return _is_number(value)
    if kind in ("int", "SymInt"):
        return isinstance(value, int) and not isinstance(value, bool)
    if kind == "float":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    classes: dict[str, Any] = {
        "bool": bool, "str": str, "ScalarType": facula.dtype, "Device": (facula.device, str), "Layout": facula.layout,
        "MemoryFormat": facula.memory_format, "Generator": facula.Generator,
    }  # fmt: skip
    return isinstance(value, classes.get(kind, ()))


def _written(value: Any, kind: str) -> Any:
    """A value as a graph of PyTorch's has it: numbers for all dimensions, lists."""
    kind = kind.removesuffix("?")
    if kind.endswith("]") and value is not None:
        count = kind[:-1].rpartition("[")[2]
        if not isinstance(value, (list, tuple)):
            return [value] * int(count or 1)
        return list(value)
    if kind == "float" and type(value) is int:
        return float(value)
    if kind == "Device" and isinstance(value, str):
        return facula.device(value)
    return value
