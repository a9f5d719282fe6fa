"""What a compiled function reads is looked at in every call: changed, it never gives the answer of before."""

from __future__ import annotations

import types
from typing import Any

import pytest

import facula as torch
from facula import nn
from facula._compile import settings

SCALE = 2.0
TABLE = {"scale": 2.0}
LIST = [1.0, 2.0]
TENSOR = torch.ones(2)
CONFIG = types.SimpleNamespace(inner=types.SimpleNamespace(scale=2.0))


def compiled(fn: Any) -> Any:
    return torch.compile(fn, backend="eager")


def test_globals(monkeypatch: pytest.MonkeyPatch) -> None:
    fn = compiled(lambda x: x * SCALE)
    assert fn(torch.ones(1)).item() == 2
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    assert fn(torch.ones(1)).item() == 3


def helper(x: torch.Tensor) -> torch.Tensor:
    return x * SCALE


def test_globals_of_functions_that_are_called(monkeypatch: pytest.MonkeyPatch) -> None:
    fn = compiled(lambda x: helper(x) + 1)
    assert fn(torch.ones(1)).item() == 3
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    assert fn(torch.ones(1)).item() == 4
    monkeypatch.setitem(globals(), "helper", lambda x: x)
    assert fn(torch.ones(1)).item() == 2


def test_closures() -> None:
    scale, items, t = 2.0, [1.0], torch.ones(1)

    @compiled
    def fn(x: torch.Tensor) -> torch.Tensor:
        return x * scale + len(items) + items[0] + t

    assert fn(torch.ones(1)).item() == 5
    scale = 3.0
    assert fn(torch.ones(1)).item() == 6
    items.append(1.0)
    assert fn(torch.ones(1)).item() == 7
    items[0] = 5.0
    assert fn(torch.ones(1)).item() == 11
    t.add_(1)
    assert fn(torch.ones(1)).item() == 12
    t = torch.zeros(1)
    assert fn(torch.ones(1)).item() == 10


def test_containers_and_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    fn = compiled(lambda x: x * TABLE["scale"] + sum(LIST) + CONFIG.inner.scale + TENSOR)
    assert fn(torch.zeros(2)).tolist() == [6, 6]
    monkeypatch.setitem(TABLE, "scale", 4.0)
    assert fn(torch.ones(2)).tolist() == [10, 10]
    monkeypatch.setattr(CONFIG.inner, "scale", 0.0)
    assert fn(torch.ones(2)).tolist() == [8, 8]
    LIST.append(1.0)
    try:
        assert fn(torch.ones(2)).tolist() == [9, 9]
    finally:
        LIST.pop()
    TENSOR[0] = 5
    try:
        assert fn(torch.ones(2)).tolist() == [12, 8]
    finally:
        TENSOR[0] = 1


class Scaled(nn.Module):
    shift = 0.0

    def __init__(self) -> None:
        super().__init__()
        self.inner: Any = nn.Linear(1, 1, bias=False)
        self.factor = 2.0
        self.factors = [1.0]
        self.register_buffer("offset", torch.zeros(1))
        nn.init.ones_(self.inner.weight)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.inner(x) * self.factor + self.offset + len(self.factors) + self.shift
        return y * 10 if self.training else y


def test_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "recompile_limit", 100)
    m = Scaled()
    c = compiled(m)
    x = torch.ones(1)

    def both() -> float:
        assert c(x).item() == m(x).item()
        return float(c(x).item())

    assert both() == 30
    m.eval()
    assert both() == 3
    m.factor = 3.0
    assert both() == 4
    with torch.no_grad():
        m.inner.weight.fill_(2)
    assert both() == 7
    m.inner.weight = nn.Parameter(torch.ones(1, 1))
    assert both() == 4
    m.offset = torch.ones(1)
    assert both() == 5
    m.offset += 1
    assert both() == 6
    m.factors.append(1.0)
    assert both() == 7
    m.inner = nn.Identity()
    assert both() == 7
    monkeypatch.setattr(Scaled, "shift", 1.0)
    assert both() == 8
    handle = m.inner.register_forward_hook(lambda m, i, o: o * 2)
    assert both() == 11
    handle.remove()
    assert both() == 8
    m.load_state_dict({"offset": torch.zeros(1)})
    assert both() == 6


