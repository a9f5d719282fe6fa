"""``torch.nn.parallel.scatter_gather``: parts of batches for several devices, of which there is one here."""

from __future__ import annotations

from typing import Any

import facula

__all__ = ["gather", "scatter", "scatter_kwargs"]


def scatter(inputs: Any, target_gpus: Any, dim: int = 0) -> list[Any]:
    """All for the one device."""
    return [inputs]


def scatter_kwargs(inputs: Any, kwargs: Any, target_gpus: Any, dim: int = 0) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    return (inputs,), (kwargs or {},)


def gather(outputs: Any, target_device: Any, dim: int = 0) -> Any:
    """The parts as one batch."""
    return outputs[0] if len(outputs) == 1 else facula.cat(list(outputs), dim)
