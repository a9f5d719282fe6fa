"""Storages: the flat memory that a tensor and its views share."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from .._lazy import set_methods
from .._tensor import Tensor
from . import devices, dtypes, state, strides
from .numbers import LARGEST
from .strides import bytes_of
from .unresolved import bits_of

_NO_DATA = "Cannot copy out of meta tensor; no data!"


class StorageBase:
    """What storages are told by."""


class UntypedStorage(StorageBase):
    """A storage as bytes."""

    __module__ = "facula.storage"

    is_cuda = is_hpu = is_sparse = is_sparse_csr = False

    def __init__(self, size: Any = 0, *, device: Any = None) -> None:
        on_meta = device is not None and devices.parse(device).type == "meta"
        if isinstance(size, int):
            if size < 0:
                raise RuntimeError(f"Storage size must be non-negative, but got {size}")
            if size >= LARGEST:
                raise ValueError("Overflow when unpacking long long")
            try:
                self._bytes: Any = devices.empty_meta((size,), np.uint8) if on_meta else np.zeros(size, np.uint8)
            except MemoryError:
                raise RuntimeError(
                    f"[enforce fail at alloc_cpu.cpp] . DefaultCPUAllocator: can't allocate memory: you tried to "
                    f"allocate {size} bytes."
                ) from None
        elif isinstance(size, np.ndarray):
            self._bytes = size
        else:
            values = np.array(list(size), np.uint8)
            self._bytes = devices.empty_meta(values.shape, np.uint8) if on_meta else values
        self._owned = not isinstance(size, np.ndarray)

    @staticmethod
    def from_file(filename: Any, shared: bool = False, nbytes: int = 0) -> UntypedStorage:
        """The bytes of a file, read when they are looked at; changes reach the file only if it is ``shared``."""
        if shared:
            with open(filename, "ab") as file:
                if file.tell() < nbytes:
                    file.truncate(nbytes)
        else:
            try:
                size = os.stat(filename).st_size
            except OSError as e:
                raise RuntimeError(
                    f"unable to open file <{filename}> in read-only mode: {e.strerror} ({e.errno})"
                ) from None
            if size < nbytes:
                raise RuntimeError(
                    f"file <{filename}> size <{size}> is smaller than the required mapping size <{nbytes}>"
                )
        if nbytes == 0:
            return UntypedStorage(0)
        return UntypedStorage(np.memmap(filename, np.uint8, "r+" if shared else "c", shape=(nbytes,)).view(np.ndarray))

    @staticmethod
    def from_buffer(buffer: Any, byte_order: str = "native", *, dtype: Any = None, **_: Any) -> UntypedStorage:
        """A storage with a copy of a buffer's bytes."""
        data = np.frombuffer(buffer, np.uint8).copy()
        native = byte_order in ("native", sys.byteorder)
        storage = UntypedStorage(data)
        if not native and dtype is not None:
            storage.byteswap(dtype)
        return storage

    @property
    def device(self) -> devices.device:
        return devices.meta if isinstance(self._bytes, devices.MetaArray) else devices.cpu

    def data_ptr(self) -> int:
        return 0 if not self._bytes.size or self.device.type == "meta" else strides.address(self._bytes)

    @property
    def _cdata(self) -> int:
        return self.data_ptr()

    def nbytes(self) -> int:
        count: int = self._bytes.size
        return count

    size = nbytes
    __len__ = nbytes

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.nbytes()

    def element_size(self) -> int:
        return 1

    def untyped(self) -> UntypedStorage:
        return self

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        return "torch.storage.UntypedStorage"

    def get_device(self) -> int:
        return -1

    def tolist(self) -> list[int]:
        found: list[int] = self._values().tolist()
        return found

    def clone(self) -> UntypedStorage:
        return UntypedStorage(self._bytes.copy())

    def __copy__(self) -> UntypedStorage:
        return self.clone()

    def __deepcopy__(self, memo: dict[Any, Any]) -> UntypedStorage:
        """A copy, which copies of tensors over the same memory share."""
        found = memo.get(id(self))
        if found is None:
            if self.device.type == "meta" or not self._bytes.size:
                found = self.clone()
            else:
                found = UntypedStorage(bytes_of(strides.deepcopied_root(strides.root_of(self._bytes), memo)))
            memo[id(self)] = found
        return found

    def _values(self, what: str = "Not available for 'meta' device type") -> Any:
        if self.device.type == "meta":
            raise NotImplementedError(what)
        return self._bytes

    def cpu(self) -> UntypedStorage:
        self._values(_NO_DATA)
        return self

    def to(self, *, device: Any, non_blocking: bool = False) -> UntypedStorage:
        wanted = devices.parse(device)
        if wanted.type == self.device.type:
            return self
        self._values(_NO_DATA)
        return UntypedStorage(self.nbytes(), device=wanted)

    def copy_(self, source: Any, non_blocking: bool | None = None) -> UntypedStorage:
        """Take over another storage's bytes, of which there must be as many."""
        given = source.untyped()._bytes
        if given.size != self._bytes.size:
            raise RuntimeError(
                f"size does not match, self was {self._bytes.size} bytes but src was {given.size} bytes"
            )
        if self.device.type != "meta":
            self._bytes[...] = source.untyped()._values(_NO_DATA)
        return self

    def fill_(self, value: int) -> UntypedStorage:
        if self.device.type != "meta":
            self._bytes[...] = value
        return self

    def byteswap(self, dtype: Any) -> None:
        """Turn round the bytes of each element, as if they were of a dtype."""
        step = dtype.itemsize // 2 if dtype.is_complex else dtype.itemsize
        self._bytes[...] = self._bytes.reshape(-1, step)[:, ::-1].reshape(-1)

    def resizable(self) -> bool:
        """A storage made on its own can change its size. The memory of tensors is NumPy's, and cannot."""
        return self._owned

    def resize_(self, size: int) -> UntypedStorage:
        if self.device.type == "meta":
            self._bytes = devices.empty_meta((size,), np.uint8)
        elif size != self._bytes.size:
            if not self._owned:
                raise RuntimeError("Trying to resize storage that is not resizable")
            grown = np.zeros(size, np.uint8)
            kept = min(size, self._bytes.size)
            grown[:kept] = self._bytes[:kept]
            self._bytes = grown
        return self

    def is_shared(self) -> bool:
        """Whether other processes see these bytes."""
        from .shared_memory import memory_of  # loaded when first used

        return self.device.type == "cpu" and memory_of(self._bytes) is not None

    def share_memory_(self) -> UntypedStorage:
        """Move the bytes to where other processes see them, with all tensors that use them."""
        from ..ops.creation.sharing import share_storage  # it needs tensors

        if self.device.type != "cpu":
            raise RuntimeError("_share_fd_: only available on CPU")
        self._bytes = strides.bytes_of(share_storage(strides.root_of(self._bytes)))
        return self

    def is_pinned(self, device: Any = None) -> bool:
        return False

    def pin_memory(self, device: Any = None) -> UntypedStorage:
        return self

    @property
    def filename(self) -> str | None:
        """The file whose bytes these are, if changes reach it."""
        mapped: Any = strides.root_of(self._bytes).base
        is_shared = isinstance(mapped, np.memmap) and mapped.mode == "r+"
        return str(mapped.filename) if is_shared else None

    def _typed(self, dtype: dtypes.dtype) -> TypedStorage:
        values = np.ascontiguousarray(self._bytes.astype(dtype.numpy))
        return TypedStorage(wrap_storage=UntypedStorage(values.view(np.uint8)), dtype=dtype, _internal=True)

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, (int, slice)):
            raise TypeError(f"can't index a torch.UntypedStorage with {key.__class__.__name__}")
        if isinstance(key, slice):
            return UntypedStorage(self._values()[key])
        values = self._values()
        if not -len(self) <= key < len(self):
            raise IndexError(f"index {key} out of range for storage of size {len(self)}")
        return int(values[key])

    def __setitem__(self, key: Any, value: int) -> None:
        self._bytes[key] = value

    def __iter__(self) -> Any:
        return iter(self._bytes.tolist())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UntypedStorage) and self.data_ptr() == other.data_ptr() and len(self) == len(other)

    def __hash__(self) -> int:
        return hash(self.data_ptr())

    def __repr__(self) -> str:
        items = "...\n" if self.device.type == "meta" else "".join(f" {b}\n" for b in self._bytes.tolist())
        return f"{items}[torch.storage.UntypedStorage(device={self.device}) of size {len(self)}]"

    def __reduce__(self) -> Any:
        return UntypedStorage, (self._bytes,)