def test_kinds_of_arguments() -> None:
    @compiled
    def fn(x: torch.Tensor, k: Any = 1, *rest: Any, **named: Any) -> Any:
        return x * k if k else x, len(rest), sorted(named)

    x = torch.ones(2)
    for args, kwargs in (
        ((x,), {}), ((x, 2), {}), ((x, 2.0), {}), ((x, True), {}), ((x, None), {}), ((x, 2, 3), {}), ((x, 2), {"a": 1}),
        ((x.double(), 2), {}), ((x.int(), 2), {}), ((torch.ones(3), 2), {}), ((torch.ones(2, 2).t(), 2), {}),
    ):  # fmt: skip
        torch.compiler.reset()
        for _ in range(2):
            y, n, names = fn(*args, **kwargs)
            expected, m, others = fn.__wrapped__(*args, **kwargs)
            assert (y.dtype, y.tolist(), n, names) == (expected.dtype, expected.tolist(), m, others)
    torch.compiler.reset()
    kinds = [fn(v, 2)[0].dtype for v in (x, x.double(), x.int(), x)]
    assert kinds == [torch.float32, torch.float64, torch.int32, torch.float32]


def test_structures_of_arguments() -> None:
    fn = compiled(lambda xs: sum(v.sum() for v in (xs.values() if isinstance(xs, dict) else xs)))
    one = torch.ones(1)
    assert fn([one]).item() == 1
    assert fn([one, one]).item() == 2
    assert fn([one, one * 3]).item() == 4
    assert fn({"a": one, "b": one * 5}).item() == 6
    assert fn((one,)).item() == 1


def test_one_tensor_given_twice() -> None:
    @compiled
    def fn(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.add_(1)
        return a * b

    x = torch.ones(1)
    assert fn(torch.ones(1), torch.ones(1)).item() == 2
    assert fn(x, x).item() == 4
    assert fn(torch.ones(1), torch.ones(1)).item() == 2


def test_grad_mode_and_requires_grad() -> None:
    fn = compiled(lambda x: x * 2)
    x, y = torch.ones(1), torch.ones(1, requires_grad=True)
    assert not fn(x).requires_grad
    assert fn(y).requires_grad
    with torch.no_grad():
        assert not fn(y).requires_grad
    with torch.inference_mode():
        assert fn(x).is_inference()
    assert not fn(x).is_inference()
    assert fn(y).requires_grad
    y.requires_grad_(False)
    assert not fn(y).requires_grad


def test_autocast_and_default_dtype() -> None:
    fn = compiled(lambda x: x @ x)
    made = compiled(lambda x: x + torch.ones(2))
    x = torch.ones(2, 2)
    assert fn(x).dtype is torch.float32
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert fn(x).dtype is torch.bfloat16
    assert fn(x).dtype is torch.float32
    assert made(torch.ones(2, dtype=torch.int64)).dtype is torch.float32
    torch.set_default_dtype(torch.float64)
    try:
        assert made(torch.ones(2, dtype=torch.int64)).dtype is torch.float64
    finally:
        torch.set_default_dtype(torch.float32)


def test_gradients_there_before() -> None:
    w = torch.ones(2, requires_grad=True)

    @compiled
    def fn(x: torch.Tensor) -> None:
        (w * x).sum().backward()

    for i in range(1, 5):
        fn(torch.ones(2))
        assert w.grad.tolist() == [i, i]
    w.grad = None
    fn(torch.ones(2))
    assert w.grad.tolist() == [1, 1]  # type: ignore[attr-defined]


def test_settings_of_an_optimizer() -> None:
    def run(compiling: bool) -> list[float]:
        w = torch.ones(1, requires_grad=True)
        optimizer = torch.optim.SGD([w], 0.1)

        def step() -> None:
            optimizer.zero_grad()
            (w * w).sum().backward()
            optimizer.step()

        fn = compiled(step) if compiling else step
        found = []
        for i in range(8):
            if i == 3:
                optimizer.param_groups[0]["lr"] = 0.01
            if i == 5:
                optimizer.param_groups[0]["weight_decay"] = 0.5
            if i == 7:
                optimizer.param_groups[0]["maximize"] = True
            fn()
            found.append(w.item())
        return found

    assert run(True) == pytest.approx(run(False), rel=1e-6)


def test_many_kinds_of_calls_end_in_eager_ones() -> None:
    fn = torch.compile(lambda x: x * 2, backend="eager", dynamic=False)
    with pytest.warns(UserWarning, match="programs already"):
        for n in range(1, 12):
            assert fn(torch.ones(n)).sum().item() == 2 * n
    assert len(fn.compiled.programs) == 8


@pytest.mark.parametrize("kind", [torch.optim.SGD, torch.optim.Adam])
def test_a_step_over_parameters_too_large_to_print_whole(kind: Any) -> None:
    """State is kept by parameter, and nobody looks at the numbers of a key."""

    def run(compiling: bool) -> Any:
        torch.manual_seed(0)
        net = nn.Linear(60, 40)
        optimizer = kind(net.parameters(), lr=0.1)
        x, y = torch.randn(8, 60), torch.arange(8)

        def step() -> Any:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(x), y)
            loss.backward()
            optimizer.step()
            return loss

        fn = torch.compile(step, backend="eager", fullgraph=True) if compiling else step
        return [fn().item() for _ in range(3)]

    assert run(True) == pytest.approx(run(False), rel=1e-5)
