"""What the package is as a package: metadata, types, and what importing it brings in."""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata, resources
from pathlib import Path

import pytest

import facula

ROOT = Path(__file__).parent.parent


def in_new_process(program: str) -> str:
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def installed() -> metadata.Distribution:
    try:
        return metadata.distribution("facula")
    except metadata.PackageNotFoundError:
        pytest.skip("facula is on the path but not installed")


def test_version_agrees_with_the_metadata() -> None:
    assert installed().version == facula.__version__


def test_numpy_is_all_that_is_needed() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert [r.split(">")[0] for r in project["dependencies"]] == ["numpy"]


def test_command_is_installed() -> None:
    points = {p.name: p.value for p in installed().entry_points}
    assert points["facula"] == "facula.__main__:main"


def test_has_types() -> None:
    assert resources.files("facula").joinpath("py.typed").is_file()


def test_files_that_are_no_modules_are_packaged() -> None:
    import tomllib

    patterns = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]["facula"]
    package = ROOT / "src" / "facula"
    packaged = {path for pattern in patterns for path in package.glob(pattern)}
    page = {path for path in (package / "show" / "page").iterdir() if path.is_file()}
    assert {path.suffix for path in page} == {".html", ".css", ".js"} and page <= packaged


@pytest.mark.parametrize("heavy", ["torch", "scipy", "ml_dtypes", "pytest", "hypothesis"])
def test_import_is_light(heavy: str) -> None:
    assert in_new_process(f"import sys, facula; print({heavy!r} in sys.modules)") == "False"


@pytest.mark.parametrize("lazy", ["facula.nn", "facula.optim", "facula.tour", "facula.show", "facula.autograd.steps"])
def test_submodules_load_when_asked_for(lazy: str) -> None:
    assert in_new_process(f"import sys, facula; print({lazy!r} in sys.modules)") == "False"


def test_submodules_are_attributes() -> None:
    program = "import facula as torch; print(torch.nn.Linear(2, 1), torch.optim.SGD.__name__)"
    assert in_new_process(program) == "Linear(in_features=2, out_features=1, bias=True) SGD"


def test_submodules_can_be_imported_by_name() -> None:
    program = "import facula.nn.functional as F; from facula import nn; print(nn.functional is F)"
    assert in_new_process(program) == "True"


def test_training_never_imports_torch() -> None:
    program = """
import sys
import facula as torch
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model(torch.ones(3, 2)).sum().backward()
optimizer.step()
print("torch" in sys.modules, "scipy" in sys.modules)
"""
    assert in_new_process(program) == "False False"


def test_no_source_file_imports_torch() -> None:
    for path in (ROOT / "src").rglob("*.py"):
        for line in path.read_text().splitlines():
            assert not line.strip().startswith(("import torch", "from torch")), path


def test_the_citation_names_this_version() -> None:
    assert f"\nversion: {facula.__version__}\n" in (ROOT / "CITATION.cff").read_text()
