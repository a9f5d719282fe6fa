"""PyTorch's sentences for calls whose arguments do not fit: too many, too few, of the wrong type."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core.devices import device
from ..._core.dtypes import bfloat16, dtype, float16, float32
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
    if 0 in sizes:  # there is nothing to store
        return RuntimeError("Stride calculation overflowed")
    return RuntimeError("Storage size calculation overflowed" + (f" with sizes={sizes}" if sizes else ""))


_C_NAMES = {
    "float16": "c10::Half", "bfloat16": "c10::BFloat16", "float32": "float", "float64": "double", "int32": "int",
}  # fmt: skip


def unconvertible(d: dtype) -> RuntimeError:
    """What PyTorch says of a number that a tensor of this dtype cannot hold."""
    return RuntimeError(f"value cannot be converted to type {_C_NAMES.get(d.name, f'{d.name}_t')} without overflow")


def unreal(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Exception | None:
    """The same of a complex number beside a tensor of real ones."""
    like = args[0].dtype if args and hasattr(args[0], "_array") else None
    if like is None or like.is_complex or not any(isinstance(v, complex) for v in (*args, *kwargs.values())):
        return None
    return unconvertible(float32 if like in (float16, bfloat16) else like)
