"""The C compiler, the flags, and the processor for which it compiles."""

from __future__ import annotations

import functools
import hashlib
import os
import platform
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

TEXT = Path(__file__).parent / "c"
TYPED = "32", "64"
"""Each kernel file is compiled for both widths of real numbers."""
UNTYPED = "call.c", "threads.c", "versions.c"
ROUNDED = {"rejections.c": ["-ffp-contract=off"]}
"""Where every product is rounded, as in PyTorch."""

STRICT = "-fno-math-errno -fno-trapping-math -ffp-contract=fast -fopenmp-simd"
"""Flags that let loops become vectors and change no result but by fused multiply-add: NaN, inf, -0, denormals stay.

-ffast-math and its parts must not be among them; a library linked with it even changes how the whole process treats
denormals. gcc's -O2 does not vectorise these loops.
"""


PATIENCE = 600.0
"""For so many seconds a compiler is waited for."""


class Compiler(NamedTuple):
    command: tuple[str, ...]
    version: str
    """What it says of itself, in one line."""


def find() -> Compiler | None:
    """``CC``, or cc, gcc, clang, the first that answers."""
    given = os.environ.get("CC")
    for name in [given] if given else ["cc", "gcc", "clang"]:
        try:
            command = tuple(shlex.split(name))
        except ValueError:
            continue
        if command and shutil.which(command[0]):
            try:
                done = subprocess.run(
                    [*command, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                    timeout=60,
                )  # fmt: skip
            except (OSError, subprocess.SubprocessError):
                continue
            if done.returncode == 0 and done.stdout.strip():
                return Compiler(command, done.stdout.splitlines()[0].strip())
    return None


def called(command: Sequence[str], log: Path) -> tuple[int | None, str]:
    """The status of a compiler that is run, None if it does not end; and what it says, which goes into a file."""
    with open(log, "wb") as said:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True
        )
    try:
        status = process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        return None, f"it has not ended after {PATIENCE:g} s"
    finally:
        end(process)
    return status, log.read_text(errors="replace").strip()


def end(process: subprocess.Popen[bytes]) -> None:
    """End a compiler that still runs, with what it has started."""
    if process.poll() is None:
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.wait()


def flags(level: str = "native") -> list[str]:
    """``level``: for all processors of it; by default for this one.

    ``FACULA_NATIVE_CFLAGS`` is added to them: for sanitizers, or another ``-march`` than this processor's.
    """
    own = f"-std=gnu11 -O3 -fPIC -fvisibility=hidden -Wno-psabi {STRICT}".split()
    if platform.machine().lower() in ("x86_64", "amd64"):
        own += [f"-march={level}", "-mprefer-vector-width=512"]  # gcc takes half of AVX-512's width unless told
    elif platform.machine().lower() in ("aarch64", "arm64"):
        own += ["-mcpu=native" if level == "native" else f"-march={level}"]
    return own + shlex.split(os.environ.get("FACULA_NATIVE_CFLAGS", ""))


LEVELS = {
    "x86-64-v4": "avx512f avx512bw avx512cd avx512dq avx512vl avx2 fma bmi1 bmi2 f16c movbe abm",
    "x86-64-v3": "avx avx2 fma bmi1 bmi2 f16c movbe abm xsave",
    "x86-64-v2": "cx16 lahf_lm popcnt sse4_1 sse4_2 ssse3 pni",
    "x86-64": "",
    "armv8-a": "",
}
"""Levels of processors for which libraries may be built before, the best first, and what a processor must have."""


def levels() -> list[str]:
    """Those that this processor is of, the best first."""
    machine = platform.machine().lower()
    prefix = "x86-64" if machine in ("x86_64", "amd64") else "armv8" if machine in ("aarch64", "arm64") else "?"
    words = {*cpu().split()}
    return [level for level, needed in LEVELS.items() if level.startswith(prefix) and words.issuperset(needed.split())]


def link_flags() -> list[str]:
    own = ["-shared", "-pthread", "-lm"]
    if sys.platform == "darwin":
        own += ["-undefined", "dynamic_lookup"]
    return own


@functools.cache
def cpu() -> str:
    """The processor: its name and all that it can do, since code for one may not run on another."""
    wanted = ("vendor_id", "cpu family", "model", "model name", "flags", "features", "cpu implementer", "cpu part")
    try:
        with open("/proc/cpuinfo") as lines:
            found = {}
            for line in lines:
                key, _, value = line.partition(":")
                if not line.strip():
                    break
                if key.strip().lower() in wanted:
                    found[key.strip().lower()] = value.strip()
        return "; ".join([f"{key}: {value}" for key, value in sorted(found.items())])
    except OSError:
        return f"{platform.machine()} {platform.processor()}"


def cpu_name() -> str:
    """For people: the name alone."""
    for part in cpu().split("; "):
        if part.startswith("model name: "):
            return part.removeprefix("model name: ")
    return platform.machine()


def sources() -> list[tuple[str, list[str]]]:
    """(name of an object file, what is compiled to it): every kernel file twice."""
    kernels = sorted(path.name for path in TEXT.glob("*.c") if path.name not in UNTYPED)
    found = [
        (f"{name[:-2]}{bits}.o", [str(TEXT / name), f"-DREAL_BITS={bits}", *ROUNDED.get(name, [])])
        for name in kernels
        for bits in TYPED
    ]
    return found + [(f"{name[:-2]}.o", [str(TEXT / name)]) for name in UNTYPED]


def key(level: str = "native") -> str:
    """What a library was made of and for, but for the compiler, which it takes none to know."""
    digest = hashlib.sha256()
    for path in sorted(TEXT.glob("*.[ch]")):
        digest.update(f"{path.name}\0".encode() + path.read_bytes() + b"\0")
    whom = cpu() if level == "native" else level
    digest.update("\0".join([*flags(level), *link_flags(), whom, sys.platform]).encode())
    return digest.hexdigest()
