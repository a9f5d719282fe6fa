"""``torch.accelerator``: there is none here."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NoReturn

_ASKING = """
    current_device_idx current_device_index current_stream empty_cache empty_host_cache get_device_capability
    get_memory_info max_memory_allocated max_memory_reserved memory_allocated memory_reserved memory_stats
    reset_accumulated_memory_stats reset_peak_memory_stats set_device_idx set_device_index set_stream synchronize
""".split()
"""Functions that need a device."""

__all__ = ["current_accelerator", "device_count", "device_index", "is_available", *_ASKING]


def is_available() -> bool:
    return False


def device_count() -> int:
    return 0


def current_accelerator(check_available: bool = False) -> None:
    return None


def device_index(device: int | None, /) -> AbstractContextManager[None]:
    """Within it another device would be the current one."""
    return nullcontext() if device is None else _Refused()


class _Refused(AbstractContextManager[None]):
    def __enter__(self) -> NoReturn:
        _refuse()

    def __exit__(self, *error: Any) -> None:
        pass


def _refuse() -> NoReturn:
    raise RuntimeError("Cannot access accelerator device when none is available.")


def _asks(name: str) -> Callable[..., NoReturn]:
    def ask(*args: Any, **kwargs: Any) -> NoReturn:
        _refuse()

    ask.__name__ = ask.__qualname__ = name
    return ask


globals().update({name: _asks(name) for name in _ASKING})
