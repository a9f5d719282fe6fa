"""Training steps of feed-forward and convolutional networks: forward, backward and the optimizer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .data import classes, draw, settled
from .workloads import Workload

TRAINING: dict[str, Workload] = {}


def training(fn: Workload) -> Workload:
    TRAINING[fn.__name__] = fn
    return fn


def training_step(net: Any, loss_of: Callable[[Any, Any], Any], optimizer: Any, x: Any, y: Any) -> Callable[[], Any]:
    def step() -> Any:
        optimizer.zero_grad()
        loss = loss_of(net(x), y)
        loss.backward()
        optimizer.step()
        return loss

    return step


@training
def tiny_mlp(torch: Any) -> tuple[Callable[[], Any], int]:
    """Batch 16, 10-32-2, mean squared error, plain gradient descent."""
    nn = torch.nn
    net = settled(torch, nn.Sequential(nn.Linear(10, 32), nn.Tanh(), nn.Linear(32, 2)))
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
    return training_step(net, nn.MSELoss(), optimizer, draw(torch, 16, 10), draw(torch, 16, 2, seed=2)), 1


@training
def small_mlp(torch: Any) -> tuple[Callable[[], Any], int]:
    """Batch 64, 784-128-64-10, cross-entropy, Adam."""
    nn = torch.nn
    layers = nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 10)
    net = settled(torch, nn.Sequential(*layers))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-4)
    return training_step(net, nn.CrossEntropyLoss(), optimizer, draw(torch, 64, 784), classes(torch, 64, below=10)), 1


@training
def large_mlp(torch: Any) -> tuple[Callable[[], Any], int]:
    """Batch 256, 1024-2048-2048-1000, cross-entropy, gradient descent with momentum."""
    nn = torch.nn
    layers = nn.Linear(1024, 2048), nn.ReLU(), nn.Linear(2048, 2048), nn.ReLU(), nn.Linear(2048, 1000)
    net = settled(torch, nn.Sequential(*layers))
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-3, momentum=0.9)
    x, y = draw(torch, 256, 1024), classes(torch, 256, below=1000)
    return training_step(net, nn.CrossEntropyLoss(), optimizer, x, y), 1


@training
def cnn(torch: Any) -> tuple[Callable[[], Any], int]:
    """Batch 32 of 1x28x28: two 3x3 convolutions (32 and 64), max-pool, linear; cross-entropy, gradient descent."""
    nn = torch.nn
    layers = nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()
    net = settled(torch, nn.Sequential(*layers, nn.Linear(64 * 12 * 12, 10)))
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
    x, y = draw(torch, 32, 1, 28, 28), classes(torch, 32, below=10)
    return training_step(net, nn.CrossEntropyLoss(), optimizer, x, y), 1


@training
def residual_block(torch: Any) -> tuple[Callable[[], Any], int]:
    """8x64x56x56 through two 3x3 convolutions with batch norm, and around them; gradients alone, of everything."""
    nn = torch.nn
    convolution = {"kernel_size": 3, "padding": 1, "bias": False}
    around = nn.Conv2d(64, 64, **convolution), nn.BatchNorm2d(64), nn.ReLU(), nn.Conv2d(64, 64, **convolution)
    net = settled(torch, nn.Sequential(*around, nn.BatchNorm2d(64)))
    x = draw(torch, 8, 64, 56, 56).requires_grad_()
    g = draw(torch, 8, 64, 56, 56, seed=2)

    def step() -> Any:
        net.zero_grad()
        x.grad = None
        torch.relu(net(x) + x).backward(g)
        return x.grad

    return step, 1
