"""NumPy's linear algebra, shared by the threads of BLAS where matrices are large."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from ..._core import threads

LARGE = 256
"""Rows from which it is worth several threads."""


def _shared(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def run(a: Any, *rest: Any, **options: Any) -> Any:
        if a.shape[-1] < LARGE:
            return function(a, *rest, **options)
        with threads.sharing_blas():
            return function(a, *rest, **options)

    return run


cholesky, det, eig, eigh, eigvalsh, inv, qr, slogdet, solve, svd = map(_shared, (
    np.linalg.cholesky, np.linalg.det, np.linalg.eig, np.linalg.eigh, np.linalg.eigvalsh, np.linalg.inv, np.linalg.qr,
    np.linalg.slogdet, np.linalg.solve, np.linalg.svd,
))  # fmt: skip
