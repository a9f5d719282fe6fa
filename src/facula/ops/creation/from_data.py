"""Tensors from what is already there: Python numbers and lists, NumPy arrays, buffers, other tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import devices, dtypes, quiet, state
from ..._core.dtypes import cast
from ..._tensor import Tensor
from ...autograd import exits
from ...autograd.graph import warn_user
from ..machine.arguments import LARGEST, as_int, is_number
from ..machine.deprecated import warn_of_lost_parts
from ..machine.errors import memory_error, type_of
from ..machine.namespaces import TENSORS
from ..machine.public import FUNCTIONS
from .factories import checked_dtype, creator, empty_array, finish, place, size_of

ndarray = np.ndarray
_NUMBERS = {bool: 0, int: 1, float: 2, complex: 3}


@creator()
def tensor(
    data: Any = ..., *, dtype: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False
) -> Tensor:  # fmt: skip
    """A tensor with a copy of ``data``: a number, nested sequences of numbers, a NumPy array."""
    kind = data.__class__
    if kind in _NUMBERS or kind is list:
        t = finish(place(array_of(data, checked_dtype("tensor", dtype)), device), requires_grad)
        return exits.enter(t, data) if exits.left else t
    if data is ...:
        raise TypeError('tensor() missing 1 required positional arguments: "data"')
    if isinstance(data, Tensor):
        warn_of_construction("torch.tensor(sourceTensor)")
        if device is None:
            device = data.device
        return exits.enter(_copied(data, dtype, device, requires_grad), data)
    t = _copied(data, dtype, device, requires_grad)
    return exits.enter(t, data) if exits.left else t


def warn_of_construction(how: str) -> None:
    warn_user(
        "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
        f"sourceTensor.detach().clone().requires_grad_(True), rather than {how}.",
    )


def _copied(data: Any, dtype: Any, device: Any, requires_grad: bool) -> Any:
    return finish(place(array_of(data, checked_dtype("tensor", dtype)), device), requires_grad)


# ---- from Python values to an array


def array_of(data: Any, dtype: dtypes.dtype | None = None) -> Any:
    """A new array with the values of ``data``; without ``dtype`` its dtype is PyTorch's choice."""
    if data.__class__ is float and -6e4 < data < 6e4:
        if dtype is None:
            return np.array(data, dtypes.default.numpy)
        if dtype.category == dtypes.FLOAT:  # each of them holds such a number
            return np.array(data, dtype.numpy)
    before = quiet.begin()  # numbers beyond the dtype are infinite
    try:
        return _array_of(data, dtype)
    finally:
        quiet.end(before)


def _array_of(data: Any, dtype: dtypes.dtype | None) -> Any:
    kind = data.__class__
    if isinstance(data, Tensor):
        return converted(data._array, dtype, copy=True)
    if kind in _NUMBERS:
        return _filled([data], (), dtype)
    if isinstance(data, ndarray):
        return converted(checked_ndarray(data), dtype, copy=True)
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    if isinstance(data, np.generic):
        return converted(np.array(data), dtype, copy=False)
    if kind is not list and hasattr(data, "untyped"):
        return _elements(data, dtype).copy()
    if not _is_sequence(data):
        if hasattr(data, "__dlpack__"):
            return converted(np.from_dlpack(data), dtype, copy=True)
        return _filled([data], (), dtype)
    flat, shape = _flattened(data)
    return _filled(flat, shape, dtype)


def _elements(storage: Any, dtype: dtypes.dtype | None) -> Any:
    from ..._core.storage import check_storage, elements_of  # loaded when first used

    if dtype is None:
        dtype = dtypes.int64 if not hasattr(storage, "dtype") else storage.dtype
    check_storage(storage, dtype)
    return elements_of(storage, dtype)


def converted(array: Any, dtype: dtypes.dtype | None, copy: bool) -> Any:
    if dtype is not None and array.dtype != dtype.numpy:
        warn_of_lost_parts(array.dtype, dtype.numpy)
        return cast(array, dtype.numpy)
    if not copy:
        return array
    if array.__class__ is devices.MetaArray:
        return array.copy()
    return array.copy(order="K")


