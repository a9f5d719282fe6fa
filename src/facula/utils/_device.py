"""``torch.utils._device``: the device on which new tensors are made, for programs that reach for it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from .. import fft
from .._core import devices
from ..ops.machine.public import FUNCTIONS
from ._contextlib import context_decorator

__all__ = ["DeviceContext", "set_device"]

_CONSTRUCTORS = """
    arange as_tensor asarray bartlett_window blackman_window empty empty_permuted empty_strided eye full hamming_window
    hann_window kaiser_window linspace logspace ones rand randint randn randperm range scalar_tensor
    sparse_coo_tensor tensor tril_indices triu_indices zeros
"""


@cache
def _device_constructors() -> set[Callable[..., Any]]:
    """The functions that a default device has its effect on."""
    return {FUNCTIONS[name] for name in _CONSTRUCTORS.split()} | {fft.fftfreq, fft.rfftfreq}


class DeviceContext:
    """Within it, new tensors are made on a device."""

    def __init__(self, device: Any) -> None:
        self.device = devices.device(device)

    def __enter__(self) -> DeviceContext:
        self.device.__enter__()
        return self

    def __exit__(self, *exc: object) -> None:
        self.device.__exit__(*exc)


def device_decorator(device: Any, func: Callable[..., Any]) -> Callable[..., Any]:
    """The function or generator, whose new tensors are made on a device."""
    return context_decorator(lambda: DeviceContext(device), func)


def set_device(device: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """``device_decorator`` for a device."""
    on = devices.device(device)
    return lambda func: device_decorator(on, func)
