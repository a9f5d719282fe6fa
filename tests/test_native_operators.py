"""Operators with the native library: its kernels give what NumPy's give, and without it all is as it was."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from facula.ops.machine import native
from facula.ops.machine.primitive import REGISTRY

from .native_library import needs_compiler, program, python, shared_folder


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared_folder(tmp_path_factory)


@needs_compiler
def test_all_samples_of_all_operators_agree_with_numpy(folder: Path) -> None:
    done = python(folder, "-m", "tests.native_watch")
    assert done.returncode == 0, done.stderr[-3000:]


@needs_compiler
def test_a_library_is_loaded_when_a_large_array_meets_it(folder: Path) -> None:
    said = program(folder, """
import facula
from facula.native import library
small, large = facula.ones(4, 4, requires_grad=True), facula.ones(300, 300, requires_grad=True)
(small.softmax(1) @ small).sum().backward()
print(library._loaded is None)
large.softmax(1).sum().backward()
print(library._loaded is None, facula.native.in_use())
""")
    assert said == "True\nFalse True\n"


@needs_compiler
def test_switched_off_it_is_not_used(folder: Path) -> None:
    said = program(folder, """
import sys, facula
facula.randn(300, 300).softmax(1)
print("facula.native.library" in sys.modules)
""", FACULA_NATIVE="0")
    assert said == "False\n"


def test_without_a_library_nothing_of_it_is_loaded_or_called(tmp_path: Path) -> None:
    said = program(tmp_path, """
import sys, facula
from facula.ops.machine.primitive import REGISTRY
x = facula.randn(300, 300, requires_grad=True)
x.softmax(1).sum().backward()
op = REGISTRY["softmax"]
print("facula.native.library" in sys.modules, op.on_arrays is op.kernel)
""")
    assert said == "False True\n"


@needs_compiler
def test_a_refused_library_leaves_the_work_to_numpy(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "native-0123.so").write_bytes(b"nothing")
    said = program(tmp_path, """
import facula
x = facula.randn(300, 300, requires_grad=True)
y = x.softmax(1)
y.sum().backward()
print(abs(float(y.sum()) - 300) < 1e-2, facula.native.in_use())
""")
    assert said == "True False\n"


@needs_compiler
def test_results_of_a_training_step_do_not_depend_on_threads(folder: Path) -> None:
    said = program(folder, """
import facula
from facula import nn
def run(threads):
    facula.set_num_threads(threads)
    facula.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.GELU(), nn.Flatten(), nn.Linear(16 * 900, 100))
    optimizer = facula.optim.AdamW(net.parameters())
    for _ in range(2):
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(facula.randn(16, 3, 32, 32)), facula.arange(16)).backward()
        optimizer.step()
    return [p.detach().clone() for p in net.parameters()]
one, three = run(1), run(3)
print(all(facula.equal(a, b) for a, b in zip(one, three)))
""")
    assert said == "True\n"


def test_every_native_kernel_that_a_record_names_exists() -> None:
    from facula._lazy import load_all

    load_all()
    named = {op.native[0] for op in REGISTRY.values() if op.native}
    assert named
    for name in named:
        module, _, function = name.partition(":")
        assert callable(getattr(import_module(f"facula.native.operators.{module}"), function)), name


def test_conftest_keeps_the_library_of_the_user_out() -> None:
    import os

    assert native.expected == bool(os.environ.get("FACULA_TESTS_NATIVE"))
