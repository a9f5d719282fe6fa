"""Arrays of small results are written to again by later calls, but never while somebody can see them."""

from __future__ import annotations

import threading
import weakref
from typing import Any

import numpy as np
import pytest

import facula as torch
from facula._compile.c import build as c_build

pytestmark = pytest.mark.skipif(not c_build.has_compiler(), reason="needs a C compiler")


@pytest.fixture(autouse=True)
def library(with_library: None) -> None:
    pass


@pytest.fixture(params=["directly", "through ctypes"])
def double(request: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    if request.param == "through ctypes":
        monkeypatch.setattr(c_build, "_is_direct", lambda dll: False)
    fn = torch.compile(lambda x: x * 2, backend="c", dynamic=False)
    fn(torch.ones(3))
    return fn


def test_results_that_are_held(double: Any) -> None:
    held = [double(torch.full((3,), float(i))) for i in range(6)]
    assert [t.tolist() for t in held] == [[2.0 * i] * 3 for i in range(6)]
    assert len({t.data_ptr() for t in held}) == 6


@pytest.mark.parametrize(
    "holding",
    [
        lambda t: t.numpy(), lambda t: t.numpy()[1:], lambda t: t.detach(), lambda t: t[1:], lambda t: t.view(3, 1),
        lambda t: memoryview(t.numpy()), lambda t: np.asarray(t), lambda t: torch.from_numpy(t.numpy()),
        lambda t: t.untyped_storage(), lambda t: np.from_dlpack(t.detach()),
    ],
)  # fmt: skip
def test_what_shares_their_memory(double: Any, holding: Any) -> None:
    """However little is left of a result."""
    held = [holding(double(torch.full((3,), float(i)))) for i in range(5)]
    read = [np.asarray(h.tolist() if hasattr(h, "tolist") else list(h)) for h in held]
    if isinstance(held[0], torch.UntypedStorage):
        expected = [list(np.full(3, 2.0 * i, np.float32).tobytes()) for i in range(5)]
        assert [r.tolist() for r in read] == expected
    else:
        assert [set(r.ravel().tolist()) for r in read] == [{2.0 * i} for i in range(5)]


def test_arrays_that_somebody_has_changed(double: Any) -> None:
    """Their shape, dtype and flags belong to whoever had them."""

    def spoil(array: Any, i: int) -> None:
        if i == 0:
            array.shape = (3, 1)
        elif i == 1:
            array.dtype = np.int32
        elif i == 2:
            array.flags.writeable = False

    for i in range(12):
        result = double(torch.full((3,), float(i)))
        assert result.tolist() == [2.0 * i] * 3
        assert result.dtype == torch.float32 and result.numpy().flags.writeable
        spoil(result.numpy(), i % 4)


def test_what_is_seen_by_a_weak_reference(double: Any) -> None:
    array = double(torch.ones(3))._array
    seen = weakref.ref(array)
    del array
    for i in range(4):
        result = double(torch.full((3,), float(i)))
        assert seen() is None or seen() is not result._array


def test_gradients_of_a_step() -> None:
    w = torch.ones(3, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)

    @torch.compile(backend="c")
    def step(x: Any) -> Any:
        optimizer.zero_grad()
        loss = (w * x).sum()
        loss.backward()
        optimizer.step()
        return loss

    grads, losses, expected = [], [], []
    for i in range(8):
        before = w.detach().clone()
        losses.append(step(torch.full((3,), float(i))))
        expected.append((before * i).sum().item())
        grads.append(w.grad)
    assert [g.tolist() for g in grads] == [[float(i)] * 3 for i in range(8)]
    assert [loss.item() for loss in losses] == pytest.approx(expected)
    del grads, losses
    for i in range(6):
        loss = step(torch.full((3,), float(i)))
        node = loss.grad_fn
        assert w.grad.tolist() == [float(i)] * 3
        with pytest.raises(RuntimeError, match="second time"):
            loss.backward()
        assert loss.grad_fn is node and node.name() == "CompiledFunctionBackward"


def test_what_backward_saved(double: Any) -> None:
    """Saved values of several calls, each used once."""
    fn = torch.compile(lambda x: (x.exp() * 3).tanh(), backend="c", dynamic=False)
    xs = [torch.full((3,), 0.1 * i, requires_grad=True) for i in range(5)]
    results = [fn(x) for x in xs]
    for x, result in zip(xs, results):
        result.sum().backward()
        other = x.detach().clone().requires_grad_()
        (other.exp() * 3).tanh().sum().backward()
        assert torch.allclose(x.grad, other.grad, rtol=1e-3)  # type: ignore[arg-type]


def test_several_threads(double: Any) -> None:
    wrong = []

    def work(k: int) -> None:
        for i in range(300):
            result = double(torch.full((3,), float(k * 1000 + i)))
            if result.tolist() != [2.0 * (k * 1000 + i)] * 3:
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong
