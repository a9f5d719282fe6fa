"""Modules and optimizers: plain checks, and the same small trainings beside PyTorch where it is installed."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from typing import Any

import numpy as np
import pytest

import facula
from facula import nn, optim


def test_linear_learns_a_line() -> None:
    x = facula.tensor([[0.0], [1.0], [2.0], [3.0]])
    y = x * 2 + 1
    model = nn.Linear(1, 1)
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    for _ in range(400):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
    assert model.weight.item() == pytest.approx(2, abs=1e-2)
    assert model.bias.item() == pytest.approx(1, abs=2e-2)


def test_initial_values_of_linear_are_bounded_and_repeatable() -> None:
    facula.manual_seed(3)
    a = nn.Linear(16, 8)
    facula.manual_seed(3)
    b = nn.Linear(16, 8)
    assert a.weight.tolist() == b.weight.tolist()
    assert a.weight.abs().max().item() <= 0.25
    assert a.bias.abs().max().item() <= 0.25


def test_parameter_keeps_its_attributes_when_pickled() -> None:
    p: Any = nn.Parameter(facula.tensor([1.0]))
    p.note = "mine"
    q = pickle.loads(pickle.dumps(p))
    assert q.note == "mine"
    assert isinstance(q, nn.Parameter)


def test_deepcopy_of_shared_parameters_keeps_them_shared() -> None:
    a, b = nn.Linear(2, 2), nn.Linear(2, 2)
    b.weight = a.weight
    copied = copy.deepcopy(nn.Sequential(a, b))
    assert copied[0].weight is copied[1].weight
    assert copied[0].weight is not a.weight


def test_modules_are_freed_without_the_garbage_collector() -> None:
    gc.collect()
    gc.disable()
    try:
        model = nn.Sequential(nn.Linear(2, 2), nn.Tanh())
        model(facula.ones(1, 2)).sum().backward()
        reference = weakref.ref(model)
        del model
        assert reference() is None
    finally:
        gc.enable()


def test_optimizer_changes_parameters_in_place() -> None:
    p = nn.Parameter(facula.tensor([1.0, 2.0]))
    pointer = p.data_ptr()
    for make in (optim.SGD, optim.Adam, optim.AdamW):
        p.grad = facula.ones(2)
        make([p], lr=0.1).step()
        assert p.data_ptr() == pointer


def test_optimizer_state_is_by_parameter_not_by_value() -> None:
    p, q = nn.Parameter(facula.ones(1)), nn.Parameter(facula.ones(1))
    o = optim.SGD([p, q], lr=0.1, momentum=0.9)
    p.grad = facula.ones(1)
    o.step()
    assert list(o.state) == [p]


def test_differentiable_step() -> None:
    """A gradient through a step: d/d(lr) of the loss after it."""
    start = facula.tensor([3.0], requires_grad=True)
    lr = facula.tensor(0.1, requires_grad=True)
    p = start.clone()
    p.retain_grad()
    (p * p).sum().backward(retain_graph=True)
    p.grad = p.grad.detach()
    optim.SGD([p], lr=lr, differentiable=True).step()
    (p * p).sum().backward()
    assert lr.grad is not None
    assert lr.grad.item() == pytest.approx(2 * 2.4 * -6)


def test_module_to_meta_makes_new_parameters() -> None:
    m = nn.Linear(2, 3)
    weight = m.weight
    m.to("meta")
    assert m.weight.is_meta
    assert m.weight is not weight
    assert m.weight.requires_grad


def test_half_precision_module() -> None:
    m = nn.Linear(2, 3).half()
    assert m(facula.ones(1, 2, dtype=facula.float16)).dtype == facula.float16


# ---- beside PyTorch


def both(program: Any) -> tuple[Any, Any]:
    torch = pytest.importorskip("torch")
    return program(facula), program(torch)


MODELS = {
    "linear": lambda nn: nn.Linear(4, 2),
    "relu": lambda nn: nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)),
    "deep": lambda nn: nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 8), nn.Sigmoid(), nn.Linear(8, 2)),
    "softmax": lambda nn: nn.Sequential(nn.Linear(4, 2), nn.Softmax(dim=1)),
}

OPTIMIZERS = {
    "sgd": lambda o, p: o.SGD(p, lr=0.1),
    "momentum": lambda o, p: o.SGD(p, lr=0.05, momentum=0.9, weight_decay=0.01),
    "nesterov": lambda o, p: o.SGD(p, lr=0.05, momentum=0.9, nesterov=True),
    "adam": lambda o, p: o.Adam(p, lr=0.01),
    "amsgrad": lambda o, p: o.Adam(p, lr=0.01, amsgrad=True, weight_decay=0.1),
    "adamw": lambda o, p: o.AdamW(p, lr=0.01),
}


@pytest.mark.parametrize("loss", ["mse_loss", "l1_loss"])
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("model", MODELS)
def test_training_follows_pytorch(model: str, optimizer: str, loss: str) -> None:
    random = np.random.default_rng(0)
    x, y = random.standard_normal((16, 4)), random.standard_normal((16, 2))
    weights = [random.standard_normal(100) * 0.5 for _ in range(8)]

    def train(torch: Any) -> list[Any]:
        net = MODELS[model](torch.nn).double()
        with torch.no_grad():
            for p, w in zip(net.parameters(), weights):
                p.copy_(torch.tensor(w[: p.numel()].reshape(tuple(p.shape))))
        o = OPTIMIZERS[optimizer](torch.optim, net.parameters())
        inputs, targets = torch.tensor(x), torch.tensor(y)
        losses = []
        for _ in range(20):
            o.zero_grad()
            value = getattr(torch.nn.functional, loss)(net(inputs), targets)
            value.backward()
            o.step()
            losses.append(value.item())
        return [losses, *(p.detach().numpy().copy() for p in net.parameters())]

    ours, theirs = both(train)
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-9)


def test_state_moves_between_the_libraries() -> None:
    torch = pytest.importorskip("torch")
    theirs = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
    ours = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    ours.load_state_dict({k: facula.tensor(v.numpy()) for k, v in theirs.state_dict().items()})
    x = np.random.default_rng(1).standard_normal((5, 3)).astype(np.float32)
    np.testing.assert_allclose(
        ours(facula.tensor(x)).detach().numpy(), theirs(torch.tensor(x)).detach().numpy(), rtol=1e-5, atol=1e-6
    )


def test_printing_of_a_large_module_agrees() -> None:
    def program(torch: Any) -> str:
        nn = torch.nn
        block = nn.Sequential(nn.Linear(4, 4), nn.ModuleDict({"a": nn.ReLU(), "b": nn.ModuleList([nn.Tanh()] * 3)}))
        return repr(nn.Sequential(block, nn.Flatten(), block, nn.Dropout(0.1), nn.MSELoss()))

    ours, theirs = both(program)
    assert ours == theirs
