"""A watch: it changes no result, accuses no innocent, and is gone when it is over."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import facula as torch
from facula._core import state

from .op_samples import SAMPLES
from .test_examples import SHORT

ROOT = Path(__file__).parent.parent
CASES = [(name, i) for name, samples in SAMPLES.items() for i in range(len(samples))]


def gradients(sample: Any) -> tuple[list[Any], list[Any]]:
    fn, inputs = sample
    leaves = [x.detach().clone().requires_grad_() for x in inputs]
    torch.manual_seed(0)
    result = fn(*leaves)
    outs = [out for out in (result if isinstance(result, (tuple, list)) else [result]) if out.requires_grad]
    weighted = [(out.abs() if out.is_complex() else out * torch.linspace(0.5, 1, out.numel()).reshape(out.shape)).sum()
                for out in outs]  # fmt: skip
    sum(weighted).backward()
    return [out.numpy(force=True) for out in outs], [leaf.grad for leaf in leaves]


@pytest.mark.parametrize(("name", "i"), CASES, ids=[f"{name}-{i}" for name, i in CASES])
def test_samples_of_operators_are_left_alone(name: str, i: int) -> None:
    """And give what they give unwatched. Only where a gradient is zero it is told."""
    expected = gradients(SAMPLES[name][i])
    with torch.watch(quiet=True) as watch:
        found = gradients(SAMPLES[name][i])
    for a, b in zip(expected[0], found[0], strict=True):
        np.testing.assert_array_equal(a, b)
    for a, b in zip(expected[1], found[1], strict=True):
        assert (a is None) is (b is None)
        assert a is None or torch.equal(a, b)
    kinds = {f.kind for f in watch.report.findings}
    assert kinds <= {"zero"}, str(watch.report)
    assert not kinds or any(g is not None and not g.any() for g in expected[1])


@pytest.mark.parametrize("name", SHORT)
def test_examples_are_left_alone(name: str, tmp_path: Path) -> None:
    script, *more = name.split()
    done = subprocess.run(
        [sys.executable, "-m", "facula", "run", "--explain", "--watch", str(ROOT / "examples" / f"{script}.py"), *more,
         *SHORT[name].split()],
        capture_output=True, text=True, cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(torch.__file__).parent.parent), str(ROOT)])},
    )  # fmt: skip
    assert done.returncode == 0
    assert done.stderr == ""


def test_off_there_is_nothing() -> None:
    before = state.special
    with torch.watch(quiet=True):
        assert state.special == before + 1 and state.watching
        torch.ones(2, requires_grad=True).sum().backward()
    assert state.special == before and state.watch is None and not state.watching and not state.general
    from facula.optim import optimizer

    assert not optimizer._global_optimizer_pre_hooks


def test_an_error_inside_leaves_the_watch_as_it_was() -> None:
    with torch.watch(quiet=True):
        with pytest.raises(RuntimeError):
            torch.ones(2, 3) @ torch.ones(2, 3)
        assert state.watching
    assert not state.watching


SWITCHED = """
import sys
import facula as torch
from facula._core import state

torch.watch(True)
x = torch.zeros(2, requires_grad=True)
x.sqrt().sum().backward()
print("off", file=sys.stderr)
torch.watch(False)
assert state.watch is None
"""


def test_a_switch(tmp_path: Path) -> None:
    """In a process of its own, as it is one for all threads."""
    program = tmp_path / "switched.py"
    program.write_text(SWITCHED)
    told = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True).stderr
    before, _, after = told.partition("off\n")
    assert before == ""
    assert "SqrtBackward0" in after and f"{program}:8" in after


def test_scaled_losses_are_over_when_the_scale_is_updated() -> None:
    """While a loss is scaled its gradients may be infinite, and no longer."""
    scaler = torch.amp.GradScaler("cpu")
    weight = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    scaler.scale(weight.exp().sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    with torch.watch(quiet=True) as watch:
        x = torch.zeros(1, requires_grad=True)
        (torch.sqrt(x) * 0).sum().backward()
    assert watch.report.kind == "not finite"


def test_a_block_prints_what_it_found_at_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    with torch.watch():
        x = torch.tensor([0.0], requires_grad=True)
        x.log().sum().backward()
    assert "log" in capsys.readouterr().err
    with torch.watch():
        (x + 1).log().sum().backward()
    assert not capsys.readouterr().err


def test_only_what_is_asked_for() -> None:
    with torch.watch(nan=False, quiet=True) as watch:
        torch.zeros(1, requires_grad=True).log().sum().backward()
    assert not watch.report
    with torch.watch(cuts=False, changes=False, steps=False, quiet=True) as watch:
        torch.zeros(1, requires_grad=True).log().sum().backward()
    assert watch.report.kind == "not finite"


def test_leaves_know_their_lines_under_watch() -> None:
    with torch.watch(quiet=True):
        x = torch.ones(2)
        w = torch.nn.Parameter(torch.ones(2))
        y = x + 1
    z = w * 2
    number = z.source.line
    assert [t.source.line for t in (x, w, y)] == [number - 3, number - 2, number - 1]
    assert torch.ones(2).source is None


def test_graphs_are_freed_all_the_same() -> None:
    with torch.watch(quiet=True):
        x = torch.ones(2, requires_grad=True)
        y = (x * x).sum()
        y.backward()
        with pytest.raises(RuntimeError, match="second time"):
            y.backward()
        y = (x * x).sum()
        y.backward(retain_graph=True)
        y.backward()
    assert x.grad.tolist() == [6.0, 6.0]


def test_an_array_that_left_a_graph_is_an_array() -> None:
    x = torch.ones(2, requires_grad=True)
    with torch.watch(quiet=True):
        a = (x * 2).detach().numpy()
        back = torch.from_numpy(np.exp(a) + 1)
    assert isinstance(a, np.ndarray)
    assert "numpy" in torch.why(back).cause or "detach" in torch.why(back).cause