_COMBINATIONS = (
    "TypedStorage.__init__ received an invalid combination of arguments. Expected one of:\n"
    " * (*, torch.device device, torch.dtype dtype)\n"
    " * (int size, *, torch.device device, torch.dtype dtype)\n"
    " * (Sequence data, *, torch.device device, torch.dtype dtype)\n"
    " * (*, UntypedStorage wrap_storage, torch.dtype dtype)\n"
)


class TypedStorage:
    """A storage as elements of a dtype. PyTorch deprecates it."""

    __module__ = "facula.storage"

    is_cuda = is_hpu = is_sparse = False
    dtype: dtypes.dtype

    def __init__(
        self, *args: Any, device: Any = None, dtype: Any = None, wrap_storage: Any = None, _internal: bool = False
    ) -> None:
        self.dtype = dtype if dtype is not None else dtypes.default
        if wrap_storage is not None:
            if not isinstance(wrap_storage, UntypedStorage):
                raise TypeError(
                    f"{_COMBINATIONS}Argument 'wrap_storage' must be UntypedStorage, but got {type(wrap_storage)}"
                )
            self._untyped = wrap_storage
        elif not args:
            self._untyped = UntypedStorage(0, device=device)
        elif isinstance(args[0], (int, np.integer)):
            self._untyped = UntypedStorage(int(args[0]) * self.dtype.itemsize, device=device)
        else:
            values = np.array(list(args[0])).astype(self.dtype.numpy)
            on_meta = device is not None and devices.parse(device).type == "meta"
            self._untyped = UntypedStorage(values.nbytes if on_meta else values.view(np.uint8), device=device)

    @property
    def _elements(self) -> Any:
        return self._untyped._values().view(self.dtype.numpy)

    @classmethod
    def from_buffer(cls, buffer: Any, byte_order: str = "native", *, dtype: Any = None, **_: Any) -> TypedStorage:
        untyped = UntypedStorage.from_buffer(buffer, byte_order, dtype=dtype)
        return TypedStorage(wrap_storage=untyped, dtype=dtype, _internal=True)

    @property
    def device(self) -> devices.device:
        return self._untyped.device

    @property
    def _cdata(self) -> int:
        return self._untyped._cdata

    def untyped(self) -> UntypedStorage:
        return self._untyped

    @property
    def _untyped_storage(self) -> UntypedStorage:
        return self._untyped

    def data_ptr(self) -> int:
        return self._untyped.data_ptr()

    def nbytes(self) -> int:
        return self._untyped.nbytes()

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.nbytes()

    def size(self) -> int:
        return self._untyped.nbytes() // self.dtype.itemsize

    __len__ = size

    def element_size(self) -> int:
        return self.dtype.itemsize

    def get_device(self) -> int:
        return -1

    def pickle_storage_type(self) -> str:
        return f"{dtypes.SCALAR_TYPE_NAMES[self.dtype]}Storage"

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        return f"torch.{self.pickle_storage_type()}"

    def tolist(self) -> list[Any]:
        found: list[Any] = self._elements.tolist()
        return found

    def _as(self, dtype: dtypes.dtype) -> TypedStorage:
        if dtype is self.dtype:
            return self
        values = self._elements.astype(dtype.numpy)
        return TypedStorage(wrap_storage=UntypedStorage(values.view(np.uint8)), dtype=dtype, _internal=True)

    def clone(self) -> TypedStorage:
        return TypedStorage(wrap_storage=self._untyped.clone(), dtype=self.dtype, _internal=True)

    def cpu(self) -> TypedStorage:
        return TypedStorage(wrap_storage=self._untyped.cpu(), dtype=self.dtype, _internal=True)

    def __copy__(self) -> TypedStorage:
        return self.clone()

    def __deepcopy__(self, memo: dict[Any, Any]) -> TypedStorage:
        return TypedStorage(wrap_storage=self._untyped.__deepcopy__(memo), dtype=self.dtype, _internal=True)

    def copy_(self, source: Any, non_blocking: bool | None = None) -> TypedStorage:
        if isinstance(source, TypedStorage) and source.dtype is not self.dtype:
            source = source._as(self.dtype)
        self._untyped.copy_(source)
        return self

    def fill_(self, value: Any) -> TypedStorage:
        if self.device.type != "meta":
            self._elements[...] = value
        return self

    def resizable(self) -> bool:
        return self._untyped.resizable()

    def resize_(self, size: int) -> None:
        self._untyped.resize_(size * self.dtype.itemsize)

    def is_shared(self) -> bool:
        """Whether other processes see these elements."""
        return self._untyped.is_shared()

    def share_memory_(self) -> TypedStorage:
        """Move the elements to where other processes see them."""
        self._untyped.share_memory_()
        return self

    def is_pinned(self, device: Any = None) -> bool:
        return False

    def pin_memory(self, device: Any = None) -> TypedStorage:
        return self

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        if not isinstance(key, int):
            raise RuntimeError(f"can't index a {type(self)} with {type(key)}")
        elements = self._elements
        if not -len(self) <= key < len(self):
            raise IndexError(f"index {key} out of range for storage of size {len(self)}")
        return elements[key].item()

    def __setitem__(self, key: Any, value: Any) -> None:
        if self.device.type != "meta":
            self._elements[key] = value

    def __iter__(self) -> Any:
        return iter(self.tolist())

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        items = "...\n" if self.device.type == "meta" else "".join(f" {v}\n" for v in self.tolist())
        return f"{items}[torch.storage.TypedStorage(dtype={self.dtype!r}, device={self.device}) of size {len(self)}]"

    def __reduce__(self) -> Any:
        return _typed_from, (self._untyped, self.dtype)


