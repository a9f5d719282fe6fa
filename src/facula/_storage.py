"""Storages: the flat memory that a tensor and its views share."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from . import _device, _dtype
from ._lazy import set_methods
from ._tensor import Tensor
from .autograd import views
from .ops._basic import _bytes_of


class UntypedStorage:
    """A storage as bytes."""

    def __init__(self, size: int | np.ndarray[Any, Any] = 0, *, device: Any = None) -> None:
        self._bytes: np.ndarray[Any, Any] = np.zeros(size, np.uint8) if isinstance(size, int) else size

    @property
    def device(self) -> _device.device:
        return _device.meta if isinstance(self._bytes, _device.MetaArray) else _device.cpu

    def data_ptr(self) -> int:
        return 0 if not self._bytes.size or self.device.type == "meta" else views.address(self._bytes)

    @property
    def _cdata(self) -> int:
        return self.data_ptr()

    def nbytes(self) -> int:
        return self._bytes.size

    size = nbytes
    __len__ = nbytes

    def element_size(self) -> int:
        return 1

    def tolist(self) -> list[int]:
        found: list[int] = self._bytes.tolist()
        return found

    def clone(self) -> UntypedStorage:
        return UntypedStorage(self._bytes.copy())

    def copy_(self, source: UntypedStorage, non_blocking: bool = False) -> UntypedStorage:
        self._bytes[...] = source._bytes
        return self

    def fill_(self, value: int) -> UntypedStorage:
        self._bytes[...] = value
        return self

    def is_shared(self) -> bool:
        return False

    def is_pinned(self, device: Any = None) -> bool:
        return False

    def __getitem__(self, key: Any) -> Any:
        part = self._bytes[key]
        return UntypedStorage(part) if isinstance(part, np.ndarray) else int(part)

    def __setitem__(self, key: Any, value: int) -> None:
        self._bytes[key] = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UntypedStorage) and self.data_ptr() == other.data_ptr() and len(self) == len(other)

    def __hash__(self) -> int:
        return hash(self.data_ptr())

    def __repr__(self) -> str:
        items = "".join(f" {b}\n" for b in self._bytes.tolist())
        return f"{items}[torch.storage.UntypedStorage(device={self.device}) of size {len(self)}]"


class TypedStorage:
    """A storage as elements of a dtype. PyTorch deprecates it."""

    def __init__(self, untyped: UntypedStorage, dtype: _dtype.dtype) -> None:
        self._untyped = untyped
        self.dtype = dtype
        self._elements = untyped._bytes.view(dtype.numpy)

    @property
    def device(self) -> _device.device:
        return self._untyped.device

    def untyped(self) -> UntypedStorage:
        return self._untyped

    def data_ptr(self) -> int:
        return self._untyped.data_ptr()

    def nbytes(self) -> int:
        return self._untyped.nbytes()

    def size(self) -> int:
        return self._elements.size

    __len__ = size

    def element_size(self) -> int:
        return self._elements.itemsize

    def tolist(self) -> list[Any]:
        found: list[Any] = self._elements.tolist()
        return found

    def __getitem__(self, key: int) -> Any:
        return self._elements[key].item()

    def __setitem__(self, key: Any, value: Any) -> None:
        self._elements[key] = value

    def __repr__(self) -> str:
        items = "".join(f" {v}\n" for v in self.tolist())
        return f"{items}[torch.storage.TypedStorage(dtype={self.dtype!r}, device={self.device}) of size {len(self)}]"


def untyped_storage(self: Tensor) -> UntypedStorage:
    """The memory that this tensor and its views share."""
    if self.is_meta:
        return UntypedStorage(_device.empty_meta((self._array.nbytes,), np.uint8))
    return UntypedStorage(_bytes_of(views.root_of(self._array)))


def typed_storage(self: Tensor) -> TypedStorage:
    return TypedStorage(untyped_storage(self), self.dtype)


def storage(self: Tensor) -> TypedStorage:
    """Deprecated: the storage, by elements."""
    warnings.warn(
        "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage "
        "class. This should only matter to you if you are using storages directly.  To access UntypedStorage directly, "
        "use tensor.untyped_storage() instead of tensor.storage()",
        stacklevel=2,
    )
    return typed_storage(self)


def is_storage(obj: Any, /) -> bool:
    """Whether an object is a storage."""
    return isinstance(obj, (UntypedStorage, TypedStorage))


def is_set_to(self: Tensor, tensor: Tensor) -> bool:
    """Whether two tensors are the same view of the same storage."""
    a, b = self._array, tensor._array
    return self.data_ptr() == tensor.data_ptr() and a.shape == b.shape and a.strides == b.strides


set_methods(untyped_storage=untyped_storage, _typed_storage=typed_storage, storage=storage, is_set_to=is_set_to)
