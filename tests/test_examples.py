"""The examples: each runs on facula and, where PyTorch is installed, gives PyTorch's losses."""

from __future__ import annotations

import importlib.util
import json
import math
import os
import re
import struct
import subprocess
import sys
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import facula
from examples.shared import progress, report, write_png

ROOT = Path(__file__).parent.parent
SHORT = {
    "pixels": "--steps 12 --size 32",
    "two_moons": "--steps 40",
    "digits_cnn": "--steps 10 --batch-size 16 --tests 20",
    "char_gpt": "--steps 8 --batch-size 4 --context 32 --ahead 1",
    "lstm_forecast": "--steps 12 --length 20",
    "vae": "--steps 10",
    "gan": "--steps 6 --rounds 2",
    "reinforce": "--steps 5 --limit 40",
    "neural_ode": "--steps 5",
    "neural_ode --adjoint": "--steps 5",
    "lbfgs_fit": "--steps 6",
}
PICTURES = ["pixels", "vae"]
# Training against each other, and drawing actions by lot, do not make a loss that falls at every step.
FALLING = [name for name in SHORT if name.partition(" ")[0] not in ("gan", "reinforce")]

with_oracle = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None or sys.version_info[:2] != (3, 11), reason="the oracle is not installed"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("examples")


def arguments(name: str) -> list[str]:
    script, *options = name.split()
    return [str(ROOT / "examples" / f"{script}.py"), *options, *SHORT[name].split()]


def python(*arguments: str, at: Path) -> str:
    """What a program prints, on one thread."""
    environment = {**os.environ, "PYTHONPATH": str(Path(facula.__file__).parent.parent), "PYTHONIOENCODING": "utf-8"}
    environment |= dict.fromkeys(["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"], "1")
    done = subprocess.run([sys.executable, *arguments], capture_output=True, encoding="utf-8", cwd=at, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


@cache
def on_facula(name: str, folder: Path) -> str:
    """What an example prints in a short run; it writes its picture, if any, into the folder."""
    return python("-m", "facula", "run", *arguments(name), at=folder)


# PyTorch is slow to import: one process for all the examples.
ONE_AFTER_THE_OTHER = """
import contextlib, io, json, runpy, sys
import torch
sys.path.insert(0, sys.argv[1])
outputs = []
for sys.argv in json.loads(sys.argv[2]):
    with contextlib.redirect_stdout(io.StringIO()) as output:
        runpy.run_path(sys.argv[0], run_name="__main__")
    outputs.append(output.getvalue())
    torch.set_default_dtype(torch.float32)
print(json.dumps(outputs))
"""


@cache
def on_pytorch(folder: Path) -> dict[str, str]:
    """What the examples print on PyTorch."""
    lists = json.dumps([arguments(name) for name in SHORT])
    outputs = python("-c", ONE_AFTER_THE_OTHER, str(ROOT / "examples"), lists, at=folder)
    return dict(zip(SHORT, json.loads(outputs)))


def table(text: str) -> list[list[float]]:
    """The numbers of the table: step, loss and whatever else, a list for each row."""
    rows = [re.findall(r"\w+ +(\S+)", line) for line in text.splitlines() if line.startswith("step ")]
    return [[float(number) for number in row] for row in rows]


def test_every_example_is_run() -> None:
    there = {path.stem for path in (ROOT / "examples").glob("*.py")}
    there -= {"shared", "ddp_digits"}  # the latter by tests/distributed
    assert there == {name.partition(" ")[0] for name in SHORT}


@pytest.mark.parametrize("name", SHORT)
def test_runs(name: str, folder: Path) -> None:
    rows = table(on_facula(name, folder))
    assert "\r" not in on_facula(name, folder)  # no progress bar where there is no terminal
    assert 4 <= len(rows) <= 10 and rows[0][0] == 0
    assert all(math.isfinite(number) for row in rows for number in row)


@pytest.mark.parametrize("name", FALLING)
def test_learns(name: str, folder: Path) -> None:
    losses = [row[1] for row in table(on_facula(name, folder))]
    assert min(losses[-3:]) < losses[0]


def test_poles_stand_for_longer(folder: Path) -> None:
    times = [row[2] for row in table(on_facula("reinforce", folder))]
    assert times[-1] > times[0]


BOTH_WAYS = """
import sys
import torch
sys.path.insert(0, sys.argv[1])
from neural_ode import Adjoint, solve
turn = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]], dtype=torch.float64, requires_grad=True)
start = torch.tensor([[2.0, 0.0], [1.0, 1.0]], dtype=torch.float64, requires_grad=True)
def speed(place):
    return place**3 @ turn
for path in (solve(speed, start, 10, 0.01), Adjoint.apply(speed, start, 10, 0.01, turn)):
    for gradient in torch.autograd.grad(path.sum(), (start, turn)):
        print(*gradient.flatten().tolist())
"""


def test_the_adjoint_equation_gives_the_gradients_of_the_solver(folder: Path) -> None:
    text = python("-m", "facula", "run", "-c", BOTH_WAYS, str(ROOT / "examples"), at=folder)
    gradients = np.array([[float(number) for number in line.split()] for line in text.splitlines()])
    difference = np.abs(gradients[:2] - gradients[2:]) / np.abs(gradients).max()
    assert 0 < difference.max() < 1e-6  # the error of the solver


@with_oracle
@pytest.mark.parametrize("name", SHORT)
def test_losses_are_those_of_pytorch(name: str, folder: Path) -> None:
    np.testing.assert_allclose(table(on_facula(name, folder)), table(on_pytorch(folder)[name]), rtol=1e-3)


@pytest.mark.parametrize("name", PICTURES)
def test_picture(name: str, folder: Path) -> None:
    on_facula(name, folder)
    pixels = read_png(folder / f"{name}.png")
    assert pixels.shape == {"pixels": (32, 96, 3), "vae": (192, 192, 1)}[name]
    assert np.ptp(pixels) > 50


def chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 8
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at)
        kind, content = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert struct.unpack_from(">I", data, at + 8 + length) == (zlib.crc32(kind + content),)
        yield kind, content
        at += 12 + length


