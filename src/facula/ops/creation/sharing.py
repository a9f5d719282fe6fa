"""``share_memory_()``: tensors whose elements other processes see, and how they travel there.

``multiprocessing`` sends such tensors as what they are; all others it copies.
"""

from __future__ import annotations

import gc
import sys
from multiprocessing import reduction
from typing import Any

import numpy as np

from ..._core.shared_memory import mapped, memory_of, shared_copy
from ..._core.strides import address, root_of
from ..._tensor import Tensor
from ..machine.public import set_methods

_ALONE = 4
"""References to a root that only one tensor uses: the tensor's, the caller's, the parameter, and the question's."""


def share_memory_(self: Tensor) -> Tensor:
    """Move the memory to where other processes see it, with all tensors that share it."""
    if type(self._array) is np.ndarray and memory_of(self._array) is None:
        share_storage(root_of(self._array), self)
    reduction.ForkingPickler.register(Tensor, _sent)
    return self


def share_storage(root: Any, only: Tensor | None = None) -> Any:
    """Move a storage to shared memory, and tell its new root. ``only``: a tensor that may be all that uses it."""
    if memory_of(root) is not None:
        return root
    shared = shared_copy(root)
    if only is not None and only._array is root and sys.getrefcount(root) <= _ALONE:
        only._array = shared
        return shared
    start = address(root)
    for t in gc.get_objects():
        if issubclass(type(t), Tensor) and type(getattr(t, "_array", None)) is np.ndarray and root_of(t._array) is root:
            t._array = _seen(shared, t._array, address(t._array) - start, root)
    return shared


def _seen(shared: Any, array: Any, offset: int, root: Any) -> Any:
    if array is root:
        return shared
    return np.ndarray(array.shape, array.dtype, shared.reshape(-1, order="A").view(np.uint8), offset, array.strides)


# ---- on the way to other processes


def _sent(t: Tensor) -> Any:
    if t.requires_grad and not t.is_leaf:
        raise RuntimeError(
            "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not support "
            "crossing process boundaries.  If you just want to transfer the data, call detach() on the tensor before "
            "serializing (e.g., putting it on the queue)."
        )
    array = t._array
    memory = memory_of(array)
    if memory is None:
        return t.__reduce_ex__(2)
    offset = address(array) - np.frombuffer(memory, np.uint8).ctypes.data
    return _received, (
        reduction.DupFd(memory.fd), array.shape, array.dtype, array.strides, offset, t.requires_grad
    )  # fmt: skip


def _received(fd: Any, shape: Any, dtype: Any, strides: Any, offset: int, requires_grad: bool) -> Tensor:
    memory = mapped(fd.detach())
    whole = np.ndarray(len(memory) // dtype.itemsize, dtype, memory)
    return Tensor._wrap(np.ndarray(shape, dtype, whole, offset, strides)).requires_grad_(requires_grad)


set_methods(share_memory_=share_memory_)
