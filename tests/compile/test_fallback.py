"""What cannot be captured runs as it is: with the right answer, its effects once, and one sentence about it."""

from __future__ import annotations

import random
import time
import warnings
from typing import Any

import numpy as np
import pytest

import facula as torch
from facula import nn
from facula._compile.errors import Unsupported

LOG: list[Any] = []


def prints(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    print("seen")
    return y + 1


def logs(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    LOG.append(len(LOG))
    return y + 1


def leaves(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    return torch.from_numpy(np.sin(y.detach().numpy())) + x


def lists(x: torch.Tensor) -> torch.Tensor:
    return x + sum(x.tolist())


def timed(x: torch.Tensor) -> torch.Tensor:
    return x.double() * 0 + time.perf_counter()


def drawn(x: torch.Tensor) -> torch.Tensor:
    return x * random.random()


def drawn_by_numpy(x: torch.Tensor) -> torch.Tensor:
    return x * float(np.random.rand())


def seeds(x: torch.Tensor) -> torch.Tensor:
    torch.manual_seed(5)
    return x * torch.rand(2)


def switches(x: torch.Tensor) -> torch.Tensor:
    torch.set_grad_enabled(False)
    return x * 2


class Counting(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        return x * self.calls


UNCAPTURED = [prints, logs, leaves, lists, timed, drawn, drawn_by_numpy, seeds]


@pytest.mark.parametrize("fn", UNCAPTURED, ids=lambda f: f.__name__)
def test_it_runs_as_it_is_and_says_so_once(fn: Any, capsys: pytest.CaptureFixture[str]) -> None:
    c = torch.compile(fn, backend="eager")
    x = torch.ones(2)
    LOG.clear()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        results = []
        for i in range(3):
            for f in (c, fn):
                random.seed(i)
                np.random.seed(i)
                results.append(f(x))
    assert [str(w.message) for w in told if "test_fallback.py:" not in str(w.message)] == []
    assert len(told) == 1
    if fn is timed:
        assert len({r[0].item() for r in results}) == 6
    else:
        for a, b in zip(results[::2], results[1::2], strict=True):
            assert a.tolist() == b.tolist()
    if fn is prints:
        assert capsys.readouterr().out == "seen\n" * 6
    if fn is logs:
        assert list(range(6)) == LOG


@pytest.mark.parametrize("fn", [prints, lists, timed, drawn, drawn_by_numpy, seeds], ids=lambda f: f.__name__)
def test_whole_or_not_at_all(fn: Any) -> None:
    c = torch.compile(fn, backend="eager", fullgraph=True)
    with pytest.raises(Unsupported, match=r"test_fallback.py:\d+"):
        c(torch.ones(2))


@pytest.mark.parametrize("fn", [leaves, logs], ids=lambda f: f.__name__)
def test_what_pytorch_captures_whole_runs_as_it_is(fn: Any) -> None:
    c = torch.compile(fn, backend="eager", fullgraph=True)
    with pytest.warns(UserWarning, match=r"test_fallback.py:\d+"):
        found = c(torch.ones(2))
    assert found.tolist() == fn(torch.ones(2)).tolist()


def test_modes_that_are_left_on() -> None:
    c = torch.compile(switches, backend="eager")
    x = torch.ones(2, requires_grad=True)
    try:
        with pytest.warns(UserWarning, match="mode"):
            c(x)
        assert not torch.is_grad_enabled()
        torch.set_grad_enabled(True)
        c(x)
        assert not torch.is_grad_enabled()
    finally:
        torch.set_grad_enabled(True)


def test_modules_that_count() -> None:
    m = Counting()
    c = torch.compile(m, backend="eager")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert [c(torch.ones(1)).item() for _ in range(4)] == [1, 2, 3, 4]
    assert m.calls == 4


def test_giving_up_in_the_middle_leaves_everything_as_in_an_eager_call() -> None:
    """Memory written before, gradients recorded before, views made before: all go on to be what they were."""
    w = torch.ones(3, requires_grad=True)
    buffer = torch.zeros(3)

    def fn(x: torch.Tensor) -> Any:
        h = x * 2
        buffer.add_(h.detach())
        y = h * w
        z = torch.zeros(3)
        part = z[1:]
        part += 1
        total = float(np.asarray(y.detach()).sum())
        part += total
        return (y * z).sum(), z, buffer

    c = torch.compile(fn, backend="eager")
    x = torch.ones(3, requires_grad=True)
    with pytest.warns(UserWarning, match="runs eagerly"):
        loss, z, _ = c(x * 1.0)
    loss.backward()
    expected_x, expected_w = x.grad.clone(), w.grad.clone()
    assert buffer.tolist() == [2, 2, 2]
    assert z.tolist() == [0, 7, 7]
    x.grad = w.grad = None
    buffer.zero_()
    fn(x * 1.0)[0].backward()
    assert x.grad.tolist() == expected_x.tolist()  # type: ignore[attr-defined]
    assert w.grad.tolist() == expected_w.tolist()  # type: ignore[attr-defined]


def test_disabled_functions() -> None:
    @torch.compiler.disable
    def outside(x: torch.Tensor) -> torch.Tensor:
        assert not torch.compiler.is_compiling()
        return x + 1

    fn = torch.compile(lambda x: outside(x) * 2, backend="eager")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fn(torch.ones(1)).item() == 4
        assert fn(torch.ones(1)).item() == 4


def test_stances() -> None:
    fn = torch.compile(lambda x: x * 2, backend="eager")
    with torch.compiler.set_stance("force_eager"):
        assert fn(torch.ones(1, requires_grad=True)).grad_fn.name() == "MulBackward0"
    assert fn(torch.ones(1, requires_grad=True)).grad_fn.name() == "CompiledFunctionBackward"
    with torch.compiler.set_stance("fail_on_recompile"), pytest.raises(RuntimeError, match="fail_on_recompile"):
        fn(torch.ones(2))
    with pytest.raises(RuntimeError, match="invalid torch"):
        torch.compiler.set_stance("nope")


def test_bad_arguments() -> None:
    with pytest.raises(RuntimeError, match="Unrecognized mode=nope"):
        torch.compile(lambda x: x, mode="nope")
    with pytest.raises(RuntimeError, match="Either mode or options"):
        torch.compile(lambda x: x, mode="default", options={})
    with pytest.raises(RuntimeError, match="Invalid backend: 'nope'"):
        torch.compile(lambda x: x, backend="nope")
    with pytest.raises(AssertionError, match="A callable function is expected"):
        torch.compile(3)


@pytest.mark.parametrize("bounds", [(-1, 1), (0, 0)])
def test_functions_that_look_through_views_of_numpy(bounds: tuple[int, int]) -> None:
    """They count elements of an array that no operator has made."""
    fn = torch.compile(lambda x: x.histc(3, *bounds), backend="eager")
    for x in (torch.tensor([[0.22], [-0.5], [0.9]]), torch.tensor([[-0.22], [0.95], [1.0]])):
        assert fn(x).tolist() == x.histc(3, *bounds).tolist()


def test_lengths_that_are_tensors() -> None:
    fn = torch.compile(lambda *given: torch.nn.functional.ctc_loss(*given), backend="eager", fullgraph=True)
    torch.manual_seed(0)
    x, t, whole = torch.randn(6, 2, 5).log_softmax(2), torch.tensor([[1, 2, 3], [2, 1, 4]]), torch.tensor([6, 6])
    for lengths in (torch.tensor([3, 3]), torch.tensor([2, 1]), torch.tensor([3, 3])):
        given = (x, t, whole, lengths)
        assert fn(*given).item() == pytest.approx(torch.nn.functional.ctc_loss(*given).item())


def test_hooks_that_fail_do_so_in_the_backward_pass() -> None:
    def hooked(x: torch.Tensor) -> torch.Tensor:
        y = x.exp()
        y.register_hook(lambda g: 1)
        return y * 2

    x = torch.ones(2, requires_grad=True)
    with pytest.warns(UserWarning, match="expected Variable, but hook returned 'int'"):
        y = torch.compile(hooked, backend="numpy")(x)
    assert torch.equal(y, x.exp() * 2)
    with pytest.raises(TypeError, match="expected Variable, but hook returned 'int'"):
        y.sum().backward()