def _is_sequence(v: Any) -> bool:
    """Whether to look inside. A tensor within a list counts as a number."""
    if isinstance(v, ndarray):
        return v.ndim != 0
    if isinstance(v, (list, tuple)):
        return True
    if isinstance(v, Tensor):
        return False
    return hasattr(v, "__len__") and hasattr(v, "__getitem__") and not isinstance(v, dict)


MOST_NESTED = 128
"""How deep PyTorch looks into sequences: one may hold itself."""


def _flattened(data: Any) -> tuple[list[Any], tuple[int, ...]]:
    """The leaves of nested sequences in order, and the shape; PyTorch's errors if they are ragged."""
    shape = [len(data)]
    level = data if data.__class__ is list else _items(data)
    while level and _is_sequence(level[0]) and not isinstance(level[0], np.generic):
        first = level[0]
        if isinstance(first, (str, bytes)):
            _refuse_text(first)
        if isinstance(first, ndarray):
            return _flattened_arrays(level, shape)
        n = len(first)
        below: list[Any] = []
        for v in level:
            if v.__class__ is not list:
                _check_sequence(v)
            if len(v) != n:
                raise ValueError(f"expected sequence of length {n} at dim {len(shape)} (got {len(v)})")
            below.extend(v if v.__class__ is list else _items(v))
        shape.append(n)
        if len(shape) > MOST_NESTED:
            raise ValueError(f"too many dimensions '{type(data).__name__}'")
        level = below
    return level, tuple(shape)


def _items(sequence: Any) -> list[Any]:
    """The items by their places, as PyTorch asks for them: those of a Series of pandas are NumPy's numbers then."""
    if isinstance(sequence, (list, tuple)):
        return list(sequence)
    try:
        return [sequence[i] for i in range(len(sequence))]
    except (KeyError, IndexError, TypeError):
        raise ValueError(f"could not determine the shape of object type '{type(sequence).__name__}'") from None


def _flattened_arrays(level: list[Any], shape: list[int]) -> tuple[list[Any], tuple[int, ...]]:
    """The same where the leaves of the nesting are arrays."""
    inner = level[0].shape
    if inner:
        warn_user(
            "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the list to "
            "a single numpy.ndarray with numpy.array() before converting to a tensor.",
        )
    flat: list[Any] = []
    for v in level:
        _check_sequence(v)
        found, its_shape = (v.reshape(-1), v.shape) if isinstance(v, ndarray) else _flattened(v)
        if its_shape != inner:
            raise _ragged(inner, its_shape, len(shape))
        flat.extend(found)
    return flat, (*shape, *inner)


def _check_sequence(v: Any) -> None:
    if isinstance(v, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(v).__name__}'")
    if not _is_sequence(v):
        _dtype_of_leaf(v)
        raise TypeError("not a sequence")


def _ragged(expected: tuple[int, ...], found: tuple[int, ...], dim: int) -> Exception:
    for n, m in zip(expected, found):
        if n != m:
            return ValueError(f"expected sequence of length {n} at dim {dim} (got {m})")
        dim += 1
    return TypeError(_NO_NUMBER if len(found) > len(expected) else "not a sequence")


_NO_NUMBER = "only 0-dimensional arrays can be converted to Python scalars"


def _filled(flat: list[Any], shape: tuple[int, ...], dtype: dtypes.dtype | None) -> Any:
    if dtype is None:
        dtype = inferred_dtype(flat)
    kinds = set(map(type, flat))
    if not kinds <= _NUMBERS.keys():
        for v in flat:
            if not isinstance(v, (bool, int, float, complex, np.generic, Tensor)):
                _refuse_leaf(v, dtype)
        flat = [_python_number(v) for v in flat]
        kinds = set(map(type, flat))
    if complex in kinds and dtype.category in (dtypes.INT, dtypes.FLOAT):
        if dtype.category == dtypes.INT:
            raise TypeError("'complex' object cannot be interpreted as an integer")
        raise TypeError("must be real number, not complex")
    array = _integers(flat, dtype) if dtype.category == dtypes.INT else np.array(flat, dtype.numpy)
    return array if array.shape == shape else array.reshape(shape)


