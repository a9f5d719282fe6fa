"""Notebooks run, cell by cell, and what they show is there."""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import facula
from facula import hub, nn

NOTEBOOKS = sorted((Path(__file__).parent.parent / "examples/notebooks").glob("*.ipynb"))


def run(notebook: Path) -> list[Any]:
    """What the cells show: the value of the last expression of each."""
    space: dict[str, Any] = {"__name__": "__main__"}
    shown = []
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            tree = ast.parse("".join(cell["source"]))
            last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, notebook.name, "exec"), space)
            if isinstance(last, ast.Expr):
                shown.append(eval(compile(ast.Expression(last.value), notebook.name, "eval"), space))
    return shown


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(notebook: Path) -> None:
    assert any(value is not None for value in run(notebook))


def test_notebooks_are_kept_without_output() -> None:
    assert len(NOTEBOOKS) == 3
    for notebook in NOTEBOOKS:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        assert not any(cell.get("outputs") for cell in cells)


def test_a_small_tensor_is_a_table_with_its_node_and_line() -> None:
    x = facula.tensor([[1.0, 2.0], [3.0, 4.5]], requires_grad=True)
    html = (x * 2)._repr_html_()
    assert html.count("<tr>") == 2 and html.count("<td") == 4 and ">9</td>" in html
    for part in ("torch.float32", "shape (2, 2)", "MulBackward0", "test_notebooks.py"):
        assert part in html
    assert "a leaf that requires grad" in x._repr_html_() and "Backward" not in x._repr_html_()


def test_a_large_tensor_prints_as_elsewhere() -> None:
    assert "<table>" not in facula.zeros(100)._repr_html_() and "<pre>tensor([0., 0." in facula.zeros(100)._repr_html_()
    assert "<pre>" in facula.empty(2, device="meta")._repr_html_() and "<pre>" in facula.tensor(1.0)._repr_html_()


def test_a_module_is_a_tree() -> None:
    html = nn.Sequential(nn.Linear(2, 3), nn.Sequential(nn.ReLU()))._repr_html_()
    assert html.count("<details") == 2 and html.count(" open") == 1
    assert "Linear(in_features=2, out_features=3, bias=True)" in html and "9 parameters" in html


def in_a_notebook(monkeypatch: pytest.MonkeyPatch, **shell: Any) -> SimpleNamespace:
    """What facula finds as IPython from now on."""
    notebook = SimpleNamespace(get_ipython=lambda: SimpleNamespace(**shell))
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    return notebook


def test_places_in_a_notebook_are_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {"/tmp/ipykernel_1/2162994890.py": ("Cell", "In[3]")}
    in_a_notebook(monkeypatch, compile=SimpleNamespace(format_code_name=names.get))
    space: dict[str, Any] = {"torch": facula}
    program = "x = torch.ones(2, requires_grad=True)\ny = x.exp()\nz = y.detach()"
    exec(compile(program, "/tmp/ipykernel_1/2162994890.py", "exec"), space)
    assert str(space["y"].grad_fn.source) == "In[3]:2"
    assert "at In[3]:3" in str(facula.why(space["z"])) and "In[3]:2" in facula.draw(space["y"]).tree()
    assert "test_notebooks.py:" in str(facula.ones(1, requires_grad=True).exp().grad_fn.source)


@pytest.fixture
def download(tmp_path: Path) -> Any:
    """Downloads half a megabyte; the file that it makes."""
    (tmp_path / "weights.pt").write_bytes(bytes(1 << 19))

    def run() -> Path:
        hub.download_url_to_file((tmp_path / "weights.pt").as_uri(), str(tmp_path / "here.pt"))
        return tmp_path / "here.pt"

    return run


def test_a_download_shows_a_bar_in_a_notebook(download: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    handle = SimpleNamespace(update=lambda value: shown.append(value._repr_html_()))

    def display(value: Any, display_id: bool) -> Any:
        shown.append(value._repr_html_())
        return handle

    in_a_notebook(monkeypatch, kernel=None).display = SimpleNamespace(display=display)
    assert download().stat().st_size == 1 << 19
    assert len(shown) == 4 and all("here.pt" in html and "<progress" in html for html in shown)
    assert "100 %" in shown[-1] and f'value="{1 << 19}" max="{1 << 19}"' in shown[-1]


def test_a_download_writes_over_a_line_on_a_terminal_and_nothing_elsewhere(
    download: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    download()
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    download()
    assert capsys.readouterr().err.split("\r") == ["", *[f"here.pt: {n} %" for n in (25, 50, 75)], "here.pt: 100 %\n"]
