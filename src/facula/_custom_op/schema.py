"""Signatures of operators, as PyTorch writes them: ``name(Tensor x, int n=2) -> Tensor``."""

from __future__ import annotations

import ast
import collections.abc
import inspect
import re
import types
import typing
from collections.abc import Callable
from typing import Any, NamedTuple

from .._core.devices import device
from .._core.dtypes import dtype
from .._tensor import Tensor

_LEAVES: dict[Any, str] = {
    Tensor: "Tensor", int: "SymInt", float: "float", bool: "bool", str: "str", dtype: "ScalarType", device: "Device",
}  # fmt: skip
_LISTS = (list, collections.abc.Sequence)
_NONE = type(None)


class Argument(NamedTuple):
    """One parameter of an operator."""

    name: str
    type: str
    default: str | None
    """As it is written; None if there is none."""
    kwarg_only: bool
    mutated: bool

    @property
    def holds_tensors(self) -> bool:
        return self.type.startswith("Tensor")

    def value(self) -> Any:
        """The default value."""
        text = self.default or "None"
        if self.type.startswith("ScalarType") and text.isdigit():
            return dtype._by_name[SCALAR_TYPE_NUMBERS[int(text)]]
        if self.type.startswith("Device") and text != "None":
            return device(text)
        return {"True": True, "False": False, "None": None}.get(text, text) if text.isidentifier() else _literal(text)


    def has_default_value(self) -> bool:
        return self.default is not None

    @property
    def default_value(self) -> Any:
        """The default, where dtypes are the numbers that PyTorch has for them."""
        if self.type.startswith("ScalarType") and self.default is not None and self.default.isdigit():
            return int(self.default)
        return self.value()


SCALAR_TYPE_NUMBERS = {
    0: "uint8", 1: "int8", 2: "int16", 3: "int32", 4: "int64", 5: "float16", 6: "float32", 7: "float64",
    8: "complex32", 9: "complex64", 10: "complex128", 11: "bool", 15: "bfloat16",
}  # fmt: skip
"""Dtypes in schemas."""


def _literal(text: str) -> Any:
    return ast.literal_eval(re.sub(r"(\d\.)(?!\d)", r"\g<1>0", text))


class Schema(NamedTuple):
    """The signature of an operator."""

    name: str
    arguments: tuple[Argument, ...]
    returns: str
    text: str
    """Parameters and returns, without the name."""

    def __str__(self) -> str:
        return self.name + self.text

    def __repr__(self) -> str:
        return str(self)

    @property
    def takes_tensors(self) -> bool:
        return any(a.holds_tensors for a in self.arguments)

    @property
    def device_at(self) -> int | None:
        """Where the argument ``device`` is, if there is one."""
        return next((i for i, a in enumerate(self.arguments) if (a.name, a.type) == ("device", "Device")), None)

    @property
    def is_mutable(self) -> bool:
        return any(a.mutated for a in self.arguments)

    @property
    def positional(self) -> list[Argument]:
        return [a for a in self.arguments if not a.kwarg_only]

    @property
    def keyword_only(self) -> list[Argument]:
        return [a for a in self.arguments if a.kwarg_only]


# ---- from text


def parse(name: str, text: str) -> Schema:
    """A schema from what is written after an operator's name."""
    end = _closing(text)
    body, returns = text[1:end], text[end + 1 :].strip()
    if not returns.startswith("->"):
        raise RuntimeError(f"expected -> but found '{returns[:1]}' here:\n{name}{text}\n")
    arguments, shown, only = [], [], False
    for part in _split(body):
        if part == "*":
            only = True
            shown.append("*")
            continue
        declared, _, default = part.partition("=")
        kind, _, argument = declared.strip().rpartition(" ")
        if not kind or not argument.isidentifier():
            raise RuntimeError(f"expected ident but found '{part}' here:\n{name}{text}\n")
        written = _default(default.strip(), kind) if default else None
        mutated = "!" in kind
        arguments.append(Argument(argument, re.sub(r"\(\w+!?\)", "", kind.strip()), written, only, mutated))
        shown.append(f"{kind.strip()} {argument}" + ("" if written is None else f"={written}"))
    returns = returns[2:].strip()
    return Schema(name, tuple(arguments), returns, f"({', '.join(shown)}) -> {returns}")


def _closing(text: str) -> int:
    depth = 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return i
    raise RuntimeError(f"expected ) but found the end here:\n{text}\n")


def _split(body: str) -> list[str]:
    parts = re.findall(r"""(?:[^,\[("']|\[[^\]]*\]|\([^)]*\)|"[^"]*"|'[^']*')+""", body)
    return [p.strip() for p in parts if p.strip()]


def _default(text: str, kind: str) -> str:
    """A default as PyTorch prints it."""
    if kind.startswith(("ScalarType", "Device")):
        text = text.strip("\"'")
        return next((str(n) for n, name in SCALAR_TYPE_NUMBERS.items() if name == text), text)
    if text[:1] in "\"'":
        return '"' + text[1:-1] + '"'
    return re.sub(r"(\d)\.0(?!\d)", r"\1.", text)


# ---- from a function's annotations


