"""Making tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _dtype
from .._tensor import Tensor
from ._forms import FUNCTIONS
from ._primitive import wrap


def tensor(data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False) -> Tensor:
    """A tensor with a copy of ``data``."""
    array = np.array(data)
    if dtype is None:
        dtype = _dtype.default if array.dtype.kind == "f" else _dtype.of_array(array)
    t = wrap(array.astype(dtype.numpy))
    if requires_grad:
        t.requires_grad_()
    return t


FUNCTIONS["tensor"] = tensor


def legacy_constructor(cls: type, *args: Any, **kwargs: Any) -> Any:
    raise TypeError("not yet")