def _integers(flat: list[Any], dtype: dtypes.dtype) -> Any:
    """Integers, with PyTorch's errors where a value does not fit; floats are cut."""
    if dtype is dtypes.uint64 and any(v.__class__ is float for v in flat):
        raise TypeError("an integer is required")
    try:
        whole = [int(v) for v in flat] if any(v.__class__ is not int for v in flat) else flat
    except (ValueError, OverflowError):
        raise RuntimeError(f"value cannot be converted to type {dtype.name} without overflow") from None
    low, high = (min(whole), max(whole)) if whole else (0, 0)
    bits = dtype.itemsize * 8
    if dtype is dtypes.uint64:
        if low < 0:
            raise OverflowError("can't convert negative int to unsigned")
        if high >= 2**64:
            raise OverflowError("int too big to convert")
    elif high >= 2**63 or low < -(2**63):
        raise ValueError("Overflow when unpacking long long")
    largest = 2 ** (bits - dtype.is_signed) - 1
    smallest = -(2 ** (bits - 1)) if dtype.is_signed else -largest
    is_negative_part = not dtype.is_signed and any(v.__class__ is float and v < 0 for v in flat)
    if high > largest or low < smallest or is_negative_part:
        raise RuntimeError(f"value cannot be converted to type {dtype.name} without overflow")
    if low < 0 and not dtype.is_signed:
        return np.array(whole, np.int64).astype(dtype.numpy)
    return np.array(whole, dtype.numpy)


def _python_number(v: Any) -> Any:
    if isinstance(v, Tensor) and v._array.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    if isinstance(v, Tensor):
        if v._node is not None or v._meta is not None:
            exits.warn_of_conversion(v)
        return v.item()
    return v.item() if isinstance(v, (np.generic, ndarray)) else v


def _refuse_leaf(v: Any, dtype: dtypes.dtype) -> None:
    if isinstance(v, ndarray):
        if v.ndim == 0:
            return
        raise TypeError(_NO_NUMBER)
    if isinstance(v, (str, bytes)):
        _refuse_text(v)
    if isinstance(v, (list, tuple)):
        if dtype.category <= dtypes.INT:
            raise TypeError(f"'{type(v).__name__}' object cannot be interpreted as an integer")
        raise TypeError(f"must be real number, not {type_of(v)}")
    _dtype_of_leaf(v)
    raise TypeError(f"must be real number, not {type_of(v)}")


def _refuse_text(v: Any) -> None:
    if isinstance(v, bytes):
        raise TypeError(f"new(): invalid data type '{type(v).__name__}'")
    raise ValueError(f"too many dimensions '{type(v).__name__}'")


def inferred_dtype(flat: list[Any]) -> dtypes.dtype:
    """The dtype that holds all of the leaves; the default one if there is none."""
    found: dtypes.dtype | None = None
    kinds = set(map(type, flat))
    for kind in kinds & _NUMBERS.keys():
        d = dtypes.of_scalar(kind())
        found = d if found is None else dtypes.promote_types(found, d)
    if not kinds <= _NUMBERS.keys():
        for v in flat:
            if v.__class__ not in _NUMBERS:
                d = _dtype_of_leaf(v)
                found = d if found is None else dtypes.promote_types(found, d)
    return dtypes.default if found is None else found


def _dtype_of_leaf(v: Any) -> dtypes.dtype:
    if isinstance(v, Tensor):
        return v.dtype
    if isinstance(v, np.generic) or (isinstance(v, ndarray) and v.ndim == 0):
        return dtypes.of_numpy(v.dtype)
    if is_number(v):
        return dtypes.of_scalar(v)
    if _is_sequence(v) and not isinstance(v, str):
        if any(item is v for item in v):
            raise TypeError("new(): self-referential lists are incompatible")
        flat, _ = _flattened(v)
        return inferred_dtype(flat)
    if isinstance(v, str):
        raise TypeError("new(): invalid data type 'str'")
    raise RuntimeError(f"Could not infer dtype of {type(v).__name__}")


