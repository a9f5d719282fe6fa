"""Adding to places that repeat, in place: True if it was done."""

from __future__ import annotations

from typing import Any

from ..kernels.indexing import index_add_, scatter_add_

scatter_add = scatter_add_


def add_rows(target: Any, rows: Any, values: Any) -> bool:
    return index_add_(target, 0, rows, values)
