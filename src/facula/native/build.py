"""Building the library: each text to an object, some at a time, then all to one file in the cache."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from . import cache, compiler

Report = Callable[[int, int], None]
"""Called with how many of how many steps are done."""


class BuildError(Exception):
    """Why there is no library."""


def build(report: Report = lambda done, total: None) -> Path:
    """Build the library for this processor into the cache, whether or not one is there; returns its path."""
    if os.name != "posix":
        raise BuildError("the native library needs POSIX threads, which this system does not have")
    found = compiler.find()
    if found is None:
        given = os.environ.get("CC")
        why = f"the compiler CC={given} does not work" if given else "no C compiler (cc, gcc, clang) was found"
        raise BuildError(why)
    key = compiler.key()
    path = cache.place(key)
    _put(found, "native", key, path, report)
    return path


def prebuild(level: str, folder: Path, report: Report = lambda done, total: None) -> Path:
    """Build a library for all processors of a level into a folder: into that of the package, to distribute it."""
    if level not in compiler.LEVELS:
        raise BuildError(f"{level} is none of the levels {', '.join(compiler.LEVELS)}")
    found = compiler.find()
    if found is None:
        raise BuildError("no C compiler (cc, gcc, clang) was found")
    path = folder / f"native-{level}.so"
    _put(found, level, compiler.key(level), path, report)
    path.chmod(0o644)
    return path


def _put(found: compiler.Compiler, level: str, key: str, path: Path, report: Report) -> None:
    try:
        path.parent.mkdir(mode=0o700 if level == "native" else 0o755, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".build-", dir=path.parent) as work:
            built = _compiled(found, level, Path(work), report)
            cache.put(built, path, key, found.version)
    except OSError as error:
        raise BuildError(f"{error.filename or path.parent}: {error.strerror}") from error


def _compiled(found: compiler.Compiler, level: str, work: Path, report: Report) -> Path:
    flags = compiler.flags(level)
    waiting = [[*found.command, *flags, *what, "-c", "-o", str(work / name)] for name, what in compiler.sources()]
    objects = [command[-1] for command in waiting]
    total = len(waiting) + 1
    running: list[subprocess.Popen[bytes]] = []
    done = 0
    most = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    report(0, total)
    began = time.monotonic()
    try:
        while waiting or running:
            if time.monotonic() - began > compiler.PATIENCE:
                raise BuildError(f"{found.command[0]} failed: it has not ended after {compiler.PATIENCE:g} s")
            while waiting and len(running) < most:
                log = open(work / f"{len(waiting)}.log", "wb")  # noqa: SIM115
                with log:
                    running.append(subprocess.Popen(
                        waiting.pop(), stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
                    ))  # fmt: skip
            time.sleep(0.01)
            for process in [p for p in running if p.poll() is not None]:
                running.remove(process)
                if process.returncode:
                    raise BuildError(f"{found.command[0]} failed:\n{_complaints(work)}")
                done += 1
                report(done, total)
    finally:
        for process in running:
            compiler.end(process)
    built = work / "library.so"
    # The flags again, as some (sanitizers) are for linking too.
    link = [*found.command, *flags, *objects, *compiler.link_flags(), "-o", str(built)]
    status, said = compiler.called(link, work / "link.log")
    if status != 0:
        raise BuildError(f"{found.command[0]} could not link:\n{said[:2000]}")
    report(total, total)
    return built


def _complaints(work: Path) -> str:
    said = "\n".join([log.read_text(errors="replace").strip() for log in work.glob("*.log")]).strip()
    return said[:2000]


def progress(done: int, total: int) -> None:
    """A line that is written over on a terminal, and once elsewhere."""
    if sys.stderr.isatty():
        end = "\n" if done == total else ""
        print(f"\rbuilding the native library: {done} of {total}", end=end, file=sys.stderr, flush=True)
    elif done == 0:
        print("building the native library ...", file=sys.stderr, flush=True)
