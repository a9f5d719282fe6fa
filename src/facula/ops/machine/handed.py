"""What PyTorch's functions in Python do with their arguments, as far as it tells which ones they refuse, and how.

Most of ``nn.functional`` is made of Python, and hands its arguments on: what is said of a wrong one is said by the
function that gets it, or by Python, of something that has no ``size``. ``handed.txt`` has a line for each, with steps
in their order:

- ``input.dim``: an argument is asked for an attribute; ``weight?.dim``: if it is not None
- ``p<``: it is compared with a number
- ``dropout(input, p, True, k=v)``: arguments, and values of Python, go to a function of ``signatures.txt``. ``size*2``
  stands for one number or a list of two, ``dim*`` for one or a list, ``tensors!`` for the only one of several if there
  is but one, ``tensors~`` for it if it is a list; ``align_corners?`` is filled in where it, or one of it, is None
- ``inplace: step`` and ``not inplace: step``: by the truth of an argument, ``dim?: step`` whether it is given, ``p is
  str: step`` and ``p not str: step`` by its class; a tensor of one element counts as an int.

``F.`` begins the names of ``nn.functional``, a dot those of methods.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ..._tensor import Tensor
from .errors import type_of
from .forms import Parameter, forms
from .signatures import ANY, mistake

_STEP = re.compile(r"(?:(?P<condition>[^():]+): )?(?P<name>[\w]+)(?:(?P<given>\??)(?P<what>\.\w+|<)|\((?P<args>.*)\))$")
_ARGUMENT = re.compile(r"(?:(\w+)=)?([A-Za-z_]\w*)(\*\d*|[!~?])?$")
_VALUES = ("True", "False", "None")
_CLASSES = {"str": str, "int": int}


class Step(NamedTuple):
    condition: str
    name: str
    """The argument, or the function that gets some."""
    what: str
    """What is asked of an argument: ``.dim`` or ``<``; nothing if it is a function."""
    args: tuple[str, ...]

    def takes_place(self, given: dict[str, Any]) -> bool:
        if not self.condition:
            return True
        words = self.condition.split()
        if len(words) == 3:
            name, how, cls = words
            value = given[name]
            is_number = cls == "int" and isinstance(value, Tensor) and value.numel() == 1
            is_one = isinstance(value, _CLASSES[cls]) or is_number
            return is_one is (how == "is")
        name = words[-1]
        return (given[name[:-1]] is not None if name.endswith("?") else bool(given[name])) is (len(words) == 1)


@cache
def _lines() -> dict[str, str]:
    text = (Path(__file__).parent / "handed.txt").read_text(encoding="utf-8")
    return dict(line.split(": ", 1) for line in text.splitlines())


def names() -> list[str]:
    """The functions of which it is known."""
    return [*_lines()]


@cache
def steps(name: str) -> tuple[Step, ...]:
    """What is done with the arguments of a function; nothing if that is not known."""
    return tuple(_step(each) for each in filter(None, _lines().get(name, "").split(" | ")))


def _step(text: str) -> Step:
    found = _STEP.match(text)
    assert found is not None, text
    condition, name, given, what, args = found.group("condition", "name", "given", "what", "args")
    each = re.findall(r"(?:\[.*?\]|[^,\[])+", (args or "").replace(", ", ","))
    return Step(f"{name}?" if given else condition or "", name, what or "", tuple(each))


def natives() -> set[str]:
    """The functions that get arguments."""
    return {step.name for name in _lines() for step in steps(name) if not step.what}


@cache
def parameters(name: str) -> tuple[Parameter, ...]:
    """What the functions that get the arguments of a function take, by its own names."""
    return tuple(p for step in steps(name) for p in _taken(step))


def _taken(step: Step) -> Iterator[Parameter]:
    if " is " in step.condition:
        own, _, kind = step.condition.split()
        yield Parameter(kind, 0, False, own, False, False)
    if step.what:
        return
    for form in forms(step.name, False):
        for i, text in enumerate(step.args):
            found = _ARGUMENT.match(text)
            if found is None or found[2] in _VALUES:
                continue
            key, own, many = found.groups()
            for p in form.parameters if key else form.positional[i : i + 1]:
                if key in (None, p.name):
                    nullable = p.nullable or many == "?" or step.condition == f"{own}?"
                    yield p._replace(name=own, size=p.size or (many or "").startswith("*"), nullable=nullable)


def wrong_handed(name: str, given: dict[str, Any]) -> Exception | None:
    """What PyTorch says of the arguments of a function, by their names; None if it takes them or that is not known."""
    for step in steps(name):
        try:
            if not step.takes_place(given):
                continue
            told = None
            if not step.what:
                told = _refused(step, given)
            elif step.what != "<":
                told = _without(given[step.name], step.what[1:])
            elif given[step.name] < 0.0 or given[step.name] > 1e300:
                continue  # the function itself refuses such values
        except (TypeError, ValueError, RuntimeError) as e:  # of a comparison, or of the truth of a tensor
            return e
        if told is not None:
            return told
    return None


def _refused(step: Step, given: dict[str, Any]) -> Exception | None:
    args, kwargs = [], {}
    for text in step.args:
        found = _ARGUMENT.match(text)
        if found is None or found[2] not in given:
            key, _, literal = text.rpartition("=")
            value = _value(literal, given)
        else:
            key, value = found[1], _spread(given[found[2]], found[3] or "")
        if key:
            kwargs[key] = value
        else:
            args.append(value)
    return mistake(step.name, tuple(args), kwargs, False)


def _value(text: str, given: dict[str, Any]) -> Any:
    if text.startswith("["):
        return [given[each] if each in given else int(each) for each in text[1:-1].split(",") if each]
    return ast.literal_eval(text)


def _spread(value: Any, how: str) -> Any:
    """An argument as it is handed on."""
    if how == "?":
        return ANY if value is None or (isinstance(value, (tuple, list)) and None in value) else value
    if how == "*":
        return [value] if isinstance(value, int) else value
    if how.startswith("*"):
        return tuple(value) if isinstance(value, Iterable) else (value,) * int(how[1:])
    if len(value) == 1 if how == "!" else how == "~" and len(value) == 1 and isinstance(value[0], (tuple, list)):
        return value[0]
    return value


def _without(value: Any, attribute: str) -> Exception | None:
    if hasattr(value, attribute):
        return None
    return AttributeError(f"'{type_of(value)}' object has no attribute '{attribute}'")
