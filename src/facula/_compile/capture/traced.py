"""The array of a tensor while a program is captured: it knows which value of the program it is.

It looks like any other array: shape, strides, dtype, and which memory it lies in. Kernels never see it; whoever else
asks for elements gets them, and ends the capture, for what is done with them cannot be written down. A single element
is the exception: the number that was read becomes a check in the program.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core.unresolved import bits_of

_shape = np.ndarray.shape.__get__
_strides = np.ndarray.strides.__get__
_number_of_elements = np.ndarray.size.__get__
_flags = np.ndarray.flags.__get__
_base = np.ndarray.base.__get__
_ctypes = np.ndarray.ctypes.__get__
_interface = np.ndarray.__array_interface__.__get__


class Storage:
    """Memory, and what the program has written into it so far."""

    __slots__ = ("array", "node", "origin", "value", "version")

    def __init__(self, array: Any, node: Any, origin: Any = None) -> None:
        self.array = array
        """The memory, as it was when first met. It is written to when the capture ends."""
        self.value = array
        self.node = node
        self.origin = origin
        """Where it comes from, if the program did not make it."""
        self.version = 0


class Traced(np.ndarray[Any, Any]):
    """An array that stands for a value of a program, seen through ``steps``, a chain of views."""

    capture: Any = None
    storage: Storage
    plain: Any
    """The same as a plain array."""
    steps: tuple[tuple[Any, tuple[Any, ...], int | None], ...]
    seen: tuple[int, Any, Any]
    """(version of the storage, node, value), as last asked for."""
    general: Any = None
    """The dimensions whose sizes are other ones in other calls; see NOTE [sizes]."""

    def __array_finalize__(self, source: Any) -> None:
        """NumPy makes a view of it: no operator did, so that its elements are asked for by someone who is no kernel."""
        if type(source) is Traced:
            self.capture = source.capture

    @property
    def _is_written_down(self) -> bool:
        return self._is_captured and hasattr(self, "storage")

    @property
    def _is_captured(self) -> bool:
        """Whether it is being written down what happens to it: other threads find the memory as it is."""
        return self.capture is not None and self.capture.is_here()

    def _asked(self, what: str, plain: Any) -> Any:
        """Something about sizes, in symbols where they are general."""
        if self.general is None or not self._is_captured:
            return plain
        return self.capture.aspect(self, what, plain)

    @property
    def bits(self) -> int:
        return bits_of(getattr(self, "plain", None))

    @property  # type: ignore[misc]
    def shape(self) -> Any:
        return self._asked("shape", _shape(self))

    @property  # type: ignore[misc]
    def strides(self) -> Any:
        return self._asked("strides", _strides(self))

    @property
    def size(self) -> Any:
        return self._asked("size", _number_of_elements(self))

    @property
    def nbytes(self) -> Any:
        return self.size * self.itemsize

    @property
    def flags(self) -> Any:
        return self._asked("flags", _flags(self))

    @property
    def base(self) -> Any:
        return self._asked("memory", _base(self))

    @property
    def ctypes(self) -> Any:
        return self._asked("memory", _ctypes(self))

    @property
    def __array_interface__(self) -> Any:
        return self._asked("memory", _interface(self))

    def lies_as(self, other: Any) -> bool:
        """Whether both are the same view of the same memory, whatever the sizes."""
        if type(other) is not Traced or self.storage is not other.storage or len(self.steps) != len(other.steps):
            return False
        return all(a[0] is b[0] and a[1:] == b[1:] for a, b in zip(self.steps, other.steps))

    def __len__(self) -> int:
        return int(self.shape[0])

    @property
    def plain_size(self) -> int:
        found: int = _number_of_elements(self)
        return found

    def _leave(self, what: str) -> Any:
        """The elements, for someone who is no kernel."""
        if self._is_captured:
            self.capture.leak(what)
        return self.view(np.ndarray)

    def _number(self, what: str) -> Any:
        """The one element, as a number that the program checks from now on."""
        if self._is_captured and self.plain_size == 1:
            return self.capture.observed(self)
        return self._leave(what)

    def item(self, *at: Any) -> Any:
        return self._number("item()").item(*at)

    def __bool__(self) -> bool:
        return bool(self._number("bool()"))

    def __float__(self) -> float:
        return float(self._number("float()"))

    def __int__(self) -> int:
        return int(self._number("int()"))

    def __index__(self) -> int:
        return self._number("an index").__index__()

    def __complex__(self) -> complex:
        return complex(self._number("complex()"))

    def tolist(self) -> Any:
        found = self._number("tolist()")
        return np.reshape(found, self.view(np.ndarray).shape).tolist()

    def reshape(self, *shape: Any, order: Any = "C", copy: Any = None) -> Any:
        if self.general is not None and self._is_captured and copy is False and len(shape) == 1:
            return self.capture.reshaped(self, shape[0])
        return super().reshape(*shape, order=order, copy=copy)

    # what facula's own functions do to arrays that are no operands of kernels

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> Any:
        if not self._is_written_down:
            return self._leave("astype()").astype(dtype, *args, **kwargs)
        if not kwargs.get("copy", True) and np.dtype(dtype) == self.dtype:
            return self
        return self.capture.cast(self, np.dtype(dtype))

    def copy(self, order: Any = "C") -> Any:
        if not self._is_written_down:
            return self._leave("copy()").copy(order)
        return self.capture.clone(self)

    def __setitem__(self, key: Any, value: Any) -> None:
        is_whole = key is Ellipsis and isinstance(value, Traced) and value.shape == self.shape
        if is_whole and value.dtype == self.dtype and self._is_captured:
            self.capture.assign(self, value)
            return
        self._leave("a write")[key] = _plain(value)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        self._leave(f"NumPy's {ufunc.__name__}")
        out = kwargs.get("out")
        if out is not None:
            kwargs["out"] = tuple([_plain(o) for o in out])
        return getattr(ufunc, method)(*[_plain(x) for x in inputs], **kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if func in _HARMLESS and not (func in _OF_SIZES and _has_general(args)):
            return func(*_plain(args), **_plain(kwargs))
        self._leave(f"NumPy's {func.__name__}")
        return func(*_plain(args), **_plain(kwargs))

    def __reduce__(self) -> Any:
        return self._leave("pickling").__reduce__()

    def __deepcopy__(self, memo: Any) -> Any:
        return self._leave("a deep copy").copy()


_HARMLESS = frozenset((np.may_share_memory, np.shares_memory, np.shape, np.ndim, np.result_type, np.broadcast_shapes,
                       np.empty_like, np.zeros_like, np.ones_like))  # fmt: skip
"""What looks at shapes, dtypes and addresses only."""


_OF_SIZES = frozenset((np.shape, np.broadcast_shapes, np.empty_like, np.zeros_like, np.ones_like))


def _has_general(args: Any) -> bool:
    return any(isinstance(x, Traced) and x.general is not None for x in args)


def _plain(x: Any) -> Any:
    if isinstance(x, Traced):
        return x.view(np.ndarray)
    if isinstance(x, (list, tuple)):
        return type(x)([_plain(v) for v in x])
    if isinstance(x, dict):
        return {key: _plain(v) for key, v in x.items()}
    return x


def _leaving(name: str) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(self._leave(name), name)(*_plain(args), **_plain(kwargs))

    method.__name__ = name
    return method


for _name in (
    "__getitem__", "__iter__", "__contains__", "__array__", "all", "any", "argmax", "argmin", "argpartition", "argsort",
    "byteswap", "choose", "clip", "compress", "conj", "conjugate", "cumprod", "cumsum", "diagonal", "dot", "dump",
    "dumps", "fill", "flatten", "max", "mean", "min", "nonzero", "partition", "prod", "put", "repeat", "round",
    "searchsorted", "sort", "std", "sum", "take", "tobytes", "tofile", "trace", "var", "__repr__", "__str__",
    "__format__",
):  # fmt: skip
    setattr(Traced, _name, _leaving(_name))