# ---- sharing memory


def checked_ndarray(array: Any) -> Any:
    """An ndarray that a tensor can hold, or PyTorch's error."""
    d = dtypes.of_array(array)
    if array.dtype is not d.numpy:
        array = array.view(d.numpy)
    for s in array.strides:
        if s < 0:
            raise ValueError(
                "At least one stride in the given numpy array is negative, and tensors with negative strides are not "
                "currently supported. (You can probably work around this by making a copy of your array  with "
                "array.copy().) "
            )
        if s % array.itemsize:
            raise ValueError(
                "given numpy array strides not a multiple of the element byte size. Copy the numpy array to reallocate "
                "the memory."
            )
    return array


def shared(array: Any) -> Any:
    """An array over the same memory that is the beginning of a storage: ``views.root_of`` stops there."""
    array = checked_ndarray(array)
    if array.base is None or array.size == 0:
        return array.view(ndarray)
    if array.dtype.kind == "V" or array.dtype.name == "bfloat16":
        return np.asarray(memoryview(array.view(np.uint16))).view(array.dtype)
    again = np.asarray(memoryview(array))
    return again if again.dtype is array.dtype else again.view(array.dtype)


def from_numpy(ndarray: Any, /) -> Tensor:
    """A tensor over a NumPy array's memory."""
    if not isinstance(ndarray, np.ndarray):
        cls = type(ndarray)
        name = cls.__name__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__name__}"
        raise TypeError(f"expected np.ndarray (got {name})")
    array = shared(ndarray)
    if not array.flags.writeable:
        _warn_readonly()
    if state.watch is not None:
        state.watch.expose(ndarray, "from_numpy()")
    return exits.enter(finish(array), ndarray) if exits.left else finish(array)


def _warn_readonly() -> None:
    warn_user(
        "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This means writing "
        "to this tensor will result in undefined behavior. You may want to copy the array to protect its data or make "
        "it writable before converting it to a tensor. This type of warning will be suppressed for the rest of this "
        "program.",
    )


@creator()
def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """``data`` as a tensor, without a copy if possible."""
    dtype = checked_dtype("as_tensor", dtype)
    if isinstance(data, Tensor):
        if (dtype is None or dtype is data.dtype) and (device is None or devices.parse(device) == data.device):
            return data
        return data.to(device=device, dtype=dtype)
    if isinstance(data, ndarray) and (dtype is None or dtype.numpy == data.dtype):
        t = finish(place(shared(data), device))
    else:
        t = finish(place(array_of(data, dtype), device))
    return exits.enter(t, data, "torch.as_tensor()") if exits.left else t


@creator()
def asarray(
    obj: Any, *, dtype: Any = None, device: Any = None, copy: bool | None = None, requires_grad: bool | None = None
) -> Tensor:
    """``obj`` as a tensor; ``copy`` says whether memory must (True), must not (False) or may (None) be copied."""
    dtype = checked_dtype("asarray", dtype)
    if isinstance(obj, Tensor):
        return _asarray_of_tensor(obj, dtype, device, copy, requires_grad)
    if isinstance(obj, ndarray):
        t = from_numpy(obj)
    elif hasattr(obj, "__dlpack__"):
        t = finish(shared(np.from_dlpack(obj)))
    elif type(obj).__name__ == "PyCapsule":
        t = FUNCTIONS["from_dlpack"](obj)
    elif isinstance(obj, (bytes, bytearray, memoryview)):
        t = frombuffer(obj, dtype=dtype or dtypes.default)
    else:
        if copy is False:
            if isinstance(obj, np.generic):
                raise RuntimeError(
                    "can't alias NumPy scalars. Either remove copy=False or transform it in a ndarray. "
                )
            raise ValueError("can't alias arbitrary sequence into a tensor.")
        t = finish(place(array_of(obj, dtype), device), bool(requires_grad))
        return exits.enter(t, obj, "torch.asarray()") if exits.left else t
    return _asarray_of_tensor(t, dtype, device, copy, requires_grad)


