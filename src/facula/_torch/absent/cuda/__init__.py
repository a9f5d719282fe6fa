"""There is no CUDA here. What programs call to find that out, and what does no harm, exists."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, NoReturn

__all__ = [
    "Event", "Stream", "amp", "current_device", "current_stream", "default_stream", "device", "device_count",
    "empty_cache", "get_arch_list", "get_device_capability", "get_device_name", "get_device_properties",
    "get_rng_state", "get_rng_state_all", "init", "initial_seed", "ipc_collect", "is_available", "is_bf16_supported",
    "is_initialized", "manual_seed", "manual_seed_all", "max_memory_allocated", "max_memory_reserved", "mem_get_info",
    "memory_allocated", "memory_reserved", "memory_stats", "reset_max_memory_allocated", "reset_peak_memory_stats",
    "seed", "seed_all", "set_device", "set_rng_state", "set_rng_state_all", "stream", "synchronize",
]  # fmt: skip

default_generators: tuple[Any, ...] = ()
has_half = True


def is_available() -> bool:
    return False


def is_initialized() -> bool:
    return False


def is_tf32_supported() -> bool:
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    return False


def device_count() -> int:
    return 0


def get_arch_list() -> list[str]:
    return []


def get_rng_state_all() -> list[Any]:
    return []


def memory_stats(device: Any = None) -> OrderedDict[str, Any]:
    return OrderedDict()


# ---- nothing to do


def _no_memory(device: Any = None) -> int:
    return 0


memory_allocated = max_memory_allocated = memory_reserved = max_memory_reserved = _no_memory
memory_cached = max_memory_cached = _no_memory


def manual_seed(seed: int) -> None:
    """Nothing to seed."""


def manual_seed_all(seed: int) -> None:
    """Nothing to seed."""


def seed() -> None:
    """Nothing to seed."""


def seed_all() -> None:
    """Nothing to seed."""


def set_rng_state_all(new_states: Any) -> None:
    """Nothing to set."""


def empty_cache() -> None:
    """Nothing to free."""


def synchronize(device: Any = None) -> None:
    """Nothing to wait for."""


def reset_peak_memory_stats(device: Any = None) -> None:
    """Nothing to forget."""


reset_max_memory_allocated = reset_peak_memory_stats


class device:
    """``with device(0)``: without devices, nothing changes."""

    def __init__(self, device: Any) -> None:
        self.idx = device

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        pass


class stream:
    """``with stream(None)``: without streams, nothing changes."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        pass


StreamContext = stream


# ---- what needs a device


def _needs_cuda(*args: Any, **kwargs: Any) -> NoReturn:
    raise AssertionError("Torch not compiled with CUDA enabled")


current_device = current_stream = default_stream = get_device_capability = get_device_name = _needs_cuda
get_device_properties = get_rng_state = init = initial_seed = ipc_collect = mem_get_info = set_device = _needs_cuda
set_rng_state = set_stream = can_device_access_peer = _needs_cuda


class Stream:
    """A queue of work on a device."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError("torch.cuda.Stream requires CUDA support")


class Event:
    """A mark in a queue of work."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError("Tried to instantiate dummy base class Event")


class CUDAGraph:
    """A recording of work on a device."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError("Tried to instantiate dummy base class CUDAGraph")


class graph:
    """``with graph(CUDAGraph())``: records work on a device."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _needs_cuda()


class OutOfMemoryError(RuntimeError):
    """A device has no memory left."""

    __module__ = "facula"


def _typed(name: str) -> type:
    def refuse(cls: Any, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError(f"type torch.cuda.{name} not available. Torch not compiled with CUDA enabled.")

    return type(name, (), {"__new__": refuse, "__module__": "torch.cuda"})


def __getattr__(name: str) -> Any:
    if name == "amp":
        from importlib import import_module  # loaded when first used

        return import_module(f"{__name__}.amp")
    if name.endswith("Tensor") and name.removesuffix("Tensor") in _ELEMENTS:
        made = globals()[name] = _typed(name)
        return made
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


_ELEMENTS = ("BFloat16", "Bool", "Byte", "Char", "Double", "Float", "Half", "Int", "Long", "Short")
