"""``facula.explore``: what the page is told. What it does with that is in ``test_page``."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import facula as torch
from facula._explain.report import Finding, Line, Report
from facula.show.formulas import formula
from facula.show.names import caller, names
from facula.show.page import data_of, explore
from facula.show.values import shown


def data(page: Any) -> dict[str, Any]:
    """What a page holds."""
    text = re.search(r'<script type="application/json" id="data">(.*?)</script>', page.html, re.S)
    assert text is not None
    found: dict[str, Any] = json.loads(text[1])
    return found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "graph.html"


def small() -> Any:
    a = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    return a, b, (a + b) * (b * 2)


# ---- the steps


def test_steps_have_autograds_values(path: Path) -> None:
    a, b, e = small()
    b.grad = torch.tensor(100.0)
    told = data(explore(e, path, params={"a": a}))
    names_of = [told["vertices"][vertex]["n"] for vertex, *_ in told["steps"]]
    assert names_of == ["MulBackward0", "MulBackward0", "AddBackward0", "a", "b"]
    value = lambda t: None if t < 0 else told["tensors"][t]["v"][0]
    assert [[value(t) for t in step[1]] for step in told["steps"]] == [[1.0], [5.0], [6.0], [6.0], [16.0]]
    assert [[value(t) for t in step[2]] for step in told["steps"]] == [[6.0, 5.0], [10.0], [6.0, 6.0], [], []]
    assert [(value(step[3]), value(step[4])) for step in told["steps"][3:]] == [(None, 6.0), (100.0, 116.0)]


def test_nothing_stays_of_the_pass(path: Path) -> None:
    a, b, e = small()
    b.grad = kept = torch.tensor(100.0)
    called = []
    y = e * 1
    y.retain_grad()
    b.register_post_accumulate_grad_hook(lambda t: called.append(t))
    explore(y, path)
    assert [a.grad, y.grad, called] == [None, None, []]
    assert b.grad is kept and kept.item() == 100.0 and kept._version == 0
    y.backward()
    assert (a.grad.item(), b.grad.item(), y.grad.item()) == (6.0, 116.0, 1.0) and len(called) == 1


def test_gradients_are_backwards(path: Path) -> None:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.GELU(), torch.nn.Linear(6, 2), torch.nn.LogSoftmax(1))
    loss = -model(torch.randn(3, 4))[:, 0].mean()
    told = data(explore(loss, path))
    loss.backward()
    after = {
        told["vertices"][vertex]["n"]: told["tensors"][t]["v"] for vertex, _, _, _, t, _ in told["steps"] if t >= 0
    }
    assert set(after) == {f"model.{name}" for name, _ in model.named_parameters()}
    for name, parameter in model.named_parameters():
        np.testing.assert_allclose(after[f"model.{name}"], parameter.grad.numpy().reshape(-1), rtol=1e-6)


def test_the_chain_rule_has_numbers(path: Path) -> None:
    x = torch.tensor([3.0, 4.0], requires_grad=True)
    told = data(explore((x**2).sum(), path))
    rules = {told["vertices"][vertex]["n"]: formulas for vertex, _, _, _, _, formulas in told["steps"]}
    assert rules["PowBackward0"] == [["self", "g · exponent · self^(exponent − 1)", "1 · 2 · 3^(2 − 1) = 6"]]
    assert rules["SumBackward0"][0][1] == "g [for every element]"


def test_other_nodes_show_their_own_rule() -> None:
    x = torch.ones(3, requires_grad=True)
    assert formula(x.erf().grad_fn, 0)
    assert "sinh" in formula(x.cosh().grad_fn, 0)
    assert formula(torch.nn.functional.gelu(x).grad_fn, 0).startswith("gelu_backward(g")


def test_formulas_are_true() -> None:
    """Those that Python can compute give the gradients that the engine computes."""
    x, y = (torch.tensor([0.7, 1.3], dtype=torch.float64, requires_grad=True) for _ in range(2))
    results = [
        x * y, x / y, x - y, -x, x**3, x.exp(), x.log(), x.sqrt(), x.tanh(), x.sigmoid(), x.sin(), x.cos(), x.rsqrt(),
        x.reciprocal(), 2 - x, 2**x, x.abs(), torch.nn.functional.silu(x),
    ]  # fmt: skip
    functions = {
        "sin": np.sin,
        "cos": np.cos,
        "ln": np.log,
        "exp": np.exp,
        "sign": np.sign,
        "σ": lambda t: 1 / (1 + np.exp(-t)),
    }
    checked = 0
    for result in results:
        step = next(torch.steps(result, torch.tensor([0.5, 2.0], dtype=torch.float64)))
        saved = {name: np.asarray(getattr(value, "_array", value)) for name, value in step.saved.items()}
        for edge, expected in enumerate(step.outgoing):
            if expected is None:
                continue
            text = re.sub(r" \[[^]]*\]", "", formula(step.node, edge))
            text = re.sub(r"\{(\w+)\}\(", r"{\1}*(", text)  # x(1 − y)
            for old, new in {"·": "*", "−": "-", "²": "**2", "³": "**3", "^": "**", "{self}": "_self"}.items():
                text = text.replace(old, new)
            values = {**functions, **saved, "_self": saved.get("self"), "g": step.incoming[0].numpy()}
            np.testing.assert_allclose(eval(re.sub(r"[{}]", "", text), {}, values), expected.numpy(), rtol=1e-12)
            checked += 1
    assert checked >= len(results)


# ---- tensors


def test_few_numbers_are_told_one_by_one() -> None:
    told = shown(np.array([[1.5, np.nan], [np.inf, -np.inf]], np.float32))
    assert told["s"] == [2, 2] and told["d"] == "float32"
    assert told["v"] == [1.5, "nan", "inf", "-inf"]
    assert told["t"][6:] == [1, 2]
    assert shown(np.float32(0.1))["v"] == [0.1]
    assert shown(np.zeros((0, 3)))["v"] == []


def test_many_numbers_become_a_heat_map() -> None:
    array = np.zeros((100, 80))
    array[:50] = -2.0
    rows, columns, scale, text = shown(array)["h"]
    levels = np.frombuffer(base64.b64decode(text), np.uint8).reshape(rows, columns)
    assert (rows, columns, scale) == (32, 32, 2.0)
    assert levels[0, 0] == 1 and levels[-1, -1] == 128
    low, high, mean, spread, norm, zeros, *_ = shown(array)["t"]
    assert (low, high, mean, spread, zeros) == (-2.0, 0.0, -1.0, 1.0, 4000)
    np.testing.assert_allclose(norm, np.linalg.norm(array), rtol=1e-6)


def test_what_is_not_finite_shows_in_the_heat_map() -> None:
    array = np.ones((40, 40))
    array[3, 4] = np.nan
    *_, scale, text = shown(array)["h"]
    assert (np.frombuffer(base64.b64decode(text), np.uint8) == 0).sum() == 1 and scale == 1


def test_pictures_are_pixels() -> None:
    rows, columns, channels, text = shown(np.linspace(0, 1, 3 * 64).reshape(3, 8, 8))["p"]
    assert (rows, columns, channels) == (8, 8, 3)
    assert np.frombuffer(base64.b64decode(text), np.uint8)[-1] == 255
    assert "p" not in shown(np.linspace(-1, 1, 64).reshape(8, 8))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.complex64, torch.int64, torch.bool])
def test_every_dtype_can_be_shown(dtype: Any) -> None:
    json.dumps(shown(torch.ones(9, 9).to(dtype)._array), allow_nan=False)


# ---- source


def run_program(folder: Path, text: str, name: str = "program.py") -> tuple[dict[str, Any], Path]:
    program = folder / name
    program.write_text(text)
    space: dict[str, Any] = {"__name__": "program", "torch": torch}
    exec(compile(text, str(program), "exec"), space)
    return space, program


PROGRAM = """\
def square(x):
    return x * x