def _asarray_of_tensor(t: Tensor, dtype: Any, device: Any, copy: Any, requires_grad: bool | None) -> Tensor:
    """A history is kept unless no gradient is wanted."""
    wrong_dtype = dtype is not None and dtype is not t.dtype
    wrong_device = device is not None and devices.parse(device) != t.device
    if copy is False:
        names = dtypes.SCALAR_TYPE_NAMES
        if wrong_device:
            raise ValueError(f"can't alias tensor from device '{t.device}' to '{devices.parse(device)}'.")
        if wrong_dtype:
            raise ValueError(f"can't alias tensor with dtype '{names[t.dtype]}' into dtype '{names[dtype]}'.")
    is_new = bool(copy) or wrong_dtype or wrong_device
    if t.requires_grad and requires_grad is False:
        t = t.detach()
    if wrong_dtype or wrong_device:
        t = t.to(device=device if wrong_device else t.device, dtype=dtype or t.dtype, copy=True)
    elif is_new:
        t = t.clone()
    if requires_grad and not t.requires_grad:
        t.requires_grad_()
    elif t._node is None and t.requires_grad and not t.wraps:
        t._own_meta().requires_grad = True  # also of a view that did so only because its base does
    return t


@creator()
def frombuffer(
    buffer: Any, *, dtype: Any = None, count: int = -1, offset: int = 0, requires_grad: bool = False
) -> Tensor:
    """A 1-d tensor over the memory of an object with a buffer."""
    dtype = checked_dtype("frombuffer", dtype)
    assert dtype is not None
    size = dtype.itemsize
    count, offset = as_int(count), as_int(offset)
    try:
        length = memoryview(buffer).nbytes
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.") from None
    if length == 0 or count == 0:
        raise ValueError(f"both buffer length ({length}) and count ({count}) must not be 0")
    if not 0 <= offset < length:
        raise ValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({length} bytes) minus 1"
        )
    if count < 0 and (length - offset) % size:
        raise ValueError(
            f"buffer length ({length - offset} bytes) after offset ({offset} bytes) must be a multiple of element size "
            f"({size})"
        )
    if count > 0 and offset + count * size > length:
        raise ValueError(
            f"requested buffer length ({count} * {size} bytes) after offset ({offset} bytes) must not be greater than "
            f"actual buffer length ({length} bytes)"
        )
    array = np.frombuffer(buffer, dtype.numpy, count, offset)
    if not array.flags.writeable:
        warn_user(
            "The given buffer is not writable, and PyTorch does not support non-writable tensors. This means you can "
            "write to the underlying (supposedly non-writable) buffer using the tensor. You may want to copy the "
            "buffer to protect its data or make it writable before converting it to a tensor. This type of warning "
            "will be suppressed for the rest of this program.",
        )
    return finish(array, requires_grad)


FUNCTIONS["from_numpy"] = from_numpy


# ---- the legacy constructors


class LegacyMeta(type):
    """``isinstance(t, FloatTensor)`` asks for the dtype."""

    scalar: dtypes.dtype

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> Any:
        for base in bases:
            raise TypeError(f"type {repr(base)[7:-1]} is not an acceptable base type")
        return super().__new__(cls, name, bases, body)

    def __instancecheck__(cls, t: Any) -> bool:
        return isinstance(t, Tensor) and t.dtype is cls.scalar and not t.is_meta

    def __repr__(cls) -> str:
        return f"<class 'torch.{cls.__name__}'>"


