"""``--group sizes``: time against size, of operations and of training steps; a picture of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .data import classes, draw, settled
from .kernels import expression, functional, some, with_gradients
from .networks import recurrent
from .training import training_step
from .workloads import Workload


class Family(NamedTuple):
    """A workload of any size."""

    title: str
    counted: str
    """What the size is."""
    sizes: tuple[int, ...]
    make: Callable[[int], Workload]


def _powers(base: int, first: int, last: int) -> tuple[int, ...]:
    return tuple(base**n for n in range(first, last + 1))


def _mlp(width: int) -> Workload:
    def make(torch: Any) -> tuple[Callable[[], Any], int]:
        nn = torch.nn
        layers = nn.Linear(64, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 10)
        net = settled(torch, nn.Sequential(*layers))
        optimizer = torch.optim.Adam(net.parameters(), lr=1e-4)
        x, y = draw(torch, 64, 64), classes(torch, 64, below=10)
        return training_step(net, nn.CrossEntropyLoss(), optimizer, x, y), 1

    return make


FAMILIES = {
    "expression": Family(
        "sigmoid(x)*tanh(y)+exp(-x*x), forward + backward", "elements", _powers(10, 0, 6),
        lambda n: with_gradients(expression, (some(n), some(n, seed=1))),
    ),
    "mul": Family(
        "x * y, forward + backward", "elements", _powers(10, 0, 7),
        lambda n: with_gradients(lambda torch, x, y: x * y, (some(n), some(n, seed=1))),
    ),
    "sum": Family(
        "sum, forward + backward", "elements", _powers(10, 0, 7),
        lambda n: with_gradients(lambda torch, x: x.sum(), (some(n),)),
    ),
    "softmax": Family(
        "softmax of rows of 100, forward + backward", "rows", _powers(10, 0, 4),
        lambda n: with_gradients(lambda torch, x: torch.softmax(x, -1), (some(n, 100),)),
    ),
    "layer_norm": Family(
        "layer norm of rows of 100, forward + backward", "rows", _powers(10, 0, 4),
        lambda n: with_gradients(
            lambda torch, x, w, b: functional(torch).layer_norm(x, (100,), w, b),
            (some(n, 100), some(100, seed=1), some(100, seed=2)),
        ),
    ),
    "matmul": Family(
        "product of n by n matrices, forward + backward", "rows and columns", _powers(2, 1, 10),
        lambda n: with_gradients(lambda torch, a, b: a @ b, (some(n, n), some(n, n, seed=1))),
    ),
    "conv2d": Family(
        "3x3 convolution of 8 images with 16 channels, forward + backward", "height and width", _powers(2, 2, 7),
        lambda n: with_gradients(
            lambda torch, x, w: functional(torch).conv2d(x, w, padding=1), (some(8, 16, n, n), some(16, 16, 3, 3)),
        ),
    ),
    "attention": Family(
        "attention of 4 heads of 32, batch 4, forward + backward", "length", _powers(2, 3, 10),
        lambda n: with_gradients(
            lambda torch, q, k, v: functional(torch).scaled_dot_product_attention(q, k, v),
            (some(4, 4, n, 32), some(4, 4, n, 32, seed=1), some(4, 4, n, 32, seed=2)),
        ),
    ),
    "mlp": Family("step of an MLP with two hidden layers, batch 64, Adam", "width", _powers(2, 3, 11), _mlp),
    "lstm": Family(
        "LSTM step, batch 32, 50 time steps", "width", _powers(2, 3, 9),
        lambda n: lambda torch: recurrent(torch, "LSTM", n),
    ),
}  # fmt: skip

SIZES: dict[str, Workload] = {f"{name}_of_{n}": of.make(n) for name, of in FAMILIES.items() for n in of.sizes}


def size_of(name: str) -> tuple[str, int]:
    """The family of a workload, and its size."""
    family, _, size = name.rpartition("_of_")
    return family, int(size)
