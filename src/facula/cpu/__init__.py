"""``torch.cpu``: the one device that computes."""

from __future__ import annotations

from types import ModuleType
from typing import Any

__all__ = [
    "Stream", "StreamContext", "current_device", "current_stream", "device_count", "is_available", "is_initialized",
    "set_device", "stream", "synchronize",
]  # fmt: skip


def is_available() -> bool:
    """True."""
    return True


def is_initialized() -> bool:
    """True."""
    return True


def device_count() -> int:
    """1."""
    return 1


def current_device() -> str:
    """"cpu"."""
    return "cpu"


def set_device(device: Any) -> None:
    """There is only one."""


def synchronize(device: Any = None) -> None:
    """Everything has been computed already."""


class Stream:
    """The CPU has no streams; this stands for the one order in which it computes."""

    def __init__(self, priority: int = -1) -> None:
        pass

    def wait_stream(self, stream: Any) -> None:
        """Everything has been computed already."""


_the_stream = Stream()


def current_stream(device: Any = None) -> Stream:
    """The stream of the CPU, on which everything runs at once."""
    return _the_stream


class StreamContext:
    """Within it nothing is different."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        pass


def stream(stream: Any) -> StreamContext:
    """A context that changes nothing: there is one stream."""
    return StreamContext(stream)


def __getattr__(name: str) -> ModuleType:
    if name == "amp":
        from importlib import import_module  # loaded when first used

        return import_module(f"{__name__}.amp")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
