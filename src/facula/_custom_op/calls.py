"""Arguments of operators held against their schema, with PyTorch's complaints."""

from __future__ import annotations

import numbers
from typing import Any

from .._core.devices import device
from .._core.dtypes import dtype
from .._tensor import Tensor
from .schema import Argument, Schema

_SHOWN = {"SymInt": "int", "Scalar": "number", "ScalarType": "int"}


def bound(schema: Schema, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments in their order, those for keywords only by name. Defaults at the end are left out, as PyTorch does."""
    positional = schema.positional
    if len(args) > len(positional) or len(args) + len(kwargs) > len(schema.arguments):
        raise RuntimeError(
            f"{schema.name}() expected at most {len(schema.arguments)} argument(s) but received "
            f"{len(args) + len(kwargs)} argument(s). Declaration: {schema}"
        )
    given = list(args)
    rest = dict(kwargs)
    for a in positional[len(args) :]:
        if a.name in rest:
            given.append(rest.pop(a.name))
        elif a.default is None:
            raise RuntimeError(f"{schema.name}() is missing value for argument '{a.name}'. Declaration: {schema}")
        elif any(later.name in rest for later in positional):
            given.append(a.value())
    for a in positional[: len(args)]:
        if a.name in rest:
            raise RuntimeError(
                f"Argument '{a.name}' specified both as positional and keyword argument. Schema: {schema}"
            )
    named = {}
    for a in schema.keyword_only:
        if a.name in rest:
            named[a.name] = rest.pop(a.name)
        elif a.default is None:
            raise RuntimeError(f"{schema.name}() is missing value for argument '{a.name}'. Declaration: {schema}")
        else:
            named[a.name] = a.value()
    for name in rest:
        raise RuntimeError(f"Unknown keyword argument '{name}' for operator '{schema.name}'. Schema: {schema}")
    checked = [_checked(schema, a, i, v) for i, (a, v) in enumerate(zip(positional, given))]
    for i, a in enumerate(schema.keyword_only):
        named[a.name] = _checked(schema, a, len(positional) + i, named[a.name])
    return tuple(checked), named


def filled(schema: Schema, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments with all defaults."""
    return (*args, *[a.default_value for a in schema.positional[len(args) :]])


def _checked(schema: Schema, a: Argument, position: int, value: Any) -> Any:
    kind = a.type
    if fits(kind, value):
        return value
    details = f"Unable to cast {value!r} to Tensor"
    if kind not in ("Tensor", "Tensor?"):
        details = (
            f"Unable to cast Python instance of type {type(value)} to C++ type '?' (#define "
            "PYBIND11_DETAILED_ERROR_MESSAGES or compile in debug mode for details)"
        )
    raise RuntimeError(
        f"{schema.name}() Expected a value of type '{_type_name(kind)}' for argument '{a.name}' but instead found type "
        f"'{type(value).__name__}'.\nPosition: {position}\nValue: {value!r}\nDeclaration: {schema}\n"
        f"Cast error details: {details}"
    )


def _type_name(kind: str) -> str:
    if kind.endswith("?"):
        return f"Optional[{_type_name(kind[:-1])}]"
    if kind.endswith("]"):
        return f"List[{_type_name(kind[: kind.rindex('[')])}]"
    return _SHOWN.get(kind, kind)


def fits(kind: str, value: Any) -> bool:
    """Whether a value may be given for a parameter of a kind."""
    if kind.endswith("?"):
        return value is None or fits(kind[:-1], value)
    if kind.endswith("]"):
        inner = kind[: kind.rindex("[")]
        return isinstance(value, (list, tuple)) and all(fits(inner, v) for v in value)
    if kind == "Tensor":
        return value is None or isinstance(value, Tensor)
    is_number = isinstance(value, (numbers.Number, Tensor)) and not (isinstance(value, Tensor) and value.dim())
    if kind in ("int", "SymInt"):
        return is_number and not isinstance(value, (float, complex))
    if kind in ("float", "Scalar", "complex"):
        return is_number
    if kind == "bool":
        return isinstance(value, (bool, int))
    if kind == "str":
        return isinstance(value, str)
    if kind == "ScalarType":
        return isinstance(value, dtype)
    if kind == "Device":
        return isinstance(value, (device, str))
    return True


def returned(schema: Schema, value: Any) -> Any:
    """What a kernel returned, if it is what the schema says."""
    kind = schema.returns
    if kind == "()":
        return None
    if kind == "Tensor" and not isinstance(value, Tensor):
        raise RuntimeError(f"Unable to cast {value!r} to Tensor")
    if kind.startswith("("):
        return tuple(value)
    return list(value) if kind == "Tensor[]" else value