def _typed_from(untyped: UntypedStorage, dtype: dtypes.dtype) -> TypedStorage:
    return TypedStorage(wrap_storage=untyped, dtype=dtype, _internal=True)


_typed_from.__module__ = "facula.storage"  # where pickles find it

_CONVERSIONS = {
    "bool": dtypes.bool_, "byte": dtypes.uint8, "char": dtypes.int8, "short": dtypes.int16, "int": dtypes.int32,
    "long": dtypes.int64, "half": dtypes.float16, "bfloat16": dtypes.bfloat16, "float": dtypes.float32,
    "double": dtypes.float64, "complex_float": dtypes.complex64, "complex_double": dtypes.complex128,
}  # fmt: skip

for _name, _d in _CONVERSIONS.items():
    setattr(UntypedStorage, _name, lambda self, d=_d: self._typed(d))
    setattr(TypedStorage, _name, lambda self, d=_d: self._as(d))


class _LegacyStorageMeta(type):
    """``FloatStorage`` and its like make a TypedStorage, and know one of their dtype as their own."""

    dtype: dtypes.dtype

    def __call__(cls, *args: Any, **kwargs: Any) -> TypedStorage:
        _warn_once(_DEPRECATED)
        return TypedStorage(*args, dtype=cls.dtype, **kwargs)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, TypedStorage) and instance.dtype is cls.dtype