x = torch.tensor([1.0, 2.0], requires_grad=True)
loss = square(x).sum()
"""


def test_nodes_know_their_lines(tmp_path: Path, path: Path) -> None:
    space, _ = run_program(tmp_path, PROGRAM)
    told = data(explore(space["loss"], path))
    assert [file["n"] for file in told["files"]] == ["program.py"]
    assert told["files"][0]["t"] == PROGRAM.splitlines() and not told["notes"]
    lines = {v["n"]: v["i"] for v in told["vertices"]}
    assert (lines["MulBackward0"], lines["SumBackward0"]) == (2, 5)


def test_a_file_that_changed(tmp_path: Path, path: Path) -> None:
    space, program = run_program(tmp_path, PROGRAM)
    program.write_text("# a new first line\n" + PROGRAM)
    assert data(explore(space["loss"], path))["notes"] == [
        "program.py has changed since it was run: its lines may not be those that made the nodes."
    ]


def test_a_file_that_vanished(tmp_path: Path, path: Path) -> None:
    space, program = run_program(tmp_path, PROGRAM)
    program.unlink()
    told = data(explore(space["loss"], path))
    assert told["notes"] == [f"{program} is not there any more: its lines cannot be shown."] and told["steps"]


def test_a_text_without_a_file(path: Path) -> None:
    space: dict[str, Any] = {"torch": torch}
    exec(compile(PROGRAM, "<typed>", "exec"), space)
    assert data(explore(space["loss"], path))["notes"] == [
        "The text of <typed> was not kept: its lines cannot be shown."
    ]


# ---- folding


class Block(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = torch.nn.LayerNorm(4)
        self.line = torch.nn.Linear(4, 4)

    def forward(self, x: Any) -> Any:
        return x + self.line(self.norm(x)).relu()


def model_of_blocks() -> Any:
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), *[Block() for _ in range(5)])
    return model, lambda: model(torch.ones(2, 3)).pow(2).mean()


def tree_of(told: dict[str, Any]) -> list[str]:
    paths: list[str] = []
    for outer, name, *_ in told["clusters"]:
        paths.append(name if outer < 0 else f"{paths[outer]}/{name}")
    return paths


def test_modules_fold_as_they_were_called(path: Path) -> None:
    model, loss = model_of_blocks()
    told = data(explore(loss, path, params={"model": model}))
    assert tree_of(told)[:5] == ["model", "model/0", "model/1 … 5", "model/1 … 5/1", "model/1 … 5/1/norm"]
    kinds = {name: (title, kind, count) for _, name, title, kind, count in told["clusters"]}
    assert kinds["1 … 5"] == ("Block", "repeat", 5) and kinds["line"] == ("Linear", "module", 1)
    inside = {v["n"]: tree_of(told)[v["c"]] for v in told["vertices"] if v["c"] >= 0 and v["m"] == "model.2"}
    assert inside == {"AddBackward0": "model/1 … 5/2", "ReluBackward0": "model/1 … 5/2"}
    assert {v["n"]: v["m"] for v in told["vertices"]}["PowBackward0"] == ""
    assert {v["m"] for v in told["vertices"] if v["n"] == "model.3.line.weight"} == {"model.3.line"}


def test_modules_are_inferred_from_parameters(path: Path) -> None:
    model, loss = model_of_blocks()
    told = data(explore(loss(), path, params={"model": model}))
    modules = {v["n"]: v["m"] for v in told["vertices"]}
    assert modules["model.3.line.weight"] == "model.3.line" and modules["PowBackward0"] == ""
    relus = sorted(v["m"] for v in told["vertices"] if v["n"] == "ReluBackward0")
    assert relus == ["", *["model"] * 4]  # the last is followed by nothing that has weights
    addmms = sorted(v["m"] for v in told["vertices"] if v["n"] == "AddmmBackward0")
    assert addmms == ["model.0", *[f"model.{i}.line" for i in range(1, 6)]]


def test_a_module_called_again_is_another_group(path: Path) -> None:
    cell = torch.nn.Linear(2, 2)

    def loss() -> Any:
        x = torch.ones(1, 2)
        for _ in range(3):
            x = cell(x).tanh()
        return x.sum()

    told = data(explore(loss, path))
    assert [kind for *_, kind, _ in told["clusters"]] == ["module"] * 3
    assert sorted(tree_of(told)) == ["cell", "cell (call 2)", "cell (call 3)"]


def test_loops_fold(path: Path) -> None:
    x = torch.tensor(0.5, requires_grad=True)
    y = x
    for _ in range(30):
        y = y * 1.01
        y = y + x
    told = data(explore(y, path))
    outer, *iterations = told["clusters"]
    assert outer[3:] == ["loop", 30] and len(iterations) == 30 and {c[3] for c in iterations} == {"iteration"}
    assert sum(v["c"] >= 0 for v in told["vertices"]) == 60


def test_loops_hold_the_modules_that_they_call(path: Path) -> None:
    cell = torch.nn.Linear(2, 2)

    def loss() -> Any:
        x = torch.ones(1, 2)
        for _ in range(6):
            x = x + cell(x).tanh()
        return x.sum()

    told = data(explore(loss, path, params={"cell": cell}))
    paths = tree_of(told)
    assert paths[:2] == ["loop", "loop/iteration 1"] and "loop/iteration 6/cell (call 6)" in paths
    assert told["clusters"][0][3:] == ["loop", 6] and len(paths) == 13
    outside = [v["n"] for v in told["vertices"] if v["c"] < 0]
    assert outside == ["loss", "SumBackward0", "cell.bias", "cell.weight"]


def test_recording_ends_with_the_call(path: Path) -> None:
    from facula.nn.modules import _hooks

    _, loss = model_of_blocks()
    explore(loss, path)
    assert not _hooks._has_any_global_hook()
    names_of: dict[str, Any] = {}
    with pytest.raises(KeyError):
        explore(lambda: names_of["nothing"], path)
    assert not _hooks._has_any_global_hook()


# ---- marks


def marks(page: Any) -> list[tuple[str, str, str]]:
    told = data(page)
    return [(told["vertices"][vertex]["n"] if vertex >= 0 else "", kind, text) for vertex, kind, text in told["marks"]]


def test_where_a_nan_is_born_in_backward(path: Path) -> None:
    x = torch.tensor([0.0, 4.0], requires_grad=True)
    ((name, kind, text),) = marks(explore(torch.where(x > 0, (x * 1).sqrt(), torch.zeros(2)).sum(), path))
    assert (name, kind) == ("SqrtBackward0", "not finite")
    assert re.match(
        r"The first gradient that is NaN came from SqrtBackward0, recorded at test_explore.py:\d+, at", text
    )
    assert "Where at test_explore.py:" in text and "To mend it: make the operand safe first" in text


def test_where_a_value_is_not_finite_in_forward(path: Path) -> None:
    x = torch.tensor([1.0, 100.0], requires_grad=True)
    name, kind, text = marks(explore((x.exp() * 2).log().sum(), path))[0]
    assert (name, kind) == ("ExpBackward0", "not finite") and "exp overflows" in text


def test_a_mask_of_infinities_is_no_mishap(path: Path) -> None:
    x = torch.randn(3, 3).requires_grad_()
    weights = torch.softmax(x.masked_fill(torch.ones(3, 3).triu(1) == 1, float("-inf")), -1)
    assert marks(explore((weights * torch.randn(3, 3)).sum(), path)) == []


def test_dead_units(path: Path) -> None:
    x = torch.tensor([[1.0, -1.0], [2.0, -2.0]], requires_grad=True)
    ((name, kind, text),) = marks(explore(x.relu().sum(), path))
    assert (name, kind, text) == ("ReluBackward0", "dead", "1 of its 2 units are zero for all 2 rows.")
    ((name, kind, text),) = marks(explore((-x.abs()).relu().sum(), path))
    assert (name, kind) == ("ReluBackward0", "zero") and "dead relu" in text


def test_unused_parameters_and_huge_gradients(path: Path) -> None:
    model = torch.nn.ModuleDict({"used": torch.nn.Linear(1, 1), "idle": torch.nn.Linear(1, 1)})
    found = marks(explore((model["used"](torch.ones(1, 1)) * 1e9).sum(), path))
    assert {m[2].split()[0] for m in found if m[1] == "unused"} == {"model.idle.weight", "model.idle.bias"}
    assert [m[0] for m in found if m[1] == "huge"] == ["MulBackward0"]


def test_what_a_watch_saw_is_marked(path: Path) -> None:
    with torch.watch():
        x = torch.tensor([0.0, 1.0], requires_grad=True)
        y = x.log()
        loss = y.sum()
        cut = (x + y.detach()).sum()
    found = marks(explore(loss, path))
    assert ("LogBackward0", "not finite") in [m[:2] for m in found]
    name, _, text = next(m for m in marks(explore(cut, path)) if m[1] == "cut")
    assert name == "AddBackward0" and re.fullmatch(
        r"An operand has no history: it was cut off by detach\(\) at test_explore.py:\d+.", text
    )


def test_cuts(path: Path) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    ((name, kind, text),) = marks(explore((x * x.detach()).sum(), path))
    assert (name, kind) == ("MulBackward0", "cut") and re.search(
        r"cut off by detach\(\) at .*test_explore.py:\d+", text
    )


def test_the_findings_of_a_report_are_marked(path: Path) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    z = y.exp()
    source = z.grad_fn.source
    report = Report([
        Finding("changed", "It was changed.", node=y.grad_fn),
        Finding("frozen", "It is frozen.", tensor=x, mend="thaw it."),
        Finding("shape", "It grew.", [Line(source.filename, source.line, "")]),
        Finding("optimizer", "Not here."),
    ])  # fmt: skip
    assert marks(explore(z.sum(), path, report=report)) == [
        ("MulBackward0", "changed", "It was changed."), ("x", "frozen", "It is frozen. To mend it: thaw it."),
        ("ExpBackward0", "shape", "It grew."), ("", "optimizer", "Not here."),
    ]  # fmt: skip


def test_a_sound_program_has_no_marks(path: Path) -> None:
    _, loss = model_of_blocks()
    assert [m for m in marks(explore(loss, path)) if m[1] != "dead"] == []


# ---- what is unusual


def test_a_freed_graph_says_who_freed_it(path: Path) -> None:
    x = torch.tensor(2.0, requires_grad=True)
    y = x.exp().sin()
    y.backward()
    told = data(explore(y, path))
    assert not told["steps"] and len(told["vertices"]) == 4
    assert re.match(
        r"The graph was freed by the backward call at .*test_explore.py:\d+, so there are no", told["notes"][0]
    )


def test_no_history(path: Path) -> None:
    with pytest.raises(ValueError, match=r"explore\(\) has nothing to show: the tensor of shape \[\] has no history"):
        explore(torch.tensor(1.0), path)
    with pytest.raises(TypeError, match="takes a tensor, or several in a tuple, but got int"):
        explore(3, path)
    assert not path.exists()


def test_what_is_no_scalar(path: Path) -> None:
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    told = data(explore(y, path))
    assert not told["steps"] and told["notes"][0].startswith("y is of shape [3], and backward begins with one number")
    assert len(data(explore(y, path, gradient=torch.ones(3)))["steps"]) == 2
    assert data(explore((y, x.exp()), path))["notes"][0].startswith("There are several outputs")


def test_a_graph_of_another_thread(path: Path) -> None:
    made: list[Any] = []
    worker = threading.Thread(target=lambda: made.append(small()[2]))
    worker.start()
    worker.join()
    assert len(data(explore(made[0], path))["steps"]) == 5


def test_many_nodes_are_folded_by_line(path: Path) -> None:
    x = torch.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(30_000):
        y = y * x
    began = time.process_time()
    told = data(explore(y, path))
    assert time.process_time() - began < 30
    assert [(v["k"], v["n"], v["x"]) for v in told["vertices"]] == [
        ("output", "y", 1), ("folded", "MulBackward0", 30_000), ("folded", "leaves", 1),
    ]  # fmt: skip
    assert "The graph has 30,001 nodes, more than the 20,000 that can be shown one by one" in told["notes"][0]
    assert told["notes"][1] == "There are no gradients to step through." and path.stat().st_size < 200_000


def test_a_hook_that_keeps_saved_tensors_is_asked_only_by_the_pass(path: Path) -> None:
    asked: list[Any] = []

    def unpack(array: Any) -> Any:
        asked.append(array)
        return torch.tensor(array)

    x = torch.tensor([3.0], requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.numpy(force=True), unpack):
        y = (x * x).sum()
    told = data(explore(y, path))
    assert len(asked) == 2
    assert next(v["s"] for v in told["vertices"] if v["n"] == "MulBackward0")[0][0] == "other"


def test_nothing_of_the_user_can_end_the_data(path: Path) -> None:
    evil = type("</script><script>alert(1)</script>", (torch.autograd.Function,), {
        "forward": staticmethod(lambda ctx, x: x * 1), "backward": staticmethod(lambda ctx, g: g),
    })  # fmt: skip
    x = torch.ones(2, requires_grad=True)
    page = explore(evil.apply(x).sum(), path, params={"<!--<script>": x})  # type: ignore[attr-defined]
    told = data(page)
    assert any(v["n"] == "</script><script>alert(1)</script>Backward" for v in told["vertices"])
    assert page.html.count("<script") == 2 and page.html.count("</script>") == 2 and "<!--" not in page.html


def test_the_page_is_one_file_without_addresses(path: Path) -> None:
    page = explore(small()[2], path)
    assert path.read_text(encoding="utf-8") == page.html
    without_data = re.sub(r'id="data">.*?</script>', "", page.html, flags=re.S)
    assert len(without_data) > 20_000 and not re.search(r"https?://|src=|@import|url\(", without_data)
    assert "default-src 'none'" in page.html


def test_notebooks_and_temporary_files() -> None:
    page = explore(small()[2])
    try:
        assert page.path.suffix == ".html" and str(page) == f"the graph is in {page.path}"
        assert page._repr_html_().startswith("<iframe") and "<script" not in page._repr_html_()
    finally:
        page.path.unlink()


def test_names_of_variables_reach_the_page() -> None:
    weight = torch.ones(2, requires_grad=True)
    product = weight * 3
    told = data_of((product.sum(),), names(caller()), None)
    assert {v["n"]: v["l"] for v in told["vertices"]}["MulBackward0"] == "product"
    assert any(v["n"] == "weight" for v in told["vertices"])


# ---- the command


def command(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "facula", "explore", *arguments], capture_output=True, text=True, cwd=cwd
    )


TRAINING = """\
import sys
import torch

