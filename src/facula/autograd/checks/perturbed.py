"""Elements of tensors as ``gradcheck`` reads and moves them: in their memory, or through operators if there is none."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.unresolved import resolved
from ..watched import as_tensor


def values_of(t: Any) -> Any:
    """A tensor's elements, in an array of their own."""
    if not t.dispatches:
        return np.array(resolved(t._array))
    whole = t.detach().reshape(-1)
    return np.array([whole[i].item() for i in range(t.numel())], t._array.dtype).reshape(t._array.shape)


def memory_of(t: Any) -> Any:
    """What an input's elements are moved in, in place: ``memory[at] = value``, where ``at`` may be all of them."""
    return _Through(t) if t.dispatches else t._array


class _Through:
    """The elements of a tensor whose class alone knows them."""

    def __init__(self, t: Any) -> None:
        self.t = t.data
        self.shape, self.size = t._array.shape, t._array.size

    def __getitem__(self, at: Any) -> Any:
        return values_of(self.t) if at is ... else self.t[at].item()

    def __setitem__(self, at: Any, value: Any) -> None:
        if at is ...:
            self.t.copy_(as_tensor(value))
        else:
            self.t[at] = value.item()
