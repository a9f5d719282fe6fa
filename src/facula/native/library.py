"""The loaded library: its kernels as functions of Python.

NOTE [call]: CPython makes a function of an address (``PyCFunction_NewEx``), which reads arrays where they lie and calls
a kernel within some 30 ns; ctypes takes ten times as long. Both check types and layouts by the same letters, which
``c/call.c`` explains, and answer True, or False if the kernel does not take these arguments. Where CPython's objects
are not as that text believes, which ``_layout_holds`` finds out, ctypes is used.
"""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from .._core import threads
from . import cache, compiler, presence
from .functions import can_be_made, function

F32, F64, I64, BOOL, U8 = map(np.dtype, ("float32", "float64", "int64", "bool", "uint8"))
_DONE, _NO_MEMORY = 0, 1


class _Entry(ctypes.Structure):
    _fields_ = [("kernels", ctypes.c_void_p * 2), ("cost", ctypes.c_double), ("letters", ctypes.c_char * 48)]


_OBJECTS = (np.ndarray, F32, F64, I64, BOOL, U8, None, True, False)


class Library:
    """A file that has been checked and loaded, and has passed its self-test."""

    def __init__(self, path: Path, key: str) -> None:
        self.path = path
        self.compiler: str = cache.checked(path, key)["compiler"]
        try:
            self.dll = ctypes.CDLL(str(path))
            self.set_threads = self.dll.facula_set_threads
        except (OSError, AttributeError) as error:
            raise cache.Refused(f"{path} cannot be loaded: {error}") from None
        self.set_threads.argtypes = [ctypes.c_int64]
        self.set_threads.restype = None
        self._kept: list[Any] = []
        self.is_direct = self._layout_holds()
        self._test()
        threads.follow(self.set_threads)

    def kernel(self, name: str, letters: str, cost: float) -> Callable[..., bool]:
        """A kernel as a function. ``cost``: ns for an element of its largest array, about.

        Some kernels are there for float64 only.
        """
        functions = [getattr(self.dll, f"{name}_f{bits}", None) for bits in (32, 64)]
        if functions == [None, None]:
            raise AttributeError(f"the library has no kernel {name}")
        if not self.is_direct:
            return functools.partial(_through_ctypes, functions, letters)
        addresses = [f and ctypes.cast(f, ctypes.c_void_p).value for f in functions]
        entry = _Entry((ctypes.c_void_p * 2)(*addresses), cost, letters.encode())
        return function(name, self.dll.facula_call, entry)

    def _layout_holds(self) -> bool:
        if not can_be_made():
            return False
        given: Any = (ctypes.py_object * len(_OBJECTS)).in_dll(self.dll, "facula_objects")
        for i, thing in enumerate(_OBJECTS):
            given[i] = thing
        self._kept.append(given)
        found = (ctypes.c_int64 * 7)()
        for probe in (np.zeros((3, 5), F32), np.zeros((4, 6), F64)[::2, 1:], np.zeros((), I64), np.zeros(7, BOOL)):
            probe.flags.writeable = probe.ndim != 1
            self.dll.facula_probe(ctypes.py_object(probe), found)
            flags = probe.flags
            bits = flags.c_contiguous | flags.aligned << 8 | flags.writeable << 10
            expected = [id(np.ndarray), probe.ctypes.data, probe.ndim, (-1, *probe.shape)[-1]]
            expected += [(*probe.strides, -1)[0], id(probe.dtype), bits]
            if [*found[:6], found[6] & 0x501] != expected:
                return False
        return True

    def _test(self) -> None:
        """Some results, before others rely on it."""
        x = np.linspace(-3, 3, 70, dtype=F32).reshape(7, 10)
        for d in (F32, F64):
            given, out = x.astype(d), np.empty((7, 10), d)
            e = np.exp(given)
            right = self.kernel("softmax", "fwnn", 1.0)(given, out, 7, 10)
            if not right or not np.allclose(out, e / e.sum(1, keepdims=True), 1e-5):
                raise cache.Refused(f"{self.path} computes wrong results")


def _through_ctypes(functions: list[Any], letters: str, *given: Any) -> bool:
    """What ``facula_call`` in ``c/call.c`` does, in Python."""
    arrays: list[Any] = []
    written: list[Any] = []
    whole: list[int] = []
    real: list[float] = []
    dtype = None
    if len(given) != len(letters):
        return False
    for letter, value in zip(letters, given, strict=True):
        if letter in "nk":
            whole.append(value)
        elif letter == "s":
            real.append(value)
        elif letter in "FWBM" and value is None:
            arrays.append(None)
            whole += [0] * (8 * (letter == "M"))
        else:
            if type(value) is not np.ndarray or not value.flags.aligned:
                return False
            if letter.lower() in "fwmv":
                if value.dtype not in (F32, F64) or (dtype is not None and value.dtype != dtype):
                    return False
                dtype = value.dtype
            elif value.dtype not in ((I64,) if letter in "ix" else (BOOL, U8)):
                return False
            if letter in "mMv":
                strides = [stride // value.itemsize for stride in value.strides]
                if value.ndim > 4 or any(s < 0 or s % value.itemsize for s in value.strides):
                    return False
                whole += [1] * (4 - value.ndim) + [*value.shape] + [0] * (4 - value.ndim) + strides
            if letter not in "mMv" and not value.flags.c_contiguous:
                return False
            if letter in "wWxuv":
                if not value.flags.writeable:
                    return False
                written.append(value)
            arrays.append(value)
    function = functions[dtype is None or dtype == F64]
    if function is None:
        return False
    for out in written:
        others = [x for x in arrays if x is not None and x is not out]
        if sum([x is out for x in arrays]) > 1 or any(np.may_share_memory(out, x) for x in others):
            return False
    status = function(
        (ctypes.c_void_p * max(len(arrays), 1))(*[None if x is None else x.ctypes.data for x in arrays]),
        (ctypes.c_int64 * max(len(whole), 1))(*whole),
        (ctypes.c_double * max(len(real), 1))(*real),
    )
    if status == _NO_MEMORY:
        raise MemoryError
    return bool(status == _DONE)


_loaded: Library | None = None
_reason: str | None = "it has not been asked for"


def load() -> Library | None:
    """The library, if it has been built and may be used; what hinders it is kept in ``why_not``."""
    global _loaded, _reason
    if _loaded is not None:
        return _loaded
    if presence.is_off():
        _reason = "FACULA_NATIVE=0"
        return None
    if os.name != "posix":
        _reason = "this system has no POSIX threads"
        return None
    key = compiler.key()
    for path, its_key in [(cache.place(key), key), *_prebuilt()]:
        try:
            _loaded, _reason = Library(path, its_key), None
            break
        except FileNotFoundError:
            _reason = "it has not been built (facula native build)"
        except (cache.Refused, OSError) as error:
            _reason = str(error)
            break
    return _loaded


def _prebuilt() -> list[tuple[Path, str]]:
    """Libraries that came with the package and that this processor can run, the best first, with their keys."""
    folder = Path(presence.prebuilt_folder())
    found = [(level, folder / f"native-{level}.so") for level in compiler.levels()]
    return [(path, compiler.key(level)) for level, path in found if path.exists()]


def in_use() -> bool:
    """Whether kernels of the native library are at hand."""
    return load() is not None


def why_not() -> str | None:
    """Why the library is not in use; None if it is."""
    load()
    return _reason


def kernel(name: str, letters: str, cost: float) -> Callable[..., bool]:
    """A kernel of the library; without one, a function that never applies."""
    library = load()
    return _never if library is None else library.kernel(name, letters, cost)


def _never(*given: Any) -> bool:
    return False
