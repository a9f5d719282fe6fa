"""PyTorch's sentences for calls whose arguments do not fit: too many, too few, of the wrong type."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core.devices import device
from ..._core.dtypes import dtype
from ..._core.generator import Generator
from ..._core.layouts import layout, memory_format
from ..._core.size import Size

_NAMED = {dtype: "torch.dtype", layout: "torch.layout", memory_format: "torch.memory_format", Size: "torch.Size",
          device: "torch.device", Generator: "torch._C.Generator"}  # fmt: skip

_HEAP = 1 << 9
"""The flag of classes that are written in Python, which CPython calls by their names alone."""


def type_of(value: Any) -> str:
    """The type of a value as PyTorch's messages tell it."""
    cls = type(value)
    if cls in _NAMED:
        return _NAMED[cls]
    plain = cls.__flags__ & _HEAP or cls.__module__ == "builtins"
    return cls.__name__ if plain else f"{cls.__module__}.{cls.__name__}"


class WrongArgument(TypeError):
    """An operator refuses the type of one of its arguments; ``public`` turns this into PyTorch's sentence."""

    def __init__(self, name: str, value: Any, wanted: str) -> None:
        super().__init__(f"argument '{name}' must be {wanted}, not {type_of(value)}")
        self.name = name
        self.value = value
        self.wanted = wanted


class NoOverload(TypeError):
    """None of an operator's overloads takes these arguments."""


def is_binding_error(e: Exception) -> bool:
    """Whether Python itself refused to bind the arguments of the call that the catching frame made."""
    return isinstance(e, TypeError) and e.__traceback__ is not None and e.__traceback__.tb_next is None


def misfit(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> WrongArgument | None:
    """The first argument that is not of its parameter's type: asked after a call has failed."""
    parameters = list(inspect.signature(fn).parameters.values())
    given = [*zip(parameters, args), *((p, kwargs[p.name]) for p in parameters if p.name in kwargs)]
    for parameter, value in given:
        kind, _, optional = str(parameter.annotation).partition(" | ")
        takes = _KINDS.get(kind)
        if parameter.kind is parameter.VAR_POSITIONAL or takes is None or optional not in ("", "None"):
            continue
        if not (takes(value) or (optional and value is None)):
            return WrongArgument(parameter.name, value, "Number" if kind == "complex" else kind)
    return None


def _is_tensor(value: Any) -> bool:
    return hasattr(type(value), "__torch_function__") or hasattr(value, "_array")


def _is_int(value: Any) -> bool:
    return hasattr(value, "__index__") and not isinstance(value, bool)


def _is_float(value: Any) -> bool:
    return _is_tensor(value) or isinstance(value, (int, float, np.number))


_KINDS: dict[str, Callable[[Any], bool]] = {
    "Tensor": _is_tensor,
    "int": _is_int,
    "float": _is_float,
    "complex": lambda value: _is_float(value) or isinstance(value, complex),
    "bool": lambda value: isinstance(value, (bool, int, np.bool_)) or _is_tensor(value),
    "str": lambda value: isinstance(value, str),
}


_TOO_BIG = ("array is too big", "Maximum allowed dimension exceeded", "Maximum allowed size exceeded")


def memory_error(e: Exception, args: tuple[Any, ...]) -> Exception | None:
    """What PyTorch says of sizes beyond all memory, where NumPy said ``e``; None if that is about something else."""
    if isinstance(e, MemoryError):
        shape: Any = getattr(e, "shape", None)
        dtype: Any = getattr(e, "dtype", None)
        known = shape is not None and dtype is not None
        asked = f" you tried to allocate {math.prod(shape) * dtype.itemsize} bytes." if known else ""
        return RuntimeError(f"[enforce fail at alloc_cpu.cpp] . DefaultCPUAllocator: can't allocate memory:{asked}")
    if str(e).startswith("maximum supported dimension for an ndarray"):
        return RuntimeError("only tensors with up to 64 dims are supported")
    if not isinstance(e, (ValueError, OverflowError)) or not str(e).startswith(_TOO_BIG):
        return None
    sizes = next((list(a) for a in args if isinstance(a, (tuple, list)) and a and isinstance(a[0], int)), None)
    if sizes is None:
        sizes = [a for a in args if isinstance(a, int)]
    return RuntimeError("Storage size calculation overflowed" + (f" with sizes={sizes}" if sizes else ""))


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
            return no_combination(name, shown, kwargs)
        if e.name in kwargs or e.name not in names:
            return TypeError(f"{name}(): {e}")
        at = names.index(e.name) + (0 if is_method else 1)
        return TypeError(
            f"{name}(): argument '{e.name}' (position {at}) must be {e.wanted}, not {type_of(e.value)}"
        )
    if isinstance(e, NoOverload):
        return no_combination(name, shown, kwargs)
    message = str(e).partition("() ")[2]
    if "unexpected keyword" in message or "multiple values" in message:
        known = {p.name for p in parameters}
        if overloads and not shown[0 if is_method else 1 :] and not known.intersection(kwargs):
            return no_combination(name, shown, kwargs)
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
            return no_combination(name, shown, kwargs)
        quoted = ", ".join(f'"{n}"' for n in absent)
        return TypeError(f"{name}() missing {len(absent)} required positional arguments: {quoted}")
    most, least = len(positional) - hidden, needed - hidden
    s = "" if most == 1 else "s"
    takes = f"{most} positional argument{s}"
    if most != least:
        takes = f"from {max(least, 1)} to {most} positional arguments"
    return TypeError(f"{name}() takes {takes} but {len(shown)} {'was' if len(shown) == 1 else 'were'} given")


def no_combination(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> TypeError:
    given = ", ".join(map(type_of, args))
    named = [f"{k}={type_of(v)}" for k, v in kwargs.items()]
    told = ", ".join([given, *named]) if args else "".join(f"{n}, " for n in named)
    return TypeError(f"{name}() received an invalid combination of arguments - got ({told})")
