"""bfloat16 as a dtype of NumPy, where ml_dtypes is not installed.

NumPy lets others add dtypes through its C interface, a table of functions, which ctypes can call. A bfloat16 is the
upper half of a float32, so all that is computed with it is computed by NumPy's own float32 loops, a buffer at a time.
"""

from __future__ import annotations

import copyreg
import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy._core import _multiarray_umath as _numpy  # type: ignore[attr-defined]

from .dtypes import _scalar_class

_Address, _Count = ctypes.c_void_p, ctypes.c_ssize_t
_Addresses, _Counts = ctypes.POINTER(_Address), ctypes.POINTER(_Count)

# Places in NumPy's tables of functions, which are the same in all of its versions.
_DESCRIPTION_TYPE, _REGISTER_DTYPE, _REGISTER_CAST, _REGISTER_SAFE_CAST, _FUNCTIONS_OF = 3, 192, 193, 194, 365
_REGISTER_LOOP = 2

_NEEDS_PYTHON, _USE_SETITEM = 0x10, 0x40
_MAY_BE_A_BASE = 1 << 10
_NO_KIND = -1
_WIDER = "fdgFDG"
_NARROWER = "?bB"
_OTHERS = "?bBhHiIlLqQefdgFDG"


class _Functions(ctypes.Structure):
    """``PyArray_ArrFuncs``: what NumPy does with elements of a dtype."""

    _fields_ = [
        ("cast", _Address * 21), ("getitem", _Address), ("setitem", _Address), ("copyswapn", _Address),
        ("copyswap", _Address), ("compare", _Address), ("argmax", _Address), ("dotfunc", _Address),
        ("scanfunc", _Address), ("fromstr", _Address), ("nonzero", _Address), ("fill", _Address),
        ("fillwithscalar", _Address), ("sort", _Address * 3), ("argsort", _Address * 3), ("castdict", _Address),
        ("scalarkind", _Address), ("cancastscalarkindto", _Address), ("cancastto", _Address), ("unused", _Address * 3),
        ("argmin", _Address),
    ]  # fmt: skip


class _Description(ctypes.Structure):
    """``PyArray_DescrProto``: what a new dtype is."""

    _fields_ = [
        ("head", ctypes.c_char * object.__basicsize__), ("typeobj", ctypes.py_object), ("kind", ctypes.c_char),
        ("type", ctypes.c_char), ("byteorder", ctypes.c_char), ("flags", ctypes.c_char), ("type_num", ctypes.c_int),
        ("elsize", ctypes.c_int), ("alignment", ctypes.c_int), ("subarray", _Address), ("fields", _Address),
        ("names", _Address), ("f", ctypes.POINTER(_Functions)), ("metadata", _Address), ("c_metadata", _Address),
        ("hash", _Count),
    ]  # fmt: skip


class _Specification(ctypes.Structure):
    """``PyType_Spec``: what a class written in C is."""

    _fields_ = [
        ("name", ctypes.c_char_p), ("basicsize", ctypes.c_int), ("itemsize", ctypes.c_int), ("flags", ctypes.c_uint),
        ("slots", ctypes.POINTER(ctypes.c_uint64 * 2)),
    ]  # fmt: skip


def _two_bytes() -> Any:
    """A class of scalars with room for two bytes behind the head of the object, where NumPy puts them."""
    make = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.POINTER(_Specification), ctypes.py_object)(
        ("PyType_FromSpecWithBases", ctypes.pythonapi)
    )
    size = object.__basicsize__ + ctypes.sizeof(_Address)
    specification = _Specification(b"facula.TwoBytes", size, 0, _MAY_BE_A_BASE, ctypes.pointer((ctypes.c_uint64 * 2)()))
    return make(ctypes.pointer(specification), (np.generic,))


class _Named(type):
    """In pickles the class goes by the name of its dtype, so that it may be that of ml_dtypes where it is read."""


copyreg.pickle(_Named, lambda cls: (_scalar_class, (cls.__name__,)))  # type: ignore[arg-type,return-value]


class bfloat16(_two_bytes(), metaclass=_Named):  # type: ignore[misc]
    """One bfloat16."""

    __slots__ = ()

    def __new__(cls, value: Any = 0.0) -> bfloat16:
        return np.asarray(value, np.float32).astype(NUMPY_DTYPE)[()]  # type: ignore[return-value]

    def __float__(self) -> float:
        return _getitem(id(self) + object.__basicsize__, 0)

    def __repr__(self) -> str:
        return f"{float(self):.6g}"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(float(self), spec)

    def __hash__(self) -> int:
        return hash(float(self))


# ---- to float32 and back


def widen(bits: Any) -> Any:
    """The float32 numbers whose upper halves are given."""
    return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)


def narrow(numbers: Any) -> Any:
    """The upper halves of float32 numbers, rounded to nearest, ties to even."""
    bits = np.ascontiguousarray(numbers, np.float32).view(np.uint32)
    upper = (bits + (np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1)))) >> np.uint32(16)
    quiet = (bits >> np.uint32(16)) | np.uint32(0x40)
    return np.where((bits & np.uint32(0x7FFFFFFF)) > np.uint32(0x7F800000), quiet, upper).astype(np.uint16)