def _legacy_class(name: str, d: dtypes.dtype) -> Any:
    def from_buffer(buffer: Any, byte_order: str = "native", **_: Any) -> TypedStorage:
        return TypedStorage.from_buffer(buffer, byte_order, dtype=d)

    def from_file(filename: Any, shared: bool = False, size: int = 0) -> TypedStorage:
        memory = UntypedStorage.from_file(filename, shared, size * d.itemsize)
        return TypedStorage(wrap_storage=memory, dtype=d, _internal=True)

    body = {"dtype": d, "__module__": "torch", "from_buffer": staticmethod(from_buffer)}
    body["from_file"] = staticmethod(from_file)
    return _LegacyStorageMeta(name, (), body | {"__doc__": f"Deprecated: a storage of elements of {d}."})


LEGACY_CLASSES = {
    f"{dtypes.SCALAR_TYPE_NAMES[d]}Storage": _legacy_class(f"{dtypes.SCALAR_TYPE_NAMES[d]}Storage", d)
    for d in _CONVERSIONS.values()
}
globals().update(LEGACY_CLASSES)


def __getattr__(name: str) -> Any:
    """``Storage`` is the class of the default dtype."""
    if name == "Storage":
        return LEGACY_CLASSES[f"{dtypes.SCALAR_TYPE_NAMES[dtypes.default]}Storage"]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def untyped_storage(self: Tensor) -> UntypedStorage:
    """The memory that this tensor and its views share."""
    state.refuse_capture("the storage of a tensor")
    if self.is_meta:
        return UntypedStorage(devices.empty_meta((self._array.nbytes,), np.uint8))
    root = strides.root_of(self._array)
    known = _of_memory.get(id(root))
    if known is None or strides.root_of(known._bytes) is not root:
        known = _of_memory[id(root)] = UntypedStorage(bytes_of(root))
    return known


