"""The same numbers for every library: drawn by NumPy from given seeds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def array(*shape: int, seed: int = 1) -> Any:
    """Standard normal float32."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def draw(torch: Any, *shape: int, seed: int = 1) -> Any:
    return torch.from_numpy(array(*shape, seed=seed))


def classes(torch: Any, *shape: int, below: int, seed: int = 1) -> Any:
    return torch.from_numpy(np.random.default_rng(seed).integers(0, below, shape))


def weights(*shapes: tuple[int, ...]) -> list[Any]:
    """The arrays that ``settled`` gives to parameters of these shapes: matrices are drawn, vectors are zeros."""
    rng = np.random.default_rng(0)
    return [_weight(rng, shape) if len(shape) > 1 else np.zeros(shape, np.float32) for shape in shapes]


def settled(torch: Any, module: Any) -> Any:
    """A module with the same initial parameters on either library: matrices drawn, scales 1, all others 0."""
    rng = np.random.default_rng(0)
    with torch.no_grad():
        for p in module.parameters():
            if p.dim() > 1:
                p.copy_(torch.from_numpy(_weight(rng, tuple(p.shape))))
            elif tuple(p.shape) and float(p.detach().abs().sum()) not in (0.0, float(p.shape[0])):
                p.zero_()
    return module


def _weight(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    return (rng.standard_normal(shape) / math.sqrt(math.prod(shape[1:]))).astype(np.float32)


def fingerprint(result: Any) -> tuple[float, float]:
    """Of a result: its first element and the mean size of all, which must be the same for every library."""
    found = result.detach().numpy() if hasattr(result, "detach") else np.asarray(result)
    return float(found.reshape(-1)[0]), float(np.abs(found, dtype=np.float64).mean())


def same(one: tuple[float, float], other: tuple[float, float]) -> bool:
    (first, size), (other_first, other_size) = one, other
    near = 1e-4 * max(size, other_size) + 1e-30
    return abs(first - other_first) <= near and abs(size - other_size) <= near