def _legacy_class(name: str, scalar: dtypes.dtype) -> Any:
    def new(cls: Any, *args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and isinstance(args[0], Tensor) and args[0].dtype is not scalar:
            raise other_type(scalar, args[0])
        return legacy_tensor(args, scalar, kwargs)

    told = f"Deprecated: a tensor of {scalar}, of a size or of data."
    body = {"__new__": new, "scalar": scalar, "__module__": "facula", "dtype": scalar, "__doc__": told}
    return LegacyMeta(name, (), body)


def other_type(wanted: dtypes.dtype, given: Tensor) -> TypeError:
    """What is said of a tensor whose data are of another type than the legacy constructor's."""
    return TypeError(f"expected {_options(wanted)} (got {_options(given.dtype)})")


def _options(d: dtypes.dtype) -> str:
    return (
        f"TensorOptions(dtype={dtypes.cpp_name(d)}, device=cpu, layout=Strided, requires_grad=false (default), "
        "pinned_memory=false (default), memory_format=(nullopt))"
    )


LEGACY_CLASSES = {
    f"{n}Tensor": _legacy_class(f"{n}Tensor", d)
    for d, n in dtypes.SCALAR_TYPE_NAMES.items()
    if not n.startswith(("Complex", "UInt")) and d.name not in dtypes.BY_NAME_ONLY
}
FUNCTIONS.update(LEGACY_CLASSES)


def _empty(size: tuple[int, ...], dtype: dtypes.dtype, device: Any) -> Any:
    at = next((i for i, n in enumerate(size, 1) if not -LARGEST <= n < LARGEST), None)
    if at is not None:
        raise TypeError(
            f"new(): argument 'size' failed to unpack the object at pos {at} with error \"Overflow when unpacking long "
            'long"'
        )
    try:
        return empty_array(size, dtype, device)
    except (ValueError, MemoryError) as e:
        raise memory_error(e, (size,)) or e from None


def legacy_tensor(args: tuple[Any, ...], dtype: dtypes.dtype, kwargs: dict[str, Any] | None = None) -> Tensor:
    """``Tensor(...)``: sizes make an uninitialised tensor, a sequence makes one with its values."""
    device = (kwargs or {}).get("device")
    if device is not None:
        kind = devices.device(device).type
        if kind != "cpu":
            raise RuntimeError(f"legacy constructor expects device type: cpu but device type: {kind} was passed")
    if not args:
        return finish(empty_array(size_of("new", ((kwargs or {}).get("size", (0,)),)), dtype, device))
    first = args[0]
    if isinstance(first, Tensor) and len(args) == 1:
        if device is not None:
            raise RuntimeError(
                "Legacy tensor constructor of the form torch.Tensor(tensor, device=device) is not supported.  Use "
                "torch.tensor(...) or torch.as_tensor(...) instead."
            )
        from ...overrides import DisableTorchFunctionSubclass  # loaded when first used

        with DisableTorchFunctionSubclass():
            return TENSORS.alias(first)
    if isinstance(first, tuple) and type(first).__name__ == "Size":
        return finish(_empty(tuple(first), dtype, device))
    if all(isinstance(n, (int, np.integer)) and not isinstance(n, bool) for n in args):
        return finish(_empty(size_of("new", args), dtype, device))
    if len(args) > 1:
        from ..machine.signatures import mistake  # loaded when first used

        wrong = mistake("new", (None, *args), kwargs or {}, True)
        if wrong is not None:
            raise wrong
        return finish(_empty(size_of("new", args), dtype, device))
    if hasattr(first, "untyped"):
        from ..._core.storage import check_storage, elements_of  # loaded when first used

        check_storage(first, dtype, got="type {} for argument 1 'storage'")
        return finish(elements_of(first, dtype))
    if isinstance(first, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(first).__name__}'")
    if _is_sequence(first):
        t = finish(place(array_of(first, dtype), device))
        return exits.enter(t, first, "torch.Tensor()") if exits.left else t
    raise TypeError(f"new(): data must be a sequence (got {type_of(first)})")


def legacy_constructor(cls: type, *args: Any, **kwargs: Any) -> Any:
    """What ``Tensor(...)`` and subclasses that do not define ``__new__`` make."""
    t = legacy_tensor(args, dtypes.default, kwargs)
    if cls is Tensor:
        return t
    other = Tensor._make_subclass(cls, t)
    other._node, other._meta = t._node, t._meta
    return other


