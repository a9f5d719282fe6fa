"""Building and loading the native library: the cache folder, and all that may be wrong with it."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from facula.__main__ import main
from facula.native import build, cache, command, compiler, library

from .native_library import environment, needs_compiler, program, python, shared_folder

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the native library needs POSIX threads")


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, in this process as well."""
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    for name in [name for name in os.environ if name.startswith("FACULA_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("FACULA_CACHE", str(folder))
    monkeypatch.setattr(library, "_loaded", None)
    monkeypatch.setattr(library, "_reason", None)
    return folder


@pytest.fixture
def file(own_folder: Path) -> Path:
    """A file that would be loaded, were it a library."""
    path = cache.place(compiler.key())
    path.write_bytes(cache.signed(b"not a library", compiler.key(), "some compiler"))
    path.chmod(0o600)
    return path


def refusal() -> str:
    assert not library.in_use()
    return library.why_not() or ""


def test_where_the_folder_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FACULA_CACHE", str(tmp_path / "own"))
    assert cache.folder() == tmp_path / "own"
    monkeypatch.delenv("FACULA_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.folder() == tmp_path / "facula"
    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
    assert cache.folder() == Path.home() / ".cache" / "facula"


def test_a_whole_file_passes_and_is_refused_by_the_loader_alone(file: Path) -> None:
    assert cache.checked(file, compiler.key())["compiler"] == "some compiler"
    assert "cannot be loaded" in refusal()


@pytest.mark.parametrize("damage", ["changed", "cut", "empty", "unsigned", "last line"])
def test_a_damaged_file_is_refused(file: Path, damage: str) -> None:
    content = file.read_bytes()
    file.write_bytes({
        "changed": b"N" + content[1:], "cut": content[:-3], "empty": b"", "unsigned": content.partition(cache.MARK)[0],
        "last line": content.replace(b"sha256", b"sha257"),
    }[damage])  # fmt: skip
    assert "is damaged" in refusal()


def test_a_file_of_another_text_is_refused(file: Path) -> None:
    file.write_bytes(cache.signed(b"not a library", "0" * 64, "some compiler"))
    assert "another text" in refusal()


@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_what_others_can_write_is_refused(file: Path, mode: int) -> None:
    file.chmod(mode)
    assert f"{file} can be written by others" in refusal()
    file.chmod(0o600)
    file.parent.chmod(mode | 0o100)
    assert f"{file.parent} can be written by others" in refusal()


def test_what_belongs_to_another_user_is_refused(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: own + 1)
    assert "belongs to another user" in refusal()


def test_links_are_refused(file: Path) -> None:
    moved = file.with_name("elsewhere")
    file.rename(moved)
    file.symlink_to(moved)
    assert "cannot be read" in refusal()


def test_the_key_tells_texts_flags_and_processors_apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    first = compiler.key()
    assert compiler.key() == first
    with monkeypatch.context() as patch:
        patch.setenv("FACULA_NATIVE_CFLAGS", "-O1")
        assert compiler.key() != first
    with monkeypatch.context() as patch:
        patch.setattr(compiler, "cpu", lambda: "another one")
        assert compiler.key() != first
    copy = tmp_path / "c"
    shutil.copytree(compiler.TEXT, copy)
    monkeypatch.setattr(compiler, "TEXT", copy)
    assert compiler.key() == first
    header = copy / "kernel.h"
    header.write_text(header.read_text() + "\n")
    assert compiler.key() != first


def test_nothing_is_built_without_being_asked(own_folder: Path) -> None:
    said = program(own_folder, """
import numpy as np
from facula.native import in_use, kernels, why_not
print(in_use(), why_not(), kernels.softmax(np.zeros((2, 3), "f4")), kernels.matmul(np.eye(3), np.eye(3)))
""")
    assert said == "False it has not been built (facula native build) None None\n"
    assert list(own_folder.iterdir()) == []


def test_it_can_be_switched_off(own_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FACULA_NATIVE", "0")
    assert refusal() == "FACULA_NATIVE=0"


def test_without_a_compiler(own_folder: Path, tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere"
    nowhere.mkdir()
    for action, code in (("build", 1), ("status", 1), ("remove", 0), ("test", 1)):
        done = subprocess.run(
            [sys.executable, "-m", "facula", "native", action], capture_output=True, text=True, timeout=100,
            env={**environment(own_folder, PATH=str(nowhere)), "CC": ""},
        )  # fmt: skip
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
        if action == "build":
            assert "no C compiler (cc, gcc, clang) was found" in done.stderr
    assert list(own_folder.iterdir()) == []


def test_a_compiler_that_does_not_exist(own_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler --at-all")
    with pytest.raises(build.BuildError, match="CC=no-such-compiler --at-all does not work"):
        build.build()


@needs_compiler
def test_a_folder_that_cannot_be_made(own_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (own_folder / "file").write_text("")
    monkeypatch.setenv("FACULA_CACHE", str(own_folder / "file" / "below"))
    with pytest.raises(build.BuildError, match="Not a directory"):
        build.build()


@needs_compiler
@pytest.mark.parametrize("problem", [errno.ENOSPC, errno.EROFS])
def test_a_full_or_read_only_folder(own_folder: Path, monkeypatch: pytest.MonkeyPatch, problem: int) -> None:
    def built(found: object, level: str, work: Path, report: object) -> Path:
        (work / "library.so").write_bytes(b"library")
        return work / "library.so"

    def fails(*given: object) -> None:
        raise OSError(problem, os.strerror(problem), str(own_folder))

    monkeypatch.setattr(build, "_compiled", built)
    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(build.BuildError, match=os.strerror(problem)):
        build.build()
    assert list(own_folder.iterdir()) == []


@needs_compiler
def test_a_text_that_does_not_compile(own_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = tmp_path / "c"
    text.mkdir()
    for name in compiler.UNTYPED:
        (text / name).write_text("this is no C\n")
    monkeypatch.setattr(compiler, "TEXT", text)
    with pytest.raises(build.BuildError, match="failed:"):
        build.build()
    assert list(own_folder.iterdir()) == []


@needs_compiler
def test_builds_at_the_same_time_and_over_a_broken_file(own_folder: Path) -> None:
    quick = environment(own_folder, FACULA_NATIVE_CFLAGS="-O0")
    run = [sys.executable, "-m", "facula", "native"]
    path = Path(program(own_folder, "from facula.native import cache, compiler; print(cache.place(compiler.key()))",
                        FACULA_NATIVE_CFLAGS="-O0").strip())  # fmt: skip
    path.write_bytes(b"broken")
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    builds = [subprocess.Popen([*run, "build"], env=quick, **pipes) for _ in range(3)]  # type: ignore[call-overload]
    said = [process.communicate(timeout=600) for process in builds]
    assert [process.returncode for process in builds] == [0, 0, 0], said
    assert sorted(own_folder.iterdir()) == [path]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    status = subprocess.run([*run, "status"], env=quick, capture_output=True, text=True, timeout=100)
    assert status.returncode == 0 and str(path) in status.stdout and "calls      directly" in status.stdout
    removed = subprocess.run([*run, "remove"], env=quick, capture_output=True, text=True, timeout=100)
    assert removed.stdout == f"removed {path}\n" and list(own_folder.iterdir()) == []


@needs_compiler
def test_a_built_library_is_used_and_tested(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = shared_folder(tmp_path_factory)
    assert program(folder, "from facula.native import in_use; print(in_use())") == "True\n"
    done = python(folder, "-m", "facula", "--version", "-v")
    assert done.stdout.splitlines()[1:] == ["native library: in use"]


PREBUILT = """
import sys
from facula.native import library, presence
presence.prebuilt_folder = lambda: sys.argv[1]
print(presence.expected(), library.load() and library.load().path.name, library.why_not())
"""


@needs_compiler
def test_a_library_that_came_with_the_package(own_folder: Path, tmp_path: Path) -> None:
    there, quick = tmp_path / "prebuilt", {"FACULA_NATIVE_CFLAGS": "-O0"}
    level = compiler.levels()[-1]

    def loaded() -> str:
        done = python(own_folder, "-c", PREBUILT, str(there), **quick)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert loaded() == "False None it has not been built (facula native build)\n"
    built = python(own_folder, "-m", "facula", "native", "build", level, str(there), **quick)
    path = there / f"native-{level}.so"
    assert built.stdout == f"built {path}\n" and stat.S_IMODE(path.stat().st_mode) == 0o644, built.stderr
    assert loaded() == f"True native-{level}.so None\n"
    path.chmod(0o666)
    assert loaded() == f"True None {path} can be written by others\n"
    path.chmod(0o644)
    path.write_bytes(b"broken")
    assert loaded() == f"True None {path} is damaged\n"


def test_levels_of_processors(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(compiler.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(compiler, "cpu", lambda: "flags: " + compiler.LEVELS["x86-64-v2"])
    assert compiler.levels() == ["x86-64-v2", "x86-64"]
    monkeypatch.setattr(compiler, "cpu", lambda: "flags: " + " ".join(compiler.LEVELS.values()))
    assert compiler.levels() == ["x86-64-v4", "x86-64-v3", "x86-64-v2", "x86-64"]
    monkeypatch.setattr(compiler.platform, "machine", lambda: "aarch64")
    assert compiler.levels() == ["armv8-a"]
    assert compiler.key("x86-64-v3") != compiler.key("x86-64-v2") != compiler.key()
    with pytest.raises(build.BuildError, match="pentium is none of the levels x86-64-v4, "):
        build.prebuild("pentium", tmp_path)


def test_command_line(capsys: pytest.CaptureFixture[str], own_folder: Path) -> None:
    assert main(["native"]) == 2
    assert main(["native", "unbuild"]) == 2
    assert "native takes one of build, status, remove, test" in capsys.readouterr().err
    assert main(["native", "remove"]) == 0
    assert capsys.readouterr().out == f"nothing to remove in {own_folder}\n"
    assert main(["--version", "-v"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == f"native library: {command.line()}"
