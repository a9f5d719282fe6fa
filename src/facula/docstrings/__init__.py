"""The docstrings of operators and classes: text files beside this one, read when the first operator is asked for.

A text belongs to the names in the line above it, ``== cat concat concatenate``, as users write them after ``torch.``,
and follows what the function or class itself says. ``python -m tests.docstrings`` runs the examples and writes what
they print, the shapes and the node.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping
from functools import cache
from inspect import Parameter, Signature
from typing import Any


@cache
def texts() -> dict[str, str]:
    """The text of every name."""
    here = os.path.dirname(__file__)
    found = {}
    for file in sorted(os.listdir(here)):
        if file.endswith(".txt"):
            with open(os.path.join(here, file), "rb", 0) as lines:
                entries = lines.read().decode().split("\n== ")
            for entry in entries[1:]:
                names, _, text = entry.partition("\n")
                for name in names.split():
                    found[name] = text.rstrip()
    return found


def document(value: Any, name: str, *others: str) -> Any:
    """Give a public function its docstring and its signature; ``others`` are names that it may have a text under."""
    own = vars(value) if hasattr(value, "__dict__") else {}
    if "documented" in own or not (inspect.isfunction(value) or "primitive" in own):
        return value
    value.documented = True
    told = value.__doc__
    text = next((text for each in (name, *others) if (text := texts().get(each))), None)
    if text is not None:
        value.__doc__ = "\n\n".join([*([inspect.cleandoc(told) if "\n" in told else told] if told else []), text])
    elif not told and name.endswith("_"):
        value.__doc__ = f"``{name.rpartition('.')[2][:-1]}``, written into the tensor itself."
    op = own.get("primitive")
    if op is not None and op.kind == "elementwise" and own.keys().isdisjoint(("__signature__", "__wrapped__")):
        names = tuple(op.tensor_names), tuple(op.attribute_names)
        value.__signature__ = signature(*names, "Tensor." in name, name.endswith("_"), op.with_alpha is not None)
    return value


class ClassText:
    """The docstring of a class: what it says itself and its text, which is read when somebody asks."""

    __slots__ = ("name", "told")

    def __init__(self, told: str, name: str) -> None:
        self.told = told
        self.name = name

    def __get__(self, instance: Any, owner: Any = None) -> str:
        text = texts().get(self.name)
        return f"{inspect.cleandoc(self.told)}\n\n{text}" if text else self.told


def document_class(cls: Any, name: str) -> Any:
    """Give a public class its docstring."""
    told = vars(cls).get("__doc__")
    if isinstance(told, str):
        cls.__doc__ = ClassText(told, name)
    return cls


def document_classes(module: str, names: Mapping[str, Any]) -> None:
    """Give the public classes among the names of a module their docstrings; ``module`` as users write it."""
    for name in names["__all__"]:
        if isinstance(value := names.get(name), type):
            document_class(value, f"{module}.{name}")


@cache
def signature(
    tensors: tuple[str, ...], attributes: tuple[str, ...], is_method: bool, is_write: bool, with_alpha: bool
) -> Signature:
    """That of an elementwise operator, in one of its forms."""
    first = "self" if is_method or is_write else tensors[0]
    kinds = {first: "Tensor"} | dict.fromkeys(tensors[1:], "Tensor | complex") | dict.fromkeys(attributes, "Any")
    parameters = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, annotation=kind) for name, kind in kinds.items()]
    if with_alpha:
        parameters.append(Parameter("alpha", Parameter.KEYWORD_ONLY, default=1, annotation="float"))
    if not is_method and not is_write:
        parameters.append(Parameter("out", Parameter.KEYWORD_ONLY, default=None, annotation="Tensor | None"))
    return Signature(parameters, return_annotation="Tensor")
