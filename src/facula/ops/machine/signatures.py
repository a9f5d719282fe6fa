"""Which arguments PyTorch's functions take, and what it says of others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core.devices import device
from ..._core.dtypes import dtype
from ..._core.generator import Generator
from ..._core.layouts import layout, memory_format
from ..._core.numbers import too_big
from ..._tensor import Tensor
from .arguments import NUMPY_NAMES
from .errors import type_of
from .forms import Form, Parameter, forms
from .overloads import no_combination

LONGEST = 2**63

ANY: Any = object()
"""Stands for an argument that is as it should be."""


# ---- kinds of arguments


def _is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor) or hasattr(type(value), "__torch_function__")


def _is_plain(value: Any, kinds: str) -> bool:
    """Whether a value is a tensor that stands for a number of these kinds."""
    return isinstance(value, Tensor) and not value.ndim and not value.requires_grad and value._array.dtype.kind in kinds


def _is_float(value: Any) -> bool:
    numbers = (int, float, np.number, np.bool_)
    return isinstance(value, numbers) or hasattr(value, "hint") or _is_plain(value, "biufcV")


def _is_number(value: Any) -> bool:
    return isinstance(value, complex) or _is_float(value)


def _is_int(value: Any) -> bool:
    if isinstance(value, (int, np.integer)) or hasattr(value, "hint"):
        return not isinstance(value, bool)
    return _is_plain(value, "iu")


def _is_index(value: Any) -> bool:
    if _is_int(value):
        return True
    if isinstance(value, (bool, np.bool_)):
        return False
    if isinstance(value, (Tensor, np.ndarray)):
        array = value._array if isinstance(value, Tensor) else value
        return array.dtype.kind in "biu" and array.size == 1 and (isinstance(value, Tensor) or not array.ndim)
    return hasattr(type(value), "__index__")


def _all(first: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Lists of which PyTorch looks at the first element."""
    return lambda value: isinstance(value, (tuple, list)) and (not len(value) or first(value[0]))


def _is_tensors(value: Any) -> bool:
    return isinstance(value, (tuple, list)) and all(_is_tensor(t) for t in value)


_TAKES: dict[str, Callable[[Any], bool]] = {
    "Tensor": _is_tensor,
    "Number": _is_number,
    "float": _is_float,
    "complex": _is_number,
    "int": _is_int,
    "SymInt": _is_index,
    "bool": lambda value: isinstance(value, bool) or hasattr(value, "hint"),
    "str": lambda value: isinstance(value, str),
    "ints": _all(_is_index),
    "floats": _all(_is_float),
    "Numbers": _all(_is_number),
    "Tensors": _is_tensors,
    "torch.dtype": lambda value: isinstance(value, dtype) or any(value is t for t in (int, float, bool, complex)),
    "torch.layout": lambda value: isinstance(value, layout),
    "torch.memory_format": lambda value: isinstance(value, memory_format),
    "torch.device": lambda value: isinstance(value, (device, str)) or _is_int(value),
    "torch.Generator": lambda value: isinstance(value, Generator),
    "torch.Storage": lambda value: hasattr(value, "untyped") or hasattr(value, "_bytes"),
}


# ---- calls


class WrongElement(TypeError):
    """A list of tensors has something else in it: no further forms are tried."""


def mistake(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], is_method: bool) -> Exception | None:
    """What PyTorch says of a call that none of the forms takes; None if one does, or if there are none."""
    known = forms(name, is_method)
    if not known:
        return None
    if is_method:
        args = args[1:]
    told = [_misfit(name, form, args, kwargs) for form in known]
    for form, wrong in zip(known, told):
        if wrong is None:
            return _unpacked(name, form, args, kwargs)
        if isinstance(wrong, WrongElement):
            return TypeError(*wrong.args)
    given = len(args) + len(kwargs)
    plausible = [wrong for form, wrong in zip(known, told) if form.least <= given <= len(form.parameters)]
    if len(known) == 1:
        return told[0]
    return plausible[0] if len(plausible) == 1 else no_combination(name, args, kwargs, known)


