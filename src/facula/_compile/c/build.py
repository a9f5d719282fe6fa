"""From the text of a program to functions: the compiler, the cache, the loading.

A program lies in the native library's cache folder under a key made of its text, the flags and the processor; files are
written, signed and checked as the library's are (``native.cache``). What goes wrong is a ``BuildError`` with a reason
in one line, and the NumPy text takes over.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import re
import sys
import tempfile
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..._core import threads
from ...native import cache, compiler, functions
from ...native import library as native_library
from ...native.build import BuildError
from ...native.build import build as build_library
from ..programs.frame import lie_alike
from .text import WORTH_RELEASING, CProgram

HEADERS = Path(__file__).parent


@functools.cache
def _compiler() -> compiler.Compiler | None:
    return compiler.find()


def has_compiler() -> bool:
    return _compiler() is not None


def flags() -> list[str]:
    """The library's, but for the level: at -O3 gcc takes twice as long over the same loops, and gains nothing."""
    own = [flag for flag in compiler.flags() if flag != "-O3"]
    return [*own, "-O2", "-ftree-vectorize", *(() if _is_clang() else ("-fvect-cost-model=dynamic",)), "-fwrapv"]


def _is_clang() -> bool:
    found = _compiler()
    return found is not None and "clang" in found.version


@functools.cache
def _headers() -> str:
    digest = hashlib.sha256()
    for path in (*sorted(HEADERS.glob("*.h")), *sorted(compiler.TEXT.glob("*.h"))):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def elementary() -> str:
    """``elementary.h`` of the library for both widths in one text: names end with the width, macros are forgotten."""
    texts = {name: (compiler.TEXT / name).read_text() for name in ("elementary.h", "real.h", "float32.h", "float64.h")}
    whole = texts["elementary.h"] + texts["real.h"]
    names = re.findall(r"^INLINE \w+ (\w+)\(|^typedef real (\w+) ", whole, re.MULTILINE)
    renamed = [*[a or b for a, b in names], "PIECE"]
    macros = set(re.findall(r"#define (\w+)", "".join(texts.values()))) | {"REAL_BITS", *renamed}
    lines = []
    for bits in (32, 64):
        lines += [f"#define REAL_BITS {bits}", *[f"#define {name} {name}_f{bits}" for name in renamed]]
        lines += ['#include "elementary.h"', *[f"#undef {name}" for name in sorted(macros)]]
    return "\n".join(lines) + "\n"


def key_of(text: str) -> str:
    parts = [text, _headers(), *flags(), compiler.cpu(), sys.platform]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def place(key: str) -> Path:
    return cache.folder() / f"program-{key[:32]}.so"


_stuck: dict[compiler.Compiler, str] = {}
"""Compilers that did not end, and what is told of it: they are not waited for again."""


def _folder() -> Path:
    """The cache folder, made if it is not there."""
    path = cache.folder()
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def compiled(text: str) -> Path:
    """The file of a program, from the cache or the compiler."""
    key = key_of(text)
    path = place(key)
    try:
        cache.checked(path, key)
        return path
    except (OSError, cache.Refused):
        pass  # there is none, or none that may be loaded: the new one replaces it
    found = _compiler()
    if found is None:
        given = os.environ.get("CC")
        raise BuildError(f"the compiler CC={given} does not work" if given else "no C compiler was found")
    if found in _stuck:
        raise BuildError(f"{found.command[0]} failed: {_stuck[found]}")
    try:
        with tempfile.TemporaryDirectory(prefix=".program-", dir=_folder()) as work:
            source, built = Path(work) / "program.c", Path(work) / "program.so"
            source.write_text(text)
            (Path(work) / "elementary_both.h").write_text(elementary())
            command = [*found.command, *flags(), f"-I{work}", f"-I{HEADERS}", f"-I{compiler.TEXT}", str(source)]
            command += [*compiler.link_flags(), "-o", str(built), "-lm"]
            status, said = compiler.called(command, Path(work) / "log")
            if status is None:
                _stuck[found] = said
            if status != 0:
                raise BuildError(f"{found.command[0]} failed: {_complaint(said)}")
            cache.put(built, path, key, found.version)
            cache.checked(path, key)
    except OSError as error:
        raise BuildError(f"{error.filename or cache.folder()}: {error.strerror}") from error
    except cache.Refused as error:
        raise BuildError(str(error)) from None
    return path


def _complaint(said: str) -> str:
    lines = said.strip().splitlines() or ["no reason"]
    return next((line for line in lines if "error" in line), lines[0])


