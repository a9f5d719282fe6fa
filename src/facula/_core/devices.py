"""Devices: ``cpu``, which computes, and ``meta``, which only knows shapes and dtypes."""

from __future__ import annotations

import inspect
import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import state
from .strides import common_strides, strides_as

_KNOWN = (
    "cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, mps, meta, hpu, "
    "mtia, privateuseone"
)


_NOT_GIVEN: Any = inspect.Parameter.empty


def no_accelerator(index: int) -> RuntimeError:
    """A number alone means an accelerator."""
    if index < 0:
        return RuntimeError("Device index must not be negative")
    return RuntimeError("Cannot access accelerator device when none is available.")


def _checked_index(index: Any) -> int:
    if isinstance(index, bool) or not hasattr(index, "__index__"):
        raise TypeError(f"device(): argument 'index' (position 2) must be int, not {type(index).__name__}")
    if not -(2**63) <= (number := operator.index(index)) < 2**63:
        raise ValueError("Overflow when unpacking long long")
    if number < 0:
        raise RuntimeError("Device index must not be negative")
    return number


def _not_a_device(given: Any, index: Any) -> TypeError:
    if given is not _NOT_GIVEN and index is not None:
        return TypeError(f"device(): argument 'type' (position 1) must be str, not {type(given).__name__}")
    return TypeError(_no_form("" if given is _NOT_GIVEN else type(given).__name__))


def _no_form(shown: str) -> str:
    return (
        f"device() received an invalid combination of arguments - got ({shown}), but expected one of:\n"
        " * (torch.device device)\n * (str type, int index = -1)\n"
    )


def _by_its_name(type: Any, index: Any, named: dict[str, Any]) -> Any:
    """What is given as ``device=``, alone."""
    if type is not _NOT_GIVEN:
        raise TypeError(f"device() got an unexpected keyword argument '{next(iter(named))}'")
    if index is not None:
        raise TypeError('device() missing 1 required positional arguments: "type"')
    given = named.get("device")
    if len(named) > 1 or not isinstance(given, (device, str, int)):
        shown = "".join(f"{name}={value.__class__.__name__}, " for name, value in named.items())
        raise TypeError(_no_form(shown))
    return given


class device:
    """``device("cpu")``, ``device("cpu", 0)``, ``device("meta")``; also a context manager for creation."""

    __module__ = "facula"

    __slots__ = ("_outer", "index", "type")

    type: str
    index: int | None

    def __init__(self, type: str | device | int = _NOT_GIVEN, index: int | None = None, **named: Any) -> None:
        self._outer: list[Any] = []
        if named:
            type = _by_its_name(type, index, named)
        if isinstance(type, device):
            self.type, self.index = type.type, type.index
            return
        if isinstance(type, int) and index is None and not isinstance(type, bool):
            raise no_accelerator(type)
        if not isinstance(type, str):
            raise _not_a_device(type, index)
        if index is not None:
            index = _checked_index(index)
        if not type:
            raise RuntimeError("Device string must not be empty")
        name, colon, number = type.partition(":")
        if name not in _KNOWN.split(", ") or (colon and not number.isdigit()):
            if (colon and name in _KNOWN.split(", ")) or not name.isalpha():
                raise RuntimeError(f"Invalid device string: '{type}'")
            raise RuntimeError(f"Expected one of {_KNOWN} device type at start of device string: {type}")
        if colon and index is not None:
            raise RuntimeError(f"type (string) must not include an index because index was passed explicitly: {type}")
        self.type = name
        self.index = int(number) if colon else index

    def __repr__(self) -> str:
        return f"device(type='{self.type}'" + (")" if self.index is None else f", index={self.index})")

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __reduce__(self) -> tuple[Any, ...]:
        return device, (self.type, self.index)

    def __enter__(self) -> device:
        self._outer.append(state.modes.device)
        state.update(device=self)
        return self

    def __exit__(self, *exc: object) -> None:
        state.update(device=self._outer.pop())


cpu = device("cpu")
meta = device("meta")