def read_png(path: Path) -> np.ndarray:
    """The pixels of a picture without filters: (height, width, channels)."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    parts = list(chunks(data))
    assert [kind for kind, _ in parts] == [b"IHDR", b"IDAT", b"IEND"]
    width, height, depth, color, *rest = struct.unpack(">IIBBBBB", parts[0][1])
    assert depth == 8 and rest == [0, 0, 0]
    channels = {0: 1, 2: 3}[color]
    lines = np.frombuffer(zlib.decompress(parts[1][1]), np.uint8).reshape(height, 1 + width * channels)
    assert not lines[:, 0].any()
    return lines[:, 1:].reshape(height, width, channels)


def test_a_picture_has_the_pixels_that_were_written(tmp_path: Path) -> None:
    pixels = np.linspace(-0.5, 1.5, 5 * 7 * 3).reshape(5, 7, 3)
    for given in (pixels, pixels[:, :, 0]):
        write_png(str(tmp_path / "x.png"), given)
        np.testing.assert_array_equal(
            read_png(tmp_path / "x.png"), (given.clip(0, 1) * 255).round().reshape(5, 7, -1)
        )


def test_progress_shows_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    losses: list[float] = []
    for step in progress(3, losses):
        losses.append(step / 8)
    shown = capsys.readouterr().out
    assert "█" * 30 + " 3/3" in shown and "loss 0.25" in shown
    assert shown.endswith("\r\033[K")


def test_progress_is_quiet_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(progress(3)) == [0, 1, 2]
    assert capsys.readouterr().out == ""


def test_report_has_the_first_and_the_last(capsys: pytest.CaptureFixture[str]) -> None:
    report(rows=3, loss=[1.0, 0.5, 0.25, 0.125, 0.0625], time=[0.0, 1.0, 2.0, 3.0, -0.0])
    assert table(capsys.readouterr().out) == [[0, 1, 0], [2, 0.25, 2], [4, 0.0625, 0]]


COMPILED = """
import sys
import facula as torch
from facula.__main__ import main

whole, compiled, inside, backend = torch.nn.Module.__call__, {}, [], sys.argv[1]
def call(module, *args, **kwargs):
    if inside:
        return whole(module, *args, **kwargs)
    if id(module) not in compiled:
        compiled[id(module)] = torch.compile(lambda *a, **k: whole(module, *a, **k), backend=backend)
    inside.append(module)
    try:
        return compiled[id(module)](*args, **kwargs)
    finally:
        inside.pop()
torch.nn.Module.__call__ = call
sys.argv = [sys.argv[0], "run", *sys.argv[2:]]
try:
    main()
finally:
    assert all(each.compiled.programs for each in compiled.values())
"""
"""Each call of a module that no other module makes is that of a compiled function."""


@pytest.mark.parametrize("name", SHORT)
def test_compiled_models_learn_the_same(name: str, folder: Path) -> None:
    found = table(python("-c", COMPILED, "numpy", *arguments(name), at=folder))
    np.testing.assert_allclose(found, table(on_facula(name, folder)), rtol=1e-3, atol=1e-4)
