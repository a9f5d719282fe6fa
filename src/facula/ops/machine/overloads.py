"""PyTorch's sentences for calls that fit no form of a function: too many arguments, too few, of wrong types."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from .errors import NoOverload, WrongArgument, type_of
from .forms import Form, forms


def argument_error(
    e: Exception, fn: Callable[..., Any], name: str, args: tuple[Any, ...], kwargs: dict[str, Any], is_method: bool,
    overloads: bool,
) -> TypeError:  # fmt: skip
    """What PyTorch says where Python, or the operator, said ``e``."""
    parameters = list(inspect.signature(fn).parameters.values())
    shown = args[1:] if is_method else args
    if isinstance(e, WrongArgument):
        names = [p.name for p in parameters]
        others = len(args) + len(kwargs) - 2
        if overloads and e.name != names[0] and (e.name not in kwargs or not others):
            return no_combination(name, shown, kwargs, forms(name, is_method))
        if e.name in kwargs or e.name not in names:
            return TypeError(f"{name}(): {e}")
        at = names.index(e.name) + (0 if is_method else 1)
        return TypeError(
            f"{name}(): argument '{e.name}' (position {at}) must be {e.wanted}, not {type_of(e.value)}"
        )
    if isinstance(e, NoOverload):
        return no_combination(name, shown, kwargs, forms(name, is_method))
    message = str(e).partition("() ")[2]
    if "unexpected keyword" in message or "multiple values" in message:
        known = {p.name for p in parameters}
        if overloads and not shown[0 if is_method else 1 :] and not known.intersection(kwargs):
            return no_combination(name, shown, kwargs, forms(name, is_method))
        stranger = next((k for k in kwargs if k not in known), None)
        if stranger is not None:
            message = f"got an unexpected keyword argument '{stranger}'"
        return TypeError(f"{name}() {message}")
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    hidden = 1 if is_method else 0
    needed = sum(p.default is p.empty for p in positional)
    if "missing" in message:
        absent = [p.name for p in positional[len(args) :] if p.default is p.empty and p.name not in kwargs]
        if overloads or not absent:
            return no_combination(name, shown, kwargs, forms(name, is_method))
        quoted = ", ".join(f'"{n}"' for n in absent)
        return TypeError(f"{name}() missing {len(absent)} required positional arguments: {quoted}")
    most, least = len(positional) - hidden, needed - hidden
    s = "" if most == 1 else "s"
    takes = f"{most} positional argument{s}"
    if most != least:
        takes = f"from {max(least, 1)} to {most} positional arguments"
    return TypeError(f"{name}() takes {takes} but {len(shown)} {'was' if len(shown) == 1 else 'were'} given")


def no_combination(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], known: Sequence[Form]) -> TypeError:
    """That no form takes such arguments, and which forms there are."""
    named = [f"{k}={type_of(v)}" for k, v in reversed(kwargs.items())]
    told = ", ".join([*map(type_of, args), *named]) if args else "".join(f"{n}, " for n in named)
    said = f"{name}() received an invalid combination of arguments - got ({told})"
    if not known:
        return TypeError(said)
    if len(known) == 1:
        return TypeError(f"{said}, but expected ({', '.join(known[0].shown)})")
    lines = [f"{said}, but expected one of:"]
    for form in known:
        shown = form.shown
        lines.append(f" * ({', '.join(shown)})")
        if len(shown) == len(args) + len(kwargs):
            lines.append(f"      didn't match because some of the {_mismatch(shown, args, kwargs)}")
    return TypeError("\n".join(lines) + "\n")


def _mismatch(shown: list[str], args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Which names or types differ from a form's. PyTorch reads its own list: the last word of an entry is the name."""
    kinds, _, names = zip(*(each.rpartition(" ") for each in shown))
    strange = [k for k in reversed(kwargs) if k not in names[len(args) :]]
    if strange:
        return f"keywords were incorrect: {', '.join(strange)}"
    told = [_marked(kind, "", value) for kind, value in zip(kinds, args)]
    told += [_marked(kind, f"{n}=", kwargs[n]) for kind, n in [*zip(kinds, names)][len(args) :]]
    return f"arguments have invalid types: ({', '.join(told)}{'' if args else ', '})"


def _marked(kind: str, name: str, value: Any) -> str:
    """The type of an argument, between exclamation marks if its name is not that of the kind."""
    told = type_of(value)
    fits = told == kind or (told == "int" and kind == "float")
    if isinstance(value, (tuple, list)):
        items = ", ".join(map(type_of, value))
        told += f" of ({items}{',' * (len(value) == 1)})" if isinstance(value, tuple) else f" of [{items}]"
    return f"{name}{told}" if fits else f"!{name}{told}!"