def parse(given: Any) -> device:
    """The device that an argument ``device=`` means; None is the default one."""
    if given is None:
        given = state.modes.device
        if given is None:
            return cpu
    if given.__class__ is device:
        found: device = given
    elif isinstance(given, int):
        raise no_accelerator(given)
    else:
        found = device(given)
    if found.type not in ("cpu", "meta"):
        if found.type == "cuda":
            raise AssertionError("Torch not compiled with CUDA enabled")
        raise RuntimeError(f"facula has the devices cpu and meta, not {found}")
    return found


class MetaArray(np.ndarray[Any, Any]):
    """An array that knows its shape, strides and dtype but has no elements.

    NOTE [meta arrays]: kernels are NumPy calls, and NumPy asks its arguments' classes before it computes. A meta
    tensor's array answers by working out the shape and dtype of the result and returning another meta array. So no
    operator needs to know of the meta device, and the hot path never asks. Its memory is only reserved, never touched;
    beyond ``_RESERVED`` it is a single element, and strides are made up to look like those of a dense array.
    """

    bits: int = 0
    """What would be to be done to its elements; see ``unresolved``."""
    on: device = meta
    """The device that a tensor is said to be on. Elements of another one are known to the tensor's class alone."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        out = kwargs.pop("out", None)
        if ufunc is np.matmul:
            result = _shape_of_ufunc(ufunc, method, [], inputs, kwargs)
            return result if inputs[0].__class__ is MetaArray else np.empty(result.shape, result.dtype)
        if method == "__call__":
            check_devices([x for x in inputs if isinstance(x, np.ndarray)])
        shrunk = [_sample(x) for x in inputs]
        result = _shape_of_ufunc(ufunc, method, shrunk, inputs, kwargs)
        if out is not None and isinstance(out[0], np.ndarray):
            return out[0]
        return result

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """Any other NumPy function: run it on zeros of the right shape and keep what shape and dtype it gives."""
        if func in _UNKNOWN:
            raise NotImplementedError(_UNKNOWN[func])
        if func in _JOINING:
            check_devices(args[0])
        if func in _SHARING:
            result = super().__array_function__(func, types, args, kwargs)
            return result.view(MetaArray) if isinstance(result, np.ndarray) else result
        return _strip(func(*_materialise(args), **_materialise(kwargs)))

    def __getitem__(self, key: Any) -> Any:
        for part in key if isinstance(key, tuple) else (key,):
            if part.__class__ is MetaArray and part.dtype == bool:
                raise NotImplementedError(_NONZERO)
        result = super().__getitem__(_materialise(key))
        return result if isinstance(result, np.ndarray) else empty_meta((), self.dtype)

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(value, np.ndarray):
            np.broadcast_shapes(value.shape, super().__getitem__(key).shape)

    def copy(self, order: Any = "C") -> MetaArray:
        return empty_meta(self.shape, self.dtype, strides_as(self, self.dtype) if order == "K" else None)

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> MetaArray:
        if np.dtype(dtype) == self.dtype and not kwargs.get("copy", True):
            return self
        return empty_meta(self.shape, dtype, strides_as(self, dtype))

    def fill(self, value: Any) -> None:
        pass

    def nonzero(self) -> Any:
        raise NotImplementedError(_NONZERO)

    def item(self, *at: Any) -> Any:
        """Kernels that look whether a short cut applies find zeros; tensors refuse to tell their elements."""
        return self.dtype.type().item()

    def __bool__(self) -> bool:
        return False


def no_meta_kernel(name: str) -> str:
    """What PyTorch says of an operator whose result has a size that elements decide."""
    return (
        f"aten::{name}: attempted to run this operator with Meta tensors, but there was no fake impl or Meta kernel "
        "registered."
    )


_NONZERO = (
    "The register_meta function for torch.nonzero() raises unimplemented by default, as a correct data-independent "
    "implementation does not exist."
)
_UNKNOWN: dict[Any, str] = {
    np.nonzero: _NONZERO, np.argwhere: _NONZERO, np.flatnonzero: _NONZERO, np.unique: no_meta_kernel("_unique2"),
    np.bincount: no_meta_kernel("bincount"), np.array_equal: no_meta_kernel("equal"),
}  # fmt: skip
"""Functions whose results depend on elements in more than their values."""

_JOINING = frozenset((np.concatenate, np.stack))
_SHARING = frozenset(
    (
        np.reshape, np.transpose, np.swapaxes, np.moveaxis, np.expand_dims, np.squeeze, np.diagonal, np.broadcast_to,
        np.shape, np.ndim, np.real, np.imag,
    )
)  # fmt: skip


_RESERVED = 2**30
"""Up to this many bytes a meta array reserves address space, which costs nothing until touched and is safe to read."""


def empty_meta(shape: Any, dtype: Any, strides: tuple[int, ...] | None = None) -> MetaArray:
    """A new one, dense unless strides are given."""
    dt = np.dtype(dtype)
    shape = tuple(shape)
    if strides is None:
        if math.prod(shape) * dt.itemsize <= _RESERVED:
            return np.empty(shape, dt).view(MetaArray)
        strides = tuple(dt.itemsize * math.prod(shape[i + 1 :]) for i in range(len(shape)))
    size = 1 + sum((n - 1) * step for n, step in zip(shape, strides)) // dt.itemsize
    memory = np.empty(size if 0 < size * dt.itemsize <= _RESERVED else 1, dt)
    return np.lib.stride_tricks.as_strided(memory, shape, strides).view(MetaArray)


def check_devices(arrays: Sequence[Any]) -> None:
    """0-d CPU tensors may meet meta tensors; others may not."""
    if any(a.__class__ is not np.ndarray for a in arrays) and any(a.__class__ is np.ndarray and a.ndim for a in arrays):
        names = ("meta", "cpu") if arrays[0].__class__ is np.ndarray else ("cpu", "meta")
        raise RuntimeError(f"Tensor on device {names[0]} is not on the expected device {names[1]}!")


def _sample(x: Any) -> Any:
    """A one-element stand-in that has an operand's dtype."""
    if isinstance(x, np.ndarray):
        return np.ones((), x.dtype)
    return x


