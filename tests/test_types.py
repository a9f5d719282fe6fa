"""Type checkers see what users write: names that are loaded late too, and the examples without a complaint."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import facula

ROOT = Path(__file__).parent.parent

REVEALED = {
    "torch.tensor([1.0]) * 2": "Tensor",
    "2 / torch.ones(2)": "Tensor",
    "torch.ones(2) > 1": "Tensor",
    "torch.ones(2)[0]": "Tensor",
    "torch.ones(2).grad": "Tensor | None",
    "torch.ones(2).sum().backward()": "None",
    "torch.ones(2).T": "Tensor",
    "torch.ones(2).max(0).values": "Tensor",
    "torch.max(torch.ones(2))": "Tensor",
    "torch.add(torch.ones(2), 2, alpha=3)": "Tensor",
    "torch.stack([torch.ones(2)])": "Tensor",
    "torch.linalg.svd(torch.eye(2)).S": "Tensor",
    "torch.fft.fft(torch.ones(2))": "Tensor",
    "torch.special.entr(torch.ones(2))": "Tensor",
    "torch.nn.functional.cross_entropy(torch.ones(2, 2), torch.tensor([0, 1]))": "Tensor",
    "torch.nn.Linear(2, 3)": "Linear",
    "torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU())": "Sequential",
    "torch.optim.SGD([torch.ones(2)], lr=0.1)": "SGD",
    "torch.utils.data.TensorDataset(torch.ones(2))": "TensorDataset",
    "torch.distributions.Normal(0.0, 1.0)": "Normal",
    "torch.float32": "dtype",
    "torch.device('cpu')": "device",
    "torch.ones(2).shape": "Size",
    "torch.manual_seed(0)": "Generator",
}

ABOUT_TYPES = {"reportAttributeAccessIssue", "reportCallIssue", "reportArgumentType", "reportIndexIssue"}
"""What pyright says of types; it has opinions on much else."""


def test_stubs_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "tests.stubs", "--check"], capture_output=True, text=True, cwd=ROOT
    )
    if "ImportError: facula needs" in done.stderr:
        pytest.skip("needs what examples need")
    assert (done.stdout, done.returncode) == ("", 0), f"python -m tests.stubs brings them up to date\n{done.stderr}"


def test_stubs_say_what_is_there() -> None:
    pytest.importorskip("mypy")
    done = subprocess.run([sys.executable, "-m", "tests.stubtest"], capture_output=True, text=True, cwd=ROOT)
    assert (done.stdout, done.returncode) == ("", 0), done.stderr


def test_editors_show_what_functions_mean() -> None:
    told = '-> Tensor:\n    """Each element, or 0 where it is below 0."""\n'
    assert told in (Path(facula.__file__).parent / "__init__.pyi").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The examples, with facula by its own name, and a program that asks for types."""
    folder = tmp_path_factory.mktemp("programs")
    for example in (ROOT / "examples").glob("*.py"):
        text = example.read_text(encoding="utf-8")
        text = re.sub(r"^import torch$", "import facula as torch", text, flags=re.MULTILINE)
        text = re.sub(r"^(import|from) torch\b", r"\1 facula", text, flags=re.MULTILINE)
        (folder / example.name).write_text(text, encoding="utf-8")
    asked = "".join(f"reveal_type({text})\n" for text in REVEALED)
    (folder / "asked.py").write_text(f"import facula as torch\n{asked}", encoding="utf-8")
    return folder


def run(command: list[str], cwd: Path) -> str:
    source = str(Path(facula.__file__).parent.parent)
    environment = {**os.environ, "PYTHONPATH": source}
    if "site-packages" not in source:  # where mypy finds it itself, and refuses to be told
        environment["MYPYPATH"] = source
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=environment).stdout


def test_mypy_tells_what_is_not_there(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    wrong = "x = torch.ones(2)\nx.relo()\ntorch.relo(x)\ntorch.nn.Linaer(2, 3)\ntorch.nn.Linear('two', 3)\n"
    (tmp_path / "wrong.py").write_text(f"import facula as torch\n{wrong}", encoding="utf-8")
    said = run([sys.executable, "-m", "mypy", "--config-file=", f"--cache-dir={ROOT / '.mypy_cache'}", "."], tmp_path)
    assert re.findall(r"^wrong.py:(\d+): error: .*\[([\w-]+)\]$", said, re.MULTILINE) == [
        ("3", "attr-defined"), ("4", "attr-defined"), ("5", "attr-defined"), ("6", "arg-type"),
    ]  # fmt: skip


def test_mypy_knows_types(programs: Path) -> None:
    pytest.importorskip("mypy")
    cache = ROOT / ".mypy_cache"
    said = run([sys.executable, "-m", "mypy", "--config-file=", f"--cache-dir={cache}", "."], programs)
    types = re.findall(r'Revealed type is "(.*)"', said)
    assert [re.sub(r"[\w.]+\.", "", t) for t in types] == list(REVEALED.values())
    assert "error" not in said, said


def test_pyright_knows_types(programs: Path) -> None:
    if shutil.which("pyright") is None or subprocess.run(["pyright", "--version"], capture_output=True).returncode:
        pytest.skip("needs pyright, and the Node.js that it runs on")
    told = json.loads(run(["pyright", "--outputjson", "."], programs))["generalDiagnostics"]
    shown = [m[1] for d in told if (m := re.fullmatch(r'Type of ".*" is "(.*)"', d["message"]))]
    assert shown == list(REVEALED.values())
    assert [d["message"] for d in told if d.get("rule") in ABOUT_TYPES] == []
