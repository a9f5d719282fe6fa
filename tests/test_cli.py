"""The command line."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

import facula
from facula import _lazy
from facula.__main__ import main
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
    assert re.search(r"^  saves +_saved_input, .*_saved_result1", printed, re.M)
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
    assert printed.err == "facula: no operator is called lajer_norm; near to it: layer_norm\n"
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
