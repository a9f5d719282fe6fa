"""The command line."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest

import facula
from facula import _lazy
from facula.__main__ import main
from facula._core import blas
from facula.ops.machine.primitive import REGISTRY


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"facula {facula.__version__}\n"


@pytest.mark.parametrize("flag", ["--help", "-h", "help"])
def test_help(flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([flag]) == 0
    printed = capsys.readouterr()
    assert "usage: facula" in printed.out
    assert "tour" in printed.out
    assert printed.err == ""


def test_no_command_shows_the_usage_and_fails(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "usage: facula" in capsys.readouterr().out


def test_unknown_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fly"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("facula: unknown command: fly\n")


def test_surplus_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tour", "abroad"]) == 2
    assert "tour takes no arguments" in capsys.readouterr().err


def test_doctor_fits_on_a_screen(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"facula {facula.__version__}, standing in for PyTorch 2.13") and len(lines) <= 12
    assert "NumPy" in lines[1] and "native library: not in use" in lines[3] and "native build" in lines[-1]
    assert main(["doctor", "who"]) == 2


@pytest.mark.skipif(blas.kernels() is None, reason="NumPy has another library than OpenBLAS")
@pytest.mark.skipif(platform.machine() != "x86_64", reason="has no such kernels")
def test_doctor_tells_whose_kernels_products_take() -> None:
    environment = {**os.environ, "OPENBLAS_CORETYPE": "Nehalem"}
    command = [sys.executable, "-m", "facula", "doctor"]
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert "(OpenBLAS, kernels for Nehalem, as OPENBLAS_CORETYPE says)" in said


def test_ops_lists_the_families(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ops"]) == 0
    lines = capsys.readouterr().out.splitlines()
    families = [line.split()[0] for line in lines[1:-1]]
    assert families == sorted(families) and {"pointwise", "reductions", "views"} <= set(families)
    assert lines[-1].split()[1] == str(len(REGISTRY))


def test_ops_prints_a_record(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ops", "layer_norm"]) == 0
    printed = capsys.readouterr().out
    assert "nn.functional.layer_norm\n" in printed
    assert "primitive native_layer_norm\n" in printed
    assert re.search(r"^  kernel +facula/ops/networks/\w+\.py:\d+$", printed, re.M)
    assert re.search(r"^  node +NativeLayerNormBackward0$", printed, re.M)
    assert re.search(r"^  kind +other$", printed, re.M)
    assert re.search(r"^  saves .*_saved_input, .*_saved_result1", printed, re.M)
    assert re.search(r"^  gradient of weight\n    ", printed, re.M)
    assert "def layer_norm_batched(call" in printed


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("sqrt", ["kernel np.sqrt", "in-place sqrt_", "kind elementwise", "saves _saved_result", "native no"]),
        ("linalg.svd", ["autocast float32", "out= exact", "outputs 3, all in the graph", "batching last_dimensions"]),
        ("Tensor.t", ["kind linear, a view", "saves nothing"]),
        ("torch.cat", ["autocast the widest dtype given", "out= separate", "node CatBackward0"]),
        ("addmm", ["tangent by hand", "autocast autocast's dtype"]),
        ("addmm", ["native products:addmm, from 1,024 elements of mat1 on"]),
        ("uniform_", ["random yes", "batching item_by_item"]),
        ("unindex", ["primitive unindex", "node IndexPutImplBackward0"]),
    ],
)  # fmt: skip
def test_ops_of_several_kinds(name: str, lines: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ops", name]) == 0
    printed = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert [line for line in lines if line not in printed] == []


def test_ops_knows_every_operator(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ops", *sorted(_lazy.FUNCTIONALS), *sorted(REGISTRY)]) == 0


def test_ops_of_an_unknown_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ops", "lajer_norm"]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == "facula: no operator is called lajer_norm; near to it: layer_norm, nuclear_norm\n"
    assert main(["ops", "qqqqqq"]) == 1
    assert capsys.readouterr().err == "facula: no operator is called qqqqqq\n"


def test_ops_with_an_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ops", "--all"]) == 2
    assert capsys.readouterr().err.startswith("facula: ops takes names of operators, not --all\n")


def test_python_dash_m() -> None:
    done = subprocess.run([sys.executable, "-m", "facula", "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"facula {facula.__version__}\n")
    done = subprocess.run([sys.executable, "-m", "facula", "fly"], capture_output=True, text=True)
    assert done.returncode == 2


def test_a_kernel_is_written_and_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    assert main(["kernel", "install"]) == 0
    spec = json.loads((tmp_path / "data/kernels/facula/kernel.json").read_text())
    assert spec["argv"][:4] == [sys.executable, "-m", "facula", "run"] and spec["argv"][-1] == "{connection_file}"
    assert spec["display_name"] == "Python 3 (facula)" and spec["language"] == "python"
    elsewhere = ["--prefix", str(tmp_path), "--name=other", "--display-name", "Mine"]
    assert main(["kernel", "install", *elsewhere]) == 0
    other = tmp_path / "share/jupyter/kernels/other"
    assert json.loads((other / "kernel.json").read_text())["display_name"] == "Mine"
    assert main(["kernel", "remove", *elsewhere]) == 0 and not other.exists()
    assert main(["kernel", "remove", *elsewhere]) == 1
    assert main(["kernel", "remove"]) == 0 and not (tmp_path / "data/kernels/facula").exists()
    capsys.readouterr()


def test_kernels_of_others_are_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    theirs = tmp_path / "share/jupyter/kernels/facula/kernel.json"
    theirs.parent.mkdir(parents=True)
    theirs.write_text('{"argv": ["python", "-m", "ipykernel_launcher"]}')
    assert main(["kernel", "install", "--prefix", str(tmp_path)]) == 1
    assert main(["kernel", "remove", "--prefix", str(tmp_path)]) == 1
    assert theirs.read_text().startswith('{"argv": ["python"') and "another kind" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", ["", "show", "install --name", "install --name ..", "remove --name", "remove x"])
def test_a_wrong_command_line_for_kernels(arguments: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["kernel", *arguments.split()]) == 2
    assert "usage: facula kernel" in capsys.readouterr().err
