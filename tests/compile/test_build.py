"""From text to a loaded program, and all that may go wrong: then the NumPy text answers, and one line says why."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from facula._compile.c import build as c_build
from facula._compile.programs import emit
from facula._compile.programs.program import Mismatch
from facula.native import cache, compiler

from ..native_library import program as printed
from .graphs import Builder, all_operators

all_operators()
pytestmark = pytest.mark.skipif(os.name != "posix", reason="programs need POSIX")
needs_compiler = pytest.mark.skipif(not c_build.has_compiler(), reason="needs a C compiler")


@pytest.fixture
def folder(with_library: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    found = tmp_path / "cache"
    found.mkdir(mode=0o700)
    monkeypatch.setenv("FACULA_CACHE", str(found))
    monkeypatch.setattr(emit, "_told", set())
    return found


def doubled(size: int = 4) -> tuple[Builder, Any]:
    b = Builder()
    x = b.input("x", np.arange(size, dtype=np.float32))
    return b, b.program([b.call("mul_number", x, 2.0)])


def answers(compiled: Any, size: int = 4) -> bool:
    return bool(np.array_equal(compiled([np.arange(size, dtype=np.float32)])[0], 2 * np.arange(size)))


def built_with_warning(program: Any) -> tuple[Any, str]:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        compiled = emit.build(program)
        emit.build(program)  # said once
    assert len(said) == 1
    return compiled, str(said[0].message)


@needs_compiler
def test_a_program_is_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, program = doubled()
    first = emit.build(program)
    assert first.backend == "c" and answers(first)
    (kept,) = folder.glob("program-*.so")
    assert kept.stat().st_mode & 0o077 == 0
    monkeypatch.setattr(subprocess, "Popen", None)  # no compiler is called again
    assert answers(emit.build(doubled()[1]))


def test_no_compiler(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(c_build, "_compiler", lambda: None)
    compiled, said = built_with_warning(doubled()[1])
    assert compiled.backend == "numpy" and answers(compiled)
    assert said == "compiled with NumPy, not with C: no C compiler was found"


def test_a_compiler_that_fails(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = folder.parent / "cc"
    script.write_text("#!/bin/sh\necho 'out of order' >&2\nexit 1\n")
    script.chmod(0o700)
    monkeypatch.setattr(c_build, "_compiler", lambda: compiler.Compiler((str(script),), "broken 1.0"))
    compiled, said = built_with_warning(doubled()[1])
    assert compiled.backend == "numpy" and answers(compiled)
    assert said.endswith("failed: out of order")


def test_a_compiler_that_is_killed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = folder.parent / "cc"
    script.write_text("#!/bin/sh\nkill -9 $$\n")
    script.chmod(0o700)
    monkeypatch.setattr(c_build, "_compiler", lambda: compiler.Compiler((str(script),), "broken 1.0"))
    compiled, said = built_with_warning(doubled()[1])
    assert compiled.backend == "numpy" and answers(compiled)
    assert "killed" in said
    assert not list(folder.iterdir())


def test_a_compiler_that_does_not_end(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = folder.parent / "cc"
    script.write_text("#!/bin/sh\nsleep 100 &\nsleep 100\n")
    script.chmod(0o700)
    monkeypatch.setattr(c_build, "_compiler", lambda: compiler.Compiler((str(script),), "broken 1.0"))
    monkeypatch.setattr(compiler, "PATIENCE", 0.2)
    compiled, said = built_with_warning(doubled()[1])
    assert compiled.backend == "numpy" and answers(compiled)
    assert said.endswith("failed: it has not ended after 0.2 s")
    assert not list(folder.iterdir())


@needs_compiler
@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_is_read_only(folder: Path) -> None:
    folder.chmod(0o500)
    compiled, said = built_with_warning(doubled(5)[1])
    assert compiled.backend == "numpy" and answers(compiled, 5)
    assert str(folder) in said


@needs_compiler
def test_a_folder_that_cannot_be_made(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = folder.parent / "file"
    file.write_text("")
    monkeypatch.setenv("FACULA_CACHE", str(file / "cache"))
    compiled, said = built_with_warning(doubled(5)[1])
    assert compiled.backend == "numpy" and answers(compiled, 5)
    assert "Not a directory" in said


@needs_compiler
def test_a_full_disk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: Any) -> None:
        raise OSError(28, "No space left on device", str(folder))

    monkeypatch.setattr(cache, "put", full)
    compiled, said = built_with_warning(doubled(6)[1])
    assert compiled.backend == "numpy" and answers(compiled, 6)
    assert "No space left on device" in said
    assert not list(folder.iterdir())


@needs_compiler
@pytest.mark.parametrize("damage", ["cut", "changed", "foreign"])
def test_a_damaged_entry_is_replaced(folder: Path, damage: str) -> None:
    emit.build(doubled(7)[1])
    (kept,) = folder.glob("program-*.so")
    whole = kept.read_bytes()
    if damage == "foreign":
        kept.chmod(0o666)
    else:
        kept.unlink()  # which this process has loaded
        kept.write_bytes(whole[: len(whole) // 2] if damage == "cut" else whole[:100] + b"?" + whole[101:])
    compiled = emit.build(doubled(7)[1])
    assert compiled.backend == "c" and answers(compiled, 7)
    (kept,) = folder.glob("program-*.so")
    assert kept.stat().st_mode & 0o077 == 0


@needs_compiler
def test_two_processes_at_once(folder: Path) -> None:
    text = (
        "from tests.compile.test_build import doubled, answers, emit\n"
        "c = emit.build(doubled(8)[1]); assert c.backend == 'c' and answers(c, 8)"
    )
    running = [subprocess.Popen([sys.executable, "-c", text], cwd=Path(__file__).parents[2]) for _ in range(2)]
    assert [p.wait(120) for p in running] == [0, 0]
    assert len(list(folder.iterdir())) == 1


_TRAINING = """
import facula as torch
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(10, 32), torch.nn.LayerNorm(32), torch.nn.GELU(), torch.nn.Linear(32, 2))
optimizer = torch.optim.AdamW(net.parameters())
x, y = torch.randn(16, 10), torch.randn(16, 2)

