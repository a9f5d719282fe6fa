"""Switches that programs written for PyTorch set. Those that mean nothing on NumPy are kept and told, no more."""

from __future__ import annotations

import os
from types import ModuleType
from typing import Any

from .._lazy import load
from .._tensor import Tensor
from . import new_memory, state
from . import threads as _threads
from .devices import parse

_deterministic = _warn_only = False
_matmul_precision = "highest"


def get_num_threads() -> int:
    """How many threads work at once on large arrays, and on products in BLAS."""
    return _threads.count


def set_num_threads(threads: int) -> None:
    """Let so many threads work at once on large arrays, and on products in BLAS."""
    _threads.set_count(_checked_count("set_num_threads", threads))


def _checked_count(name: str, threads: int) -> int:
    if type(threads) is not int:
        raise RuntimeError(f"{name} expects an int, but got {type(threads).__name__}")
    if threads <= 0:
        raise RuntimeError(f"{name} expects a positive integer")
    if threads >= 2**63:
        raise ValueError("Overflow when unpacking long long")
    return threads


_interop_threads = _threads.count


def get_num_interop_threads() -> int:
    """The number that ``set_num_interop_threads`` was given."""
    return _interop_threads


def set_num_interop_threads(threads: int) -> None:
    """Operations never run beside each other; this number is only remembered."""
    global _interop_threads
    _interop_threads = _checked_count("set_num_interop_threads", threads)


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Every algorithm here is deterministic. New memory is filled, too: see ``utils.deterministic``."""
    global _deterministic, _warn_only
    for name, value in (("'mode' (position 1)", mode), ("'warn_only'", warn_only)):
        if not isinstance(value, bool):
            raise TypeError(
                f"_set_deterministic_algorithms(): argument {name} must be bool, not {type(value).__name__}"
            )
    _deterministic, _warn_only = new_memory.deterministic, _ = mode, warn_only


def are_deterministic_algorithms_enabled() -> bool:
    """Whether deterministic algorithms were asked for; all are, here."""
    return _deterministic


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Whether deterministic algorithms were asked for with warnings only."""
    return _warn_only


def set_float32_matmul_precision(precision: str) -> None:
    """float32 is always multiplied in float32."""
    global _matmul_precision
    _matmul_precision = precision


def get_float32_matmul_precision() -> str:
    """The precision that was set; products are computed in float32 whatever it is."""
    return _matmul_precision


def typename(obj: Any, /) -> str:
    """The name of an object's type; a tensor's tells its dtype, and functions and modules have names of their own."""
    if isinstance(obj, Tensor):
        name: str = obj.type()
        return name
    if isinstance(obj, ModuleType):
        return obj.__name__
    if callable(obj) and hasattr(obj, "__qualname__") and not isinstance(obj, type):
        from ..overrides import resolve_name  # it needs all of nn

        module = obj.__module__ if obj.__module__ not in (None, "builtins") else ""
        return resolve_name(obj) or f"{module}.{obj.__qualname__}".lstrip(".")
    cls = obj if isinstance(obj, type) else type(obj)
    return cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"


def set_warn_always(b: bool, /) -> None:
    """Give warnings that are given once per process each time."""
    if not isinstance(b, bool):
        raise TypeError(f"setWarnOnlyOnce expects a bool, but got {type(b).__name__}")
    state.warns_always = b


def is_warn_always_enabled() -> bool:
    """Whether warnings that are given once per process are given each time."""
    return state.warns_always


# ---- questions about the build


def get_file_path(*path_components: str) -> str:
    """A path beside facula, as PyTorch gives one beside itself."""
    folder = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parts = ["facula" if i == 0 and part == "torch" else part for i, part in enumerate(path_components)]
    return os.path.join(folder, *parts)


def get_device_module(device: Any = None) -> Any:
    """The module for a kind of device: ``torch.cpu``, ``torch.cuda``, ..."""
    name = parse(None).type if device is None else str(getattr(device, "type", device)).partition(":")[0]
    try:
        return load(name)
    except ModuleNotFoundError:
        raise RuntimeError(
            f"Device '{name}' does not have a corresponding module registered as 'torch.{name}'."
        ) from None


def set_flush_denormal(mode: bool) -> bool:
    """Whether tiny numbers count as 0 can not be set from here."""
    return False


def _nnpack_available() -> bool:
    return False


def is_vulkan_available() -> bool:
    """False: there is only the CPU."""
    return False


def compiled_with_cxx11_abi() -> bool:
    """What programs ask of a PyTorch that was compiled; True."""
    return True


_DEBUG_MODES = {"default": 0, "warn": 1, "error": 2}


def get_deterministic_debug_mode() -> int:
    """0, 1 or 2: deterministic algorithms were not asked for, or with warnings, or with errors."""
    return 0 if not _deterministic else 1 if _warn_only else 2


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """``use_deterministic_algorithms`` by number or name."""
    if not isinstance(debug_mode, (int, str)):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    if isinstance(debug_mode, str):
        if debug_mode not in _DEBUG_MODES:
            raise RuntimeError(
                f"invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got {debug_mode}"
            )
        debug_mode = _DEBUG_MODES[debug_mode]
    if debug_mode not in (0, 1, 2):
        raise RuntimeError(f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}")
    use_deterministic_algorithms(debug_mode > 0, warn_only=debug_mode == 1)