class _Memory:
    """Numbers at an address, for ``np.asarray``."""

    def __init__(self, address: int, count: int, stride: int, typestr: str) -> None:
        self.__array_interface__ = {
            "data": (address, False), "shape": (count,), "strides": (stride,), "typestr": typestr, "version": 3,
        }  # fmt: skip


def _at(address: int, count: int, stride: int, character: str) -> Any:
    return np.asarray(_Memory(address, count, stride, np.dtype(character).str))


def _bits(address: int, count: int, stride: int = 2) -> Any:
    return _at(address, count, stride, "H")


# ---- what NumPy calls


def _cast_to(character: str) -> Callable[..., None]:
    size = np.dtype(character).itemsize

    def cast(source: int, target: int, count: int, _source: int, _target: int) -> None:
        if count:
            _at(target, count, size, character)[...] = widen(_bits(source, count))

    return cast


def _cast_from(character: str) -> Callable[..., None]:
    size = np.dtype(character).itemsize

    def cast(source: int, target: int, count: int, _source: int, _target: int) -> None:
        if count:
            numbers = _at(source, count, size, character)
            _bits(target, count)[...] = narrow(numbers.real.astype(np.float32))

    return cast


def _getitem(address: int, array: int) -> float:
    return float(widen(_bits(address, 1))[0])


def _setitem(value: Any, address: int, array: int) -> int:
    _bits(address, 1)[...] = narrow(np.asarray([float(value)], np.float32))
    return 0


def _compare(first: int, second: int, array: int) -> int:
    a, b = (float(widen(_bits(each, 1))[0]) for each in (first, second))
    if a != a or b != b:  # NaN comes last
        return int(a != a) - int(b != b)
    return (a > b) - (a < b)


def _sort(start: int, count: int, array: int) -> int:
    bits = _bits(start, count)
    bits[...] = bits[np.argsort(widen(bits), kind="stable")]
    return 0


def _argsort(start: int, places: Any, count: int, array: int) -> int:
    found = _at(ctypes.cast(places, _Address).value or 0, count, np.dtype(np.intp).itemsize, "p")
    found[...] = found[np.argsort(widen(_bits(start, count)[found]), kind="stable")]
    return 0


def _extreme(find: Callable[[Any], Any]) -> Callable[..., int]:
    def call(start: int, count: int, place: Any, array: int) -> int:
        place[0] = int(find(widen(_bits(start, count))))
        return 0

    return call


def _dot(a: int, a_stride: int, b: int, b_stride: int, out: int, count: int, array: int) -> None:
    sides = (widen(_bits(each, count, stride)) for each, stride in ((a, a_stride), (b, b_stride)))
    _bits(out, 1)[...] = narrow(np.reshape(np.dot(*sides), 1))


def _fill(start: int, count: int, array: int) -> int:
    bits = _bits(start, count)
    first, second = widen(bits[:2]).tolist()
    bits[...] = narrow(first + np.arange(count, dtype=np.float32) * np.float32(second - first))
    return 0


def _next(number: Any, towards: Any) -> Any:
    """The next bfloat16 on the way: one step of the lowest bit, which is the 17th of a float32."""
    is_away = (towards > number) == (number >= 0)
    stepped = widen(narrow(number) + np.where(is_away, np.uint16(1), np.uint16(0xFFFF)))
    stepped = np.where(number == 0, np.copysign(np.float32(2.0**-133), towards), stepped)
    stepped = np.where(number == towards, towards, stepped)
    return np.where(np.isnan(number) | np.isnan(towards), np.float32(np.nan), stepped)


def _spacing(number: Any) -> Any:
    return _next(number, np.copysign(np.float32(np.inf), number)) - number


_ITS_OWN: dict[str, Callable[..., Any]] = {"nextafter": _next, "spacing": _spacing}


def _loop(ufunc: np.ufunc, characters: str) -> Callable[..., None]:
    """A ufunc on bfloat16 in the places of float32."""
    inputs = ufunc.nin
    compute: Callable[..., Any] = _ITS_OWN.get(ufunc.__name__, ufunc)

    def is_folded(addresses: Any, strides: Any) -> bool:
        """Whether each result is the next one's first input: a reduction, or running results."""
        return (inputs, ufunc.nout) == (2, 1) and strides[0] == strides[2] and (
            addresses[2] == addresses[0] + strides[0]
        )  # fmt: skip

    def run(addresses: Any, counts: Any, strides: Any, _: int) -> None:
        if not (count := counts[0]):
            return
        if is_folded(addresses, strides):
            steps = np.append(widen(_bits(addresses[0], 1)), widen(_bits(addresses[1], count, strides[1])))
            if strides[2]:
                _bits(addresses[2], count, strides[2])[...] = narrow(ufunc.accumulate(steps)[1:])
            else:
                _bits(addresses[2], 1)[...] = narrow(np.reshape(ufunc.reduce(steps), 1))
            return
        views = [
            _at(addresses[i], count, strides[i], "H" if character == "f" else character)
            for i, character in enumerate(characters)
        ]
        given = [widen(view) if character == "f" else view for view, character in zip(views, characters[:inputs])]
        found = compute(*given)
        results = found if isinstance(found, tuple) else (found,)
        for view, character, result in zip(views[inputs:], characters[inputs:], results):
            view[...] = narrow(result) if character == "f" else result

    return run