@torch.compile(backend=BACKEND)
def step():
    optimizer.zero_grad()
    loss = ((net(x) - y).square() * torch.sigmoid(y)).mean()
    loss.backward()
    optimizer.step()
    return loss

for _ in range(3):
    step()
print(step.source())
"""


@pytest.mark.parametrize("backend", ["numpy", pytest.param("c", marks=needs_compiler)])
def test_the_text_of_a_program_is_the_same_in_every_process(native_folder: str, backend: str) -> None:
    texts = {
        printed(Path(native_folder), _TRAINING.replace("BACKEND", repr(backend)), PYTHONHASHSEED=seed)
        for seed in ("1", "2", "3")
    }
    assert len(texts) == 1
    assert ("segment_0" in texts.pop()) == (backend == "c")


@needs_compiler
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("m", "k", "n"), [(16, 10, 32), (32, 16, 10), (48, 7, 1), (512, 3, 15), (16, 32, 2)])
@pytest.mark.parametrize("form", ["nn", "nt", "tn", "tt"])
def test_small_products(folder: Path, form: str, m: int, k: int, n: int, dtype: Any) -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(shape).astype(dtype) for shape in ((m, k), (k, n)))
    given = [np.ascontiguousarray(x.T).T if how == "t" else x for x, how in zip((a, b), form)]
    builder = Builder()
    inputs = [builder.input(name, x) for name, x in zip("ab", given)]
    built = emit.build_c(builder.program([builder.call("mm", *inputs)]))
    assert "product_0" in built.text
    np.testing.assert_allclose(built(given)[0], a @ b, rtol=1e-4, atol=1e-5)


@needs_compiler
def test_through_ctypes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(c_build, "_is_direct", lambda dll: False)
    assert answers(emit.build_c(doubled()[1]))


@pytest.mark.parametrize("backend", ["numpy", pytest.param("c", marks=needs_compiler)])
def test_a_check_that_fails_changes_nothing(folder: Path, backend: str) -> None:
    b = Builder()
    x = b.input("x", np.ones(3, np.float32))
    y = b.call("add_number", x, 1.0)
    total = b.call("sum_all", y, None)
    b.check(total)
    compiled = emit.build(b.program([b.call("mul", y, y), y], {0: 0}), backend)
    held = np.ones(3, np.float32)
    assert compiled([held])[0] is None and held.tolist() == [4, 4, 4]
    other = np.full(3, 7, np.float32)
    with pytest.raises(Mismatch):
        compiled([other])
    assert other.tolist() == [7, 7, 7]


@pytest.mark.parametrize("backend", ["numpy", pytest.param("c", marks=needs_compiler)])
def test_threads_have_arenas_of_their_own(folder: Path, backend: str) -> None:
    b = Builder()
    x = b.input("x", np.ones((50, 60), np.float32))
    y = b.call("mm", b.call("t", x), x)
    compiled = emit.build(b.program([b.call("mm", y, b.call("exp", y))]), backend)
    given = [np.random.default_rng(i).standard_normal((50, 60)).astype(np.float32) / 30 for i in range(8)]
    alone = [compiled([a])[0] for a in given]
    wrong: list[int] = []

    def work(i: int) -> None:
        for _ in range(50):
            if not np.array_equal(compiled([given[i]])[0], alone[i]):
                wrong.append(i)

    running = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    assert not wrong


@needs_compiler
def test_a_process_that_is_killed_while_it_builds(folder: Path, tmp_path: Path) -> None:
    begun, script = tmp_path / "begun", tmp_path / "cc"
    found = compiler.find()
    assert found is not None
    real = shlex.join(found.command)
    script.write_text(f'#!/bin/sh\ncase "$*" in *--version*) exec {real} "$@";; esac\ntouch {begun}\nexec sleep 60\n')
    script.chmod(0o755)
    text = "from tests.compile.test_build import doubled, emit\nemit.build(doubled(8)[1])"
    building = subprocess.Popen(
        [sys.executable, "-c", text], cwd=Path(__file__).parents[2], env={**os.environ, "CC": str(script)},
        start_new_session=True,
    )  # fmt: skip
    end = time.monotonic() + 120
    while not begun.exists() and building.poll() is None and time.monotonic() < end:
        time.sleep(0.02)
    assert begun.exists() and building.poll() is None
    os.killpg(building.pid, signal.SIGKILL)
    building.wait(60)
    compiled = emit.build(doubled(8)[1])
    assert compiled.backend == "c" and answers(compiled, 8)
