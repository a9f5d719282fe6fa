"""``facula native``: build, status, remove, test."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path

from . import cache, compiler, presence
from . import library as libraries
from .build import BuildError, build, prebuild, progress

ACTIONS = ("build", "status", "remove", "test")


def run(arguments: Sequence[str]) -> int:
    """Run an action; the exit code is 0, or 1 if it did not succeed."""
    action = arguments[0]
    if action == "build":
        return _build() if len(arguments) == 1 else _prebuild(*arguments[1:])
    if action == "remove":
        gone = cache.remove()
        for path in gone:
            print(f"removed {path}")
        if not gone:
            print(f"nothing to remove in {cache.folder()}")
        return 0
    if action == "test":
        return _test()
    for name, value in report():
        print(f"{name:10} {value}")
    return 0 if libraries.in_use() else 1


def report() -> list[tuple[str, str]]:
    """What is known of the library, as lines of a table."""
    found = compiler.find()
    lines = [("library", line())]
    loaded = libraries.load()
    if loaded is not None:
        lines += [("file", str(loaded.path)), ("built by", loaded.compiler)]
        lines += [("calls", "directly" if loaded.is_direct else "through ctypes")]
    else:
        lines += [("folder", str(cache.folder()))]
    lines += [("compiler", " ".join(found.command) + f" ({found.version})" if found else "none was found")]
    return [*lines, ("processor", compiler.cpu_name())]


def line() -> str:
    """Whether it is used, in a few words."""
    why = libraries.why_not()
    return "in use" if why is None else f"not in use: {why}"


def _build() -> int:
    started = time.perf_counter()
    try:
        path = build(progress)
    except BuildError as error:
        print(f"facula: the native library was not built: {error}", file=sys.stderr)
        return 1
    print(f"built {path} in {time.perf_counter() - started:.1f} s")
    why = libraries.why_not()
    if why is not None:
        print(f"facula: it is not used: {why}", file=sys.stderr)
        return 1
    return 0


def _prebuild(level: str, directory: str = "") -> int:
    """For whoever distributes facula: a library for all processors of a level."""
    try:
        path = prebuild(level, Path(directory or presence.prebuilt_folder()), progress)
    except BuildError as error:
        print(f"facula: the native library was not built: {error}", file=sys.stderr)
        return 1
    print(f"built {path}")
    return 0


def _test() -> int:
    if not libraries.in_use():
        print(f"facula: the native library is not in use: {libraries.why_not()}", file=sys.stderr)
        return 1
    from . import check  # loaded when first used

    return check.run(2000, seed=0)
