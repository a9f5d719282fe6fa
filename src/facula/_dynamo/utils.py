"""What other packages ask of PyTorch's compiler."""

from __future__ import annotations

from typing import Any

from facula._compile.counters import counters

__all__ = ["counters", "is_compile_supported"]


def is_compile_supported(device_type: Any) -> bool:
    """Whether functions can be compiled for a device."""
    return str(device_type) == "cpu"
