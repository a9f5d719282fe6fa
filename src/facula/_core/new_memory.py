"""What memory that nobody has set holds: what lay there, or what stands out, for deterministic algorithms."""

from __future__ import annotations

from typing import Any

import numpy as np

from .devices import MetaArray

deterministic = False
fills = True
"""``torch.utils.deterministic.fill_uninitialized_memory``"""


def unset(array: Any) -> Any:
    """A new array, filled with NaN, True or the largest integer where that was asked for."""
    if deterministic and fills and array.__class__ is not MetaArray:
        kind = array.dtype.kind
        array[...] = np.iinfo(array.dtype).max if kind in "iu" else True if kind == "b" else np.nan
    return array
