"""NumPy's linear algebra, shared by the threads of BLAS where matrices are large."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from ..._core import threads

LARGE = 256
"""Rows from which it is worth several threads."""


def _shared(function: Any) -> Callable[..., Any]:
    @wraps(function)
    def run(a: Any, *rest: Any, **options: Any) -> Any:
        if a.dtype.itemsize == 2 or a.dtype.kind in "biu":
            return _of_nothing(function, a, rest, options)
        if a.shape[-1] < LARGE:
            return function(a, *rest, **options)
        with threads.sharing_blas():
            return function(a, *rest, **options)

    return run


def _of_nothing(function: Any, a: Any, rest: Any, options: Any) -> Any:
    """Matrices of half precision and of integers have no elements; others of them are refused before."""
    wide = [x.astype(np.float32) if isinstance(x, np.ndarray) else x for x in (a, *rest)]
    found = function(*wide, **options)
    return [x.astype(a.dtype) for x in found] if isinstance(found, tuple) else found.astype(a.dtype)


cholesky, det, inv, slogdet = map(_shared, (np.linalg.cholesky, np.linalg.det, np.linalg.inv, np.linalg.slogdet))
eig, eigh, eigvalsh = map(_shared, (np.linalg.eig, np.linalg.eigh, np.linalg.eigvalsh))
qr, solve, svd = _shared(np.linalg.qr), _shared(np.linalg.solve), _shared(np.linalg.svd)
