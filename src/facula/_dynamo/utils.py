"""What other packages ask of PyTorch's compiler."""

from __future__ import annotations

from typing import Any

from facula._compile.counters import counters, times

__all__ = ["compile_times", "counters", "is_compile_supported"]


def is_compile_supported(device_type: Any) -> bool:
    """Whether functions can be compiled for a device."""
    return str(device_type) == "cpu"


def compile_times(repr: str = "str", aggregate: bool = False) -> Any:
    """How long captures and what becomes of them took: a text, or ``repr="csv"`` for headers and rows."""
    rows = {name: [f"{sum(seconds):.4f}"] if aggregate else [f"{s:.4f}" for s in seconds]
            for name, seconds in times.items()}  # fmt: skip
    if repr == "csv":
        return list(rows), list(rows.values())
    lines = [", ".join([name, *row]) for name, row in rows.items()]
    return "\n".join(["TorchDynamo compilation metrics:", "Function, Runtimes (s)", *lines])