def infer_schema(
    prototype_function: Callable[..., Any], /, *, mutates_args: Any, op_name: str | None = None, tags: Any = ()
) -> str:
    """The schema that a function's annotations say it has."""
    signature = inspect.signature(prototype_function)

    def refuse(what: str) -> None:
        raise ValueError(f"infer_schema(func): {what} Got func with signature {signature})")

    unknown = mutates_args == "unknown"
    if isinstance(mutates_args, str) and not unknown:
        raise ValueError(
            "mutates_args must either be a sequence of the names of the arguments that are mutated or the string "
            "'unknown'. "
        )
    mutated = set() if unknown else set(mutates_args)
    hints = _annotations(prototype_function, signature)
    parts: list[str] = []
    only = False
    for i, (name, parameter) in enumerate(signature.parameters.items()):
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            refuse("We do not support positional-only args, varargs, or varkwargs.")
        if parameter.kind is parameter.KEYWORD_ONLY and not only:
            parts.append("*")
            only = True
        if parameter.annotation is parameter.empty:
            refuse(f"Parameter {name} must have a type annotation.")
        kind = parameter_type(hints[name])
        if kind is None:
            advice = ""
            if typing.get_origin(hints[name]) is tuple:
                advice = (
                    "We do not support Tuple inputs in schema. As a workaround, please try to use List instead. For "
                    "example, list[int].\n\n"
                )
            refuse(f"Parameter {name} has unsupported type {hints[name]}. {advice}The valid types are: {_VALID}.")
            continue
        if (unknown and kind.startswith("Tensor")) or name in mutated:
            if not kind.startswith("Tensor"):
                refuse(f"Parameter {name} is in mutable_args but only Tensors or collections of Tensors can be mutated")
            kind = f"Tensor(a{i}!){kind.removeprefix('Tensor')}"
        parts.append(f"{kind} {name}" + _written_default(parameter, refuse))
    missing = mutated - set(signature.parameters)
    if missing:
        refuse(
            f"{missing} in mutates_args were not found in the custom op's signature. mutates_args should contain the "
            "names of all args that the custom op mutates, or just the string 'unknown' if you don't know."
        )
    if signature.return_annotation is signature.empty:
        refuse("No return type annotation was provided. Please add one.")
    returned = return_type(hints["return"])
    if returned is None:
        refuse(f"Return has unsupported type {hints['return']}. The valid types are: {_VALID_RETURNS}.")
    return f"{op_name or ''}({', '.join(parts)}) -> {returned}"


def _annotations(fn: Callable[..., Any], signature: inspect.Signature) -> dict[str, Any]:
    """Annotations, with those given as strings looked up where the function is."""
    found = {name: p.annotation for name, p in signature.parameters.items()}
    found["return"] = signature.return_annotation
    space = getattr(fn, "__globals__", {})
    for name, hint in found.items():
        if isinstance(hint, str):
            try:
                found[name] = eval(hint, space)
            except Exception as e:
                raise ValueError(
                    f"infer_schema(func): Unsupported type annotation {hint}. It is not a type. Got func with "
                    f"signature {signature})"
                ) from e
    return found


def _written_default(parameter: inspect.Parameter, refuse: Any) -> str:
    value = parameter.default
    if value is parameter.empty:
        return ""
    if value is None or isinstance(value, (int, float, bool)):
        return f"={value}"
    if isinstance(value, str):
        return f'="{value}"'
    if isinstance(value, dtype):
        return f"={value.name}"
    if isinstance(value, device):
        return f'="{value}"'
    refuse(
        f"Parameter {parameter.name} has an unsupported default value type {type(value)}. Please file an issue on "
        "GitHub so we can prioritize this."
    )
    return ""


def _options(hint: Any) -> tuple[Any, ...] | None:
    """The alternatives of a union."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return typing.get_args(hint)
    return None


def parameter_type(hint: Any) -> str | None:
    """An annotation of a parameter in a schema's words."""
    leaf = _leaf(hint)
    if leaf is not None:
        return leaf
    options = _options(hint)
    if options is not None and _NONE in options:
        rest = tuple(o for o in options if o is not _NONE)
        inner = parameter_type(rest[0] if len(rest) == 1 else typing.Union[rest])  # noqa: UP007
        return None if inner is None or inner.endswith("?") or inner == "Tensor[]" else f"{inner}?"
    if typing.get_origin(hint) in _LISTS:
        inner = parameter_type(typing.get_args(hint)[0])
        return f"{inner}[]" if inner in ("Tensor", "Tensor?", "SymInt", "float", "bool", "Scalar") else None
    return None


def _leaf(hint: Any) -> str | None:
    if isinstance(hint, type) and hint in _LEAVES:
        return _LEAVES[hint]
    return "Scalar" if set(_options(hint) or ()) == {int, float, bool} else None


def return_type(hint: Any) -> str | None:
    """An annotation of what is returned in a schema's words."""
    if hint is None or hint is _NONE:
        return "()"
    leaf = _leaf(hint)
    if leaf in ("Tensor", "SymInt", "float", "bool", "Scalar"):
        return leaf
    if typing.get_origin(hint) is list and typing.get_args(hint)[0] is Tensor:
        return "Tensor[]"
    if typing.get_origin(hint) is tuple:
        parts = [return_type(h) for h in typing.get_args(hint)]
        if all(p is not None for p in parts):
            return f"({', '.join(str(p) for p in parts)})"
    return None


_VALID = "Tensor, int, float, bool, str, dtype, device, int | float | bool; lists and optional ones of these"
_VALID_RETURNS = "Tensor, list[Tensor], int, float, bool, int | float | bool; tuples of these; None"
