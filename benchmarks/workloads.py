"""The workloads. Each takes the library and returns (a function that does one step, how many operations it has).

The function returns a tensor whose first element must be the same on both libraries.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

Workload = Callable[[Any], tuple[Callable[[], Any], int]]
WORKLOADS: dict[str, Workload] = {}


def workload(fn: Workload) -> Workload:
    WORKLOADS[fn.__name__] = fn
    return fn


def _products(x: Any, b: Any, operations: int = 100) -> Callable[[], Any]:
    """A chain of multiplications."""

    def step() -> Any:
        z = x
        for _ in range(operations):
            z = z * b
        return z

    return step


def _sums_of_tanh(x: Any, b: Any) -> Callable[[], Any]:
    """tanh and add in turn, 50 times each."""

    def step() -> Any:
        z = x
        for _ in range(50):
            z = z.tanh() + b
        return z

    return step


def _and_backward(torch: Any, x: Any, forward: Callable[[], Any]) -> Callable[[], Any]:
    """The same, then the gradient of its leaf ``x``."""
    one = torch.ones(4)

    def step() -> Any:
        x.grad = None
        z = forward()
        z.backward(one)
        return x.grad

    return step


@workload
def chain_mul_forward(torch: Any) -> tuple[Callable[[], Any], int]:
    """100 multiplications on 4 floats, nothing recorded."""
    return _products(torch.ones(4), torch.full((4,), 0.999)), 100


@workload
def chain_mul_no_grad(torch: Any) -> tuple[Callable[[], Any], int]:
    """The same on a leaf that requires grad, under no_grad."""
    forward = _products(torch.ones(4, requires_grad=True), torch.full((4,), 0.999))

    def step() -> Any:
        with torch.no_grad():
            return forward()

    return step, 100


@workload
def chain_mul_recorded(torch: Any) -> tuple[Callable[[], Any], int]:
    """The same on a leaf that requires grad, recorded: a forward pass as in training."""
    return _products(torch.ones(4, requires_grad=True), torch.full((4,), 0.999)), 100


@workload
def chain_tanh_add_recorded(torch: Any) -> tuple[Callable[[], Any], int]:
    """tanh and add, 50 times each, on 4 floats, recorded."""
    return _sums_of_tanh(torch.ones(4, requires_grad=True), torch.full((4,), 0.1)), 100


@workload
def chain_mul(torch: Any) -> tuple[Callable[[], Any], int]:
    """100 multiplications on 4 floats, forward and backward."""
    x = torch.ones(4, requires_grad=True)
    return _and_backward(torch, x, _products(x, torch.full((4,), 0.999))), 100


@workload
def chain_tanh_add(torch: Any) -> tuple[Callable[[], Any], int]:
    """tanh and add, 50 times each, on 4 floats, forward and backward."""
    x = torch.ones(4, requires_grad=True)
    return _and_backward(torch, x, _sums_of_tanh(x, torch.full((4,), 0.1))), 100


@workload
def scalar_graph(torch: Any) -> tuple[Callable[[], Any], int]:
    """1,000 scalar operations (mul, add, sub, sin in turn), forward and backward."""
    x = torch.tensor(0.5, requires_grad=True)
    y = torch.tensor(0.25, requires_grad=True)

    def step() -> Any:
        x.grad = y.grad = None
        z = x
        for _ in range(250):
            z = (z * y + x - y).sin()
        z.backward()
        return x.grad

    return step, 1000


def _chain_of(operations: int) -> Workload:
    """A long chain with the garbage collector on, as always: the time per operation must not grow with the graph."""

    def make(torch: Any) -> tuple[Callable[[], Any], int]:
        x = torch.ones(4, requires_grad=True)
        gc.enable()
        return _and_backward(torch, x, _products(x, torch.full((4,), 0.999999), operations)), operations

    return make


CHAINS = {f"chain_of_{10**power}": 10**power for power in (3, 4, 5, 6)}
WORKLOADS.update({name: _chain_of(operations) for name, operations in CHAINS.items()})


@workload
def one_tensor_used_often(torch: Any) -> tuple[Callable[[], Any], int]:
    """A tensor that is no leaf, added 100,000 times: its gradient gathers from as many places."""
    x = torch.full((4,), 1e-3, requires_grad=True)

    def step() -> Any:
        x.grad = None
        y = x * 2
        z = y
        for _ in range(100_000):
            z = z + y
        z.sum().backward()
        return x.grad

    return step, 100_000


@workload
def tiny_mlp_step(torch: Any) -> tuple[Callable[[], Any], int]:
    """Batch 16, 10-32-2 with tanh, mean squared error, plain gradient descent by hand."""
    w1, b1 = torch.full((10, 32), 0.01), torch.zeros(32)
    w2, b2 = torch.full((32, 2), 0.02), torch.zeros(2)
    parameters = [w1, b1, w2, b2]
    for p in parameters:
        p.requires_grad_()
    x = torch.linspace(-1, 1, 160).reshape(16, 10)
    y = torch.linspace(0, 1, 32).reshape(16, 2)

    def step() -> Any:
        loss = ((torch.tanh(x @ w1 + b1) @ w2 + b2 - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            for p in parameters:
                p -= 1e-6 * p.grad
                p.grad = None
        return loss

    return step, 1
