"""All that a step of an optimizer depends on is looked at in every call."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

import facula as torch

SCALE = 1.0


class Plain(torch.optim.Optimizer):
    """As a user writes one."""

    def __init__(self, params: Any, lr: Any) -> None:
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.add_(p.grad, alpha=-group["lr"] * SCALE)


class Counting(Plain):
    """One whose state is a number of Python's."""

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    state = self.state[p]
                    state["n"] = state.get("n", 0) + 1
                    p.add_(p.grad, alpha=-group["lr"] / state["n"])


class Momentum(Plain):
    """One that makes its state, tensors, in the first step."""

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    state = self.state[p]
                    if "sum" not in state:
                        state["sum"] = torch.zeros_like(p)
                    state["sum"].mul_(0.9).add_(p.grad)
                    p.add_(state["sum"], alpha=-group["lr"])


class Descent(torch.optim.SGD):
    """One of facula's with a step of the user's."""

    step = Plain.step


MAKERS: dict[str, Callable[..., Any]] = {
    "SGD": lambda p: torch.optim.SGD(p, lr=0.1),
    "whole lr": lambda p: torch.optim.SGD(p, lr=1),
    "tensor lr": lambda p: torch.optim.SGD(p, lr=torch.tensor(0.1)),
    "momentum": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9),
    "Adam": lambda p: torch.optim.Adam(p, lr=0.1),
    "Descent": lambda p: Descent(p, lr=0.1),
    "Plain": lambda p: Plain(p, lr=0.1),
    "Counting": lambda p: Counting(p, lr=0.1),
    "Momentum": lambda p: Momentum(p, lr=0.1),
}


def _nothing(optimizer: Any, v: Any) -> None:
    pass


def _rate(optimizer: Any, v: Any) -> None:
    group = optimizer.param_groups[0]
    group["lr"] = torch.tensor(0.5) if isinstance(group["lr"], torch.Tensor) else 2


def _load(optimizer: Any, v: Any) -> None:
    kept = copy.deepcopy(optimizer.state_dict())
    kept["param_groups"][0]["lr"] = 0.5
    optimizer.load_state_dict(kept)


def _add_group(optimizer: Any, v: Any) -> None:
    optimizer.add_param_group({"params": [v]})


def _exchange(optimizer: Any, v: Any) -> None:
    """Another parameter in the place of one, with its state, as programs do that grow their parameters."""
    (old,) = optimizer.param_groups[0]["params"]
    state = optimizer.state.pop(old, None)
    optimizer.param_groups[0]["params"][0] = v
    if state is not None:
        optimizer.state[v] = state


def _hook(optimizer: Any, v: Any) -> None:
    def halve(optimizer: Any, *given: Any) -> None:
        for group in optimizer.param_groups:
            for p in group["params"]:
                p.grad = p.grad / 2

    optimizer.register_step_pre_hook(halve)


def _forget(optimizer: Any, v: Any) -> None:
    optimizer.state.clear()


@pytest.mark.filterwarnings("ignore:compile")
@pytest.mark.parametrize("change", [_nothing, _rate, _load, _add_group, _exchange, _hook, _forget])
@pytest.mark.parametrize("name", MAKERS)
def test_changes_of_an_optimizer_are_seen(name: str, change: Callable[[Any, Any], None]) -> None:
    def run(compiling: bool) -> list[Any]:
        w, v = torch.ones(2, requires_grad=True), torch.full((2,), 2.0, requires_grad=True)
        optimizer = MAKERS[name]([w])

        def step() -> Any:
            optimizer.zero_grad()
            loss = (w * w).sum() + (v * v * v).sum()
            loss.backward()
            optimizer.step()
            return loss

        fn = torch.compile(step, backend="eager") if compiling else step
        found = []
        for i in range(7):
            if i == 4:
                change(optimizer, v)
            found += [fn().item(), *w.tolist(), *v.tolist()]
        return found

    assert run(True) == pytest.approx(run(False), rel=1e-5)


@pytest.mark.parametrize("name", ["SGD", "Plain"])
def test_a_gradient_from_elsewhere(name: str) -> None:
    """A parameter had none in the captured call, and the function does not give it one."""

    def run(compiling: bool) -> list[Any]:
        w, v = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
        optimizer = MAKERS[name]([w, v])

        def step() -> None:
            w.grad = None
            (w * w).sum().backward()
            optimizer.step()

        fn = torch.compile(step, backend="eager") if compiling else step
        found = []
        for i in range(6):
            if i == 3:
                v.grad = torch.ones(2)
            if i == 5:
                v.grad = None
            fn()
            found += [*w.tolist(), *v.tolist()]
        return found

    assert run(True) == pytest.approx(run(False), rel=1e-6)


def test_what_a_decorated_function_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    @torch.no_grad()
    def scaled(x: Any) -> Any:
        return x * SCALE

    fn = torch.compile(lambda x: scaled(x), backend="eager")
    assert fn(torch.ones(1)).item() == 1
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    assert fn(torch.ones(1)).item() == 3


def test_a_global_that_is_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    fn = torch.compile(lambda x: x * SCALE, backend="eager")
    fn(torch.ones(1))
    monkeypatch.delitem(globals(), "SCALE")
    with pytest.raises(NameError, match="name 'SCALE' is not defined"):
        fn(torch.ones(1))
