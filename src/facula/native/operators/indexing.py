"""Adding to places that repeat, in place: True if it was done."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels.indexing import index_add_, scatter_add_

dense = np.ascontiguousarray


def scatter_add(target: Any, dim: int, index: Any, values: Any) -> bool:
    return scatter_add_(target, dim, dense(index), dense(values))


def add_rows(target: Any, rows: Any, values: Any) -> bool:
    return index_add_(target, 0, rows, dense(values))
