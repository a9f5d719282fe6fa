"""Products of matrices.

OpenBLAS is hard to beat where matrices are small and lie as it wants them; where B is transposed it copies it, and
slowly. ``_pays`` says from what size on the native product was found to be the quicker. Large complex products are left
to BLAS and its threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import threads
from .. import presence
from ..kernels.products import matmul

_TRANSPOSED, _DENSE = 1 << 17, 1 << 20
"""Multiply-adds from which it pays."""
_SHARED = 1 << 22
"""Those from which a complex product is worth several threads."""
_NARROW = 96
"""Fewer columns than this leave much of a tile empty, unless they fill most of a panel of 16, or one of 32 or 64."""


def _pays(a: Any, b: Any) -> bool:
    columns = b.shape[-1]
    if columns < _NARROW and columns % 32 and not 8 < columns <= 16:
        return presence.always
    is_transposed = b.strides[-2] == b.itemsize
    return a.shape[-2] * a.shape[-1] * columns >= (_TRANSPOSED if is_transposed else _DENSE) or presence.always


def _product(a: Any, b: Any) -> Any:
    found = matmul(a, b)
    if found is None and a.dtype == b.dtype and a.dtype.kind == "c" and a.size * b.shape[-1] >= _SHARED:
        with threads.sharing_blas():
            found = np.matmul(a, b)
    return found


def mm(input: Any, mat2: Any) -> Any:
    if input.ndim != 2 or mat2.ndim != 2 or not _pays(input, mat2):
        return None
    return _product(input, mat2)


def bmm(input: Any, mat2: Any) -> Any:
    if input.ndim < 2 or mat2.ndim < 2 or input.shape[-1] != mat2.shape[-2] or input.shape[-1] == 1:
        return None
    if not mat2.strides[0] or not _pays(input, mat2):  # one matrix for all is a product of a taller one
        return None
    return _product(input, mat2)


def addmm(input: Any, mat1: Any, mat2: Any, beta: Any, alpha: Any) -> Any:
    if beta != 1 or alpha != 1 or input.ndim != 1 or not _pays(mat1, mat2):
        return None
    return matmul(mat1, mat2, input)
