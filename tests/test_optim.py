"""Optimizers: how parameters and state lie in memory, and what copies and threads do to that."""

from __future__ import annotations

import copy
import io
import pickle
import threading
from typing import Any

import numpy as np
import pytest

import facula
from facula import nn, optim
from facula.optim import _passes


def params_of(*sizes: int) -> list[Any]:
    return [nn.Parameter(facula.linspace(-1, 1, n)) for n in sizes]


def run(optimizer: Any, params: list[Any], steps: int = 4) -> None:
    for t in range(steps):
        for p in params:
            p.grad = (p * 2 + t).detach()
        optimizer.step()


MODES: list[tuple[Any, dict[str, Any]]] = [
    (optim.SGD, {"momentum": 0.9}), (optim.Adam, {"amsgrad": True}), (optim.AdamW, {}), (optim.NAdam, {}),
    (optim.RAdam, {}), (optim.Adadelta, {}), (optim.Adagrad, {}), (optim.RMSprop, {"centered": True, "momentum": 0.5}),
    (optim.ASGD, {"t0": 2}), (optim.Rprop, {}), (optim.Adamax, {}),
]  # fmt: skip


@pytest.mark.parametrize(("cls", "mode"), MODES)
def test_together_or_alone_is_the_same(cls: Any, mode: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    together = params_of(3, 5, 1, 40)
    run(cls(together, lr=0.1, **mode), together)
    alone = params_of(3, 5, 1, 40)
    monkeypatch.setattr(_passes, "TILE", 7)
    for p in alone:
        run(cls([p], lr=0.1, **mode), [p])
    for p, q in zip(together, alone):
        np.testing.assert_array_equal(p.detach().numpy(), q.detach().numpy())


@pytest.mark.parametrize(("cls", "mode"), MODES)
def test_arrays_and_tensors_compute_the_same(cls: Any, mode: dict[str, Any]) -> None:
    as_arrays = [p.double().detach().requires_grad_() for p in params_of(3, 5)]
    run(cls(as_arrays, lr=0.1, **mode), as_arrays)
    starts = [p.double().detach().requires_grad_() for p in params_of(3, 5)]
    as_tensors = [p * 1 for p in starts]
    optimizer = cls(as_tensors, lr=0.1, differentiable=True, **mode)
    for p in as_tensors:
        p.retain_grad()
    run(optimizer, as_tensors)
    for p, q in zip(as_arrays, as_tensors):
        np.testing.assert_allclose(p.detach().numpy(), q.detach().numpy(), rtol=1e-12)


def test_parameters_keep_their_memory() -> None:
    params = params_of(3, 4, 5)
    views = [p.detach().numpy() for p in params]
    run(optim.Adam(params, lr=0.1), params)
    for p, view in zip(params, views):
        assert p.detach().numpy() is not view
        np.testing.assert_array_equal(p.detach().numpy(), view)


def test_state_tensors_stay_the_same_objects() -> None:
    params = params_of(3, 4)
    optimizer = optim.Adam(params, lr=0.1)
    run(optimizer, params, 1)
    kept = [optimizer.state[p]["exp_avg"] for p in params]
    values = [t.tolist() for t in kept]
    run(optimizer, params)
    assert all(optimizer.state[p]["exp_avg"] is t for p, t in zip(params, kept))
    assert [t.tolist() for t in kept] != values


def test_state_of_small_parameters_is_saved_alone() -> None:
    params = params_of(3, 4)
    optimizer = optim.Adam(params, lr=0.1)
    run(optimizer, params)
    file = io.BytesIO()
    facula.save(optimizer.state_dict(), file)
    file.seek(0)
    loaded = facula.load(file)
    assert loaded["state"][1]["exp_avg"].tolist() == optimizer.state[params[1]]["exp_avg"].tolist()
    other_params = params_of(3, 4)
    other = optim.Adam(other_params, lr=0.1)
    with facula.no_grad():
        for p, q in zip(other_params, params):
            p.copy_(q)
    other.load_state_dict(loaded)
    run(optimizer, params)
    run(other, other_params)
    assert [p.tolist() for p in other_params] == [p.tolist() for p in params]


def test_saved_state_in_a_graph_is_guarded() -> None:
    params = params_of(3, 4)
    optimizer = optim.Adam(params, lr=0.1)
    run(optimizer, params, 1)
    x = facula.ones(3, requires_grad=True)
    loss = (x * optimizer.state[params[0]]["exp_avg"]).sum()
    run(optimizer, params, 1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_errors_name_the_line_of_the_step() -> None:
    (p,) = params_of(3)
    optimizer = optim.SGD([p], lr=0.1)
    loss = (p * p).sum()
    p.grad = facula.ones(3)
    optimizer.step()  # this line
    with pytest.raises(RuntimeError, match=r"test_optim\.py"):
        loss.backward()


def test_copies_are_independent() -> None:
    params = params_of(3, 4)
    optimizer = optim.Adam(params, lr=0.1)
    run(optimizer, params)
    for other in (copy.deepcopy(optimizer), pickle.loads(pickle.dumps(optimizer))):
        before = [p.tolist() for p in params]
        run(other, other.param_groups[0]["params"])
        assert [p.tolist() for p in params] == before
        assert not {"_plans", "_scratch"} & other.__getstate__().keys()


def test_model_and_optimizer_copied_together_stay_together() -> None:
    model = nn.Linear(2, 1)
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    other_model, other = copy.deepcopy((model, optimizer))
    assert other.param_groups[0]["params"][0] is other_model.weight


def test_threads_step_their_own_optimizers() -> None:
    def work(n: int, found: list[Any]) -> None:
        params = params_of(n, n + 1, 70_000)
        run(optim.Adam(params, lr=0.1), params, 3)
        found.append([p.detach().numpy().copy() for p in params])

    expected: list[Any] = []
    work(5, expected)
    found: list[Any] = []
    threads = [threading.Thread(target=work, args=(5, found)) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for arrays in found:
        for a, b in zip(arrays, expected[0]):
            np.testing.assert_array_equal(a, b)


def test_parameters_that_freeze_and_thaw() -> None:
    params = params_of(3, 4, 5)
    optimizer = optim.Adam(params, lr=0.1)
    for t in range(6):
        for i, p in enumerate(params):
            p.grad = None if i == t % 3 else facula.ones(p.shape)
        optimizer.step()
    assert [optimizer.state[p]["step"].item() for p in params] == [4, 4, 4]
    assert [p._version for p in params] == [4, 4, 4]


def test_half_precision_parameters() -> None:
    for dtype in (facula.float16, facula.bfloat16):
        params = [nn.Parameter(facula.linspace(-1, 1, 5).to(dtype)), nn.Parameter(facula.ones(3))]
        optimizer = optim.AdamW(params, lr=0.1)
        run(optimizer, params)
        assert params[0].dtype == dtype
        assert optimizer.state[params[0]]["exp_avg"].dtype == dtype
        assert abs(params[0][4].item() - params[1][0].item()) < 0.01


def test_gradient_scalers_are_heeded() -> None:
    (p,) = params_of(3)
    optimizer = optim.SGD([p], lr=1.0, fused=True)
    assert optimizer._step_supports_amp_scaling
    before = p.tolist()
    p.grad = facula.full((3,), 8.0)
    optimizer.grad_scale, optimizer.found_inf = facula.tensor(4.0), facula.tensor(1.0)  # type: ignore[attr-defined]
    optimizer.step()
    assert p.tolist() == before
    optimizer.found_inf = facula.tensor(0.0)  # type: ignore[attr-defined]
    optimizer.step()
    assert p.tolist() == [v - 2.0 for v in before]


def test_swapped_in_parameters_and_state() -> None:
    model = nn.Linear(2, 1)
    optimizer = optim.Adam(model.named_parameters(), lr=0.1)
    for p in model.parameters():
        p.grad = facula.ones(p.shape)
    optimizer.step()
    before = model.weight.tolist()
    others = {name: p.detach().clone().requires_grad_() for name, p in model.named_parameters()}
    for other in others.values():
        other.grad = facula.ones(other.shape)
    state = copy.deepcopy(optimizer.state_dict())
    with optim.swap_in_optimizer_params_and_state(optimizer, others, state):
        optimizer.step()
    assert model.weight.tolist() == before
    assert others["weight"].tolist() != before
    assert state["state"][0]["step"].item() == 2
    assert optimizer.state[model.weight]["step"].item() == 1
    wrong = {**state, "param_groups": []}
    with (
        pytest.raises(RuntimeError, match="different number of parameter groups"),
        optim.swap_in_optimizer_params_and_state(optimizer, others, wrong),
    ):
        pass