def _shape_of_ufunc(ufunc: Any, method: str, shrunk: list[Any], inputs: tuple[Any, ...], kwargs: Any) -> Any:
    if method == "reduce":
        array = inputs[0]
        axis = kwargs.get("axis", inputs[1] if len(inputs) > 1 else 0)
        keep = kwargs.get("keepdims", False)
        axes = range(array.ndim) if axis is None else [a % array.ndim for a in np.atleast_1d(axis)]
        kept = [1 if i in axes else n for i, n in enumerate(array.shape) if keep or i not in axes]
        dt = ufunc.reduce(np.ones(1, array.dtype), dtype=kwargs.get("dtype")).dtype
        return empty_meta(kept, dt)
    if method == "accumulate":
        return empty_meta(inputs[0].shape, ufunc.accumulate(np.ones(1, inputs[0].dtype)).dtype)
    if ufunc is np.matmul:
        a, b = inputs
        if a.shape[-1] != b.shape[-2 if b.ndim > 1 else 0]:
            raise ValueError("matmul: shapes do not match")
        batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        tail = a.shape[-2:-1] + (b.shape[-1:] if b.ndim > 1 else ())
        return empty_meta(batch + tail, np.result_type(a.dtype, b.dtype))
    shape = np.broadcast_shapes(*(np.shape(x) for x in inputs))
    results = ufunc(*shrunk, **kwargs)
    arrays = [x for x in inputs if isinstance(x, np.ndarray)]

    def made(result: Any) -> MetaArray:
        return empty_meta(shape, result.dtype, common_strides(shape, result.dtype, arrays))

    return tuple(map(made, results)) if isinstance(results, tuple) else made(results)


def _materialise(x: Any) -> Any:
    if isinstance(x, MetaArray):
        return np.zeros(x.shape, x.dtype)
    if isinstance(x, (list, tuple)):
        return type(x)(_materialise(v) for v in x)
    if isinstance(x, dict):
        return {k: _materialise(v) for k, v in x.items()}
    return x


def _strip(x: Any) -> Any:
    if isinstance(x, (np.ndarray, np.generic)):
        return empty_meta(x.shape, x.dtype)
    if isinstance(x, (list, tuple)):
        return type(x)(_strip(v) for v in x)
    return x


def stay_meta(x: Any) -> Any:
    """A kernel's result on meta arrays: ``np.asarray`` and others forget the class."""
    if isinstance(x, (list, tuple)):
        return type(x)(stay_meta(v) for v in x)
    if x.__class__ is MetaArray:
        return x
    return empty_meta(np.shape(x), x.dtype)