def _misfit(name: str, form: Form, args: tuple[Any, ...], kwargs: dict[str, Any]) -> TypeError | None:
    """The first thing that is wrong about a call of a form."""
    positional = form.positional
    if len(args) > len(positional) and not (form.takes_sizes and _is_index(args[0])):
        return _too_many(name, form, len(args))
    used = 0
    for i, p in enumerate(form.parameters):
        by_name = i >= len(args) or p.keyword_only
        if by_name:
            key = p.name if p.name in kwargs else next((k for k in kwargs if NUMPY_NAMES.get(k) == p.name), None)
            if key is None:
                if not p.optional:
                    return _missing(name, form, i, kwargs)
                continue
            used += 1
            value = kwargs[key]
        else:
            value = args[i]
        if value is None and p.nullable:
            continue
        is_size = i == 0 and not by_name and form.takes_sizes and _is_index(value)
        if not (is_size or _takes(p, value)):
            return _wrong(name, p, i, value, by_name)
    if used < len(kwargs):
        return _stranger(name, form, len(args), kwargs)
    return None


def _takes(p: Parameter, value: Any) -> bool:
    takes = _TAKES.get(p.kind)
    if takes is None or value is ANY or takes(value):
        return True
    return (p.size > 0 and _is_index(value)) or (p.or_number and _is_number(value))


def _wrong(name: str, p: Parameter, i: int, value: Any, by_name: bool) -> TypeError:
    if p.kind == "Tensors" and isinstance(value, (tuple, list)):
        at = next(k for k, t in enumerate(value) if not _is_tensor(t))
        return WrongElement(f"expected Tensor as element {at} in argument {i}, but got {type_of(value[at])}")
    where = "" if by_name else f" (position {i + 1})"
    if p.kind in ("ints", "floats", "Numbers") and isinstance(value, (tuple, list)) and not by_name:
        found = f"but found element of type {type_of(value[0])} at pos 0"
        return TypeError(f"{name}(): argument '{p.name}'{where} must be {p.said}, {found}")
    return TypeError(f"{name}(): argument '{p.name}'{where} must be {p.said}, not {type_of(value)}")


def _too_many(name: str, form: Form, given: int) -> TypeError:
    most, least = len(form.positional), form.least
    takes = f"{most} positional argument{'s' * (most != 1)}"
    if most != least:
        takes = f"from {least} to {most} positional arguments"
    return TypeError(f"{name}() takes {takes} but {given} {'was' if given == 1 else 'were'} given")


def _missing(name: str, form: Form, first: int, kwargs: dict[str, Any]) -> TypeError:
    absent = [p.name for p in form.parameters[first:] if not p.optional and p.name not in kwargs]
    quoted = ", ".join(f'"{n}"' for n in absent)
    return TypeError(f"{name}() missing {len(absent)} required positional arguments: {quoted}")


def _stranger(name: str, form: Form, given: int, kwargs: dict[str, Any]) -> TypeError:
    """Of a name that the form does not have, or that stands for an argument which was given before."""
    names = [p.name for p in form.parameters]
    strange = next((key for key in kwargs if key not in names), None)
    if strange is not None:
        return TypeError(f"{name}() got an unexpected keyword argument '{strange}'")
    twice = next(key for key in kwargs if names.index(key) < given)
    return TypeError(f"{name}() got multiple values for argument '{twice}'")


def _unpacked(name: str, form: Form, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Exception | None:
    """What is said of numbers that are too large, and of lists of which a later element is none of their kind."""
    if form.takes_sizes and args and not isinstance(args[0], (tuple, list)):
        args = (args,)
    given = [*zip(form.parameters, args), *((p, kwargs[p.name]) for p in form.parameters if p.name in kwargs)]
    for p, value in given:
        if isinstance(value, (tuple, list)) and p.kind == "ints":
            for at, n in enumerate(value, 1):
                if not (_is_index(n) or isinstance(n, bool)):
                    return _not_unpacked(name, p, at, f"type must be tuple of ints,but got {type_of(n)}")
                if type(n) is int and not -LONGEST <= n < LONGEST:
                    return _not_unpacked(name, p, at, "Overflow when unpacking long long")
        elif type(value) is int and not -LONGEST <= value < LONGEST:
            if p.kind in ("int", "SymInt", "ints", "torch.device"):
                return ValueError("Overflow when unpacking long long")
            if p.kind == "Number":
                return too_big(value)
    return None


def _not_unpacked(name: str, p: Parameter, at: int, why: str) -> TypeError:
    return TypeError(f"{name}(): argument '{p.name}' failed to unpack the object at pos {at} with error \"{why}\"")
