"""``explain``, ``why`` and their reports, asked about all sorts of things."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import facula as torch
from facula import nn
from facula._explain import report as reports
from facula._explain import watch as watching
from facula._explain.report import Finding, Line, Report
from facula.autograd.graph import alive


@pytest.fixture(autouse=True)
def nothing_watched() -> None:
    watching.last = None


def module_of(path: Path, text: str) -> dict[str, Any]:
    path.write_text(text)
    space: dict[str, Any] = {"__name__": "program", "torch": torch, "nn": nn}
    exec(compile(text, str(path), "exec"), space)
    return space


# ---- reports


def test_a_report_reads_as_text() -> None:
    lines = [Line("a.py", 3, "y = x.detach()", "cut"), Line("b.py", 12, "loss.backward()")]
    report = Report([Finding("cut", "It was cut off.", lines, "do not.")])
    assert report.text() == (
        "It was cut off.\n  a.py:3   y = x.detach()  # cut\n  b.py:12  loss.backward()\nTo mend it: do not."
    )
    assert (report.kind, report.cause, report.mend, report.lines) == ("cut", "It was cut off.", "do not.", lines)
    assert report and not Report()
    assert str(Report()) == "Nothing unusual was found."


def test_colours_in_terminals_only(monkeypatch: pytest.MonkeyPatch) -> None:
    report = Report([Finding("cut", "It was cut off.", [Line("a.py", 3, "y", "")], "do not.")])
    assert "\033[" not in str(report)

    class Terminal:
        def isatty(self) -> bool:
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert reports.in_terminal(Terminal())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not reports.in_terminal(Terminal())
    assert "\033[1m" in report.text(colour=True)


def test_notebooks_get_html_that_is_escaped() -> None:
    report = Report([Finding("cut", "x < y", [Line("<stdin>", 1, "a & b", "")], "")])
    shown = report._repr_html_()
    assert "x &lt; y" in shown and "a &amp; b" in shown and "&lt;stdin&gt;:1" in shown
    assert "unusual" in Report()._repr_html_()


def test_a_report_names_five_lines_at_most() -> None:
    findings = [Finding("cut", f"{i}", [Line("a.py", 10 * i + j, "", "") for j in range(2)]) for i in range(5)]
    report = Report(findings)
    assert len(report.lines) <= 5 and len(report.findings) == 5
    assert "3 more" in report.text()


# ---- source files


def test_a_file_that_vanished(tmp_path: Path) -> None:
    path = tmp_path / "gone.py"
    space = module_of(path, "w = torch.ones(2, requires_grad=True)\ny = (w * 2).detach()\n")
    path.unlink()
    report = torch.explain(space["y"])
    assert f"{path}:2" in str(report)
    assert report.lines[0].text == "(the file is not there any more)"


def test_a_file_that_changed(tmp_path: Path) -> None:
    path = tmp_path / "changed.py"
    space = module_of(path, "w = torch.ones(2, requires_grad=True)\ny = (w * 2).detach()\n")
    later = reports._started + 1000
    path.write_text("# another\n# program\n")
    os.utime(path, (later, later))
    assert "the file has changed" in torch.explain(space["y"]).lines[0].text
    path.write_text("# shorter\n")
    os.utime(path, (later + 1, later + 1))
    assert "no such line any more" in torch.explain(space["y"]).lines[0].text


def test_code_without_a_file() -> None:
    space: dict[str, Any] = {"torch": torch}
    exec(compile("y = (torch.ones(2, requires_grad=True) * 2).detach()", "<nowhere>", "exec"), space)
    assert torch.explain(space["y"]).lines[0].text == "(its source was not kept)"


# ---- what can be asked


def test_a_tensor_without_history() -> None:
    made = torch.ones(3)
    report = torch.explain(made)
    assert report.kind == "unreached" and "no history" in report.cause
    assert "integers" in str(torch.why((torch.ones(2, requires_grad=True) * 2).long()))
    assert "torch.int64" in str(torch.why(torch.ones(2, dtype=torch.int64)))


def test_a_freed_graph() -> None:
    x = torch.zeros(2, requires_grad=True)
    loss = x.sqrt().sum()
    loss.backward()
    report = torch.why(x, root=loss)
    assert report.kind == "freed" and "freed" in report.cause and "retain_graph" in report.mend
    assert torch.explain(loss.grad_fn.next_functions[0][0]).kind == "freed"


def test_a_graph_of_another_thread() -> None:
    found: dict[str, Any] = {}

    def work() -> None:
        found["x"] = torch.zeros(2, requires_grad=True)
        found["loss"] = found["x"].sqrt().sum()
        found["loss"].backward(retain_graph=True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    report = torch.why(found["x"], root=found["loss"])
    assert report.kind == "not finite" and "SqrtBackward0" in report.cause and __file__ in str(report)


def test_a_million_nodes() -> None:
    x = torch.ones((), requires_grad=True)
    other = torch.ones((), requires_grad=True)
    y = x
    for _ in range(1_000_000):
        y = y + 1
    report = torch.why(other, root=y)
    assert report.kind == "unreached" and len(str(report)) < 2000
    ours = [each for each in alive() if getattr(each.source, "filename", "") == __file__]
    assert len(ours) < 100 and max(each.nodes for each in ours) >= 1_000_000


def test_what_cannot_be_asked() -> None:
    with pytest.raises(TypeError, match="explain\\(\\) takes an exception, a tensor"):
        torch.explain("loss")
    with pytest.raises(TypeError, match="why\\(\\) takes a tensor"):
        torch.why(3)
    with pytest.raises(TypeError, match="root is the tensor"):
        torch.why(torch.ones(2), root="loss")
    with pytest.raises(ValueError, match="by 'line' or by 'node'"):
        alive(by="size")


def test_nothing_is_wrong() -> None:
    w = torch.ones(2, requires_grad=True)
    (w * 3).sum().backward()
    report = torch.why(w)
    assert not report and "Nothing unusual" in str(report)
    model = nn.Linear(2, 1)
    assert not torch.explain(model) and "2 parameters" in str(torch.explain(model))
    assert not torch.explain(torch.optim.SGD(model.parameters(), lr=1.0))
    assert "nothing was watched" in str(torch.explain())


def test_an_error_and_the_last_error() -> None:
    x = torch.ones(2, requires_grad=True)
    try:
        (x * 2).detach().sum().backward()
    except RuntimeError as error:
        report = torch.explain(error)
        assert report.kind == "cut" and report.lines[0].text.startswith("(x * 2).detach()")
        assert torch.explain().cause == report.cause
    else:
        pytest.fail("no error")
    assert torch.explain(ValueError("x")).silence.startswith("ValueError")


def test_none_where_a_gradient_was_expected() -> None:
    w = torch.ones(2, requires_grad=True)
    v = w * 2
    v.sum().backward()
    with pytest.raises(AttributeError) as caught, pytest.warns(UserWarning, match="not a leaf"):
        v.grad.zero_()
    report = torch.explain(caught.value)
    assert report.kind == "not a leaf" and report.lines[0].text == "v = w * 2"


@pytest.mark.parametrize("asked", ["module", "optimizer", "tensor"])
def test_a_loss_that_does_not_reach(asked: str) -> None:
    encoder, decoder = nn.Linear(2, 2), nn.Linear(2, 1)
    both = nn.Sequential(encoder, decoder)
    optimizer = torch.optim.SGD(both.parameters(), lr=0.1)
    code = encoder(torch.ones(3, 2)).detach()
    loss = decoder(code).sum()
    x = {"module": both, "optimizer": optimizer, "tensor": encoder.weight}[asked]
    report = torch.explain(x, root=loss)
    assert report.kind == "cut" and any(line.text.startswith("code = encoder") for line in report.lines)


def test_zero_and_huge_gradients_of_a_pass() -> None:
    w = torch.ones(3, requires_grad=True)
    loss = (torch.relu(w - 5) * 2).sum()
    loss.backward(retain_graph=True)
    report = torch.why(w, root=loss)
    assert report.kind == "zero" and "3 inputs" in report.cause and report.node is not None
    v = torch.ones(3, requires_grad=True)
    loss = (v * 1e10).sum()
    loss.backward(retain_graph=True)
    assert torch.why(v, root=loss).kind == "huge"


def test_how_many_passes_were_summed() -> None:
    with torch.watch(quiet=True):
        w = torch.ones(2, requires_grad=True)
        for _ in range(3):
            (w * 2).sum().backward()
        assert "sum of 3 backward passes" in str(torch.why(w))


def test_what_is_alive() -> None:
    gc.collect()
    x = torch.ones(1000, dtype=torch.float64, requires_grad=True)
    y = x.exp()
    rows = [row for row in alive() if row.source == y.grad_fn.source]
    assert [(row.nodes, row.saved_bytes) for row in rows] == [(1, 8000)]
    assert "1 nodes, 8000 bytes" in str(rows[0])
    assert any(row.source == "ExpBackward0" for row in alive(by="node"))


# ---- the command


PROGRAM = """\
import torch
w = torch.zeros(2, requires_grad=True)
loss = (w * w).sum().sqrt()
loss.backward()
print(w.grad)
"""


def run(tmp_path: Path, text: str, *options: str) -> subprocess.CompletedProcess[str]:
    (tmp_path / "program.py").write_text(text)
    return subprocess.run(
        [sys.executable, "-m", "facula", "run", *options, "program.py"], capture_output=True, text=True, cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(torch.__file__).parent.parent)},
    )  # fmt: skip


def test_run_with_a_watch(tmp_path: Path) -> None:
    assert run(tmp_path, PROGRAM).stderr == ""
    done = run(tmp_path, PROGRAM, "--watch")
    assert done.returncode == 0 and done.stdout == "tensor([nan, nan])\n"
    assert "program.py:3" in done.stderr and "\033[" not in done.stderr


def test_run_and_explain(tmp_path: Path) -> None:
    text = "import torch\nw = torch.ones(2, requires_grad=True)\nv = w * 2\nv.sum().backward()\nv.grad.zero_()\n"
    done = run(tmp_path, text, "--explain")
    assert done.returncode == 1
    assert "It is no leaf: MulBackward0 made it at" in done.stderr and "program.py:3" in done.stderr
    left = run(tmp_path, "import sys\nsys.exit(3)\n", "--explain", "--watch")
    assert left.returncode == 3 and left.stderr == ""


def test_run_needs_a_script(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "facula", "run", "--watch", "-c"], capture_output=True, text=True, cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(torch.__file__).parent.parent)},
    )  # fmt: skip
    assert done.returncode == 2 and "run needs a script" in done.stderr