class _Segment(ctypes.Structure):
    _fields_ = [
        ("run", ctypes.c_void_p), ("releases", ctypes.c_int64), ("inputs", ctypes.c_int64), ("kept", ctypes.c_int64),
        ("layouts", ctypes.c_void_p), ("types", ctypes.c_void_p),
    ]  # fmt: skip


class Loaded:
    """A program's functions: ``segments[i]((arena, results, other results), *arrays)`` gives a status."""

    def __init__(self, program: CProgram) -> None:
        path = compiled(program.text)
        try:
            self.dll = ctypes.CDLL(str(path))
        except OSError as error:
            raise BuildError(f"{path} cannot be loaded: {error}") from None
        kept = [(v.shape, tuple([s * v.dtype.itemsize for s in v.strides])) for v in program.kept]
        flat = [n for shape, strides in (*program.layouts, *kept) for n in (len(shape), *shape, *strides)]
        self.layouts = (ctypes.c_int64 * max(len(flat), 1))(*flat)
        self.wanted = program.layouts
        self.inputs = len(program.layouts)
        self.results = [v.dtype for v in program.kept]
        self.types = (ctypes.c_void_p * max(len(kept), 1))(*map(id, self.results))
        if program.kernels:
            library = linked_library()
            for name in program.kernels:
                address = ctypes.cast(getattr(library.dll, name), ctypes.c_void_p).value
                ctypes.c_void_p.in_dll(self.dll, f"program_{name}").value = address
        _share(self.dll)
        is_direct = self.is_direct = _is_direct(self.dll)
        self.segments: dict[int, Callable[..., int]] = {}
        for i, steps in enumerate(program.segments):
            if hasattr(self.dll, f"segment_{i}"):
                function = getattr(self.dll, f"segment_{i}")
                make = self._direct if is_direct else self._through_ctypes
                self.segments[i] = make(f"segment_{i}", function, program.works[i] > WORTH_RELEASING)
            else:
                assert len(steps) == 1

    def _direct(self, name: str, function: Any, releases: bool) -> Callable[..., int]:
        entry = _Segment(
            ctypes.cast(function, ctypes.c_void_p).value, releases, self.inputs, len(self.results),
            ctypes.addressof(self.layouts), ctypes.addressof(self.types),
        )  # fmt: skip
        ctypes.c_void_p.in_dll(self.dll, "facula_none").value = id(None)
        return functions.function(name, self.dll.facula_run, entry, self.layouts, self.types)

    def _through_ctypes(self, name: str, function: Any, releases: bool) -> Callable[..., int]:
        function.restype = ctypes.c_int64

        def run(memory: Any, *arrays: Any) -> int:
            for a, (shape, strides) in zip(arrays, self.wanted):
                if a.shape != shape or not lie_alike(shape, a.strides, strides):
                    return -4
            addresses = [None if a is None else a.ctypes.data for a in (*arrays, *memory[1])]
            pointers = (ctypes.c_void_p * max(len(addresses), 1))(*addresses)
            found: int = function(ctypes.c_void_p(memory[0].ctypes.data), pointers)
            return found

        return run


def linked_library() -> native_library.Library:
    """The native library, built now if it was not yet."""
    found = native_library.load()
    if found is None:
        if os.environ.get("FACULA_NATIVE") == "0":
            raise BuildError("FACULA_NATIVE=0")
        build_library()
        found = native_library.load()
    if found is None:
        raise BuildError(native_library.why_not() or "the native library cannot be used")
    return found


def _share(dll: Any) -> None:
    """Let large loops use the library's threads, if it is loaded."""
    library = native_library.load()
    if library is not None and hasattr(library.dll, "facula_in_pieces"):
        library.set_threads(threads.count)
        ctypes.c_void_p.in_dll(dll, "facula_shared").value = ctypes.cast(
            library.dll.facula_in_pieces, ctypes.c_void_p
        ).value


def _is_direct(dll: Any) -> bool:
    """Whether arrays lie in memory as ``program.h`` believes; else ctypes calls the program."""
    if not functions.can_be_made():
        return False
    found = (ctypes.c_int64 * 8)()
    probes = np.zeros((3, 5), np.float32), np.zeros((4, 6))[::2, 1:], np.zeros((), np.int64)
    watched = weakref.ref(probes[2])
    for probe in probes:
        dll.facula_probe(ctypes.py_object(probe), found)
        expected = [id(np.ndarray), probe.ctypes.data, probe.ndim, (-1, *probe.shape)[-1], (*probe.strides, -1)[0]]
        expected += [id(probe.dtype), probe.flags.num, watched() is probe]
        if [*found] != expected:
            return False
    return True
