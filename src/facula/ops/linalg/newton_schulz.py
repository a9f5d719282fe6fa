"""The orthogonal matrix near to a matrix, by the iteration of Newton and Schulz in bfloat16: what Muon needs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.dtypes import F32, bfloat16
from ..arrays.types import Array
from ..machine import batching
from ..machine.primitive import primitive


@primitive(None, name="newton_schulz", batch=batching.item_by_item)
def newton_schulz_op(input: Array, coefficients: tuple[float, float, float], steps: int, eps: float) -> Any:
    """As float32 numbers, each one that bfloat16 can hold. Every result in between is rounded alike."""
    a, b, c = (np.float32(x) for x in coefficients)
    matrix = _rounded(input.astype(np.float32))
    tall = matrix.shape[0] > matrix.shape[1]
    if tall:
        matrix = matrix.T
    length = np.maximum(_rounded(np.sqrt(np.sum(matrix * matrix, keepdims=True))), _rounded(np.full((1, 1), eps, "f4")))
    matrix = _rounded(matrix / length)
    for _ in range(steps):
        gram = _rounded(matrix @ matrix.T)
        gram = _rounded(b * gram + c * (gram @ gram))
        matrix = _rounded(a * matrix + gram @ matrix)
    return np.ascontiguousarray(matrix.T if tall else matrix)


def _rounded(array: Any) -> Any:
    """What bfloat16 can hold of float32 numbers."""
    return array.astype(bfloat16.numpy).astype(F32)
