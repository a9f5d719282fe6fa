"""``torch.func``: derivatives of functions, nested and in batches, so small that the way through a transform counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .data import draw
from .workloads import Workload

FUNC: dict[str, Workload] = {}


def workload(fn: Workload) -> Workload:
    FUNC[fn.__name__] = fn
    return fn


def _mlp(torch: Any) -> tuple[dict[str, Any], Callable[..., Any]]:
    """Parameters of a 10-32-2 network, and its loss as a function of them."""
    parameters = {
        "w1": draw(torch, 32, 10, seed=2) * 0.1, "b1": torch.zeros(32),
        "w2": draw(torch, 2, 32, seed=3) * 0.1, "b2": torch.zeros(2),
    }  # fmt: skip

    def loss(p: dict[str, Any], x: Any, y: Any) -> Any:
        hidden = torch.tanh(x @ p["w1"].t() + p["b1"])
        return ((hidden @ p["w2"].t() + p["b2"] - y) ** 2).mean()

    return parameters, loss


@workload
def func_per_sample_gradients(torch: Any) -> tuple[Callable[[], Any], int]:
    """Of the network, for each of 256 samples, by ``vmap(grad)``."""
    parameters, loss = _mlp(torch)
    x, y = draw(torch, 256, 10), draw(torch, 256, 2)
    gradients = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))
    return lambda: gradients(parameters, x, y)["w1"], 1


@workload
def func_hessian_of_rosenbrock(torch: Any) -> tuple[Callable[[], Any], int]:
    """In 20 dimensions."""

    def rosenbrock(x: Any) -> Any:
        return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()

    x = torch.linspace(-1, 1, 20)
    hessian = torch.func.hessian(rosenbrock)
    return lambda: hessian(x), 1


@workload
def func_hvp_forward_over_reverse(torch: Any) -> tuple[Callable[[], Any], int]:
    """The Hessian of the network's loss times a vector, by ``jvp`` of ``grad``."""
    parameters, loss = _mlp(torch)
    x, y = draw(torch, 16, 10), draw(torch, 16, 2)
    v = {name: torch.ones_like(p) for name, p in parameters.items()}
    gradient = torch.func.grad(lambda p: loss(p, x, y))
    return lambda: torch.func.jvp(gradient, (parameters,), (v,))[1]["w1"], 1


@workload
def func_hvp_reverse_over_reverse(torch: Any) -> tuple[Callable[[], Any], int]:
    """The same by ``vjp`` of ``grad``."""
    parameters, loss = _mlp(torch)
    x, y = draw(torch, 16, 10), draw(torch, 16, 2)
    v = {name: torch.ones_like(p) for name, p in parameters.items()}
    gradient = torch.func.grad(lambda p: loss(p, x, y))
    return lambda: torch.func.vjp(gradient, parameters)[1](v)[0]["w1"], 1


def _layer(torch: Any) -> tuple[Callable[[Any], Any], Any]:
    matrix = draw(torch, 100, 100) * 0.1
    return lambda x: torch.tanh(matrix @ x), draw(torch, 100, seed=2)


@workload
def func_jacrev(torch: Any) -> tuple[Callable[[], Any], int]:
    """The Jacobian of a function of 100 numbers into 100, by reverse mode."""
    f, x = _layer(torch)
    jacobian = torch.func.jacrev(f)
    return lambda: jacobian(x), 1


@workload
def func_jacfwd(torch: Any) -> tuple[Callable[[], Any], int]:
    """The same by forward mode."""
    f, x = _layer(torch)
    jacobian = torch.func.jacfwd(f)
    return lambda: jacobian(x), 1