_of_memory: WeakValueDictionary[int, UntypedStorage] = WeakValueDictionary()
"""Storages in use, by the array that owns their memory, which they keep: asked again, tensors give the same one."""


def typed_storage(self: Tensor) -> TypedStorage:
    return TypedStorage(wrap_storage=untyped_storage(self), dtype=self.dtype, _internal=True)


_DEPRECATED = (
    "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage class. "
    "This should only matter to you if you are using storages directly.  To access UntypedStorage directly, use "
    "tensor.untyped_storage() instead of tensor.storage()"
)
_warned: set[str] = set()


def _warn_once(message: str) -> None:
    if message not in _warned:
        _warned.add(message)
        warnings.warn(message, stacklevel=3)


def storage(self: Tensor) -> TypedStorage:
    """Deprecated: the storage, by elements."""
    _warn_once(_DEPRECATED)
    return typed_storage(self)


def storage_type(self: Tensor) -> Any:
    """Deprecated: the class of the storage, by elements."""
    return LEGACY_CLASSES[f"{dtypes.SCALAR_TYPE_NAMES[self.dtype]}Storage"]


def check_storage(storage: Any, dtype: dtypes.dtype, name: str | None = None, got: str = "{}") -> None:
    """Refuse a storage of elements of another dtype; ``name`` and ``got`` are the words for both."""
    given = getattr(storage, "dtype", None)
    if given is not None and given is not dtype:
        names = dtypes.SCALAR_TYPE_NAMES
        wanted, got = name or names[dtype], got.format(names[given])
        raise RuntimeError(f"Expected a Storage of type {wanted} or an UntypedStorage, but got {got}")


def elements_of(storage: Any, dtype: dtypes.dtype) -> Any:
    """The memory of a storage as elements of a dtype."""
    untyped = storage.untyped()
    memory = untyped._bytes
    _of_memory[id(strides.root_of(memory))] = untyped
    return memory[: memory.size // dtype.itemsize * dtype.itemsize].view(dtype.numpy)


def _dtype_to_storage_type_map() -> dict[dtypes.dtype, str]:
    return {d: f"{dtypes.SCALAR_TYPE_NAMES[d]}Storage" for d in _CONVERSIONS.values()}


def is_storage(obj: Any, /) -> bool:
    """Whether an object is a storage."""
    return isinstance(obj, (UntypedStorage, TypedStorage))


def is_set_to(self: Tensor, tensor: Tensor) -> bool:
    """Whether two tensors are the same view of the same storage."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"is_set_to(): argument 'tensor' (position 1) must be Tensor, not {type(tensor).__name__}")
    a, b = self._array, tensor._array
    if bits_of(a) or bits_of(b):  # neither is, but a copy of what it shows
        return False
    if a.shape != b.shape or a.strides != b.strides:
        return False
    if not a.size:  # which has no address
        return strides.root_of(a) is strides.root_of(b)
    return self.data_ptr() == tensor.data_ptr()


set_methods(untyped_storage=untyped_storage, _typed_storage=typed_storage, storage=storage, is_set_to=is_set_to)
set_methods(storage_type=storage_type)