# ---- telling NumPy


_Cast = ctypes.CFUNCTYPE(None, _Address, _Address, _Count, _Address, _Address)
_Loop = ctypes.CFUNCTYPE(None, _Addresses, _Counts, _Counts, _Address)
_CALLED: list[Any] = []
"""Whatever NumPy may call stays alive."""


def _table(capsule: Any) -> Any:
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = _Address, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.cast(get(capsule, None), _Addresses)


def _called(kind: Any, function: Callable[..., Any]) -> Any:
    _CALLED.append(kind(function))
    return ctypes.cast(_CALLED[-1], _Address)


def _functions(of_dtype: Any) -> _Functions:
    """Bytes are moved as those of NumPy's dtypes of two bytes; the rest is ours."""
    integers, halves = (of_dtype(np.dtype(each)).contents for each in (np.uint16, np.float16))
    result = _Functions()
    result.copyswap, result.copyswapn = integers.copyswap, integers.copyswapn
    result.fillwithscalar, result.nonzero = integers.fillwithscalar, halves.nonzero
    memory, python, number = ctypes.CFUNCTYPE, ctypes.PYFUNCTYPE, ctypes.c_int
    result.getitem = _called(python(ctypes.py_object, _Address, _Address), _getitem)
    result.setitem = _called(python(number, ctypes.py_object, _Address, _Address), _setitem)
    result.compare = _called(memory(number, _Address, _Address, _Address), _compare)
    result.dotfunc = _called(memory(None, _Address, _Count, _Address, _Count, _Address, _Count, _Address), _dot)
    result.fill = _called(memory(number, _Address, _Count, _Address), _fill)
    extreme = memory(number, _Address, _Count, _Counts, _Address)
    result.argmax, result.argmin = (_called(extreme, _extreme(each)) for each in (np.argmax, np.argmin))
    for i in range(3):
        result.sort[i] = _called(memory(number, _Address, _Count, _Address), _sort)
        result.argsort[i] = _called(memory(number, _Address, _Counts, _Count, _Address), _argsort)
    return result


def _register() -> np.dtype[Any]:
    table, ufuncs = _table(_numpy._ARRAY_API), _table(_numpy._UFUNC_API)
    number = ctypes.c_int

    def function(of: Any, place: int, result: Any, *arguments: Any) -> Any:
        return ctypes.PYFUNCTYPE(result, *arguments)(of[place])

    functions = _functions(function(table, _FUNCTIONS_OF, ctypes.POINTER(_Functions), ctypes.py_object))
    description = _Description(
        typeobj=bfloat16, kind=b"V", type=b"E", byteorder=b"=", flags=bytes([_NEEDS_PYTHON | _USE_SETITEM]),
        elsize=2, alignment=2, f=ctypes.pointer(functions), hash=-1,
    )  # fmt: skip
    head = (_Count * 2).from_buffer(description)
    head[0], head[1] = 1, table[_DESCRIPTION_TYPE]  # an object's count of references and its class
    _CALLED.extend((functions, description))
    register = function(table, _REGISTER_DTYPE, number, ctypes.POINTER(_Description))
    type_number = register(ctypes.pointer(description))
    new = np.dtype(bfloat16)
    cast = function(table, _REGISTER_CAST, number, ctypes.py_object, number, _Address)
    safe = function(table, _REGISTER_SAFE_CAST, number, ctypes.py_object, number, number)
    for character in _OTHERS:
        other = np.dtype(character)
        cast(new, other.num, _called(_Cast, _cast_to(character)))
        cast(other, type_number, _called(_Cast, _cast_from(character)))
    for character in _WIDER:
        safe(new, np.dtype(character).num, _NO_KIND)
    for character in _NARROWER:
        safe(np.dtype(character), type_number, _NO_KIND)
    numbers_of = ctypes.POINTER(number)
    add_loop = function(ufuncs, _REGISTER_LOOP, number, ctypes.py_object, number, _Address, numbers_of, _Address)
    for ufunc in {id(each): each for each in vars(_numpy).values() if isinstance(each, np.ufunc)}.values():
        if ufunc.signature is None:
            for types in ufunc.types:
                characters = types.replace("->", "")
                if "f" in characters[: ufunc.nin] and not set(characters) - set("f?il"):
                    numbers = [type_number if c == "f" else np.dtype(c).num for c in characters]
                    add_loop(
                        ufunc, type_number, _called(_Loop, _loop(ufunc, characters)),
                        (number * len(numbers))(*numbers), None,
                    )  # fmt: skip
    return new


NUMPY_DTYPE = _register()
