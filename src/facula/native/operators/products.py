"""Products of matrices.

OpenBLAS is hard to beat where matrices are small and lie as it wants them; where B is transposed it copies it, and
slowly. ``_pays`` says from what size on the native product was found to be the quicker.
"""

from __future__ import annotations

from typing import Any

from .. import presence
from ..kernels.products import matmul

_TRANSPOSED, _DENSE = 1 << 17, 1 << 20
"""Multiply-adds from which it pays."""
_NARROW = 96
"""Fewer columns than this leave much of a tile empty, unless they fill a panel of 64 or half of it."""


def _pays(a: Any, b: Any) -> bool:
    columns = b.shape[-1]
    if columns < _NARROW and columns % 32:
        return presence.always
    is_transposed = b.strides[-2] == b.itemsize
    return a.shape[-2] * a.shape[-1] * columns >= (_TRANSPOSED if is_transposed else _DENSE) or presence.always


def mm(input: Any, mat2: Any) -> Any:
    if input.ndim != 2 or mat2.ndim != 2 or not _pays(input, mat2):
        return None
    return matmul(input, mat2)


def bmm(input: Any, mat2: Any) -> Any:
    if input.ndim < 2 or mat2.ndim < 2 or input.shape[-1] != mat2.shape[-2] or input.shape[-1] == 1:
        return None
    if not mat2.strides[0] or not _pays(input, mat2):  # one matrix for all is a product of a taller one
        return None
    return matmul(input, mat2)


def addmm(input: Any, mat1: Any, mat2: Any, beta: Any, alpha: Any) -> Any:
    if beta != 1 or alpha != 1 or input.ndim != 1 or not _pays(mat1, mat2):
        return None
    return matmul(mat1, mat2, input)