def main():
    torch.manual_seed(0)
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(3):
        optimizer.zero_grad()
        loss = (model(torch.ones(4, 2)) - 3).pow(2).mean()
        loss.backward()
        print(step, loss.item(), model.bias.item(), model.bias.grad.item())
        optimizer.step()

main()
"""


def command_data(path: Path) -> dict[str, Any]:
    return data(type("Page", (), {"html": path.read_text(encoding="utf-8")}))


def gradient_of_bias(told: dict[str, Any]) -> tuple[float, float]:
    (step,) = [s for s in told["steps"] if told["vertices"][s[0]]["n"] == "model.bias"]
    return told["tensors"][told["vertices"][step[0]]["v"]]["v"][0], told["tensors"][step[4]]["v"][0]


@pytest.mark.parametrize("number", [None, 1, 2])
def test_the_command_shows_a_backward_call_as_it_was(tmp_path: Path, number: int | None) -> None:
    (tmp_path / "train.py").write_text(TRAINING)
    done = command(*(["--backward", str(number)] if number else []), "train.py", "-o", "out.html", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    plain = subprocess.run(
        [sys.executable, "-m", "facula", "run", "train.py"], capture_output=True, text=True, cwd=tmp_path
    )
    *printed, last = done.stdout.splitlines()
    assert printed == plain.stdout.splitlines() and last == "the graph is in out.html"
    told = command_data(tmp_path / "out.html")
    _, loss, bias, gradient = map(float, printed[(number or 3) - 1].split())
    assert told["title"] == f"loss = {loss:.6g}"
    np.testing.assert_allclose(gradient_of_bias(told), [bias, gradient], rtol=1e-6)
    assert {v["m"] for v in told["vertices"] if v["n"] == "AddmmBackward0"} == {"model"}


def test_the_command_shows_a_variable(tmp_path: Path) -> None:
    (tmp_path / "only.py").write_text("import torch\nx = torch.ones(2, requires_grad=True)\ncost = (x * x).sum()\n")
    assert command("only.py", cwd=tmp_path).returncode == 0
    assert command_data(tmp_path / "graph.html")["title"] == "cost = 2"
    assert command("--loss", "cost", "-o", "b.html", "only.py", cwd=tmp_path).returncode == 0
    assert command_data(tmp_path / "b.html")["title"] == "cost = 2"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--loss", "nothing", "p.py"], 1, "the program has no variable nothing at its end"),
        (["--loss", "number", "p.py"], 1, r"takes a tensor, or several in a tuple, but got int"),
        (["--backward", "7", "p.py"], 1, "the program made 0 backward calls, so there is no number 7"),
        (["p.py"], 1, "made no backward call, and none of its variables holds a tensor with a history"),
        (["gone.py"], 2, "can't open file"),
        ([], 2, "explore takes"),
        (["--wrong", "p.py"], 2, "explore takes"),
    ],
)
def test_the_command_says_what_is_wrong(tmp_path: Path, arguments: list[str], code: int, said: str) -> None:
    (tmp_path / "p.py").write_text("import torch\nnumber = 3\n")
    done = command(*arguments, cwd=tmp_path)
    assert done.returncode == code and said in done.stderr and "Traceback" not in done.stderr
