"""The small workloads in the manner of other libraries, under the names that they have for facula and PyTorch."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from .data import array, weights
from .workloads import Workload

Chain = Callable[[Any], Any]

_FACTOR, _TERM = np.full(4, 0.999, np.float32), np.full(4, 0.1, np.float32)
_ONES = np.ones(4, np.float32)
_SHAPES = ((32, 10), (32,), (2, 32), (2,))


def _products(xp: Any) -> Chain:
    def chain(z: Any) -> Any:
        for _ in range(100):
            z = z * _FACTOR
        return z

    return chain


def _hyperbolas(xp: Any) -> Chain:
    def chain(z: Any) -> Any:
        for _ in range(50):
            z = xp.tanh(z) + _TERM
        return z

    return chain


def _scalars(xp: Any) -> Callable[[Any, Any], Any]:
    def graph(x: Any, y: Any) -> Any:
        z = x
        for _ in range(250):
            z = xp.sin(z * y + x - y)
        return z

    return graph


def _loss(xp: Any) -> Callable[..., Any]:
    x, y = array(16, 10), array(16, 2, seed=2)

    def loss(parameters: Any) -> Any:
        w1, b1, w2, b2 = parameters
        return xp.mean((xp.matmul(xp.tanh(xp.matmul(x, w1.T) + b1), w2.T) + b2 - y) ** 2)

    return loss


_CHAINS = {"mul": _products, "tanh_add": _hyperbolas}


# ---- jax: compiled, as it is meant to be used


def _jax_forward(chain: Callable[[Any], Chain]) -> Workload:
    def make(jax: Any) -> tuple[Callable[[], Any], int]:
        forward = jax.jit(chain(jax.numpy))
        return lambda: forward(_ONES).block_until_ready(), 100

    return make


def _jax_both(chain: Callable[[Any], Chain]) -> Workload:
    def make(jax: Any) -> tuple[Callable[[], Any], int]:
        forward = chain(jax.numpy)
        gradient = jax.jit(lambda x: jax.vjp(forward, x)[1](_ONES)[0])
        return lambda: gradient(_ONES).block_until_ready(), 100

    return make


def _jax_scalars(jax: Any) -> tuple[Callable[[], Any], int]:
    gradient = jax.jit(jax.grad(_scalars(jax.numpy), (0, 1)))
    x, y = np.float32(0.5), np.float32(0.25)
    return lambda: gradient(x, y)[0].block_until_ready(), 1000


def _jax_mlp(jax: Any) -> tuple[Callable[[], Any], int]:
    loss_and_gradients = jax.value_and_grad(_loss(jax.numpy))
    parameters = [jax.numpy.asarray(w) for w in weights(*_SHAPES)]

    @jax.jit
    def updated(parameters: Any) -> Any:
        loss, gradients = loss_and_gradients(parameters)
        return loss, [p - 1e-3 * g for p, g in zip(parameters, gradients)]

    def step() -> Any:
        nonlocal parameters
        loss, parameters = updated(parameters)
        parameters[0].block_until_ready()
        return loss

    return step, 1


JAX: dict[str, Workload] = {
    **{f"chain_{name}_recorded": _jax_forward(chain) for name, chain in _CHAINS.items()},
    **{f"chain_{name}": _jax_both(chain) for name, chain in _CHAINS.items()},
    "scalar_graph": _jax_scalars,
    "tiny_mlp": _jax_mlp,
}


# ---- autograd


def _autograd_numpy() -> Any:
    return importlib.import_module("autograd.numpy")


def _autograd_forward(chain: Callable[[Any], Chain]) -> Workload:
    def make(autograd: Any) -> tuple[Callable[[], Any], int]:
        recorded = importlib.import_module("autograd.core").make_vjp
        forward = chain(_autograd_numpy())
        return lambda: recorded(forward, _ONES)[1], 100

    return make


def _autograd_both(chain: Callable[[Any], Chain]) -> Workload:
    def make(autograd: Any) -> tuple[Callable[[], Any], int]:
        recorded = importlib.import_module("autograd.core").make_vjp
        forward = chain(_autograd_numpy())
        return lambda: recorded(forward, _ONES)[0](_ONES), 100

    return make


def _autograd_scalars(autograd: Any) -> tuple[Callable[[], Any], int]:
    gradient = autograd.grad(_scalars(_autograd_numpy()), (0, 1))
    x, y = np.float32(0.5), np.float32(0.25)
    return lambda: gradient(x, y)[0], 1000


def _autograd_mlp(autograd: Any) -> tuple[Callable[[], Any], int]:
    loss_and_gradients = autograd.value_and_grad(_loss(_autograd_numpy()))
    parameters = weights(*_SHAPES)

    def step() -> Any:
        loss, gradients = loss_and_gradients(parameters)
        for p, g in zip(parameters, gradients):
            p -= 1e-3 * g
        return loss

    return step, 1


AUTOGRAD: dict[str, Workload] = {
    **{f"chain_{name}_recorded": _autograd_forward(chain) for name, chain in _CHAINS.items()},
    **{f"chain_{name}": _autograd_both(chain) for name, chain in _CHAINS.items()},
    "scalar_graph": _autograd_scalars,
    "tiny_mlp": _autograd_mlp,
}


# ---- mygrad


def _mygrad_forward(chain: Callable[[Any], Chain]) -> Workload:
    def make(mygrad: Any) -> tuple[Callable[[], Any], int]:
        forward, x = chain(mygrad), mygrad.tensor(_ONES)
        return lambda: forward(x).data, 100

    return make


def _mygrad_both(chain: Callable[[Any], Chain]) -> Workload:
    def make(mygrad: Any) -> tuple[Callable[[], Any], int]:
        forward, x = chain(mygrad), mygrad.tensor(_ONES)

        def step() -> Any:
            forward(x).backward(_ONES)
            return x.grad

        return step, 100

    return make


def _mygrad_scalars(mygrad: Any) -> tuple[Callable[[], Any], int]:
    graph = _scalars(mygrad)
    x, y = mygrad.tensor(np.float32(0.5)), mygrad.tensor(np.float32(0.25))

    def step() -> Any:
        graph(x, y).backward()
        return x.grad

    return step, 1000


def _mygrad_mlp(mygrad: Any) -> tuple[Callable[[], Any], int]:
    loss_of = _loss(mygrad)
    parameters = [mygrad.tensor(w) for w in weights(*_SHAPES)]

    def step() -> Any:
        loss = loss_of(parameters)
        loss.backward()
        for p in parameters:
            p.data -= 1e-3 * p.grad
        return loss.data

    return step, 1


MYGRAD: dict[str, Workload] = {
    **{f"chain_{name}_recorded": _mygrad_forward(chain) for name, chain in _CHAINS.items()},
    **{f"chain_{name}": _mygrad_both(chain) for name, chain in _CHAINS.items()},
    "scalar_graph": _mygrad_scalars,
    "tiny_mlp": _mygrad_mlp,
}
