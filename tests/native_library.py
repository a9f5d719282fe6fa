"""A native library for tests: built once for all of them, into a folder of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from facula.native import build, cache, compiler

needs_compiler = pytest.mark.skipif(
    os.name != "posix" or compiler.find() is None, reason="there is no C compiler, and so no native library"
)


def environment(folder: Path, **more: str) -> dict[str, str]:
    own = {k: v for k, v in os.environ.items() if not k.startswith("FACULA_")}
    return {**own, "FACULA_CACHE": str(folder), **more}


def python(folder: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a process of its own: what is wrong with a library must not end the tests."""
    return subprocess.run(
        [sys.executable, *arguments], env=environment(folder, **more), capture_output=True, text=True, timeout=600
    )


def program(folder: Path, text: str, **more: str) -> str:
    """Run a program, which must succeed; returns what it prints."""
    done = python(folder, "-c", text, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def shared_folder(factory: pytest.TempPathFactory) -> Path:
    """The folder with a built library; processes of one test run share it, and one of them builds."""
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "native"
    folder.mkdir(mode=0o700, exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("FACULA_")]:
            patch.delenv(name)
        patch.setenv("FACULA_CACHE", str(folder))
        path = cache.place(compiler.key())
        try:
            (folder / "building").mkdir()
        except FileExistsError:
            end = time.monotonic() + 300
            while not path.exists() and time.monotonic() < end:
                time.sleep(0.1)
            assert path.exists()
        else:
            build.build()
    return folder
